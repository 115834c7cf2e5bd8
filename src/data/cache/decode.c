/* SPDX-License-Identifier: MIT */
/* Cache blocks to rows. The checksum shows that the bytes are those that were written,
   but not who wrote them. So every length, index, value and label is checked before it
   is used. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "data/batch/row.h"
#include "data/cache/block.h"
#include "data/cache/cache.h"

static int is_real(unsigned char kind) {
  return kind == TACIT_CACHE_FLOAT32 || kind == TACIT_CACHE_FLOAT64;
}

/* Reads the head of a block. Returns NULL, or what is wrong with it. */
static const char *read_head(const unsigned char *bytes, size_t size,
                             const tacit_cache_head *head, int64_t n_rows,
                             tacit_cache_block *out) {
  if (size < TACIT_CACHE_BLOCK_HEAD) return "too short";
  memcpy(&out->n_rows, bytes, 4);
  out->is_filled = (bytes[4] & TACIT_CACHE_FILLED) != 0;
  out->weights = bytes[4] & TACIT_CACHE_WEIGHTS ? TACIT_CACHE_FLOAT64 : 0;
  out->units = bytes[4] & TACIT_CACHE_UNITS ? sizeof(tacit_unit) : 0;
  out->values = bytes[5];
  out->indices = bytes[6];
  out->labels = bytes[7];
  memcpy(&out->n_entries, bytes + 8, 8);
  if (out->n_rows != (uint64_t)n_rows) return "another number of rows than noted";
  uint64_t filled = (uint64_t)n_rows * head->n_features;
  if (bytes[4] > (TACIT_CACHE_FILLED | TACIT_CACHE_WEIGHTS | TACIT_CACHE_UNITS) ||
      (out->weights != 0 && !head->has_weights) || (out->units != 0) != head->has_units)
    return "an unknown shape";
  if ((head->is_dense && !out->is_filled) || out->n_entries > filled ||
      (out->is_filled && out->n_entries != filled))
    return "another number of entries than its rows can have";
  int values_known =
      is_real(out->values) || (out->values == TACIT_CACHE_ONES && !out->is_filled);
  int indices_known = out->is_filled ? out->indices == 0
                                     : out->indices == 4 || (out->indices == 2 &&
                                                             head->n_features <= 65536);
  int labels_known = head->has_labels
                         ? is_real(out->labels) || out->labels == TACIT_CACHE_INT8
                         : out->labels == 0;
  if (!values_known || !indices_known || !labels_known) return "unknown number types";
  if (tacit_cache_block_size(out) != size) return "another size than its parts have";
  return NULL;
}

static const unsigned char *get_reals(const unsigned char *at, size_t count,
                                      unsigned char kind, double *out) {
  if (kind == TACIT_CACHE_FLOAT64) {
    if (count > 0) memcpy(out, at, count * sizeof *out);
  } else if (kind == TACIT_CACHE_FLOAT32) {
    for (size_t i = 0; i < count; ++i) {
      float value;
      memcpy(&value, at + 4 * i, 4);
      out[i] = (double)value;
    }
  } else if (kind == TACIT_CACHE_INT8) {
    for (size_t i = 0; i < count; ++i)
      out[i] = (double)(int8_t)at[i];
  } else {
    for (size_t i = 0; i < count; ++i)
      out[i] = 1;
  }
  return at + count * kind;
}

/* 0·x is 0 if x is finite, else NaN. */
static int all_finite(const double *values, size_t count) {
  double sums[4] = {0, 0, 0, 0};
  size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (size_t k = 0; k < 4; ++k)
      sums[k] += 0 * values[i + k];
  }
  for (; i < count; ++i)
    sums[0] += 0 * values[i];
  return sums[0] + sums[1] + sums[2] + sums[3] == 0;
}

static int labels_sound(const double *labels, size_t count, size_t n_classes) {
  if (n_classes == 0) return all_finite(labels, count);
  int sound = 1;
  for (size_t i = 0; i < count; ++i) {
    double label = labels[i];
    sound &= n_classes == 2 ? label == 1 || label == -1
                            : label >= 0 && label < (double)n_classes &&
                                  label == floor(label) && !signbit(label);
  }
  return sound;
}

