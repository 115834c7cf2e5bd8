/* SPDX-License-Identifier: MIT */
/*
 * The description of a table. Every column, and the label, is a part that counts rows
 * by value, or by bin of a number or date. The schema was read for counting
 * (data/schema/counting.c), so every row has a 1 in one input of every column.
 */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "batch/row.h"
#include "data/schema/date.h"
#include "data/schema/parts.h"
#include "data/schema/schema.h"
#include "extra/evaluate/groups.h"

enum {
  BINS = 16,
  BINS_MAX = 10000,
  POWERS = TACIT_WIDE_MAX - TACIT_WIDE_MIN + 1,
  BINS_WIDE = 2 * POWERS + 1
};
static const double deviations = 1.959963984540054; /* half a 95% interval of a
                                                       Gaussian, in standard
                                                       deviations */
/* Half an interval that 164 counts, wide bins and one for missing cells, keep together
   with 95%: the quantile at 1 - 0.025/164. */
static const double deviations_wide = 3.6111195728443666;

struct columns {
  tacit_subject base;
  size_t *numbers; /* numbers of the described columns; the label is last and has number
                      n_columns */
  tacit_evaluation_facts facts;
  size_t bins;
};

static void columns_free(tacit_subject *subject) {
  struct columns *columns = (struct columns *)subject;
  TACIT_FREE(columns->numbers, columns->base.parts, columns);
}

/* Returns the bin of a share 0 … 1. */
static uint32_t bin_of(const struct columns *columns, double raw_share) {
  double raw_bin = floor(raw_share * (double)columns->bins);
  if (!(raw_bin > 0)) return 0;
  return raw_bin < (double)columns->bins ? (uint32_t)raw_bin
                                         : (uint32_t)columns->bins - 1;
}

/* Returns the wide bin of a label. Wide bins ascend with the number: the first ends at
   -2^TACIT_WIDE_MAX, bin POWERS surrounds 0, the last begins at 2^TACIT_WIDE_MAX. Bin
   POWERS + 1 + k - TACIT_WIDE_MIN holds 2^k … 2^(k+1). */
static uint32_t wide_bin_of(double raw_value) {
  double raw_size = fabs(raw_value);
  if (!(raw_size >= ldexp(1, TACIT_WIDE_MIN))) return POWERS;
  int raw_power =
      raw_size < ldexp(1, TACIT_WIDE_MAX) ? ilogb(raw_size) : TACIT_WIDE_MAX;
  uint32_t raw_from = (uint32_t)(raw_power - TACIT_WIDE_MIN) + 1;
  return raw_value > 0 ? POWERS + raw_from : POWERS - raw_from;
}

/* Returns the lower bound of wide bin i. */
static double wide_from(size_t i) {
  if (i == 0) return -INFINITY;
  if (i <= POWERS) return -ldexp(1, TACIT_WIDE_MAX + 1 - (int)i);
  return ldexp(1, TACIT_WIDE_MIN + (int)(i - POWERS) - 1);
}

static uint32_t number_bin(const struct columns *columns, double raw_value, double min,
                           double max) {
  return columns->facts.options.wide ? wide_bin_of(raw_value)
                                     : bin_of(columns, (raw_value - min) / (max - min));
}

/* Returns how many values of a column are counted: one per input, and "false" of a
   bool. */
size_t tacit_column_values(const tacit_column *column) {
  return column->n_inputs + (column->type == TACIT_COLUMN_BOOL);
}

/* Returns the value of a row in a column: the input that is 1. Columns must be asked
   for from left to right, because *raw_at only grows. A bool without such an input
   counts as "false"; a column of another type counts in its last place, for example
   "other". */
uint32_t tacit_column_place(const tacit_column *column, const tacit_row *row,
                            size_t *raw_at) {
  uint32_t is_bool = column->type == TACIT_COLUMN_BOOL;
  size_t end = column->first + column->n_inputs;
  for (; *raw_at < row->count; ++*raw_at) {
    size_t raw_input = row->raw_indices != NULL ? row->raw_indices[*raw_at] : *raw_at;
    if (raw_input >= end) break;
    if (raw_input >= column->first && tacit_row_value(row, *raw_at) > 0)
      return (uint32_t)(raw_input - column->first) + is_bool;
  }
  return is_bool ? 0 : (uint32_t)column->n_inputs - 1;
}

static uint32_t place_label(const struct columns *columns, double raw_label) {
  const tacit_schema *schema = columns->base.schema;
  if (schema->label_kind == TACIT_LABEL_NUMBER)
    return number_bin(columns, raw_label, schema->label_min, schema->label_max);
  if (schema->n_classes == 2) return raw_label > 0;
  return raw_label > 0 && raw_label < (double)schema->n_classes ? (uint32_t)raw_label
                                                                : 0;
}

