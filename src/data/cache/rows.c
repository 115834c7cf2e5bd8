/* SPDX-License-Identifier: MIT */
/* The rows of one cache block in memory, either to be written or as they were read. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "batch/row.h"
#include "data/cache/cache.h"

void tacit_cache_bytes_fini(tacit_cache_bytes *bytes) {
  tacit_raw_free(bytes->data);
  memset(bytes, 0, sizeof *bytes);
}

tacit_status tacit_cache_bytes_reserve(tacit_cache_bytes *bytes, size_t size,
                                       tacit_error *err) {
  if (bytes->data != NULL && size <= bytes->room) return TACIT_OK;
  unsigned char *data = tacit_raw_new(size, 1);
  if (data == NULL) return tacit_fail_memory(err);
  tacit_raw_free(bytes->data);
  bytes->data = data;
  bytes->room = size;
  return TACIT_OK;
}

void tacit_cache_rows_fini(tacit_cache_rows *rows) {
  tacit_raw_free(rows->values);
  tacit_raw_free(rows->indices);
  tacit_raw_free(rows->row_start);
  tacit_raw_free(rows->labels);
  tacit_raw_free(rows->weights);
  tacit_raw_free(rows->units);
  memset(rows, 0, sizeof *rows);
}

static size_t more(size_t room, size_t needed) {
  return room <= SIZE_MAX / 2 && 2 * room > needed ? 2 * room : needed;
}

tacit_status tacit_cache_rows_reserve(tacit_cache_rows *rows, size_t n_rows,
                                      size_t n_entries, tacit_error *err) {
  if (rows->row_start == NULL || n_rows > rows->row_room) {
    size_t room = more(rows->row_room, n_rows);
    if (room == SIZE_MAX) return tacit_fail_memory(err);
    int64_t *start = tacit_raw_grow(rows->row_start, room + 1, sizeof *start);
    if (start == NULL) return tacit_fail_memory(err);
    rows->row_start = start;
    double *labels = tacit_raw_grow(rows->labels, room, sizeof *labels);
    if (labels == NULL) return tacit_fail_memory(err);
    rows->labels = labels;
    double *weights = tacit_raw_grow(rows->weights, room, sizeof *weights);
    if (weights == NULL) return tacit_fail_memory(err);
    rows->weights = weights;
    tacit_unit *units = tacit_raw_grow(rows->units, room, sizeof *units);
    if (units == NULL) return tacit_fail_memory(err);
    rows->units = units;
    rows->row_room = room;
  }
  if (rows->values == NULL || n_entries > rows->entry_room) {
    size_t room = more(rows->entry_room, n_entries);
    double *values = tacit_raw_grow(rows->values, room, sizeof *values);
    if (values == NULL) return tacit_fail_memory(err);
    rows->values = values;
    uint32_t *indices = tacit_raw_grow(rows->indices, room, sizeof *indices);
    if (indices == NULL) return tacit_fail_memory(err);
    rows->indices = indices;
    rows->entry_room = room;
  }
  return TACIT_OK;
}

void tacit_cache_rows_clear(tacit_cache_rows *rows) {
  rows->view.n_rows = 0;
  rows->n_entries = 0;
}

tacit_status tacit_cache_rows_add(tacit_cache_rows *rows, const tacit_batch *batch,
                                  int64_t i, tacit_error *err) {
  tacit_row row = tacit_row_of(batch, i);
  int is_sparse = batch->raw_row_start != NULL;
  size_t n_rows = (size_t)rows->view.n_rows;
  TACIT_TRY(
      tacit_cache_rows_reserve(rows, n_rows + 1, rows->n_entries + row.count, err));
  if (n_rows == 0) {
    tacit_batch_init(&rows->view);
    rows->view.n_features = batch->n_features;
    rows->row_start[0] = 0;
  }
  for (size_t j = 0; j < row.count; ++j) /* floats become doubles of the same value */
    rows->values[rows->n_entries + j] = tacit_row_value(&row, j);
  if (is_sparse && row.count > 0)
    memcpy(rows->indices + rows->n_entries, row.raw_indices,
           row.count * sizeof *row.raw_indices);
  if (batch->raw_labels != NULL) rows->labels[n_rows] = batch->raw_labels[i];
  rows->weights[n_rows] = tacit_batch_weight(batch, i);
  if (batch->raw_units != NULL)
    rows->units[n_rows] = ((const tacit_unit *)batch->raw_units)[i];
  rows->n_entries += row.count;
  rows->row_start[n_rows + 1] = (int64_t)rows->n_entries;
  ++rows->view.n_rows;
  rows->view.raw_values = rows->values;
  rows->view.raw_indices = is_sparse ? rows->indices : NULL;
  rows->view.raw_row_start = is_sparse ? rows->row_start : NULL;
  rows->view.raw_labels = batch->raw_labels != NULL ? rows->labels : NULL;
  rows->view.raw_weights = rows->weights;
  rows->view.raw_units = batch->raw_units != NULL ? rows->units : NULL;
  return TACIT_OK;
}

int tacit_cache_rows_full(const tacit_cache_rows *rows) {
  return rows->view.n_rows >= TACIT_CACHE_ROWS ||
         rows->n_entries >= TACIT_CACHE_ENTRIES;
}
