/* SPDX-License-Identifier: MIT */
/*
 * `tacit audit`: measures the privacy of a plan, or of another program, instead of
 * proving it. The library makes the runs and plays the attacker (tacit/extra/audit.h).
 */
#include "audit.h"

#include <math.h>
#include <string.h>

#include "cli.h"
#include "data.h"
#include "progress.h"

enum { ROWS_DEFAULT = 400, FEATURES_DEFAULT = 4 };

int cli_audit_only(const struct cli_args *args, const char *const *fit,
                   const char *instead) {
  const struct cli_option *option;
  for (size_t i = 0; (option = cli_option_at(args->command, i, NULL)); ++i) {
    int known = 0;
    for (size_t k = 0; fit[k] != NULL; ++k)
      known |= strcmp(fit[k], option->name) == 0;
    if (args->values[i].given && !known)
      return cli_refuse("--%s %s", option->name, instead);
  }
  return 0;
}

/* Refuses options of training that need data, which an audit does not have. */
static int check(const struct cli_args *args) {
  if (cli_given(args, "unit"))
    return cli_refuse("--unit names the ids of data, and an audit makes up its "
                      "records: give --units N, the number of persons");
  if (cli_given(args, "seed") || strcmp(cli_text(args, "mechanism", ""), "none") == 0)
    return cli_refuse("--seed and --mechanism none are not private: there is nothing "
                      "to audit");
  if (cli_given(args, "ranges") || cli_given(args, "runs"))
    return cli_refuse("--ranges and --runs need --command");
  const char *svg = cli_text(args, "svg", NULL);
  int regular;
  return svg != NULL ? cli_output_check(svg, &regular) : 0;
}

static void describe(const struct cli_args *args, const tacit_config *config,
                     struct cli_audit *audit) {
  static const char *const releases[] = {"", "evaluation of ", "counts of "};
  int persons = config->units > 0, kind = cli_audit_kind(args);
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

static int report_plan(const struct cli_args *args, const tacit_config *config,
                       const tacit_audit *audit) {
  struct cli_audit report = {
      .args = args,
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
  json_t *statement = cli_json_read(tacit_audit_statement_json(audit));
  const json_t *epsilon = json_object_get(statement, "epsilon");
  report.claim.epsilon =
      json_is_number(epsilon) ? json_number_value(epsilon) : (double)NAN;
  report.claim.is_epsilon = report.claim.delta == 0;
  report.facts = json_pack("{s:o}", "statement", statement);
  if (plan != NULL &&
      json_object_set_new(report.facts, "plan", cli_json_read(tacit_plan_json(plan))))
    report.facts = NULL;
  describe(args, config, &report);
  return cli_audit_report(&report);
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

static int audit_config(const struct cli_args *args, tacit_config *config,
                        const tacit_evaluation_options *release) {
  tacit_audit_options options;
  tacit_audit *audit = NULL;
  tacit_error err;
  struct cli_progress progress;
  if (config->units == 0 && tacit_schema_unit(config->schema) != NULL)
    return cli_refuse("the schema names a column of persons: give --units N, their "
                      "number");
  if (config->units == 0 && config->rows == 0) config->rows = ROWS_DEFAULT;
  config->weighted = cli_given(args, "weighted");
  tacit_audit_options_init(&options);
  options.trials = cli_integer(args, "trials", options.trials);
  options.threads = (unsigned)cli_integer(args, "threads", 0);
  options.progress = cli_progress_runs;
  options.cookie = &progress;
  cli_stop_catch();
  cli_progress_start(&progress, cli_given(args, "quiet"));
  tacit_status status =
      audit_kind(cli_audit_kind(args), config, release, &options, &audit, &err);
  cli_progress_end(&progress);
  if (cli_stop_signal() != 0) {
    tacit_audit_free(audit);
    return cli_stop_fail(cli_stop_signal());
  }
  if (status != TACIT_OK) return cli_fail_error(&err);
  int exit_code = report_plan(args, config, audit);
  tacit_audit_free(audit);
  return exit_code;
}

static int run(const struct cli_args *args) {
  if (cli_given(args, "command")) return cli_audit_command(args);
  struct cli_args filled = *args;
  CLI_TRY(check(args));
  if (!cli_given(args, "schema") && !cli_given(args, "features"))
    filled.values[cli_value(args, "features") - args->values] =
        (struct cli_value){.given = 1, .integer = FEATURES_DEFAULT};
  struct cli_run settings = {0};
  tacit_evaluation_options release;
  CLI_TRY(cli_audit_budget(args, &settings, &release));
  if (settings.schema == NULL) CLI_TRY(cli_settings(&filled, &settings));
  int exit_code = audit_config(&filled, &settings.config, &release);
  cli_settings_free(&settings);
  return exit_code;
}

static const struct cli_group audit_group = GROUP(
    "Audit",
    INTEGER("trials", "N", 20, 100000000, "runs on each of the two data sets",
            DEFAULT("20000; with --command 500, more if --epsilon is above 1.7"),
            COMMON),
    CHOICE("release", "NAME", "train eval describe",
           "what is audited: training, or what \"tacit eval --epsilon\" or \"tacit "
           "describe\" releases",
           DEFAULT("train"), COMMON),
    TEXT("command", "COMMAND",
         "audit another program: a shell command that trains on the CSV file {data} "
         "and writes what it releases as numbers to {out}",
         COMMON),
    TEXT("ranges", "MIN,MAX,...",
         "with --command: the range of every column, the last pair for all further "
         "ones; without it rows have a norm of at most 1"),
    INTEGER("runs", "N", 1, 10000,
            "with --command: one call trains N times ({runs} in the command is "
            "replaced by N) and writes N lines to {out}",
            DEFAULT("1")),
    OUTPUT("svg", "FILE",
           "draw the ROC curve of the attacker beside the one that is allowed", COMMON),
    FLAG("weighted", "the made-up rows have weights"),
    INTEGER("threads", "N", 0, 256, "runs at a time, 0 for all cores",
            DEFAULT("all cores")),
    QUIET, FLAG("json", "print one JSON object", COMMON));

CLI_COMMAND(audit, "", 0, 0,
            "measure the privacy of a plan, or of another program, by attacking it",
            GROUPS(&audit_group, &cli_privacy_group, &cli_data_group, &cli_person_group,
                   &cli_problem_group, &cli_algorithm_group, &cli_noise_group,
                   &cli_limit_model_group));
