/* SPDX-License-Identifier: MIT */
/*
 * `tacit audit`: measures the privacy of a plan, or of another program, instead of
 * proving it. The library makes the runs and plays the attacker (tacit/extra/audit.h).
 */
#include "audit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "data.h"
#include "limit.h"
#include "output.h"
#include "progress.h"
#include "settings.h"
#include "stop.h"

enum { ROWS_DEFAULT = 400, FEATURES_DEFAULT = 4 };

int64_t tacit_cli_audit_trials(const struct cli_arguments *arguments,
                               int64_t fallback) {
  const struct cli_value *trials = tacit_cli_value(arguments, "trials");
  return trials->given ? (int64_t)trials->integer : fallback;
}

unsigned tacit_cli_audit_threads(const struct cli_arguments *arguments) {
  return (unsigned)tacit_cli_value(arguments, "threads")->integer;
}

int tacit_cli_audit_only(const struct cli_arguments *arguments, const char *const *fit,
                         const char *instead) {
  const struct cli_option *option;
  for (size_t i = 0; (option = tacit_cli_option_at(arguments->command, i, NULL)); ++i) {
    int known = 0;
    for (size_t k = 0; fit[k] != NULL; ++k)
      known |= strcmp(fit[k], option->name) == 0;
    if (arguments->values[i].given && !known)
      return tacit_cli_fail(arguments->command, CLI_USAGE, "--%s %s", option->name,
                            instead);
  }
  return 0;
}

/* What training takes from data and an audit does not have. */
static int check(const struct cli_arguments *arguments) {
  const struct cli_command *command = arguments->command;
  if (tacit_cli_given(arguments, "unit"))
    return tacit_cli_fail(command, CLI_USAGE,
                          "--unit names the ids of data, and an audit makes up its "
                          "records: give --units N, the number of persons");
  if (tacit_cli_given(arguments, "seed") ||
      strcmp(tacit_cli_text(arguments, "mechanism", ""), "none") == 0)
    return tacit_cli_fail(
        command, CLI_USAGE,
        "--seed and --mechanism none are not private: there is nothing "
        "to audit");
  if (tacit_cli_given(arguments, "ranges") || tacit_cli_given(arguments, "runs"))
    return tacit_cli_fail(command, CLI_USAGE, "--ranges and --runs need --command");
  const char *svg = tacit_cli_text(arguments, "svg", NULL);
  int regular;
  return svg != NULL ? tacit_cli_output_check(command, svg, &regular) : 0;
}

static void describe(const struct cli_arguments *arguments, const tacit_config *config,
                     struct cli_audit *audit) {
  static const char *const releases[] = {"", "evaluation of ", "counts of "};
  int persons = config->units > 0, kind = tacit_cli_audit_kind(arguments);
  long long records = (long long)(persons ? config->units : config->rows);
  snprintf(audit->what, sizeof audit->what, "%s%lld %s made up, one of them %s%s; %s",
           releases[kind], records, persons ? "persons" : "rows",
           config->adjacency == TACIT_ZERO_OUT ? "added" : "replaced",
           config->weighted ? "; rows have weights" : "",
           persons && kind == CLI_AUDIT_TRAIN
               ? "a person has up to three rows or --unit-rows"
           : persons                 ? "a person has up to three rows"
           : kind != CLI_AUDIT_TRAIN ? "there is one sum over all rows"
           : config->shuffled        ? "the files are sorted, so all others move"
                                     : "it keeps its place");
}

static int report_plan(const struct cli_arguments *arguments,
                       const tacit_config *config, const tacit_audit *audit) {
  struct cli_audit report = {
      .arguments = arguments,
      .claim = {.mu = tacit_audit_mu(audit), .delta = tacit_audit_delta(audit)},
      .reach = tacit_audit_reach(audit),
      .attacks = {{.name = "likelihood-ratio",
                   .text = "exact likelihood ratio of all releases",
                   .is_ratio = 1},
                  {.name = "order-of-another-run",
                   .text = "the order of the rows is that of another run"}}};
  for (int i = 0; i < CLI_ATTACKS; ++i) {
    struct cli_attack *attack = &report.attacks[i];
    attack->first = tacit_audit_scores(audit, (tacit_audit_score)i, 0, &attack->count);
    attack->second = tacit_audit_scores(audit, (tacit_audit_score)i, 1, NULL);
  }
  const tacit_plan *plan = tacit_audit_plan(audit);
  json_t *statement = json_loads(tacit_audit_statement(audit), 0, NULL);
  const json_t *epsilon = json_object_get(statement, "epsilon");
  report.claim.epsilon =
      json_is_number(epsilon) ? json_number_value(epsilon) : (double)NAN;
  report.claim.is_epsilon = report.claim.delta == 0;
  report.facts = json_pack("{s:o}", "statement", statement);
  if (plan != NULL && json_object_set_new(report.facts, "plan",
                                          json_loads(tacit_plan_json(plan), 0, NULL)))
    report.facts = NULL;
  describe(arguments, config, &report);
  return tacit_cli_audit_report(&report);
}

