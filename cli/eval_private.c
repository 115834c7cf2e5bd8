/* SPDX-License-Identifier: MIT */
/* `tacit eval --epsilon`: metrics with intervals, computed from one noisy release. */
#include "eval_private.h"

#include "cli.h"
#include "data.h"
#include "metrics.h"
#include "release.h"

const struct cli_group cli_eval_private_group = GROUP(
    "Private release",
    REAL("max-loss", "L", 1e-3, 1e6,
         "with --epsilon: the loss of a row counts at most as this; smaller means less "
         "noise; chosen without looking at the data",
         DEFAULT("8")),
    REAL("max-error", "X", 1e-300, 1e300,
         "with --epsilon, for numbers: errors count at most as this",
         DEFAULT("the declared range of the label")),
    INTEGER("bins", "N", 2, 1024, "with --epsilon: bins of scores, an even number",
            DEFAULT("16, or 64 where noise is small")),
    TEXT("by", "COLUMN",
         "with --epsilon: the same for every declared value of this category or yes/no "
         "column of the model, in the same release"));

/* Every group, or that it is too small. */
static void print_groups(const json_t *result) {
  size_t i;
  const json_t *group;
  json_array_foreach(json_object_get(result, "groups"), i, group) {
    static const char *const names[] = {"accuracy", "recall", "rmse"};
    const json_t *metrics = json_object_get(group, "metrics");
    printf("%s = %s: ", cli_json_text(result, "by"), cli_json_text(group, "group"));
    if (cli_json_is_true(group, "too_small")) printf("too small beside the noise\n");
    if (metrics != NULL)
      printf("about %.0f %s\n", cli_json_real(json_object_get(group, "rows"), "value"),
             json_object_get(result, "units") != NULL ? "persons" : "rows");
    for (size_t j = 0; j < sizeof names / sizeof *names; ++j) {
      const json_t *number = json_object_get(metrics, names[j]);
      if (number != NULL) printf("  ");
      if (number != NULL) cli_release_print_number(names[j], number);
    }
  }
}

static void print(const json_t *result) {
  const char *name;
  json_t *interval;
  cli_release_print_count(result);
  json_object_foreach(json_object_get(result, "metrics"), name, interval) {
    cli_release_print_number(name, interval);
  }
  print_groups(result);
  cli_release_print_guarantee(result);
}

static int run(const struct cli_args *args, const tacit_model *model) {
  struct cli_release release = {
      .args = args,
      .model = model,
      .paths = args->operands + 1,
      .n_paths = args->n_operands - 1,
  };
  cli_release_options(args, &release.options);
  release.options.loss_max = cli_number(args, "max-loss", release.options.loss_max);
  release.options.error_max = cli_number(args, "max-error", 0);
  release.options.bins = (int)cli_integer(args, "bins", 0);
  release.options.by = cli_text(args, "by", NULL);
  if (cli_given(args, "unit")) release.options.unit_name = "by id";
  cli_labelled_rows(args, tacit_model_schema(model), &release.reading);
  release.reading.extra = cli_ignores_extra(args);
  json_t *result = NULL;
  CLI_TRY(cli_release_run(&release, &result));
  if (cli_given(args, "json")) return cli_print_json(result);
  print(result);
  json_decref(result);
  return cli_close_stdout();
}

int cli_eval_private(const struct cli_args *args) {
  tacit_error err;
  tacit_model *model = NULL;
  if (cli_given(args, "threshold"))
    return cli_refuse("--threshold does not go with --epsilon: --json has the rates "
                      "at every threshold");
  CLI_TRY(cli_judge(cli_model_load(args, args->operands[0], &model, &err), &err));
  int exit_code = run(args, model);
  tacit_model_free(model);
  return exit_code;
}

int cli_eval_refuse_options(const struct cli_args *args) {
  static const char *const names[] = {"delta",    "adjacency", "seed", "key-file",
                                      "max-loss", "max-error", "bins", "by",
                                      "ledger",   "dataset",   NULL};
  const char *name = cli_first_given(args, names);
  if (name == NULL) return 0;
  return cli_refuse("--%s is for a private evaluation: give --epsilon too", name);
}