static tacit_status columns_place(tacit_subject *subject, const tacit_batch *batch,
                                  uint32_t *raw_columns, double *raw_values,
                                  tacit_error *err) {
  const struct columns *columns = (const struct columns *)subject;
  const tacit_schema *schema = subject->schema;
  (void)err;
  for (int64_t i = 0; i < batch->n_rows; ++i) {
    tacit_row row = tacit_row_of(batch, i);
    size_t raw_at = 0;
    for (size_t p = 0; p < subject->n_parts; ++p) {
      size_t which = columns->numbers[p], to = (size_t)i * subject->n_parts + p;
      raw_values[to] = 1;
      raw_columns[to] = which < schema->n_columns
                            ? tacit_column_place(&schema->columns[which], &row, &raw_at)
                            : place_label(columns, tacit_batch_label(batch, i));
    }
  }
  return TACIT_OK;
}

/* Sets a bound of a bin: a number, a date, or null if the bound is infinite. */
static int set_bound(json_t *object, const char *key, double bound, int is_date) {
  char text[32];
  if (!isfinite(bound)) return json_object_set_new(object, key, json_null());
  if (!is_date) return json_object_set_new(object, key, json_real(bound));
  tacit_date date = tacit_date_of((int64_t)floor(bound));
  (void)snprintf(text, sizeof text, "%04d-%02d-%02d", date.year, date.month, date.day);
  return json_object_set_new(object, key, json_string(text));
}

static int set_bounds(const struct columns *columns, size_t i, double from, double to,
                      size_t count, int is_date, json_t *object) {
  int wide = columns->facts.options.wide && !is_date;
  if (wide && i == 0) from = -INFINITY;
  if (wide && i + 1 == count) to = INFINITY;
  return set_bound(object, "from", from, is_date) |
         set_bound(object, "to", to, is_date);
}

/* Names the class or interval that count i of the label is for. */
static int name_label(const struct columns *columns, size_t i, json_t *object) {
  const tacit_schema *schema = columns->base.schema;
  double min = schema->label_min, max = schema->label_max, bins = (double)columns->bins;
  if (schema->label_kind != TACIT_LABEL_NUMBER)
    return json_object_set_new(object, "value",
                               json_string(tacit_schema_class(schema, (int)i)));
  double from = min + (max - min) * (double)i / bins;
  double to = min + (max - min) * (double)(i + 1) / bins;
  if (columns->facts.options.wide) from = wide_from(i), to = wide_from(i + 1);
  return set_bounds(columns, i, from, to, columns->bins, 0, object);
}

/* Names the value or interval that count i of a column is for. */
static int name_value(const struct columns *columns, const tacit_column *column,
                      size_t i, json_t *object) {
  size_t count = tacit_column_values(column), steps = tacit_curve_rest(&column->curve);
  char atom[TACIT_SHORT_BYTES];
  int is_date = column->type == TACIT_COLUMN_DATE;
  if (column->missing == TACIT_MISSING_OWN && i + 1 == count)
    return json_object_set_new(object, "missing", json_true());
  if (column->type == TACIT_COLUMN_CATEGORY)
    return json_object_set_new(
        object, "value",
        json_string(i < column->n_values ? column->values[i] : "other"));
  if (column->type == TACIT_COLUMN_BOOL)
    return json_object_set_new(object, "value", json_string(i > 0 ? "true" : "false"));
  if (i >= steps) {
    tacit_number_short(column->curve.atoms[i - steps], atom);
    return json_object_set_new(object, "value", json_string(atom));
  }
  return set_bounds(columns, i, column->curve.points[i], column->curve.points[i + 1],
                    steps, is_date, object);
}

static int name_count(const struct columns *columns, size_t which, size_t i,
                      json_t *object) {
  const tacit_schema *schema = columns->base.schema;
  return which < schema->n_columns
             ? name_value(columns, &schema->columns[which], i, object)
             : name_label(columns, i, object);
}

/* Returns 1 if column `which`, or the label, is counted in wide bins. */
static int is_wide(const struct columns *columns, size_t which) {
  const tacit_schema *schema = columns->base.schema;
  int is_number = which < schema->n_columns
                      ? schema->columns[which].type == TACIT_COLUMN_NUMERIC
                      : schema->label_kind == TACIT_LABEL_NUMBER;
  return columns->facts.options.wide && is_number;
}

/* Lists the counts of part p. Readers of wide bins look for those that are not empty
   among many that are, so their intervals hold together. Without weights they must add
   up to the number of rows, which is public: the excess is taken from all counts alike,
   which lowers the noise a little. */
