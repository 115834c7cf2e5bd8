/* SPDX-License-Identifier: MIT */
#include "extra/audit/records.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "extra/audit/neighbours.h"

enum { PERSON_ROWS = 3, ROWS_SCORED = 3, ROWS_COUNTED = 2, LABELS_MAX = 3 };

void tacit_records_free(tacit_records *records) {
  if (records == NULL) return;
  tacit_made_rows_free(&records->files[0]);
  tacit_made_rows_free(&records->files[1]);
  tacit_made_rows_free(&records->kinds);
  tacit_raw_free(records->raw_units);
  tacit_schema_free(records->schema);
  tacit_array_free(records);
}

/* Writes the labels that kinds have: two of several classes; both bounds and the middle
   of numbers. Returns their number. */
static int64_t labels_of(const tacit_schema *schema, double *out) {
  double min, max;
  if (tacit_schema_label(schema, &min, &max) == TACIT_LABEL_NUMBER) {
    out[0] = min;
    out[1] = 0.5 * (min + max);
    out[2] = max;
    return 3;
  }
  out[0] = tacit_schema_classes(schema) > 2 ? 0 : -1;
  out[1] = 1;
  return 2;
}

/* Fills in a row that is counted: it has value `number` in every column with that many
   values. */
static void fill_columns(const tacit_schema *schema, size_t number, double *raw_row) {
  for (size_t i = 0; i < schema->n_columns; ++i) {
    const tacit_column *column = &schema->columns[i];
    if (number < column->n_inputs) raw_row[column->first + number] = 1;
  }
}

static void make_kinds(tacit_records *records, const tacit_schema *schema,
                       double size) {
  double labels[LABELS_MAX];
  int64_t n_labels = labels_of(schema, labels);
  tacit_made_rows *kinds = &records->kinds;
  kinds->view.n_rows = n_labels * (size > 0 ? ROWS_SCORED : ROWS_COUNTED);
  for (int64_t k = 0; k < kinds->view.n_rows; ++k) {
    double *raw_row = tacit_made_rows_at(kinds, k);
    int64_t number = k / n_labels;
    kinds->raw_labels[k] = labels[k % n_labels];
    if (size > 0)
      raw_row[0] = size * (double)(1 - number);
    else
      fill_columns(schema, (size_t)number, raw_row);
  }
}

static void fill_row(tacit_records *records, int which, int64_t row, int64_t kind,
                     double weight) {
  tacit_made_rows *file = &records->files[which];
  tacit_made_rows_copy(&records->kinds, kind, file, row);
  if (file->raw_weights != NULL) file->raw_weights[row] = weight;
}

void tacit_records_put(tacit_records *records, int which, int64_t kind, double weight) {
  for (int64_t row = 0; row < records->canaries; ++row)
    fill_row(records, which, row, kind, weight);
}

static tacit_status make_room(tacit_records *records, const tacit_config *config,
                              tacit_error *err) {
  TACIT_TRY(tacit_made_rows_new(LABELS_MAX * ROWS_SCORED, records->features, 0,
                                &records->kinds, err));
  for (int which = 0; which < 2; ++which)
    TACIT_TRY(tacit_made_rows_new(records->rows, records->features, config->weighted,
                                  &records->files[which], err));
  if (config->units > 0)
    TACIT_TRY(TACIT_RAW_NEW(records->raw_units, (size_t)records->rows, err));
  return tacit_schema_memory(records->features, 2, 0, 0, &records->schema, err);
}

tacit_status tacit_records_new(const tacit_config *config, double size,
                               tacit_records **out, tacit_error *err) {
  TACIT_TRY(tacit_neighbours_check(config, err));
  tacit_records *records = tacit_array_new(1, sizeof *records);
  if (records == NULL) return tacit_fail_memory(err);
  records->features = tacit_schema_features(config->schema);
  records->canaries = config->units > 0 ? PERSON_ROWS : 1;
  records->rows =
      (config->units > 0 ? config->units : config->rows) - 1 + records->canaries;
  tacit_status status = make_room(records, config, err);
  if (status != TACIT_OK) {
    tacit_records_free(records);
    return status;
  }
  make_kinds(records, config->schema, size);
  for (int which = 0; which < 2; ++which) {
    tacit_records_put(records, which, 0, 1);
    for (int64_t row = records->canaries; row < records->rows; ++row)
      fill_row(records, which, row, row % records->kinds.view.n_rows,
               row % 2 == 0 ? 1 : 0.25);
  }
  for (int64_t row = 0; records->raw_units != NULL && row < records->rows; ++row)
    records->raw_units[row] = row < records->canaries ? 0 : row;
  *out = records;
  return TACIT_OK;
}

tacit_status tacit_records_open(const tacit_records *records, int which,
                                tacit_reader **out, tacit_error *err) {
  const tacit_made_rows *file = &records->files[which];
  tacit_arrays arrays;
  tacit_reader_options options;
  tacit_arrays_init(&arrays);
  arrays.n_rows = records->rows;
  arrays.n_features = records->features;
  arrays.raw_values = file->raw_values;
  arrays.row_stride = (int64_t)(records->features * sizeof(double));
  arrays.column_stride = sizeof(double);
  arrays.raw_labels = file->raw_labels;
  arrays.raw_units = records->raw_units;
  arrays.raw_weights = file->raw_weights;
  tacit_reader_options_init(&options);
  options.schema = records->schema;
  options.shuffle = 0;
  return tacit_reader_open_arrays(&arrays, &options, out, err);
}
