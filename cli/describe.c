/* SPDX-License-Identifier: MIT */
/* `tacit describe`: how often values occur in the columns of a table, with noise. */
#include <math.h>

#include "cli.h"
#include "data.h"
#include "release.h"

enum { BINS = 16 };

/* Prints what a count is of: a value, an interval, or "missing". */
static void print_value(const json_t *count) {
  const json_t *value = json_object_get(count, "value");
  const char *const keys[] = {"from", "to"};
  if (cli_json_is_true(count, "missing"))
    printf("missing");
  else if (value != NULL)
    printf("%s", json_string_value(value));
  for (size_t i = 0; i < 2 && json_object_get(count, "from") != NULL; ++i) {
    const json_t *bound = json_object_get(count, keys[i]);
    if (i > 0) printf(" to ");
    if (json_is_string(bound))
      printf("%s", json_string_value(bound));
    else if (json_is_number(bound))
      printf("%g", json_number_value(bound));
    else
      printf(i == 0 ? "-infinity" : "infinity");
  }
}

/* Prints the counts of a column. Leaves out counts of wide histograms that may well be
   0, because most are. */
static void print_column(const json_t *column, int wide) {
  size_t i, left_out = 0;
  const json_t *count;
  printf("%s%s\n", cli_json_text(column, "column"),
         cli_json_is_true(column, "label") ? " (label)" : "");
  json_array_foreach(json_object_get(column, "counts"), i, count) {
    double low = cli_json_real(count, "low");
    if (wide && !(low > 0)) {
      ++left_out;
      continue;
    }
    printf("  ");
    print_value(count);
    printf(": %.0f (%.0f to %.0f)\n", cli_json_real(count, "count"), low,
           cli_json_real(count, "high"));
  }
  if (left_out > 0)
    printf("  %zu more bins, whose counts may be 0 within their noise\n", left_out);
}

static int print(const struct cli_args *args, json_t *result) {
  const json_t *column;
  size_t i;
  if (cli_given(args, "json")) return cli_print_json(result);
  cli_release_print_count(result);
  json_array_foreach(json_object_get(result, "columns"), i, column) {
    print_column(column, cli_given(args, "wide"));
  }
  cli_release_print_guarantee(result);
  json_decref(result);
  return cli_close_stdout();
}

static int run_with(const struct cli_args *args, const tacit_schema *schema, int bins) {
  struct cli_release release = {
      .args = args,
      .schema = schema,
      .paths = args->operands,
      .n_paths = args->n_operands,
  };
  cli_release_options(args, &release.options);
  release.options.wide = cli_given(args, "wide");
  release.options.bins = release.options.wide ? 0 : bins;
  tacit_reader_options_init(&release.reading);
  release.reading.schema = schema;
  release.reading.shuffle = -1;
  cli_limit_reader(args, &release.reading);
  json_t *result = NULL;
  int exit_code = cli_release_run(&release, &result);
  return exit_code != 0 ? exit_code : print(args, result);
}

static int run(const struct cli_args *args) {
  const char *path = cli_text(args, "schema", NULL);
  tacit_error err;
  tacit_schema *schema = NULL;
  int wide = cli_given(args, "wide");
  int bins = cli_given(args, "bins") ? (int)cli_integer(args, "bins", 0) : BINS;
  if (path == NULL)
    return cli_refuse("--schema FILE is missing: it says what the columns are "
                      "(\"tacit schema\" makes a template)");
  if (!cli_given(args, "epsilon"))
    return cli_refuse("--epsilon is missing: the budget of the counts, for "
                      "example 0.5");
  if (wide && cli_given(args, "bins"))
    return cli_refuse("--wide has bins of its own: leave out --bins");
  cli_no_core_dumps(args->operands, args->n_operands, NULL);
  cli_stop_faults();
  CLI_TRY(cli_judge(tacit_schema_load_counting(path, cli_limit_model(args), bins, wide,
                                               &schema, &err),
                    &err));
  cli_note_other(schema);
  int exit_code = run_with(args, schema, bins);
  tacit_schema_free(schema);
  return exit_code;
}

static const struct cli_group group =
    GROUP("Options",
          INPUT("schema", "FILE", "what the columns of DATA are; required", COMMON),
          INTEGER("bins", "N", 2, 4096,
                  "bins of numbers and dates between their declared bounds; columns "
                  "that declare steps (curve) or edges keep theirs",
                  DEFAULT("16")),
          FLAG("wide",
               "for numbers whose bounds are not known yet: bins at plus and minus "
               "2^k, k = -40 to 40; the schema may leave min and max null",
               COMMON),
          JSON);

CLI_COMMAND(describe, "DATA... --schema FILE --epsilon E", 1, ANY,
            "private counts of the values in the columns of a table",
            GROUPS(&group, &cli_release_group, &cli_budget_group, &cli_limit_group));
