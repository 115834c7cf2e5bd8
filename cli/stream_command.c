/* SPDX-License-Identifier: MIT */
/* The actions of `tacit stream` and their options. */
#include <string.h>

#include "budget.h"
#include "cli.h"
#include "data.h"
#include "stream.h"

/* What an action may be given; NULL ends a list. */
static const char *const feed_names[] = {
    "key-file", "output",     "round",     "skip",       "threads",
    "json",     "label-file", "weights",   "max-weight", "unit",
    "max-line", "max-temp",   "max-model", NULL};
static const char *const look_names[] = {"key-file", "json", "threads", NULL};
/* What init and plan may not be given: a stream has its own, or none. */
static const char *const not_init_names[] = {
    "output", "round",      "skip",        "label-file", "weights", "unit",
    "units",  "rows",       "passes",      "batch",      "preset",  "centre",
    "init",   "no-shuffle", "init-public", NULL};

static int is_among(const char *name, const char *const *names) {
  for (; *names != NULL; ++names)
    if (strcmp(name, *names) == 0) return 1;
  return 0;
}

static int check_given(const struct cli_args *args, const char *action) {
  const struct cli_option *option;
  const char *const *names = strcmp(action, "feed") == 0 ? feed_names : look_names;
  if (strcmp(action, "init") == 0 || strcmp(action, "plan") == 0) {
    const char *name = cli_first_given(args, not_init_names);
    return name == NULL
               ? 0
               : cli_refuse("--%s is not for stream %s: leave it out", name, action);
  }
  for (size_t i = 0; (option = cli_option_at(args->command, i, NULL)) != NULL; ++i) {
    if (args->values[i].given && !is_among(option->name, names))
      return cli_refuse("--%s is not for stream %s: init fixed the options of all "
                        "days",
                        option->name, action);
  }
  return 0;
}

static const char *const actions[] = {"init", "feed", "status", "close", "plan", NULL};

static int check_words(const struct cli_args *args) {
  if (args->n_operands == 0)
    return cli_refuse("say what to do, for example: tacit stream status STATE");
  const char *action = args->operands[0];
  int plans = strcmp(action, "plan") == 0;
  if (!is_among(action, actions)) return cli_fail_action(action, actions);
  size_t wanted = plans ? 1 : 2;
  if (args->n_operands < wanted)
    return cli_refuse("stream %s needs the file of the state", action);
  if (args->n_operands > wanted && strcmp(action, "feed") != 0)
    return cli_refuse("stream %s takes one state", action);
  /* Only init says how to make a key: made again, the old one would be lost. */
  if (!plans && !cli_given(args, "key-file"))
    return cli_refuse(
        "--key-file FILE is missing: %s",
        strcmp(action, "init") == 0
            ? "the state holds sums without noise and is encrypted (head -c 32 "
              "/dev/urandom > FILE; chmod 600 FILE)"
            : "give the one that the stream was made with");
  if (strcmp(cli_text(args, "mechanism", "auto"), "none") == 0)
    return cli_refuse("a stream is private: --mechanism none is for tacit train");
  return check_given(args, action);
}

static int run(const struct cli_args *args) {
  CLI_TRY(check_words(args));
  const char *action = args->operands[0];
  if (strcmp(action, "plan") == 0) return cli_stream_plan(args);
  const char *state = args->operands[1];
  cli_no_core_dumps(args->operands + 2, args->n_operands - 2,
                    cli_text(args, "output", NULL));
  if (strcmp(action, "init") == 0) return cli_stream_init(args, state);
  if (strcmp(action, "feed") == 0) return cli_stream_feed(args, state);
  return cli_stream_look(args, state, strcmp(action, "close") == 0);
}

static const struct cli_group stream_group = GROUP(
    "Stream",
    INTEGER("horizon", "DAYS", 1, INT64_C(1) << 30,
            "init: rounds in all; the budget is for all of them together", COMMON),
    INTEGER("batch-rows", "N", 1, INT64_C(1) << 42,
            "init: rows of an ordinary day (persons if these are the unit), a public "
            "fact; sums are divided by it, whatever a day has",
            COMMON),
    INTEGER("window", "DAYS", 1, INT64_C(1) << 30,
            "init: forget: the sums begin anew every so many days, within the same "
            "budget; \"stream plan\" shows what that costs",
            DEFAULT("none"), COMMON),
    FLAG("persons", "init: for LIBSVM and .npy: rows belong to persons, whose ids "
                    "every feed gives with --unit; for CSV the schema says so"),
    FLAG("unit-once",
         "init: rows of a person who came on an earlier day count nothing, so that the "
         "guarantee is for persons; keeps digests of ids in STATE.persons",
         COMMON),
    REAL("evaluate", "SHARE", 1e-6, 0.5,
         "init: share of mu^2 for scores: every day, the model at hand is evaluated on "
         "the rows of the day before they are learned; feed prints the result",
         DEFAULT("0: no scores")),
    INPUT("key-file", "FILE",
          "key of the state, which holds sums without noise: 32 bytes or more that "
          "only you can read",
          COMMON),
    OUTPUT("output", "MODEL", "feed: file the model is written to", LETTER('o'),
           COMMON),
    INTEGER("round", "T", 1, INT64_C(1) << 30,
            "feed: the number of the day, from 1: then a command can be repeated",
            DEFAULT("the next one, or the last one if its rows come again"), COMMON),
    FLAG("skip",
         "feed: rounds before --round that were missed have no rows; without a file, "
         "--round itself too",
         COMMON),
    INTEGER("threads", "N", 0, 256, "threads, 0 for all cores; no model depends on it",
            DEFAULT("all cores")),
    JSON);

/* Options of the groups that a stream fixes itself; given, they are refused by name. */
static const char *const left_out[] = {"rows",        "units",  "passes",     "batch",
                                       "preset",      "centre", "no-shuffle", "init",
                                       "init-public", NULL};

CLI_COMMAND(stream, "ACTION STATE [DATA...]", 0, ANY, "a model a day under one budget",
            GROUPS(&stream_group, &cli_data_group, &cli_privacy_group,
                   &cli_budget_group, &cli_person_group, &cli_problem_group,
                   &cli_algorithm_group, &cli_noise_group, &cli_label_group,
                   &cli_limit_group),
            .actions = "init feed status close plan", .left_out = left_out);
