/* SPDX-License-Identifier: MIT */
/*
 * `tacit eval`: the quality of a model on some rows. The numbers are computed from the
 * rows without noise, so they are not private, and the output says so.
 */
#include <inttypes.h>
#include <stdio.h>
#include <tacit/model.h>

#include "budget.h"
#include "cli.h"
#include "data.h"
#include "eval_private.h"
#include "json.h"
#include "limit.h"
#include "model.h"
#include "release.h"
#include "stop.h"
#include "weights.h"

struct measure {
  const char *name;
  double value;
};

/* units: persons; 0 if every row is a unit of its own. */
static int print(const struct cli_arguments *arguments, const tacit_metrics *metrics,
                 size_t classes, int64_t units) {
  /* The area under the curve is defined for two classes only. */
  const struct measure of_classes[] = {{"loss", metrics->loss},
                                       {"accuracy", metrics->accuracy},
                                       {classes == 2 ? "auc" : NULL, metrics->auc},
                                       {NULL, 0}};
  const struct measure of_numbers[] = {{"loss", metrics->loss},
                                       {"rmse", metrics->rmse},
                                       {"mae", metrics->mae},
                                       {"r2", metrics->r2},
                                       {NULL, 0}};
  const struct measure *m = metrics->classes ? of_classes : of_numbers;
  if (tacit_cli_given(arguments, "json")) {
    json_t *object = json_pack("{s:I}", "rows", (json_int_t)metrics->rows);
    if (units > 0) json_object_set_new(object, "units", json_integer(units));
    for (; m->name != NULL; ++m)
      json_object_set_new(object, m->name, tacit_cli_json_number(m->value));
    json_object_set_new(object, "private", json_false());
    return tacit_cli_print_json(arguments->command, object);
  }
  printf("rows %" PRId64 "\n", metrics->rows);
  if (units > 0) printf("units %" PRId64 "\n", units);
  for (; m->name != NULL; ++m)
    printf("%s %.10g\n", m->name, m->value);
  int exit_code = tacit_cli_close_stdout(arguments->command);
  if (exit_code == 0 && !tacit_cli_given(arguments, "quiet"))
    fprintf(
        stderr,
        "note: these numbers come straight from the rows and are not covered by the "
        "privacy guarantee\n");
  return exit_code;
}

static int run(const struct cli_arguments *arguments) {
  int exit_code = tacit_cli_weights_check(arguments);
  if (exit_code != 0) return exit_code;
  tacit_cli_no_core_dumps(arguments->operands, arguments->n_operands, NULL);
  tacit_cli_stop_faults(arguments->command);
  if (tacit_cli_given(arguments, "epsilon")) return tacit_cli_eval_private(arguments);
  exit_code = tacit_cli_eval_refuse_options(arguments);
  if (exit_code != 0) return exit_code;
  tacit_error err;
  tacit_model *model = NULL;
  tacit_reader *reader = NULL;
  tacit_metrics metrics = {.struct_size = sizeof metrics};
  tacit_status status =
      tacit_cli_model_load(arguments, arguments->operands[0], &model, &err);
  if (status == TACIT_OK) {
    tacit_reader_options options;
    tacit_reader_options_init(&options);
    options.schema = tacit_model_schema(model);
    options.shuffle = -1;
    tacit_cli_limit_reader(arguments, &options);
    tacit_cli_row_files(arguments, &options);
    status = tacit_reader_open(arguments->operands + 1, arguments->n_operands - 1,
                               &options, &reader, &err);
  }
  int64_t units = 0;
  if (status == TACIT_OK && tacit_reader_has_units(reader))
    status = tacit_reader_units(reader, 0, &units, &err);
  if (status == TACIT_OK) status = tacit_model_eval(model, reader, &metrics, &err);
  size_t classes = model != NULL ? tacit_schema_classes(tacit_model_schema(model)) : 0;
  tacit_reader_free(reader);
  tacit_model_free(model);
  if (status != TACIT_OK) return tacit_cli_fail_error(arguments->command, &err);
  return print(arguments, &metrics, classes, units);
}

static const struct cli_option output_options[] = {
    {.name = "json", .kind = CLI_FLAG, .help = "print one JSON object"},
    {.name = "quiet",
     .letter = 'q',
     .kind = CLI_FLAG,
     .help = "leave out the note that the numbers are not private"},
    {0}};
static const struct cli_group output_group = {"Output", output_options};
static const struct cli_group *const groups[] = {&output_group,
                                                 &tacit_cli_release_group,
                                                 &tacit_cli_eval_private_group,
                                                 &tacit_cli_budget_group,
                                                 &tacit_cli_label_group,
                                                 &tacit_cli_unit_group,
                                                 &tacit_cli_limit_group,
                                                 NULL};

const struct cli_command tacit_cli_eval = {
    .name = "eval",
    .operands = "MODEL DATA...",
    .summary = "loss and accuracy (or errors) of a model on labelled rows",
    .description =
        "Prints the quality of a model on the rows of DATA, one \"name value\" per "
        "line: "
        "rows, loss, accuracy and, for two classes, auc; for numbers rows, loss, rmse, "
        "mae and r2, in the units of the label. A single - is standard input. DATA may "
        "be a cache, or a .npy file whose labels are in a --label-file.\n\n"
        "If rows have ids of persons (\"unit\" in the schema of the model, or --unit), "
        "every person counts once: a row of a person with m rows counts 1/m. The "
        "number of persons is then printed as units.\n\n"
        "Without --epsilon the results are computed from the rows without noise. The "
        "privacy guarantee of the model does not cover them, and the JSON object says "
        "\"private\": false. With --epsilon they come from one noisy release and may "
        "be published: every number has a 95% interval for its noise and for the "
        "choice of the rows, and --json has the curves with their bands and the "
        "privacy "
        "statement. A number whose interval is wider than its range is too noisy. The "
        "release costs the people in DATA that epsilon, besides what models trained on "
        "them cost; --ledger adds it up.\n\n"
        "A model that does not match the digest in its statement was edited and is "
        "refused. The digest protects against accidents; it is not a signature.",
    .examples =
        "tacit eval model.json test.csv\ntacit eval model.json a9a.t.gz --json\n"
        "tacit eval model.json patients.csv --epsilon 0.5\n",
    .groups = groups,
    .min_operands = 2,
    .max_operands = (size_t)-1,
    .run = run,
};
