/* SPDX-License-Identifier: MIT */
/* Rows to the bytes of a cache block: every part in the smallest of a few number types
   that keeps its values to the bit, as CSR or dense, whichever is smaller. */
#include <string.h>

#include "base/error.h"
#include "data/cache/block.h"
#include "data/cache/cache.h"

/* What the values and labels of a block can be stored as. */
static unsigned char values_kind(const double *raw_values, size_t count) {
  int raw_ones = 1, raw_floats = 1;
  for (size_t i = 0; i < count; ++i) {
    raw_ones &= raw_values[i] == 1;
    raw_floats &= (double)(float)raw_values[i] == raw_values[i];
  }
  if (raw_ones) return TACIT_CACHE_ONES;
  return raw_floats ? TACIT_CACHE_FLOAT32 : TACIT_CACHE_FLOAT64;
}

static unsigned char labels_kind(const double *raw_labels, size_t count) {
  int raw_bytes = 1, raw_floats = 1;
  for (size_t i = 0; i < count; ++i) {
    double raw_label = raw_labels[i];
    /* The comparison of bits keeps -0 out. */
    int raw_fits = raw_label >= -128 && raw_label <= 127;
    double raw_back = raw_fits ? (double)(int8_t)raw_label : 0;
    raw_bytes &= raw_fits && memcmp(&raw_back, &raw_label, sizeof raw_back) == 0;
    raw_floats &= (double)(float)raw_label == raw_label;
  }
  if (raw_bytes) return TACIT_CACHE_INT8;
  return raw_floats ? TACIT_CACHE_FLOAT32 : TACIT_CACHE_FLOAT64;
}

static int has_zero(const double *raw_values, size_t count) {
  int raw_zero = 0;
  for (size_t i = 0; i < count; ++i)
    raw_zero |= raw_values[i] == 0;
  return raw_zero;
}

static unsigned char *put_reals(unsigned char *raw_out, const double *raw_values,
                                size_t count, unsigned char kind) {
  if (kind == TACIT_CACHE_FLOAT64) {
    if (count > 0) memcpy(raw_out, raw_values, count * sizeof *raw_values);
  } else if (kind == TACIT_CACHE_FLOAT32) {
    for (size_t i = 0; i < count; ++i) {
      float raw_value = (float)raw_values[i];
      memcpy(raw_out + 4 * i, &raw_value, 4);
    }
  } else if (kind == TACIT_CACHE_INT8) {
    for (size_t i = 0; i < count; ++i)
      raw_out[i] = (unsigned char)(int8_t)raw_values[i];
  }
  return raw_out + count * kind;
}

/* The values of sparse rows with their zeros. */
static unsigned char *put_filled(unsigned char *raw_out, const tacit_cache_rows *rows,
                                 unsigned char kind) {
  size_t features = rows->view.n_features;
  for (int64_t i = 0; i < rows->view.n_rows; ++i) {
    memset(raw_out, 0, features * kind);
    for (int64_t j = rows->raw_row_start[i]; j < rows->raw_row_start[i + 1]; ++j)
      (void)put_reals(raw_out + (size_t)rows->raw_indices[j] * kind,
                      rows->raw_values + j, 1, kind);
    raw_out += features * kind;
  }
  return raw_out;
}

static void put_sparse(unsigned char *raw_out, const tacit_cache_rows *rows,
                       unsigned char index_bytes) {
  for (int64_t i = 0; i < rows->view.n_rows; ++i) {
    uint32_t raw_count =
        (uint32_t)(rows->raw_row_start[i + 1] - rows->raw_row_start[i]);
    memcpy(raw_out, &raw_count, 4);
    raw_out += 4;
  }
  if (index_bytes == 4) {
    if (rows->n_entries > 0) memcpy(raw_out, rows->raw_indices, rows->n_entries * 4);
    return;
  }
  for (size_t i = 0; i < rows->n_entries; ++i) {
    uint16_t raw_index = (uint16_t)rows->raw_indices[i];
    memcpy(raw_out + 2 * i, &raw_index, 2);
  }
}

/* How the block is stored. */
static tacit_cache_block choose(const tacit_cache_rows *rows) {
  size_t n_rows = (size_t)rows->view.n_rows, features = rows->view.n_features;
  tacit_cache_block block = {.n_rows = (uint32_t)n_rows};
  block.values = values_kind(rows->raw_values, rows->n_entries);
  if (rows->view.raw_labels != NULL)
    block.labels = labels_kind(rows->raw_labels, n_rows);
  block.indices = features <= 65536 ? 2 : 4;
  block.n_entries = rows->n_entries;
  /* Rows of at most 2^31 numbers, 256 of them: no overflow. */
  uint64_t filled = (uint64_t)n_rows * features;
  unsigned char filled_kind =
      block.values == TACIT_CACHE_ONES ? TACIT_CACHE_FLOAT32 : block.values;
  int is_dense = rows->view.raw_row_start == NULL;
  uint64_t sparse_size =
      rows->n_entries * (uint64_t)(block.values + block.indices) + 4 * n_rows;
  if (is_dense || (filled * filled_kind < sparse_size &&
                   !has_zero(rows->raw_values, rows->n_entries))) {
    block.is_filled = 1;
    block.values = filled_kind;
    block.indices = 0;
    block.n_entries = filled;
  }
  return block;
}

tacit_status tacit_cache_encode(const tacit_cache_rows *rows, tacit_cache_bytes *out,
                                tacit_error *err) {
  tacit_cache_block block = choose(rows);
  size_t size = (size_t)tacit_cache_block_size(&block), n_rows = block.n_rows;
  TACIT_TRY(tacit_cache_bytes_reserve(out, size, err));
  unsigned char *raw_at = out->raw_bytes;
  const unsigned char kinds[4] = {block.is_filled, block.values, block.indices,
                                  block.labels};
  memcpy(raw_at, &block.n_rows, 4);
  memcpy(raw_at + 4, kinds, 4);
  memcpy(raw_at + 8, &block.n_entries, 8);
  raw_at += TACIT_CACHE_BLOCK_HEAD;
  if (block.is_filled && rows->view.raw_row_start != NULL)
    raw_at = put_filled(raw_at, rows, block.values);
  else
    raw_at = put_reals(raw_at, rows->raw_values, rows->n_entries, block.values);
  raw_at =
      put_reals(raw_at, rows->raw_labels, block.labels != 0 ? n_rows : 0, block.labels);
  if (!block.is_filled) put_sparse(raw_at, rows, block.indices);
  out->size = size;
  return TACIT_OK;
}
