/* SPDX-License-Identifier: MIT */
/* The bytes of a cache block to rows. The checksum has told that the bytes are those
   that were written; that they were written by us nothing tells, so every length,
   index, value and label is checked before it is used. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "data/cache/block.h"
#include "data/cache/cache.h"

static int is_real(unsigned char kind) {
  return kind == TACIT_CACHE_FLOAT32 || kind == TACIT_CACHE_FLOAT64;
}

/* The head of the block, or why it cannot be one. */
static const char *read_head(const unsigned char *raw_bytes, size_t size,
                             const tacit_cache_head *head, int64_t n_rows,
                             tacit_cache_block *out) {
  if (size < TACIT_CACHE_BLOCK_HEAD) return "too short";
  memcpy(&out->n_rows, raw_bytes, 4);
  out->is_filled = raw_bytes[4];
  out->values = raw_bytes[5];
  out->indices = raw_bytes[6];
  out->labels = raw_bytes[7];
  memcpy(&out->n_entries, raw_bytes + 8, 8);
  if (out->n_rows != (uint64_t)n_rows) return "another number of rows than noted";
  uint64_t filled = (uint64_t)n_rows * head->n_features;
  if (out->is_filled > 1 || (head->is_dense && !out->is_filled) ||
      out->n_entries > filled || (out->is_filled && out->n_entries != filled))
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

static const unsigned char *get_reals(const unsigned char *raw_at, size_t count,
                                      unsigned char kind, double *raw_out) {
  if (kind == TACIT_CACHE_FLOAT64) {
    if (count > 0) memcpy(raw_out, raw_at, count * sizeof *raw_out);
  } else if (kind == TACIT_CACHE_FLOAT32) {
    for (size_t i = 0; i < count; ++i) {
      float raw_value;
      memcpy(&raw_value, raw_at + 4 * i, 4);
      raw_out[i] = (double)raw_value;
    }
  } else if (kind == TACIT_CACHE_INT8) {
    for (size_t i = 0; i < count; ++i)
      raw_out[i] = (double)(int8_t)raw_at[i];
  } else {
    for (size_t i = 0; i < count; ++i)
      raw_out[i] = 1;
  }
  return raw_at + count * kind;
}

/* Zero times a finite number is zero, times anything else not a number. */
static int all_finite(const double *raw_values, size_t count) {
  double raw_sums[4] = {0, 0, 0, 0};
  size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (size_t k = 0; k < 4; ++k)
      raw_sums[k] += 0 * raw_values[i + k];
  }
  for (; i < count; ++i)
    raw_sums[0] += 0 * raw_values[i];
  return raw_sums[0] + raw_sums[1] + raw_sums[2] + raw_sums[3] == 0;
}

static int labels_sound(const double *raw_labels, size_t count, size_t n_classes) {
  if (n_classes == 0) return all_finite(raw_labels, count);
  int raw_sound = 1;
  for (size_t i = 0; i < count; ++i) {
    double raw_label = raw_labels[i];
    raw_sound &= n_classes == 2
                     ? raw_label == 1 || raw_label == -1
                     : raw_label >= 0 && raw_label < (double)n_classes &&
                           raw_label == floor(raw_label) && !signbit(raw_label);
  }
  return raw_sound;
}

/* Rows with all their values as sparse rows: the zeros go. */
static void take_out_zeros(tacit_cache_rows *rows, size_t n_rows, size_t features) {
  const double *raw_from = rows->raw_values;
  size_t raw_kept = 0;
  for (size_t i = 0; i < n_rows; ++i) {
    rows->raw_row_start[i] = (int64_t)raw_kept;
    for (size_t j = 0; j < features; ++j) {
      double raw_value = *raw_from++;
      rows->raw_values[raw_kept] = raw_value;
      rows->raw_indices[raw_kept] = (uint32_t)j;
      raw_kept += raw_value != 0;
    }
  }
  rows->raw_row_start[n_rows] = (int64_t)raw_kept;
  rows->n_entries = raw_kept;
}

static const char *read_sparse(const unsigned char *raw_at,
                               const tacit_cache_block *block, size_t features,
                               tacit_cache_rows *rows) {
  uint64_t raw_sum = 0;
  for (size_t i = 0; i < block->n_rows; ++i) {
    uint32_t raw_count;
    memcpy(&raw_count, raw_at + 4 * i, 4);
    rows->raw_row_start[i] = (int64_t)raw_sum;
    raw_sum += raw_count;
  }
  rows->raw_row_start[block->n_rows] = (int64_t)raw_sum;
  if (raw_sum != block->n_entries) return "its rows do not have the entries noted";
  raw_at += 4 * (size_t)block->n_rows;
  size_t count = (size_t)block->n_entries;
  if (block->indices == 4) {
    if (count > 0) memcpy(rows->raw_indices, raw_at, 4 * count);
  } else {
    for (size_t i = 0; i < count; ++i) {
      uint16_t raw_index;
      memcpy(&raw_index, raw_at + 2 * i, 2);
      rows->raw_indices[i] = raw_index;
    }
  }
  int raw_sound = 1;
  for (size_t i = 0; i < block->n_rows; ++i) {
    int64_t begin = rows->raw_row_start[i], end = rows->raw_row_start[i + 1];
    for (int64_t j = begin + 1; j < end; ++j)
      raw_sound &= rows->raw_indices[j] > rows->raw_indices[j - 1];
    raw_sound &= begin == end || rows->raw_indices[end - 1] < features;
  }
  return raw_sound ? NULL : "its indices do not ascend below the number of features";
}

tacit_status tacit_cache_decode(const unsigned char *raw_bytes, size_t size,
                                const tacit_cache_head *head, int64_t n_rows,
                                size_t n_classes, tacit_cache_rows *out,
                                const char **out_fault, tacit_error *err) {
  tacit_cache_block block;
  *out_fault = read_head(raw_bytes, size, head, n_rows, &block);
  if (*out_fault != NULL) return TACIT_EDATA;
  size_t rows = block.n_rows, entries = (size_t)block.n_entries;
  TACIT_TRY(tacit_cache_rows_reserve(out, rows, entries, err));
  const unsigned char *raw_at = get_reals(raw_bytes + TACIT_CACHE_BLOCK_HEAD, entries,
                                          block.values, out->raw_values);
  if (!all_finite(out->raw_values, entries)) *out_fault = "a value is not finite";
  if (head->has_labels) {
    raw_at = get_reals(raw_at, rows, block.labels, out->raw_labels);
    if (!labels_sound(out->raw_labels, rows, n_classes))
      *out_fault = "a label is not one of the schema";
  }
  out->n_entries = entries;
  if (!block.is_filled && *out_fault == NULL)
    *out_fault = read_sparse(raw_at, &block, head->n_features, out);
  if (*out_fault != NULL) return TACIT_EDATA;
  if (block.is_filled && !head->is_dense) take_out_zeros(out, rows, head->n_features);
  tacit_batch_init(&out->view);
  out->view.n_rows = n_rows;
  out->view.n_features = head->n_features;
  out->view.raw_values = out->raw_values;
  out->view.raw_labels = head->has_labels ? out->raw_labels : NULL;
  out->view.raw_indices = head->is_dense ? NULL : out->raw_indices;
  out->view.raw_row_start = head->is_dense ? NULL : out->raw_row_start;
  return TACIT_OK;
}
