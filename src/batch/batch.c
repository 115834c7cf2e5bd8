/* SPDX-License-Identifier: MIT */
/* Batches under construction: rows as CSR arrays of up to about a megabyte. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "batch/rows.h"

enum {
  BATCH_ROWS = 4096,
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
  rows->values = tacit_raw_new(FIRST_ENTRIES, sizeof *rows->values);
  rows->indices = tacit_raw_new(FIRST_ENTRIES, sizeof *rows->indices);
  rows->row_start = tacit_raw_new(BATCH_ROWS + 1, sizeof *rows->row_start);
  if (labels) rows->labels = tacit_raw_new(BATCH_ROWS, sizeof *rows->labels);
  if (rows->values == NULL || rows->indices == NULL || rows->row_start == NULL ||
      (labels && rows->labels == NULL)) {
    tacit_rows_fini(rows);
    return tacit_fail_memory(err);
  }
  return TACIT_OK;
}

void tacit_rows_fini(tacit_rows *rows) {
  TACIT_RAW_FREE(rows->values, rows->indices, rows->row_start, rows->labels,
                 rows->weights, rows->units, rows->ids, rows->id_start);
  memset(rows, 0, sizeof *rows);
}

tacit_status tacit_rows_weigh(tacit_rows *rows, tacit_error *err) {
  return rows->weights != NULL ? TACIT_OK
                               : TACIT_RAW_NEW(rows->weights, BATCH_ROWS, err);
}

tacit_status tacit_rows_name(tacit_rows *rows, tacit_error *err) {
  return TACIT_RAW_NEW(rows->units, BATCH_ROWS, err);
}

tacit_status tacit_rows_keep_ids(tacit_rows *rows, size_t per_row, tacit_error *err) {
  rows->id_room = FIRST_ENTRIES;
  rows->view.ids_per_row = per_row;
  TACIT_TRY(TACIT_RAW_NEW(rows->ids, FIRST_ENTRIES, err));
  return TACIT_RAW_NEW(rows->id_start, BATCH_ROWS * per_row + 1, err);
}

/* Makes the texts before number `end` that were not put empty. If a row is parsed a
   second time, its texts replace the texts of the first try. */
static void skip_ids(tacit_rows *rows, size_t end) {
  if (rows->id_next > end) rows->id_next = end;
  for (; rows->id_next < end; ++rows->id_next)
    rows->id_start[rows->id_next + 1] = rows->id_start[rows->id_next];
}

tacit_status tacit_rows_put_id(tacit_rows *rows, size_t which, const char *text,
                               size_t size, tacit_error *err) {
  skip_ids(rows, (size_t)rows->view.n_rows * rows->view.ids_per_row + which);
  size_t at = (size_t)rows->id_start[rows->id_next];
  if (!tacit_raw_reserve(&rows->ids, &rows->id_room, at + size, 1))
    return tacit_fail_memory(err);
  if (size > 0) memcpy(rows->ids + at, text, size);
  rows->id_start[++rows->id_next] = (int64_t)(at + size);
  return TACIT_OK;
}

void tacit_rows_clear(tacit_rows *rows) {
  rows->view.n_rows = 0;
  rows->n_entries = 0;
  rows->id_next = 0;
}

tacit_status tacit_rows_reserve(tacit_rows *rows, size_t more, tacit_error *err) {
  size_t room = rows->entry_capacity, other = room, needed = rows->n_entries + more;
  if (needed <= room) return TACIT_OK;
  if (!tacit_raw_reserve(&rows->values, &other, needed, sizeof *rows->values) ||
      !tacit_raw_reserve(&rows->indices, &room, needed, sizeof *rows->indices))
    return tacit_fail_memory(err);
  rows->entry_capacity = room;
  return TACIT_OK;
}

tacit_status tacit_rows_push(tacit_rows *rows, size_t index, double value,
                             tacit_error *err) {
  if (value == 0) return TACIT_OK;
  TACIT_TRY(tacit_rows_reserve(rows, 1, err));
  rows->values[rows->n_entries] = value;
  rows->indices[rows->n_entries] = (uint32_t)index;
  ++rows->n_entries;
  return TACIT_OK;
}

void tacit_rows_end_ids(tacit_rows *rows) {
  skip_ids(rows, (size_t)(rows->view.n_rows + 1) * rows->view.ids_per_row);
}

const tacit_batch *tacit_rows_view(tacit_rows *rows) {
  rows->view.raw_values = rows->values;
  rows->view.raw_indices = rows->indices;
  rows->view.raw_row_start = rows->row_start;
  rows->view.raw_labels = rows->labels;
  rows->view.raw_weights = rows->weights;
  rows->view.raw_units = rows->units;
  rows->view.raw_ids = rows->ids;
  rows->view.raw_id_start = rows->id_start;
  return &rows->view;
}
