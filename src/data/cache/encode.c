/* SPDX-License-Identifier: MIT */
/* Encodes rows as cache blocks. Each part is stored in the smallest number type that
   keeps every bit of the numbers. Rows are stored as CSR or dense, whichever is
   smaller. */
#include <string.h>

#include "base/error.h"
#include "data/cache/block.h"
#include "data/cache/cache.h"

/* values_kind and labels_kind return the smallest number type that stores the values or
   labels of a block. */
static unsigned char values_kind(const double *values, size_t count) {
  int ones = 1, floats = 1;
  for (size_t i = 0; i < count; ++i) {
    ones &= values[i] == 1;
    floats &= (double)(float)values[i] == values[i];
  }
  if (ones) return TACIT_CACHE_ONES;
  return floats ? TACIT_CACHE_FLOAT32 : TACIT_CACHE_FLOAT64;
}

static unsigned char labels_kind(const double *labels, size_t count) {
  int bytes = 1, floats = 1;
  for (size_t i = 0; i < count; ++i) {
    double label = labels[i];
    /* Compares bits, because -0 == 0. */
    int fits = label >= -128 && label <= 127;
    double back = fits ? (double)(int8_t)label : 0;
    bytes &= fits && memcmp(&back, &label, sizeof back) == 0;
    floats &= (double)(float)label == label;
  }
  if (bytes) return TACIT_CACHE_INT8;
  return floats ? TACIT_CACHE_FLOAT32 : TACIT_CACHE_FLOAT64;
}

static int has_zero(const double *values, size_t count) {
  int zero = 0;
  for (size_t i = 0; i < count; ++i)
    zero |= values[i] == 0;
  return zero;
}

static unsigned char *put_reals(unsigned char *out, const double *values, size_t count,
                                unsigned char kind) {
  if (kind == TACIT_CACHE_FLOAT64) {
    if (count > 0) memcpy(out, values, count * sizeof *values);
  } else if (kind == TACIT_CACHE_FLOAT32) {
    for (size_t i = 0; i < count; ++i) {
      float value = (float)values[i];
      memcpy(out + 4 * i, &value, 4);
    }
  } else if (kind == TACIT_CACHE_INT8) {
    for (size_t i = 0; i < count; ++i)
      out[i] = (unsigned char)(int8_t)values[i];
  }
  return out + count * kind;
}

/* Writes the values of sparse rows with their zeros. */
static unsigned char *put_filled(unsigned char *out, const tacit_cache_rows *rows,
                                 unsigned char kind) {
  size_t features = rows->view.n_features;
  for (int64_t i = 0; i < rows->view.n_rows; ++i) {
    memset(out, 0, features * kind);
    for (int64_t j = rows->row_start[i]; j < rows->row_start[i + 1]; ++j)
      (void)put_reals(out + (size_t)rows->indices[j] * kind, rows->values + j, 1, kind);
    out += features * kind;
  }
  return out;
}

static void put_sparse(unsigned char *out, const tacit_cache_rows *rows,
                       unsigned char index_bytes) {
  for (int64_t i = 0; i < rows->view.n_rows; ++i) {
    uint32_t count = (uint32_t)(rows->row_start[i + 1] - rows->row_start[i]);
    memcpy(out, &count, 4);
    out += 4;
  }
  if (index_bytes == 4) {
    if (rows->n_entries > 0) memcpy(out, rows->indices, rows->n_entries * 4);
    return;
  }
  for (size_t i = 0; i < rows->n_entries; ++i) {
    uint16_t index = (uint16_t)rows->indices[i];
    memcpy(out + 2 * i, &index, 2);
  }
}

/* Chooses the number types of a block, and whether it is filled. */
static tacit_cache_block choose(const tacit_cache_rows *rows) {
  size_t n_rows = (size_t)rows->view.n_rows, features = rows->view.n_features;
  tacit_cache_block block = {.n_rows = (uint32_t)n_rows};
  block.values = values_kind(rows->values, rows->n_entries);
  if (values_kind(rows->weights, n_rows) != TACIT_CACHE_ONES)
    block.weights = TACIT_CACHE_FLOAT64;
  if (rows->view.raw_units != NULL) block.units = sizeof(tacit_unit);
  if (rows->view.raw_labels != NULL) block.labels = labels_kind(rows->labels, n_rows);
  block.indices = features <= 65536 ? 2 : 4;
  block.n_entries = rows->n_entries;
  /* A block has at most 256 rows of 2^31 numbers, so this does not overflow. */
  uint64_t filled = (uint64_t)n_rows * features;
  unsigned char filled_kind =
      block.values == TACIT_CACHE_ONES ? TACIT_CACHE_FLOAT32 : block.values;
  int is_dense = rows->view.raw_row_start == NULL;
  uint64_t sparse_size =
      rows->n_entries * (uint64_t)(block.values + block.indices) + 4 * n_rows;
  if (is_dense || (filled * filled_kind < sparse_size &&
                   !has_zero(rows->values, rows->n_entries))) {
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
  unsigned char *at = out->data;
  const unsigned char shape = (block.is_filled ? TACIT_CACHE_FILLED : 0) |
                              (block.weights != 0 ? TACIT_CACHE_WEIGHTS : 0) |
                              (block.units != 0 ? TACIT_CACHE_UNITS : 0);
  const unsigned char kinds[4] = {shape, block.values, block.indices, block.labels};
  memcpy(at, &block.n_rows, 4);
  memcpy(at + 4, kinds, 4);
  memcpy(at + 8, &block.n_entries, 8);
  at += TACIT_CACHE_BLOCK_HEAD;
  if (block.is_filled && rows->view.raw_row_start != NULL)
    at = put_filled(at, rows, block.values);
  else
    at = put_reals(at, rows->values, rows->n_entries, block.values);
  at = put_reals(at, rows->labels, block.labels != 0 ? n_rows : 0, block.labels);
  at = put_reals(at, rows->weights, block.weights != 0 ? n_rows : 0, block.weights);
  if (block.units != 0) memcpy(at, rows->units, n_rows * block.units);
  at += n_rows * block.units;
  if (!block.is_filled) put_sparse(at, rows, block.indices);
  out->size = size;
  return TACIT_OK;
}
