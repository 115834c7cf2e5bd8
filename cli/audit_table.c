/* SPDX-License-Identifier: MIT */
/* The made-up CSV files that a program of --command trains on. */
#include <math.h>
#include <stdlib.h>

#include "audit.h"
#include "cli.h"

enum { ROWS = 100, FEATURES = 4 };

/* Reads "MIN,MAX" of every column, "MIN,MAX,MIN,MAX,…". Returns -1 for anything else.
 */
static int read_ranges(const char *text, struct cli_table *table) {
  for (int number = 0;; ++number) {
    char *end;
    double value = strtod(text, &end);
    if (end == text || number >= 2 * CLI_RANGES || !isfinite(value)) return -1;
    double *range = table->ranges[number / 2];
    range[number % 2] = value;
    if (number % 2 == 1 && !(range[0] < value)) return -1;
    table->n_ranges = number / 2 + 1;
    if (*end == '\0') return number % 2 == 1 ? 0 : -1;
    if (*end != ',') return -1;
    text = end + 1;
  }
}

int cli_audit_table(const struct cli_args *args, struct cli_table *table) {
  const struct cli_value *labels = cli_value(args, "labels");
  const char *ranges = cli_text(args, "ranges", NULL);
  *table = (struct cli_table){
      .rows = cli_integer(args, "rows", ROWS),
      .features = cli_integer(args, "features", FEATURES),
      .zero_out = cli_choice(args, "adjacency") == TACIT_ZERO_OUT,
      .labels = {labels->given ? labels->number : 0,
                 labels->given ? labels->second : 1},
  };
  if (ranges == NULL) return 0;
  if (read_ranges(ranges, table) != 0 || table->n_ranges > table->features)
    return cli_refuse("--ranges must be MIN,MAX of the first columns, for example "
                      "0,1,18,90; the last pair holds for all further columns, and "
                      "there are at most %d pairs",
                      CLI_RANGES);
  return 0;
}

/* Returns the fraction part of i times an irrational number, which is evenly spread
   and equal in every call. */
static double spread(int64_t i, int64_t j) {
  double x = (double)(i + 1) * fmod(0.6180339887498949 * (double)(j + 1), 1);
  return x - floor(x);
}

static const double *range_of(const struct cli_table *table, int64_t j) {
  return table->ranges[j < table->n_ranges ? j : table->n_ranges - 1];
}

/* Returns a value of a common row, from the tenth of the range nearest to 0. */
static double common(const struct cli_table *table, int64_t i, int64_t j) {
  if (table->n_ranges == 0)
    return 0.2 * (spread(i, j) - 0.5) / sqrt((double)table->features);
  const double *range = range_of(table, j);
  double nearest = fmin(fmax(0, range[0]), range[1]);
  double x = range[0] + (range[1] - range[0]) * spread(i, j);
  return fmin(fmax(nearest + 0.1 * (x - nearest), range[0]), range[1]);
}

static double canary(const struct cli_table *table, int which, int64_t j) {
  if (table->n_ranges > 0) return range_of(table, j)[which == 0];
  return j > 0 ? 0 : which == 0 ? 1 : -1;
}

/* Writes short common rows, half of them with each label, then the canary. Data set 1
   of an audit of zero-out has no canary. */
int cli_audit_table_write(const struct cli_table *table, int which, const char *path) {
  FILE *out = fopen(path, "w");
  if (out == NULL) return -1;
  for (int64_t j = 1; j <= table->features; ++j)
    fprintf(out, "x%lld,", (long long)j);
  fprintf(out, "label\n");
  int64_t last = table->rows - 1, rows = last + (which == 0 || !table->zero_out);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < table->features; ++j)
      fprintf(out, "%.9g,", i < last ? common(table, i, j) : canary(table, which, j));
    fprintf(out, "%.9g\n", table->labels[i < last ? i % 2 : 1]);
  }
  int failed = ferror(out) != 0;
  return fclose(out) != 0 || failed ? -1 : 0;
}
