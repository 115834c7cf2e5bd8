/* SPDX-License-Identifier: MIT */
/* Batches: rows as CSR arrays that grow to about a megabyte and are then handed out. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/batch/rows.h"

enum {
  BATCH_ROWS = 4096,
  BATCH_ENTRIES = 87000,
  BATCH_SCORES = 1 << 22, /* rows times classes */
  FIRST_ENTRIES = 16384
};

void tacit_batch_init(tacit_batch *batch) {
  if (batch == NULL) return;
  memset(batch, 0, sizeof *batch);
  batch->struct_size = sizeof *batch;
}

tacit_status tacit_rows_init(tacit_rows *rows, size_t n_features, size_t n_classes,
                             int labels, tacit_error *err) {
  memset(rows, 0, sizeof *rows);
  rows->max_rows = BATCH_ROWS;
  if (n_classes > BATCH_SCORES / BATCH_ROWS)
    rows->max_rows = 1 + (int64_t)(BATCH_SCORES / n_classes);
  tacit_batch_init(&rows->view);
  rows->view.n_features = n_features;
  rows->entry_capacity = FIRST_ENTRIES;
  rows->raw_values = tacit_raw_new(FIRST_ENTRIES, sizeof *rows->raw_values);
  rows->raw_indices = tacit_raw_new(FIRST_ENTRIES, sizeof *rows->raw_indices);
  rows->raw_row_start = tacit_raw_new(BATCH_ROWS + 1, sizeof *rows->raw_row_start);
  if (labels) rows->raw_labels = tacit_raw_new(BATCH_ROWS, sizeof *rows->raw_labels);
  if (rows->raw_values == NULL || rows->raw_indices == NULL ||
      rows->raw_row_start == NULL || (labels && rows->raw_labels == NULL)) {
    tacit_rows_fini(rows);
    return tacit_fail_memory(err);
  }
  return TACIT_OK;
}

void tacit_rows_fini(tacit_rows *rows) {
  tacit_raw_free(rows->raw_values);
  tacit_raw_free(rows->raw_indices);
  tacit_raw_free(rows->raw_row_start);
  tacit_raw_free(rows->raw_labels);
  memset(rows, 0, sizeof *rows);
}

void tacit_rows_clear(tacit_rows *rows) {
  rows->view.n_rows = 0;
  rows->n_entries = 0;
}

tacit_status tacit_rows_reserve(tacit_rows *rows, size_t more, tacit_error *err) {
  size_t capacity = rows->entry_capacity;
  if (more <= capacity - rows->n_entries) return TACIT_OK;
  do {
    capacity *= 2;
  } while (more > capacity - rows->n_entries);
  double *raw_values = tacit_raw_grow(rows->raw_values, capacity, sizeof *raw_values);
  if (raw_values == NULL) return tacit_fail_memory(err);
  rows->raw_values = raw_values;
  uint32_t *raw_indices =
      tacit_raw_grow(rows->raw_indices, capacity, sizeof *raw_indices);
  if (raw_indices == NULL) return tacit_fail_memory(err);
  rows->raw_indices = raw_indices;
  rows->entry_capacity = capacity;
  return TACIT_OK;
}

tacit_status tacit_rows_push(tacit_rows *rows, size_t raw_index, double raw_value,
                             tacit_error *err) {
  if (raw_value == 0) return TACIT_OK;
  TACIT_TRY(tacit_rows_reserve(rows, 1, err));
  rows->raw_values[rows->n_entries] = raw_value;
  rows->raw_indices[rows->n_entries] = (uint32_t)raw_index;
  ++rows->n_entries;
  return TACIT_OK;
}

void tacit_rows_end(tacit_rows *rows, double raw_label) {
  if (rows->raw_labels != NULL) rows->raw_labels[rows->view.n_rows] = raw_label;
  ++rows->view.n_rows;
  rows->raw_row_start[rows->view.n_rows] = (int64_t)rows->n_entries;
}

int tacit_rows_full(const tacit_rows *rows) {
  return rows->view.n_rows >= rows->max_rows || rows->n_entries >= BATCH_ENTRIES;
}

const tacit_batch *tacit_rows_view(tacit_rows *rows) {
  rows->view.raw_values = rows->raw_values;
  rows->view.raw_indices = rows->raw_indices;
  rows->view.raw_row_start = rows->raw_row_start;
  rows->view.raw_labels = rows->raw_labels;
  return &rows->view;
}