/* Makes filled rows sparse: leaves the zeros out. */
static void take_out_zeros(tacit_cache_rows *rows, size_t n_rows, size_t features) {
  const double *from = rows->values;
  size_t kept = 0;
  for (size_t i = 0; i < n_rows; ++i) {
    rows->row_start[i] = (int64_t)kept;
    for (size_t j = 0; j < features; ++j) {
      double value = *from++;
      rows->values[kept] = value;
      rows->indices[kept] = (uint32_t)j;
      kept += value != 0;
    }
  }
  rows->row_start[n_rows] = (int64_t)kept;
  rows->n_entries = kept;
}

static const char *read_sparse(const unsigned char *at, const tacit_cache_block *block,
                               size_t features, tacit_cache_rows *rows) {
  uint64_t sum = 0;
  for (size_t i = 0; i < block->n_rows; ++i) {
    uint32_t row_count;
    memcpy(&row_count, at + 4 * i, 4);
    rows->row_start[i] = (int64_t)sum;
    sum += row_count;
  }
  rows->row_start[block->n_rows] = (int64_t)sum;
  if (sum != block->n_entries) return "its rows do not have the entries noted";
  at += 4 * (size_t)block->n_rows;
  size_t count = (size_t)block->n_entries;
  if (block->indices == 4) {
    if (count > 0) memcpy(rows->indices, at, 4 * count);
  } else {
    for (size_t i = 0; i < count; ++i) {
      uint16_t index;
      memcpy(&index, at + 2 * i, 2);
      rows->indices[i] = index;
    }
  }
  int sound = 1;
  for (size_t i = 0; i < block->n_rows; ++i) {
    int64_t begin = rows->row_start[i], end = rows->row_start[i + 1];
    for (int64_t j = begin + 1; j < end; ++j)
      sound &= rows->indices[j] > rows->indices[j - 1];
    sound &= begin == end || rows->indices[end - 1] < features;
  }
  return sound ? NULL : "its indices do not ascend below the number of features";
}

tacit_status tacit_cache_decode(const unsigned char *bytes, size_t size,
                                const tacit_cache_head *head, int64_t n_rows,
                                size_t n_classes, tacit_cache_rows *out,
                                const char **out_fault, tacit_error *err) {
  tacit_cache_block block;
  *out_fault = read_head(bytes, size, head, n_rows, &block);
  if (*out_fault != NULL) return TACIT_EDATA;
  size_t rows = block.n_rows, entries = (size_t)block.n_entries;
  TACIT_TRY(tacit_cache_rows_reserve(out, rows, entries, err));
  const unsigned char *at =
      get_reals(bytes + TACIT_CACHE_BLOCK_HEAD, entries, block.values, out->values);
  if (!all_finite(out->values, entries)) *out_fault = "a value is not finite";
  if (head->has_labels) {
    at = get_reals(at, rows, block.labels, out->labels);
    if (!labels_sound(out->labels, rows, n_classes))
      *out_fault = "a label is not one of the schema";
  }
  at = get_reals(at, rows, block.weights, out->weights);
  for (size_t i = 0; i < rows; ++i) {
    if (!tacit_weight_is_valid(out->weights[i])) *out_fault = "a weight is not 0 … 1";
  }
  if (block.units != 0) memcpy(out->units, at, rows * block.units);
  at += rows * block.units;
  out->n_entries = entries;
  if (!block.is_filled && *out_fault == NULL)
    *out_fault = read_sparse(at, &block, head->n_features, out);
  if (*out_fault != NULL) return TACIT_EDATA;
  if (block.is_filled && !head->is_dense) take_out_zeros(out, rows, head->n_features);
  tacit_batch_init(&out->view);
  out->view.n_rows = n_rows;
  out->view.n_features = head->n_features;
  out->view.raw_values = out->values;
  out->view.raw_labels = head->has_labels ? out->labels : NULL;
  if (block.weights != 0) out->view.raw_weights = out->weights;
  if (block.units != 0) out->view.raw_units = out->units;
  out->view.raw_indices = head->is_dense ? NULL : out->indices;
  out->view.raw_row_start = head->is_dense ? NULL : out->row_start;
  return TACIT_OK;
}