static tacit_status audit_kind(int kind, const tacit_config *config,
                               const tacit_evaluation_options *release,
                               const tacit_audit_options *options, tacit_audit **out,
                               tacit_error *err) {
  if (kind == CLI_AUDIT_EVAL)
    return tacit_audit_evaluation(config, release, options, out, err);
  if (kind == CLI_AUDIT_DESCRIBE)
    return tacit_audit_description(config, release, options, out, err);
  return tacit_audit_run(config, options, out, err);
}

static int audit_config(const struct cli_arguments *arguments, tacit_config *config,
                        const tacit_evaluation_options *release) {
  const struct cli_command *command = arguments->command;
  tacit_audit_options options;
  tacit_audit *audit = NULL;
  tacit_error err;
  struct cli_progress progress;
  if (config->units == 0 && tacit_schema_unit(config->schema) != NULL)
    return tacit_cli_fail(command, CLI_USAGE,
                          "the schema names a column of persons: give --units N, their "
                          "number");
  if (config->units == 0 && config->rows == 0) config->rows = ROWS_DEFAULT;
  config->weighted = tacit_cli_given(arguments, "weighted");
  tacit_audit_options_init(&options);
  options.trials = tacit_cli_audit_trials(arguments, options.trials);
  options.threads = tacit_cli_audit_threads(arguments);
  options.progress = tacit_cli_progress_runs;
  options.cookie = &progress;
  tacit_cli_stop_catch(command);
  tacit_cli_progress_start(&progress, tacit_cli_given(arguments, "quiet"));
  tacit_status status = audit_kind(tacit_cli_audit_kind(arguments), config, release,
                                   &options, &audit, &err);
  tacit_cli_progress_end(&progress);
  if (tacit_cli_stop_signal() != 0) {
    tacit_audit_free(audit);
    return tacit_cli_stop_fail(tacit_cli_stop_signal());
  }
  if (status != TACIT_OK) return tacit_cli_fail_error(command, &err);
  int exit_code = report_plan(arguments, config, audit);
  tacit_audit_free(audit);
  return exit_code;
}

static int run(const struct cli_arguments *arguments) {
  if (tacit_cli_given(arguments, "command")) return tacit_cli_audit_command(arguments);
  struct cli_arguments filled = *arguments;
  int exit_code = check(arguments);
  if (exit_code != 0) return exit_code;
  for (size_t i = 0; i < CLI_MAX_OPTIONS; ++i) {
    const struct cli_option *option = tacit_cli_option_at(arguments->command, i, NULL);
    if (option == NULL) break;
    if (strcmp(option->name, "features") != 0 || tacit_cli_given(arguments, "schema") ||
        filled.values[i].given)
      continue;
    filled.values[i].given = 1;
    filled.values[i].integer = FEATURES_DEFAULT;
  }
  struct cli_run settings = {0};
  tacit_evaluation_options release;
  exit_code = tacit_cli_audit_budget(arguments, &settings, &release);
  if (exit_code != 0) return exit_code;
  if (settings.schema == NULL) exit_code = tacit_cli_settings(&filled, &settings);
  if (exit_code != 0) return exit_code;
  exit_code = audit_config(&filled, &settings.config, &release);
  tacit_cli_settings_free(&settings);
  return exit_code;
}

