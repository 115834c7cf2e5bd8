/* SPDX-License-Identifier: MIT */
/* `tacit describe`: how often values occur in the columns of a table, with noise. */
#include <math.h>
#include <stdio.h>

#include "cli.h"
#include "data.h"
#include "json.h"
#include "limit.h"
#include "release.h"
#include "stop.h"
#include "weights.h"

enum { BINS = 16 };

/* "value", "from to", "missing". */
static void print_value(const json_t *count) {
  const json_t *value = json_object_get(count, "value");
  const char *const keys[] = {"from", "to"};
  if (json_is_true(json_object_get(count, "missing")))
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

/* Wide histograms are mostly empty: counts that may well be 0 are left out. */
static void print_column(const json_t *column, int wide) {
  size_t i, left_out = 0;
  const json_t *count;
  printf("%s%s\n", json_string_value(json_object_get(column, "column")),
         json_is_true(json_object_get(column, "label")) ? " (label)" : "");
  json_array_foreach(json_object_get(column, "counts"), i, count) {
    double low = json_number_value(json_object_get(count, "low"));
    if (wide && !(low > 0)) {
      ++left_out;
      continue;
    }
    printf("  ");
    print_value(count);
    printf(": %.0f (%.0f to %.0f)\n",
           json_number_value(json_object_get(count, "count")), low,
           json_number_value(json_object_get(count, "high")));
  }
  if (left_out > 0)
    printf("  %zu more bins, whose counts may be 0 within their noise\n", left_out);
}

static int print(const struct cli_arguments *arguments, json_t *result) {
  const json_t *units = json_object_get(result, "units"), *column;
  size_t i;
  if (tacit_cli_given(arguments, "json"))
    return tacit_cli_print_json(arguments->command, result);
  printf("%s %lld\n", units != NULL ? "units" : "rows",
         (long long)json_integer_value(
             units != NULL ? units : json_object_get(result, "rows")));
  json_array_foreach(json_object_get(result, "columns"), i, column) {
    print_column(column, tacit_cli_given(arguments, "wide"));
  }
  tacit_cli_release_print_guarantee(result);
  json_decref(result);
  return tacit_cli_close_stdout(arguments->command);
}

static int run_with(const struct cli_arguments *arguments, const tacit_schema *schema,
                    int bins) {
  struct cli_release release = {
      .arguments = arguments,
      .schema = schema,
      .paths = arguments->operands,
      .n_paths = arguments->n_operands,
  };
  tacit_cli_release_options(arguments, &release.options);
  release.options.wide = tacit_cli_given(arguments, "wide");
  release.options.bins = release.options.wide ? 0 : bins;
  tacit_reader_options_init(&release.reading);
  release.reading.schema = schema;
  release.reading.shuffle = -1;
  tacit_cli_limit_reader(arguments, &release.reading);
  json_t *result = NULL;
  int exit_code = tacit_cli_release_run(&release, &result);
  return exit_code != 0 ? exit_code : print(arguments, result);
}

static int run(const struct cli_arguments *arguments) {
  const struct cli_command *command = arguments->command;
  const char *path = tacit_cli_text(arguments, "schema", NULL);
  tacit_error err;
  tacit_schema *schema = NULL;
  int wide = tacit_cli_given(arguments, "wide");
  int bins = tacit_cli_given(arguments, "bins")
                 ? (int)tacit_cli_integer(arguments, "bins", 0)
                 : BINS;
  if (path == NULL)
    return tacit_cli_refuse(arguments,
                            "--schema FILE is missing: it says what the columns are "
                            "(\"tacit schema\" makes a template)");
  if (!tacit_cli_given(arguments, "epsilon"))
    return tacit_cli_refuse(arguments,
                            "--epsilon is missing: the budget of the counts, for "
                            "example 0.5");
  if (wide && tacit_cli_given(arguments, "bins"))
    return tacit_cli_refuse(arguments, "--wide has bins of its own: leave out --bins");
  tacit_cli_no_core_dumps(arguments->operands, arguments->n_operands, NULL);
  tacit_cli_stop_faults(command);
  if (tacit_schema_load_counting(path, tacit_cli_limit_model(arguments), bins, wide,
                                 &schema, &err) != TACIT_OK)
    return tacit_cli_fail_error(command, &err);
  tacit_cli_note_other(command, schema);
  int exit_code = run_with(arguments, schema, bins);
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
            GROUPS(&group, &tacit_cli_release_group, &tacit_cli_budget_group,
                   &tacit_cli_limit_group));
