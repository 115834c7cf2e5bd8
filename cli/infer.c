/* SPDX-License-Identifier: MIT */
/* `tacit infer`: a table of effects with intervals, from private releases alone. */
#include <string.h>
#include <tacit/extra/infer.h>

#include "cli.h"
#include "data.h"
#include "effects.h"
#include "metrics.h"
#include "release.h"
#include "settings.h"

enum { CONTRASTS_MAX = 64 };

static const char *const sides[] = {"both", "lower", "upper"};

const struct cli_group cli_effects_group = GROUP(
    "Table",
    REAL("level", "PERCENT", 50, 99.99, "confidence of the intervals", DEFAULT("95")),
    CHOICE("side", "NAME", "both lower upper",
           "intervals with both bounds, or with one, and p for that side",
           DEFAULT("both")),
    TEXT("contrast", "TEXT",
         "one more line, \"COLUMN: VALUE - VALUE\": \"age: 30 - 60\" compares age 30 "
         "with age 60; may be given several times",
         REPEATS),
    FLAG("csv", "print the table as CSV"));

static int print(const struct cli_args *args, const tacit_model *model) {
  const char *contrasts[CONTRASTS_MAX];
  tacit_effects_view view;
  tacit_error err;
  char *text = NULL;
  tacit_effects_view_init(&view);
  if (args->n_repeated > CONTRASTS_MAX)
    return cli_refuse("more than %d contrasts", CONTRASTS_MAX);
  view.level = cli_number(args, "level", 95) / 100;
  size_t side = cli_choice(args, "side");
  view.side = side <= 1 ? 0 : strcmp(sides[side - 1], "lower") == 0 ? 1 : -1;
  view.n_contrasts = cli_texts(args, "contrast", contrasts);
  view.contrasts = contrasts;
  tacit_effects_form form = cli_given(args, "json")  ? TACIT_EFFECTS_JSON
                            : cli_given(args, "csv") ? TACIT_EFFECTS_CSV
                                                     : TACIT_EFFECTS_TEXT;
  if (form == TACIT_EFFECTS_JSON && cli_given(args, "csv"))
    return cli_refuse("--json and --csv: give one");
  if (tacit_effects_table(model, &view, form, &text, &err) != TACIT_OK)
    return cli_fail_error(&err);
  if (form != TACIT_EFFECTS_JSON) {
    printf("%s", text);
    tacit_string_free(text);
    return CLI_OK;
  }
  int exit_code = cli_print_json_parts(
      cli_json_read(text), CLI_PARTS({"statement", tacit_model_statement_json(model)}));
  tacit_string_free(text);
  return exit_code;
}

int cli_effects_show(const struct cli_args *args, const tacit_model *model) {
  int exit_code = print(args, model);
  if (exit_code == 0 && !cli_given(args, "json") && !cli_given(args, "csv"))
    printf("\n%s", tacit_model_statement_text(model));
  return exit_code != 0 ? exit_code : cli_close_stdout();
}

/* Prints a plan for people. */
static void print_plan(const json_t *plan) {
  const char *identified = cli_json_text(plan, "identified");
  printf("coefficients %.0f\n", cli_json_real(plan, "coefficients"));
  printf("width %s%.2f times that without privacy\n",
         cli_json_is_true(plan, "at_least") ? "at least " : "",
         cli_json_real(plan, "width"));
  printf("half-width %.3g for a column of standard deviation 1 (divide by the "
         "deviation%s)\n",
         cli_json_real(plan, "half_width_of_sd_1"),
         strcmp(cli_json_text(plan, "loss"), "squared") == 0
             ? ", multiply by that of the errors"
             : "");
  printf("identified %s", identified);
  if (strcmp(identified, "yes") != 0)
    printf(": about %.0f rows are needed", cli_json_real(plan, "rows_needed"));
  printf("\n");
}

int cli_effects_plan(const struct cli_args *args) {
  struct cli_run run;
  tacit_error err;
  char *text = NULL;
  int exit_code = cli_settings(args, &run);
  if (exit_code != 0) return exit_code;
  tacit_inference_options options;
  tacit_inference_options_init(&options);
  options.epsilon = run.config.epsilon;
  options.delta = run.config.delta;
  options.adjacency = run.config.adjacency;
  options.loss = cli_text(args, "loss", NULL);
  options.low = -1; /* the bounds of the inputs do not matter to a plan */
  options.high = 1;
  int64_t rows = run.config.units > 0 ? run.config.units : run.config.rows;
  if (tacit_inference_plan(run.schema, rows, 0, &options, &text, &err) != TACIT_OK)
    exit_code = cli_fail_error(&err);
  cli_settings_free(&run);
  if (exit_code != 0) return exit_code;
  json_t *plan = cli_json_read(text);
  tacit_string_free(text);
  if (plan == NULL || cli_given(args, "json")) return cli_print_json(plan);
  print_plan(plan);
  json_decref(plan);
  return cli_close_stdout();
}

