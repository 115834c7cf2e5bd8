/* SPDX-License-Identifier: MIT */
/*
 * `tacit eval`: the quality of a model on some rows. The numbers are computed from the
 * rows without noise, so they are not private, and the output says so.
 */
#include <inttypes.h>
#include <math.h>

#include "cli.h"
#include "data.h"
#include "eval_private.h"
#include "metrics.h"
#include "release.h"

struct measure {
  const char *name;
  double value;
};

/* What a run of the command has computed. */
struct results {
  tacit_metrics metrics;
  struct cli_tables *tables; /* NULL for numbers */
  size_t classes;
  int64_t left_out;   /* rows that count nothing */
  int64_t units;      /* persons; 0 if every row is a unit of its own */
  const char *digest; /* digest of the model, or NULL */
};

/* The name of the rows that count nothing: their label is missing, where the schema
   skips such rows, or their weight is 0. */
static const char left_out[] = "rows_without_label_or_weight";

/* Lists the single numbers in the order of printing and returns how many. The area
   under the curve is defined for two classes only, the Brier score for probabilities.
 */
static size_t measures_of(const struct results *results, struct measure out[5]) {
  const tacit_metrics *m = &results->metrics;
  size_t count = 0;
  out[count++] = (struct measure){"loss", m->loss};
  if (!m->classes) {
    out[count++] = (struct measure){"rmse", m->rmse};
    out[count++] = (struct measure){"mae", m->mae};
    out[count++] = (struct measure){"r2", m->r2};
    if (!isnan(m->deviance))
      out[count++] = (struct measure){"poisson_deviance", m->deviance};
    return count;
  }
  double brier = cli_tables_brier(results->tables);
  out[count++] = (struct measure){"accuracy", cli_tables_accuracy(results->tables)};
  if (results->classes == 2) out[count++] = (struct measure){"auc", m->auc};
  if (!isnan(brier)) out[count++] = (struct measure){"brier", brier};
  return count;
}

static int print(const struct cli_args *args, const struct results *results) {
  struct measure measures[5];
  size_t count = measures_of(results, measures);
  int64_t rows = results->metrics.rows - results->left_out;
  if (cli_given(args, "json")) {
    json_t *object =
        json_pack("{s:I, s:o*, s:o*}", "rows", (json_int_t)rows, left_out,
                  results->left_out > 0 ? json_integer(results->left_out) : NULL,
                  "units", results->units > 0 ? json_integer(results->units) : NULL);
    for (size_t i = 0; i < count; ++i)
      json_object_set_new(object, measures[i].name, cli_json_number(measures[i].value));
    if (results->tables != NULL) cli_tables_json(results->tables, object);
    if (results->digest != NULL)
      json_object_set_new(object, "model", json_string(results->digest));
    json_object_set_new(object, "private", json_false());
    return cli_print_json(object);
  }
  printf("rows %" PRId64 "\n", rows);
  if (results->left_out > 0) printf("%s %" PRId64 "\n", left_out, results->left_out);
  if (results->units > 0) printf("units %" PRId64 "\n", results->units);
  for (size_t i = 0; i < count; ++i)
    printf("%s %.10g\n", measures[i].name, measures[i].value);
  if (results->tables != NULL)
    cli_tables_print(results->tables, results->units > 0 ? "persons" : "rows");
  int exit_code = cli_close_stdout();
  if (exit_code == 0 && !cli_given(args, "quiet"))
    fprintf(
        stderr,
        "note: these numbers come straight from the rows and are not covered by the "
        "privacy guarantee\n");
  return exit_code;
}

static tacit_status open_reader(const struct cli_args *args, const tacit_model *model,
                                tacit_reader **out, tacit_error *err) {
  tacit_reader_options options;
  cli_labelled_rows(args, tacit_model_schema(model), &options);
  options.extra = cli_ignores_extra(args);
  return tacit_reader_open(args->operands + 1, args->n_operands - 1, &options, out,
                           err);
}

static tacit_status take_row(void *cookie, const double *scores, double label,
                             double weight, tacit_error *err) {
  struct results *results = cookie;
  results->left_out += !(weight > 0);
  if (results->tables == NULL) return TACIT_OK;
  return cli_tables_add(results->tables, scores, label, weight, err);
}

static tacit_status evaluate(const tacit_model *model, tacit_reader *reader,
                             double threshold, struct results *out, tacit_error *err) {
  tacit_status status = TACIT_OK;
  out->classes = tacit_schema_classes(tacit_model_schema(model));
  out->digest = tacit_model_digest(model);
  if (out->classes > 0) out->tables = cli_tables_new(model, threshold);
  if (out->classes > 0 && out->tables == NULL) {
    *err = (tacit_error){TACIT_ENOMEM, "out of memory"};
    return TACIT_ENOMEM;
  }
  if (tacit_reader_has_units(reader))
    status = tacit_reader_units(reader, 0, &out->units, err);
  if (status != TACIT_OK) return status;
  return tacit_model_eval(model, reader, &out->metrics, take_row, out, err);
}

static int run(const struct cli_args *args) {
  CLI_TRY(cli_weights_check(args));
  cli_no_core_dumps(args->operands, args->n_operands, NULL);
  cli_stop_faults();
  if (cli_given(args, "epsilon")) return cli_eval_private(args);
  CLI_TRY(cli_eval_refuse_options(args));
  tacit_error err;
  tacit_model *model = NULL;
  tacit_reader *reader = NULL;
  struct results results = {.metrics = {.struct_size = sizeof results.metrics}};
  double threshold;
  CLI_TRY(cli_judge(cli_model_load(args, args->operands[0], &model, &err), &err));
  int exit_code = cli_threshold(args, model, &threshold);
  if (exit_code == 0) {
    tacit_status status = open_reader(args, model, &reader, &err);
    if (status == TACIT_OK) status = evaluate(model, reader, threshold, &results, &err);
    exit_code = status == TACIT_OK ? print(args, &results) : cli_fail_error(&err);
  }
  cli_tables_free(results.tables);
  tacit_reader_free(reader);
  tacit_model_free(model);
  return exit_code;
}

static const struct cli_group output_group =
    GROUP("Output", TACIT_CLI_EXTRA, TACIT_CLI_THRESHOLD,
          FLAG("json", "print one JSON object", COMMON),
          FLAG("quiet", "leave out the note that the numbers are not private",
               LETTER('q'), COMMON));

CLI_COMMAND(eval, "MODEL DATA...", 2, ANY,
            "loss and accuracy (or errors) of a model on labelled rows",
            GROUPS(&output_group, &cli_release_group, &cli_eval_private_group,
                   &cli_budget_group, &cli_label_group, &cli_unit_group,
                   &cli_limit_group));
