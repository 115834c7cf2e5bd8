/* SPDX-License-Identifier: MIT */
#include "release.h"

#include <math.h>
#include <string.h>
#include <tacit/account.h>

#include "cli.h"

const struct cli_group cli_release_group =
    GROUP("Privacy",
          REAL("epsilon", "E", 1e-6, 1e3,
               "privacy budget of the release, for example 0.5", COMMON),
          REAL("delta", "D", 1e-300, 0.5,
               "delta of the guarantee P(S) <= e^epsilon P'(S) + delta",
               DEFAULT("1/rows^2, at most 1e-6")),
          CHOICE("adjacency", "NAME", "replace zero-out",
                 "which data sets are neighbours: one record replaced by any other, or "
                 "by one that contributes nothing",
                 DEFAULT("replace")),
          INTEGER("seed", "N", 0, UINT64_MAX,
                  "repeatable noise, for experiments: the result is marked not private",
                  DEFAULT("secret randomness of the system")),
          INPUT("key-file", "FILE",
                "key of the fingerprint of DATA in a ledger, by which the same file "
                "under two names is noticed: 32 bytes or more that only you can read"));

void cli_release_options(const struct cli_args *args, tacit_evaluation_options *out) {
  tacit_evaluation_options_init(out);
  out->epsilon = cli_number(args, "epsilon", 0);
  out->delta = cli_number(args, "delta", 0);
  out->adjacency = (tacit_adjacency)cli_choice(args, "adjacency");
  out->seeded = cli_given(args, "seed");
  out->seed = cli_value(args, "seed")->integer;
}

/* Releases from an open reader; the budget is reserved before the first row is read,
   and committed before anything is printed. */
static int release_from(struct cli_release *release, tacit_reader *reader,
                        json_t **out) {
  tacit_evaluation *evaluation = NULL;
  tacit_error err;
  int exit_code = cli_budget_identify(&release->budget, reader);
  if (exit_code != 0) return exit_code;
  tacit_status status =
      release->model != NULL
          ? tacit_evaluation_new(release->model, reader, &release->options, &evaluation,
                                 &err)
          : tacit_description_new(release->schema, reader, &release->options,
                                  &evaluation, &err);
  if (status != TACIT_OK) return cli_fail_error(&err);
  exit_code = cli_budget_reserve_for(&release->budget, cli_current()->name,
                                     tacit_evaluation_statement_json(evaluation));
  if (exit_code == 0 && tacit_evaluation_run(evaluation, reader, &err) != TACIT_OK) {
    cli_budget_fail(&release->budget, tacit_evaluation_noise_begun(evaluation));
    exit_code = cli_fail_error(&err);
  }
  if (exit_code == 0)
    exit_code =
        cli_budget_commit_json(&release->budget, tacit_evaluation_json(evaluation));
  if (exit_code == 0) {
    *out = cli_json_read(tacit_evaluation_json(evaluation));
    if (*out == NULL) exit_code = cli_fail(CLI_FAILED, "out of memory");
  }
  tacit_evaluation_free(evaluation);
  return exit_code;
}

int cli_release_run(struct cli_release *release, json_t **out) {
  tacit_reader *reader = NULL;
  tacit_error err;
  CLI_TRY(cli_budget_open(release->args, &release->budget));
  if (release->budget.key_file != NULL && release->budget.where == NULL)
    return cli_refuse("--key-file is for the fingerprint in a --ledger: give one");
  CLI_TRY(cli_judge(tacit_reader_open(release->paths, release->n_paths,
                                      &release->reading, &reader, &err),
                    &err));
  int exit_code = release_from(release, reader, out);
  tacit_reader_free(reader);
  return exit_code;
}

void cli_release_print_count(const json_t *result) {
  const char *name = json_object_get(result, "units") != NULL ? "units" : "rows";
  printf("%s %lld\n", name, cli_json_count(result, name));
}

/* Digits after the point that the interval supports. */
static int digits_of(double low, double high) {
  double places = 1 - floor(log10(high - low > 0 ? high - low : 1e-6));
  return places < 0 ? 0 : places > 12 ? 12 : (int)places;
}

void cli_release_print_number(const char *name, const json_t *interval) {
  double low = cli_json_real(interval, "low");
  double high = cli_json_real(interval, "high");
  if (cli_json_is_true(interval, "too_noisy")) {
    printf("%s too noisy\n", name);
    return;
  }
  int digits = digits_of(low, high);
  printf("%s %.*f (%.*f to %.*f)\n", name, digits, cli_json_real(interval, "value"),
         digits, low, digits, high);
}

void cli_release_print_guarantee(const json_t *result) {
  const json_t *statement = json_object_get(result, "statement");
  const char *adjacency = cli_json_text(statement, "adjacency");
  char epsilon[32], delta[32];
  tacit_format_up(cli_json_real(statement, "epsilon"), 6, epsilon);
  tacit_format_up(cli_json_real(statement, "delta"), 4, delta);
  printf("%s: epsilon = %s and delta = %s for one %s (adjacency %s)\n",
         cli_json_is_true(result, "private")
             ? "PRIVATE"
             : "NOT PRIVATE, the noise comes from a seed; as if for",
         epsilon, delta, cli_json_text(statement, "unit"), adjacency);
}