static void options_of(const struct cli_args *args, tacit_inference_options *out) {
  tacit_evaluation_options shared;
  cli_release_options(args, &shared);
  tacit_inference_options_init(out);
  out->epsilon = shared.epsilon;
  out->delta = shared.delta;
  out->adjacency = shared.adjacency;
  out->seeded = shared.seeded;
  out->seed = shared.seed;
  out->loss = cli_text(args, "loss", NULL);
  out->threads = (unsigned)cli_integer(args, "threads", 0);
  out->low = cli_value(args, "bounds")->number;
  out->high = cli_value(args, "bounds")->second;
  if (cli_given(args, "unit")) out->unit_name = "by id";
}

/* Stores the model and prints the table. */
static int finish(const struct cli_args *args, const tacit_model *model) {
  struct cli_output output = {0};
  char *text = NULL;
  tacit_error err;
  int exit_code = CLI_OK;
  if (cli_given(args, "output"))
    exit_code = tacit_model_text(model, &text, &err) == TACIT_OK
                    ? cli_stage(args, "output", text, &output)
                    : cli_fail_error(&err);
  if (exit_code == 0) exit_code = cli_output_place(&output);
  cli_output_abandon(&output);
  return exit_code != 0 ? exit_code : cli_effects_show(args, model);
}

static int infer_from(const struct cli_args *args, const tacit_schema *schema,
                      tacit_reader *reader, struct cli_budget *budget) {
  tacit_inference_options options;
  tacit_inference *inference = NULL;
  tacit_error err;
  CLI_TRY(cli_budget_identify(budget, reader));
  options_of(args, &options);
  options.payer = cli_budget_payer(budget);
  tacit_status status = tacit_inference_new(schema, reader, &options, &inference, &err);
  if (status == TACIT_OK) status = tacit_inference_run(inference, reader, &err);
  cli_budget_tell(budget);
  int exit_code = status == TACIT_OK ? finish(args, tacit_inference_model(inference))
                                     : cli_fail_error(&err);
  tacit_inference_free(inference);
  return exit_code;
}

static int run_with(const struct cli_args *args, const tacit_schema *schema) {
  tacit_reader_options reading;
  tacit_reader *reader = NULL;
  struct cli_budget budget = {0};
  tacit_error err;
  int exit_code = cli_budget_open(args, &budget);
  if (exit_code != 0) return exit_code;
  if (budget.key_file != NULL && cli_budget_payer(&budget) == NULL)
    return cli_refuse("--key-file is for the fingerprint in a --ledger: give one");
  tacit_reader_options_init(&reading);
  reading.schema = schema;
  reading.shuffle = -1;
  reading.extra = cli_ignores_extra(args);
  cli_limit_train(args, &reading);
  cli_row_files(args, &reading);
  for (size_t i = 0; i < args->n_operands; ++i)
    if (cli_is_pipe(args->operands[i]))
      return cli_refuse(
          "a table of effects reads the rows several times: write %s to a "
          "regular file first",
          strcmp(args->operands[i], "-") == 0 ? "the pipe" : args->operands[i]);
  if (tacit_reader_open(args->operands, args->n_operands, &reading, &reader, &err) !=
      TACIT_OK)
    return cli_fail_error(&err);
  exit_code = infer_from(args, schema, reader, &budget);
  tacit_reader_free(reader);
  return exit_code;
}

static int run(const struct cli_args *args) {
  tacit_schema *schema = NULL;
  if (!cli_given(args, "epsilon"))
    return cli_refuse("--epsilon is missing: the budget of the table, for example 1");
  cli_no_core_dumps(args->operands, args->n_operands, cli_text(args, "output", NULL));
  cli_stop_faults();
  int exit_code = cli_data_schema(args, &schema);
  if (exit_code != 0) return exit_code;
  exit_code = run_with(args, schema);
  tacit_schema_free(schema);
  return exit_code;
}

static const struct cli_group group =
    GROUP("Options",
          CHOICE("loss", "NAME", "logistic squared poisson",
                 "the model: logistic for two classes, squared for a number, poisson "
                 "for counts",
                 DEFAULT("logistic or squared, by the label"), COMMON),
          OUTPUT("output", "FILE", "store the table, as a model for show and predict",
                 LETTER('o'), COMMON),
          PAIR("bounds", "MIN,MAX",
               "for LIBSVM and .npy: declared bounds of all inputs; larger ones count "
               "as these"),
          INTEGER("threads", "N", 1, 1024,
                  "threads; the table does not depend on their number",
                  DEFAULT("one per core")),
          TACIT_CLI_EXTRA, JSON);

CLI_COMMAND(infer, "DATA... --schema FILE --epsilon E", 1, ANY,
            "a table of effects with confidence intervals, private",
            GROUPS(&group, &cli_effects_group, &cli_data_group, &cli_label_group,
                   &cli_unit_group, &cli_release_group, &cli_budget_group,
                   &cli_limit_train_group),
            .no_checkpoint =
                "a table of effects has no checkpoint, because it reads the rows only "
                "six to nine times: leave it out, and run a stopped table again from "
                "the start; in a --ledger the entry of the first stays reserved");
