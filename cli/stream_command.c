/* SPDX-License-Identifier: MIT */
/* The table of `tacit stream`: its options, and the text of its help. */
#include "budget.h"
#include "data.h"
#include "limit.h"
#include "stream.h"

static const struct cli_option stream_options[] = {
    {.name = "horizon",
     .placeholder = "DAYS",
     .kind = CLI_INTEGER,
     .int_min = 1,
     .int_max = INT64_C(1) << 30,
     .common = 1,
     .help = "init: rounds in all; the budget is for all of them together"},
    {.name = "batch-rows",
     .placeholder = "N",
     .kind = CLI_INTEGER,
     .int_min = 1,
     .int_max = INT64_C(1) << 42,
     .common = 1,
     .help = "init: rows of an ordinary day (persons if these are the unit), a public "
             "fact; sums are divided by it, whatever a day has"},
    {.name = "window",
     .placeholder = "DAYS",
     .kind = CLI_INTEGER,
     .int_min = 1,
     .int_max = INT64_C(1) << 30,
     .fallback = "none",
     .common = 1,
     .help = "init: forget: the sums begin anew every so many days, within the same "
             "budget; \"stream plan\" shows what that costs"},
    {.name = "persons",
     .kind = CLI_FLAG,
     .help = "init: for LIBSVM and .npy: rows belong to persons, whose ids every feed "
             "gives with --unit; for CSV the schema says so"},
    {.name = "unit-once",
     .kind = CLI_FLAG,
     .common = 1,
     .help = "init: rows of a person who came on an earlier day count nothing, so that "
             "the guarantee is for persons; keeps digests of ids in STATE.persons"},
    {.name = "evaluate",
     .placeholder = "SHARE",
     .kind = CLI_REAL,
     .min = 1e-6,
     .max = 0.5,
     .fallback = "0: no scores",
     .help =
         "init: share of mu^2 for scores: every day, the model at hand is evaluated "
         "on the rows of the day before they are learned; feed prints the result"},
    {.name = "key-file",
     .placeholder = "FILE",
     .kind = CLI_TEXT,
     .file = CLI_INPUT,
     .common = 1,
     .help = "key of the state, which holds sums without noise: 32 bytes or more that "
             "only you can read"},
    {.name = "output",
     .letter = 'o',
     .placeholder = "MODEL",
     .kind = CLI_TEXT,
     .file = CLI_OUTPUT,
     .common = 1,
     .help = "feed: file the model is written to"},
    {.name = "round",
     .placeholder = "T",
     .kind = CLI_INTEGER,
     .int_min = 1,
     .int_max = INT64_C(1) << 30,
     .fallback = "the next one, or the last one if its rows come again",
     .common = 1,
     .help = "feed: the number of the day, from 1: then a command can be repeated"},
    {.name = "skip",
     .kind = CLI_FLAG,
     .common = 1,
     .help = "feed: rounds before --round that were missed have no rows; without a "
             "file, --round itself too"},
    {.name = "threads",
     .placeholder = "N",
     .kind = CLI_INTEGER,
     .int_min = 0,
     .int_max = 256,
     .fallback = "all cores",
     .help = "threads, 0 for all cores; no model depends on it"},
    {.name = "json", .kind = CLI_FLAG, .help = "print one JSON object"},
    {0}};
static const struct cli_group stream_group = {"Stream", stream_options};
static const struct cli_group *const groups[] = {&stream_group,
                                                 &tacit_cli_data_group,
                                                 &tacit_cli_privacy_group,
                                                 &tacit_cli_budget_group,
                                                 &tacit_cli_person_group,
                                                 &tacit_cli_problem_group,
                                                 &tacit_cli_algorithm_group,
                                                 &tacit_cli_noise_group,
                                                 &tacit_cli_label_group,
                                                 &tacit_cli_limit_group,
                                                 NULL};

/* Options of the groups that a stream fixes itself; given, they are refused by name. */
static const char *const left_out[] = {"rows",        "units",  "passes",     "batch",
                                       "preset",      "centre", "no-shuffle", "init",
                                       "init-public", NULL};

const struct cli_command tacit_cli_stream = {
    .name = "stream",
    .operands = "ACTION STATE [DATA...]",
    .actions = "init feed status close plan",
    .summary = "a model a day under one budget",
    .description =
        "Learns from the rows of day after day and gives a model after each, for one "
        "budget: all models of all days together are as private as each of them says. "
        "init fixes horizon, budget and all other options and makes STATE, a sealed "
        "file. feed reads the rows of a day, once, and writes the model after it. "
        "status and close print where the stream is; close ends it. plan prints what a "
        "stream would do and cost, and needs no STATE.\n\n"
        "A feed that is killed at any moment is repeated with the same rows and gives "
        "the same model, byte for byte; other rows for a round that was begun are "
        "refused with exit code 5. Days may have different numbers of rows, or none; "
        "these numbers are public, and so is the day a row came on. Feeding is for the "
        "data holder: whether rows are refused says whether they are the same.\n\n"
        "With --ledger the budget of all days is reserved by init, and the ledger "
        "notices an old copy of STATE.",
    .examples =
        "head -c 32 /dev/urandom > key; chmod 600 key\n"
        "tacit stream init visits.state --horizon 365 --batch-rows 5000 --epsilon 1 "
        "--schema schema.json --key-file key\n"
        "tacit stream feed visits.state day-017.csv --round 17 --key-file key -o "
        "models/017.json\n"
        "tacit stream feed visits.state day-020.csv --round 20 --skip --key-file key "
        "-o "
        "models/020.json\n"
        "tacit stream status visits.state --key-file key\n",
    .groups = groups,
    .left_out = left_out,
    .max_operands = 1 << 20,
    .run = tacit_cli_stream_run,
};
