/* SPDX-License-Identifier: MIT */
/* `tacit export`: a model in another language, for those who serve it. */
#include <string.h>
#include <tacit/extra/export.h>
#include <unistd.h>

#include "cli.h"
#include "data.h"

static const tacit_language languages[] = {
    TACIT_LANGUAGE_SQL, TACIT_LANGUAGE_POSTGRESQL, TACIT_LANGUAGE_SQLITE,
    TACIT_LANGUAGE_DUCKDB};

/* Returns the weights as JSON with the names of scikit-learn. The inputs are the inputs
   that `tacit show` lists. */
static char *linear_text(const tacit_model *model) {
  const tacit_schema *schema = tacit_model_schema(model);
  size_t outputs = tacit_model_outputs(model), count;
  const double *weights = tacit_model_weights(model, &count);
  size_t features = tacit_schema_features(schema);
  const double *bias =
      tacit_model_has_bias(model) ? weights + outputs * features : NULL;
  json_t *coef = json_array(), *inputs = json_array(), *classes = json_array();
  for (size_t k = 0; k < outputs; ++k)
    json_array_append_new(coef, cli_json_numbers(weights + k * features, features));
  for (size_t i = 0; i < features; ++i) {
    const char *name = tacit_schema_feature_name(schema, i);
    if (name != NULL) json_array_append_new(inputs, json_string(name));
  }
  for (size_t i = 0; i < tacit_schema_classes(schema); ++i)
    json_array_append_new(classes, json_string(tacit_schema_class(schema, (int)i)));
  json_t *object = json_pack(
      "{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "loss", tacit_model_loss(model),
      "inputs", inputs, "classes", classes, "coef_", coef, "bias",
      cli_json_numbers(bias, outputs), "intercept_",
      cli_json_numbers(tacit_model_offset(model), outputs), "row_norm",
      cli_json_number(tacit_model_row_norm(model)), "row_scale",
      cli_json_number(tacit_model_row_scale(model)), "margin",
      "scale * (coef_ . inputs + bias) + intercept_; scale is row_scale, or if that is "
      "0 min(1, row_norm / norm of (inputs, 1 if there is a bias))");
  char *text = object != NULL ? json_dumps(object, JSON_INDENT(2)) : NULL;
  json_decref(object);
  return text;
}

static int export_model(const struct cli_args *args, const tacit_model *model) {
  tacit_error err;
  char *text = NULL;
  void *bytes = NULL;
  size_t size = 0;
  if (cli_given(args, "onnx")) {
    CLI_TRY(cli_judge(tacit_model_onnx(model, &bytes, &size, &err), &err));
    text = bytes;
  } else if (cli_given(args, "sklearn")) {
    text = linear_text(model);
    if (text == NULL) return cli_fail(CLI_FAILED, "out of memory");
  } else {
    tacit_language language = cli_given(args, "c")
                                  ? TACIT_LANGUAGE_C
                                  : languages[cli_value(args, "dialect")->choice];
    const char *table = cli_text(args, "table", "rows");
    CLI_TRY(cli_judge(tacit_model_formula(model, language, table, &text, &err), &err));
  }
  return cli_emit(args, text, bytes != NULL ? size : strlen(text), bytes == NULL);
}

static int run(const struct cli_args *args) {
  int asked = cli_given(args, "sql") + cli_given(args, "c") + cli_given(args, "onnx") +
              cli_given(args, "sklearn");
  tacit_model *model = NULL;
  tacit_error err;
  if (asked != 1) return cli_refuse("give one of --sql, --c, --onnx and --sklearn");
  if (!cli_given(args, "sql") &&
      (cli_given(args, "dialect") || cli_given(args, "table")))
    return cli_refuse("--dialect and --table go with --sql");
  if (cli_given(args, "onnx") && isatty(STDOUT_FILENO) &&
      strcmp(cli_text(args, "output", "-"), "-") == 0)
    return cli_refuse("an ONNX file is no text for a terminal: give -o FILE");
  CLI_TRY(cli_judge(cli_model_load(args, args->operands[0], &model, &err), &err));
  int exit_code = export_model(args, model);
  tacit_model_free(model);
  return exit_code;
}

static const struct cli_group group =
    GROUP("Options", FLAG("sql", "an expression of SQL"),
          CHOICE("dialect", "NAME", "standard postgresql sqlite duckdb",
                 "with --sql: for this database", DEFAULT("standard")),
          TEXT("table", "NAME",
               "with --sql and more than two classes: the table to select from",
               DEFAULT("rows")),
          FLAG("c", "a C file that needs the C library only"),
          FLAG("onnx", "an ONNX file, in doubles; it needs -o or a pipe"),
          FLAG("sklearn", "JSON with coef_ and intercept_ for the model inputs"),
          OUTPUT_OR_PRINT("output", "FILE", "where to write", LETTER('o')));

CLI_COMMAND(export, "MODEL", 1, 1, "a model as SQL, C, ONNX or coefficients",
            GROUPS(&group, &cli_limit_model_group));