static json_t *counts_json(const struct columns *columns, size_t p,
                           const double *values, double noise) {
  size_t count = columns->base.parts[p].columns;
  double excess = 0, half = noise;
  half *= is_wide(columns, columns->numbers[p]) ? deviations_wide : deviations;
  if (!columns->facts.weighted) {
    for (size_t i = 0; i < count; ++i)
      excess += values[i];
    excess = (excess - (double)columns->facts.rows) / (double)count;
    half *= sqrt(1 - 1 / (double)count);
  }
  json_t *list = json_array();
  int failed = list == NULL;
  for (size_t i = 0; i < count; ++i) {
    double value = values[i] - excess;
    json_t *object = json_pack("{s:f, s:f, s:f}", "count", fmax(value, 0), "low",
                               fmax(value - half, 0), "high", fmax(value + half, 0));
    failed |=
        object == NULL || name_count(columns, columns->numbers[p], i, object) != 0;
    failed |= json_array_append_new(list, object);
  }
  if (!failed) return list;
  json_decref(list);
  return NULL;
}

static tacit_status columns_result(const tacit_subject *subject, const double *table,
                                   const double *noise, json_t *object,
                                   tacit_error *err) {
  const struct columns *columns = (const struct columns *)subject;
  const tacit_schema *schema = subject->schema;
  json_t *list = json_array();
  int failed = json_object_set_new(object, "columns", list);
  for (size_t p = 0; failed == 0 && p < subject->n_parts; ++p) {
    size_t which = columns->numbers[p];
    int is_label = which == schema->n_columns;
    failed |= json_array_append_new(
        list, json_pack("{s:s, s:b, s:f, s:o}", "column",
                        is_label ? schema->label_column : schema->columns[which].name,
                        "label", is_label, "noise", noise[p], "counts",
                        counts_json(columns, p, table, noise[p])));
    table += subject->parts[p].columns;
  }
  return failed ? tacit_fail_memory(err) : TACIT_OK;
}

static const struct tacit_subject_ops ops = {"describe", "description", columns_place,
                                             columns_result, columns_free};

static void add_part(struct columns *columns, size_t which, size_t count) {
  columns->base.parts[columns->base.n_parts] = (tacit_tally_part){count, 1};
  columns->numbers[columns->base.n_parts++] = which;
}

static tacit_status find_parts(struct columns *columns, tacit_error *err) {
  const tacit_schema *schema = columns->base.schema;
  int wide = columns->facts.options.wide, bins = columns->facts.options.bins;
  if (wide && bins > 0)
    return tacit_fail(err, TACIT_EINVAL,
                      "wide bins have no number of their own: leave out bins");
  if (bins < 0 || bins == 1 || bins > BINS_MAX)
    return tacit_fail(err, TACIT_EINVAL, "bins must be a number from 2 to %d",
                      BINS_MAX);
  columns->bins = wide ? BINS_WIDE : bins > 0 ? (size_t)bins : BINS;
  TACIT_TRY(TACIT_NEW(columns->numbers, schema->n_columns + 1, err));
  TACIT_TRY(TACIT_NEW(columns->base.parts, schema->n_columns + 1, err));
  for (size_t i = 0; i < schema->n_columns; ++i) {
    const tacit_column *column = &schema->columns[i];
    int is_curve =
        column->type == TACIT_COLUMN_NUMERIC || column->type == TACIT_COLUMN_DATE;
    if (column->type != TACIT_COLUMN_CATEGORY && column->type != TACIT_COLUMN_BOOL &&
        !is_curve)
      continue;
    if (is_curve && column->curve.shape != TACIT_TERM_STEPS)
      return tacit_fail(err, TACIT_EINVAL,
                        "the schema of a description is read for counting: "
                        "tacit_schema_load_counting");
    add_part(columns, i, tacit_column_values(column));
  }
  add_part(columns, schema->n_columns,
           schema->label_kind == TACIT_LABEL_NUMBER ? columns->bins
                                                    : schema->n_classes);
  return TACIT_OK;
}

tacit_status tacit_subject_of_columns(const tacit_schema *schema,
                                      const tacit_evaluation_facts *facts,
                                      tacit_subject **out, tacit_error *err) {
  if (schema->kind != TACIT_SCHEMA_CSV)
    return tacit_fail(err, TACIT_EINVAL,
                      "only CSV files have columns to describe: give a schema");
  struct columns *columns = tacit_array_new(1, sizeof *columns);
  if (columns == NULL) return tacit_fail_memory(err);
  columns->base.ops = &ops;
  columns->base.schema = schema;
  columns->base.features = schema->features;
  columns->facts = *facts;
  tacit_status status = find_parts(columns, err);
  return TACIT_HAND_OVER(status, &columns->base, columns_free, out);
}

tacit_status tacit_schema_load_counting(const char *path, uint64_t max, int bins,
                                        int wide, tacit_schema **out,
                                        tacit_error *err) {
  const tacit_counting counting = {bins, wide};
  return tacit_schema_load_for(path, max, &counting, out, err);
}
