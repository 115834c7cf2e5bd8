/* SPDX-License-Identifier: MIT */
/*
 * The description of a table: every column is a part that counts the rows by category,
 * or by bin of a number; so is the label. Columns that are no inputs, and hashed ones,
 * whose slots say nothing to people, are left out. Wide bins are for numbers whose
 * bounds nobody knows yet: sign and power of two.
 */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/batch/row.h"
#include "data/schema/schema.h"
#include "evaluate/result.h"

enum {
  BINS = 16,
  BINS_MAX = 10000,
  PARTS_MAX = 99999, /* each has a key of its own, named by five digits */
  POWER_MIN = -40,   /* wide bins: 2^-40 … 2^40 and beyond on either side, and 0 */
  POWER_MAX = 40,
  POWERS = POWER_MAX - POWER_MIN + 1,
  BINS_WIDE = 2 * POWERS + 1
};
static const double deviations = 1.959963984540054; /* of 95% of a Gaussian */

struct columns {
  tacit_subject base;
  size_t *numbers; /* of the columns that are described; the label, which is last, has
                      n_columns */
  tacit_evaluation_facts facts;
  size_t bins;
};

static void columns_free(tacit_subject *subject) {
  struct columns *columns = (struct columns *)subject;
  tacit_array_free(columns->numbers);
  tacit_array_free(columns->base.parts);
  tacit_array_free(columns);
}

/* The bin of a share 0 … 1. */
static uint32_t bin_of(const struct columns *columns, double raw_share) {
  double raw_bin = floor(raw_share * (double)columns->bins);
  if (!(raw_bin > 0)) return 0;
  return raw_bin < (double)columns->bins ? (uint32_t)raw_bin
                                         : (uint32_t)columns->bins - 1;
}

/* Bins ascend with the number: -2^40 and below, …, around 0, …, 2^40 and above. Bin
   POWERS + 1 + k - POWER_MIN holds 2^k … 2^(k+1). */
static uint32_t wide_bin_of(double raw_value) {
  double raw_size = fabs(raw_value);
  if (!(raw_size >= ldexp(1, POWER_MIN))) return POWERS;
  int raw_power = raw_size < ldexp(1, POWER_MAX) ? ilogb(raw_size) : POWER_MAX;
  uint32_t raw_from = (uint32_t)(raw_power - POWER_MIN) + 1;
  return raw_value > 0 ? POWERS + raw_from : POWERS - raw_from;
}

/* The lower bound of wide bin i. */
static double wide_from(size_t i) {
  if (i == 0) return -INFINITY;
  if (i <= POWERS) return -ldexp(1, POWER_MAX + 1 - (int)i);
  return ldexp(1, POWER_MIN + (int)(i - POWERS) - 1);
}

static uint32_t number_bin(const struct columns *columns, double raw_value, double min,
                           double max) {
  return columns->facts.options.wide ? wide_bin_of(raw_value)
                                     : bin_of(columns, (raw_value - min) / (max - min));
}

/* Where the entries of a row that belong to inputs from `first` on begin. Rows are
   walked from left to right, so *raw_at only grows. */
static void skip_to(const tacit_row *row, size_t first, size_t *raw_at) {
  if (row->raw_indices == NULL)
    *raw_at = first;
  else
    while (*raw_at < row->count && row->raw_indices[*raw_at] < first)
      ++*raw_at;
}

static uint32_t place_column(const struct columns *columns, const tacit_column *column,
                             const tacit_row *row, size_t *raw_at) {
  size_t end = column->first + column->n_inputs;
  skip_to(row, column->first, raw_at);
  if (column->type == TACIT_COLUMN_NUMERIC) {
    int raw_given = *raw_at < row->count &&
                    (row->raw_indices == NULL || row->raw_indices[*raw_at] < end);
    double raw_value = raw_given ? tacit_row_value(row, *raw_at) : 0;
    return number_bin(columns, raw_value, column->map_low, 1);
  }
  for (; *raw_at < row->count; ++*raw_at) {
    size_t raw_input = row->raw_indices != NULL ? row->raw_indices[*raw_at] : *raw_at;
    if (raw_input >= end) break;
    if (tacit_row_value(row, *raw_at) > 0) return (uint32_t)(raw_input - column->first);
  }
  return (uint32_t)column->n_inputs - 1; /* "other" */
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
      raw_columns[to] =
          which < schema->n_columns
              ? place_column(columns, &schema->columns[which], &row, &raw_at)
              : place_label(columns, tacit_batch_label(batch, i));
    }
  }
  return TACIT_OK;
}

