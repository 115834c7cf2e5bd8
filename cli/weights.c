/* SPDX-License-Identifier: MIT */
/* Weights: all of them are declared, or belong to one row; none is counted. */
#include "data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const char balanced[] = "balanced";

int cli_weights_check(const struct cli_args *args) {
  if (cli_given(args, "max-weight") && !cli_given(args, "weights"))
    return cli_refuse("--max-weight is about --weights: give both (for CSV the "
                      "schema declares the largest weight)");
  return 0;
}

void cli_row_files(const struct cli_args *args, tacit_reader_options *options) {
  options->label_path = cli_text(args, "label-file", NULL);
  options->unit_path = cli_text(args, "unit", NULL);
  options->weight_path = cli_text(args, "weights", NULL);
  options->max_weight = cli_number(args, "max-weight", 0);
}

void cli_labelled_rows(const struct cli_args *args, const tacit_schema *schema,
                       tacit_reader_options *out) {
  tacit_reader_options_init(out);
  out->schema = schema;
  out->shuffle = -1;
  cli_limit_reader(args, out);
  cli_row_files(args, out);
}

/* Reads `count` numbers, separated by commas. Returns 0 if the text is anything
   else. */
static int read_list(const char *text, size_t count, double *out) {
  for (size_t i = 0; i < count; ++i) {
    char *end = NULL;
    out[i] = strtod(text, &end);
    if (end == text || !isfinite(out[i]) || out[i] < 0) return 0;
    if (*end != (i + 1 < count ? ',' : '\0')) return 0;
    text = end + 1;
  }
  return 1;
}

static int fail_list(size_t count) {
  return cli_refuse("--class-weight needs one number from 0 on for each of the %zu "
                    "classes, separated by commas, or balanced: and the rate of "
                    "each class, above 0",
                    count);
}

int cli_class_weights(const struct cli_args *args, const tacit_schema *schema,
                      double **out) {
  const char *text = cli_text(args, "class-weight", NULL);
  size_t count = tacit_schema_classes(schema), prefix = strlen(balanced);
  *out = NULL;
  if (text == NULL) return 0;
  if (count == 0)
    return cli_refuse("--class-weight is for classes, and the label is a number");
  if (strcmp(text, balanced) == 0)
    return cli_refuse("--class-weight balanced would count the classes in the "
                      "data, which is not private: give the rates you know, "
                      "balanced:0.9,0.1");
  int is_balanced = strncmp(text, balanced, prefix) == 0 && text[prefix] == ':';
  double *list = calloc(count, sizeof *list);
  if (list == NULL) return cli_fail(CLI_FAILED, "no memory");
  int is_list = read_list(is_balanced ? text + prefix + 1 : text, count, list);
  for (size_t i = 0; is_list && is_balanced && i < count; ++i) {
    is_list = list[i] > 0;
    list[i] = 1 / list[i];
  }
  if (!is_list) {
    free(list);
    return fail_list(count);
  }
  *out = list;
  return 0;
}
