/* SPDX-License-Identifier: MIT */
/* `tacit eval --epsilon`: metrics with intervals, computed from one noisy release. */
#include "eval_private.h"

#include <stdio.h>

#include "cli.h"
#include "json.h"
#include "limit.h"
#include "metrics.h"
#include "model.h"
#include "release.h"
#include "stop.h"
#include "weights.h"

const struct cli_group tacit_cli_eval_private_group = GROUP(
    "Private release",
    REAL("max-loss", "L", 1e-3, 1e6,
         "with --epsilon: the loss of a row counts at most as this; smaller means less "
         "noise; chosen without looking at the data",
         DEFAULT("8")),
    REAL("max-error", "X", 1e-300, 1e300,
         "with --epsilon, for numbers: errors count at most as this",
         DEFAULT("the declared range of the label")),
    INTEGER("bins", "N", 2, 1024, "with --epsilon: bins of scores, an even number",
            DEFAULT("16, or 64 where noise is small")));

static void print(const json_t *result) {
  const json_t *units = json_object_get(result, "units");
  const char *name;
  json_t *interval;
  printf("%s %lld\n", units != NULL ? "units" : "rows",
         (long long)json_integer_value(
             units != NULL ? units : json_object_get(result, "rows")));
  json_object_foreach(json_object_get(result, "metrics"), name, interval) {
    tacit_cli_release_print_number(name, interval);
  }
  tacit_cli_release_print_guarantee(result);
}

static int run(const struct cli_arguments *arguments, const tacit_model *model) {
  struct cli_release release = {
      .arguments = arguments,
      .model = model,
      .paths = arguments->operands + 1,
      .n_paths = arguments->n_operands - 1,
  };
  tacit_cli_release_options(arguments, &release.options);
  release.options.loss_max =
      tacit_cli_number(arguments, "max-loss", release.options.loss_max);
  release.options.error_max = tacit_cli_number(arguments, "max-error", 0);
  release.options.bins = (int)tacit_cli_integer(arguments, "bins", 0);
  if (tacit_cli_given(arguments, "unit")) release.options.unit_name = "by id";
  tacit_reader_options_init(&release.reading);
  release.reading.schema = tacit_model_schema(model);
  release.reading.shuffle = -1;
  release.reading.extra = tacit_cli_ignores_extra(arguments);
  tacit_cli_limit_reader(arguments, &release.reading);
  tacit_cli_row_files(arguments, &release.reading);
  json_t *result = NULL;
  int exit_code = tacit_cli_release_run(&release, &result);
  if (exit_code != 0) return exit_code;
  if (tacit_cli_given(arguments, "json"))
    return tacit_cli_print_json(arguments->command, result);
  print(result);
  json_decref(result);
  return tacit_cli_close_stdout(arguments->command);
}

int tacit_cli_eval_private(const struct cli_arguments *arguments) {
  tacit_error err;
  tacit_model *model = NULL;
  if (tacit_cli_given(arguments, "threshold"))
    return tacit_cli_refuse(
        arguments, "--threshold does not go with --epsilon: --json has the rates "
                   "at every threshold");
  if (tacit_cli_model_load(arguments, arguments->operands[0], &model, &err) != TACIT_OK)
    return tacit_cli_fail_error(arguments->command, &err);
  int exit_code = run(arguments, model);
  tacit_model_free(model);
  return exit_code;
}

int tacit_cli_eval_refuse_options(const struct cli_arguments *arguments) {
  static const char *const names[] = {"delta",    "adjacency", "seed", "key-file",
                                      "max-loss", "max-error", "bins", "ledger",
                                      "dataset",  NULL};
  for (size_t i = 0; names[i] != NULL; ++i)
    if (tacit_cli_given(arguments, names[i]))
      return tacit_cli_refuse(
          arguments, "--%s is for a private evaluation: give --epsilon too", names[i]);
  return 0;
}