static const struct cli_option audit_options[] = {
    {.name = "trials",
     .placeholder = "N",
     .kind = CLI_INTEGER,
     .int_min = 20,
     .int_max = 100000000,
     .fallback = "20000; with --command 500, more if --epsilon is above 1.7",
     .common = 1,
     .help = "runs on each of the two data sets"},
    {.name = "release",
     .placeholder = "NAME",
     .kind = CLI_CHOICE,
     .choices = "train eval describe",
     .fallback = "train",
     .common = 1,
     .help = "what is audited: training, or what \"tacit eval --epsilon\" or \"tacit "
             "describe\" releases"},
    {.name = "command",
     .placeholder = "COMMAND",
     .kind = CLI_TEXT,
     .common = 1,
     .help = "audit another program: a shell command that trains on the CSV file "
             "{data} and writes what it releases as numbers to {out}"},
    {.name = "ranges",
     .placeholder = "MIN,MAX,...",
     .kind = CLI_TEXT,
     .help = "with --command: the range of every column, the last pair for all further "
             "ones; without it rows have a norm of at most 1"},
    {.name = "runs",
     .placeholder = "N",
     .kind = CLI_INTEGER,
     .int_min = 1,
     .int_max = 10000,
     .fallback = "1",
     .help = "with --command: one call trains N times ({runs} in the command is "
             "replaced by N) and writes N lines to {out}"},
    {.name = "svg",
     .placeholder = "FILE",
     .kind = CLI_TEXT,
     .file = CLI_OUTPUT,
     .common = 1,
     .help = "draw the ROC curve of the attacker beside the one that is allowed"},
    {.name = "weighted", .kind = CLI_FLAG, .help = "the made-up rows have weights"},
    {.name = "threads",
     .placeholder = "N",
     .kind = CLI_INTEGER,
     .int_min = 0,
     .int_max = 256,
     .fallback = "all cores",
     .help = "runs at a time, 0 for all cores"},
    {.name = "quiet", .letter = 'q', .kind = CLI_FLAG, .help = "show no progress"},
    {.name = "json", .kind = CLI_FLAG, .common = 1, .help = "print one JSON object"},
    {0}};
static const struct cli_group audit_group = {"Audit", audit_options};
static const struct cli_group *const groups[] = {&audit_group,
                                                 &tacit_cli_privacy_group,
                                                 &tacit_cli_data_group,
                                                 &tacit_cli_person_group,
                                                 &tacit_cli_problem_group,
                                                 &tacit_cli_algorithm_group,
                                                 &tacit_cli_noise_group,
                                                 &tacit_cli_limit_model_group,
                                                 NULL};

const struct cli_command tacit_cli_audit = {
    .name = "audit",
    .operands = "",
    .summary = "measure the privacy of a plan, or of another program, by attacking it",
    .description =
        "Runs the real training many times on two neighbouring data sets, with fresh "
        "keys, and lets an attacker tell them apart who sees every release and knows "
        "both data sets. Prints a lower bound on mu beside the mu of the statement. "
        "Options of the plan mean the same as for \"tacit train\". No data is read: "
        "the records are made up, the worst case of the plan (400 rows of 4 features "
        "unless --rows, --units, --features or --schema say otherwise).\n\n"
        "The attacker scores a run by the exact likelihood ratio of its releases, "
        "given the secret order of the rows. Its threshold is 0, the best one for "
        "every "
        "mu, so all runs are judged. Limits are those of Clopper and Pearson: 97.5% "
        "for "
        "the printed bounds, 99.99% for the verdict. A second attacker assumes that "
        "the "
        "order of the rows is that of another run, and must not succeed; half of its "
        "runs pick its threshold.\n\n"
        "--release eval audits the release of a private evaluation in the same way (a "
        "model with --loss is made up), --release describe the counts of the columns "
        "of "
        "--schema.\n\n"
        "Exit code 0 means that the audit did not contradict the guarantee, which it "
        "cannot prove; 5 that the guarantee does not hold. A limit of 99.99% is wrong "
        "once in 10,000 times, and a verdict has two for each attacker.\n\n"
        "With --command another program is audited from outside. The command is run "
        "by the shell, several at a time, with {data} replaced by a CSV file (columns "
        "x1, x2, ... and label, 0 or 1 or the two numbers of --labels; 100 rows of 4 "
        "features unless --rows and --features say otherwise) and {out} by the file it "
        "must write. --epsilon and --delta are what the program claims, and epsilon is "
        "compared; for --rho R it is mu. The canary is a row of norm 1 along x1, or "
        "with --ranges the upper ends of all ranges; --adjacency replace: against its "
        "opposite, or the lower ends; zero-out: against a file without that row. {out} "
        "has one number, or at least as many as there are features. Half of the runs "
        "pick which number is the score (or a weighted sum), what it must be, large, "
        "small, far from the middle or near it, and the threshold. The other half is "
        "judged.",
    .examples =
        "tacit audit --epsilon 1\n"
        "tacit audit --epsilon 8 --units 500 --passes 4 --svg roc.svg\n"
        "tacit audit --release eval --epsilon 0.5 --units 500\n"
        "tacit audit --epsilon 1 --delta 1e-5 --command 'python3 theirs.py {data} "
        "{out}'\n"
        "tacit audit --epsilon 1 --delta 0 --features 1 --ranges 0,1 --command "
        "'python3 theirs.py {data} {out}'\n",
    .groups = groups,
    .run = run,
};