/* A number, or null for what is infinite. */
static json_t *bound_json(double bound) {
  return isfinite(bound) ? json_real(bound) : json_null();
}

/* Names of categories and classes, or the bounds of bins. */
static int name_count(const struct columns *columns, size_t which, size_t i,
                      json_t *object) {
  const tacit_schema *schema = columns->base.schema;
  const tacit_column *column =
      which < schema->n_columns ? &schema->columns[which] : NULL;
  int is_number = column != NULL ? column->type == TACIT_COLUMN_NUMERIC
                                 : schema->label_kind == TACIT_LABEL_NUMBER;
  if (!is_number && column != NULL)
    return json_object_set_new(
        object, "value",
        json_string(i < column->n_values ? column->values[i] : "other"));
  if (!is_number)
    return json_object_set_new(object, "value",
                               json_string(tacit_schema_class(schema, (int)i)));
  double from, to;
  if (columns->facts.options.wide) {
    from = wide_from(i);
    to = i + 1 < BINS_WIDE ? wide_from(i + 1) : INFINITY;
  } else {
    double min = column != NULL ? column->min : schema->label_min;
    double max = column != NULL ? column->max : schema->label_max;
    from = min + (max - min) * (double)i / (double)columns->bins;
    to = min + (max - min) * (double)(i + 1) / (double)columns->bins;
  }
  return json_object_set_new(object, "from", bound_json(from)) |
         json_object_set_new(object, "to", bound_json(to));
}

/* The counts of a part. If rows have no weights they add up to the rows, which are
   public: the excess is taken from all alike, which lowers the noise a little. */
static json_t *counts_json(const struct columns *columns, size_t p,
                           const double *values, double noise) {
  size_t count = columns->base.parts[p].columns;
  double excess = 0, half = deviations * noise;
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

static const struct tacit_subject_ops ops = {"description", columns_place,
                                             columns_result, columns_free};

static void add_part(struct columns *columns, size_t which, size_t count) {
  columns->base.parts[columns->base.n_parts] = (tacit_tally_part){count, 1};
  columns->numbers[columns->base.n_parts++] = which;
}

static tacit_status find_parts(struct columns *columns, tacit_error *err) {
  const tacit_schema *schema = columns->base.schema;
  int wide = columns->facts.options.wide, bins = columns->facts.options.bins;
  if (bins < 0 || bins > BINS_MAX || (wide && bins > 0))
    return tacit_fail(err, TACIT_EINVAL,
                      wide ? "wide bins have no number of their own: leave out bins"
                           : "bins must be a number from 2 to %d",
                      BINS_MAX);
  columns->bins = wide ? BINS_WIDE : bins > 0 ? (size_t)bins : BINS;
  if (columns->bins < 2)
    return tacit_fail(err, TACIT_EINVAL, "bins must be a number from 2 to %d",
                      BINS_MAX);
  columns->numbers = tacit_array_new(schema->n_columns + 1, sizeof *columns->numbers);
  columns->base.parts =
      tacit_array_new(schema->n_columns + 1, sizeof *columns->base.parts);
  if (columns->numbers == NULL || columns->base.parts == NULL)
    return tacit_fail_memory(err);
  for (size_t i = 0; i < schema->n_columns; ++i) {
    const tacit_column *column = &schema->columns[i];
    if (column->type == TACIT_COLUMN_NUMERIC)
      add_part(columns, i, columns->bins);
    else if (column->type == TACIT_COLUMN_CATEGORY)
      add_part(columns, i, column->n_inputs);
  }
  add_part(columns, schema->n_columns,
           schema->label_kind == TACIT_LABEL_NUMBER ? columns->bins
                                                    : schema->n_classes);
  if (columns->base.n_parts <= PARTS_MAX) return TACIT_OK;
  return tacit_fail(err, TACIT_EINVAL, "more than %d columns cannot be described",
                    PARTS_MAX);
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
  if (status != TACIT_OK) {
    columns_free(&columns->base);
    return status;
  }
  *out = &columns->base;
  return TACIT_OK;
}
