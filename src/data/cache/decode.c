/* SPDX-License-Identifier: MIT */
/* Decodes cache blocks to rows. The checksum shows that the bytes have not changed
   since they were written, but not who wrote them. So every length, index, value and
   label is checked before it is used. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "batch/row.h"
#include "data/cache/block.h"
#include "data/cache/cache.h"

static int is_real(unsigned char kind) {
  return kind == TACIT_CACHE_FLOAT32 || kind == TACIT_CACHE_FLOAT64;
}

/* Reads the head of a block. Returns what is wrong with it, or NULL if nothing is
   wrong. */
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

/* Loops over many numbers take EIGHT at a time: compilers make vectors of them. */
enum { EIGHT = 8 };

static void fill_ones(double *out, size_t count) {
  size_t i = 0;
  for (; i + EIGHT <= count; i += EIGHT) {
    for (size_t k = 0; k < EIGHT; ++k)
      out[i + k] = 1;
  }
  for (; i < count; ++i)
    out[i] = 1;
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
    fill_ones(out, count);
  }
  return at + count * kind;
}

/* Returns 1 if all values are finite. Adds up 0·x, which is 0 if x is finite and NaN
   otherwise. */
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

/* Returns a word whose top bit is set unless the number is 0 or -0. Uses integers,
   because compilers do not make vectors of such comparisons of doubles. */
static uint64_t mark_nonzero(const double *value) {
  uint64_t bits;
  memcpy(&bits, value, sizeof bits);
  bits <<= 1; /* drops the sign */
  return bits | (0 - bits);
}

static int has_zero(const double *values, size_t count) {
  uint64_t marks[EIGHT];
  size_t i = 0;
  memset(marks, 0xff, sizeof marks);
  for (; i + EIGHT <= count; i += EIGHT) {
    for (size_t k = 0; k < EIGHT; ++k)
      marks[k] &= mark_nonzero(&values[i + k]);
  }
  for (; i < count; ++i)
    marks[0] &= mark_nonzero(&values[i]);
  for (size_t k = 1; k < EIGHT; ++k)
    marks[0] &= marks[k];
  return marks[0] >> 63 == 0;
}

static void fill_indices(uint32_t *out, size_t count) {
  size_t i = 0;
  for (; i + EIGHT <= count; i += EIGHT) {
    for (size_t k = 0; k < EIGHT; ++k)
      out[i + k] = (uint32_t)(i + k);
  }
  for (; i < count; ++i)
    out[i] = (uint32_t)i;
}

/* Writes the entries of a filled row that are not zero and returns their number.
   `values` may be in front of the row in the same array, or the row itself. */
static size_t take_row(const double *from, size_t features, double *values,
                       uint32_t *indices) {
  if (!has_zero(from, features)) {
    if (values != from) memmove(values, from, features * sizeof *values);
    fill_indices(indices, features);
    return features;
  }
  size_t kept = 0;
  for (size_t j = 0; j < features; ++j) {
    double value = from[j];
    values[kept] = value;
    indices[kept] = (uint32_t)j;
    kept += value != 0;
  }
  return kept;
}

/* Makes filled rows sparse: leaves the zeros out. */
static void take_out_zeros(tacit_cache_rows *rows, size_t n_rows, size_t features) {
  size_t kept = 0;
  for (size_t i = 0; i < n_rows; ++i) {
    rows->row_start[i] = (int64_t)kept;
    kept += take_row(rows->values + i * features, features, rows->values + kept,
                     rows->indices + kept);
  }
  rows->row_start[n_rows] = (int64_t)kept;
  rows->n_entries = kept;
}

static void get_indices(const unsigned char *at, size_t count, unsigned char kind,
                        uint32_t *out) {
  size_t i = 0;
  uint16_t some[EIGHT];
  if (kind == 4) {
    if (count > 0) memcpy(out, at, 4 * count);
    return;
  }
  for (; i + EIGHT <= count; i += EIGHT) {
    memcpy(some, at + 2 * i, sizeof some);
    for (size_t k = 0; k < EIGHT; ++k)
      out[i + k] = some[k];
  }
  for (; i < count; ++i) {
    memcpy(some, at + 2 * i, sizeof some[0]);
    out[i] = some[0];
  }
}

/* Returns how many of the `count` indices after the first are not above the index
   before them. `count` must be less than 2^32. */
static size_t count_drops(const uint32_t *indices, size_t count) {
  uint32_t drops[EIGHT] = {0};
  size_t i = 0, sum = 0;
  for (; i + EIGHT <= count; i += EIGHT) {
    for (size_t k = 0; k < EIGHT; ++k)
      drops[k] += indices[i + k + 1] <= indices[i + k];
  }
  for (; i < count; ++i)
    sum += indices[i + 1] <= indices[i];
  for (size_t k = 0; k < EIGHT; ++k)
    sum += drops[k];
  return sum;
}

/* Returns 1 if the indices ascend within each row and are below the number of features.
   The indices ascend if every index that is not above the index before it begins a
   row. */
static int indices_sound(const tacit_cache_rows *rows, size_t n_rows, size_t features) {
  const uint32_t *indices = rows->indices;
  size_t drops = 0, count = (size_t)rows->row_start[n_rows];
  int sound = 1;
  for (size_t i = 0; i + 1 < count; i += TACIT_CACHE_ENTRIES) {
    size_t left = count - i - 1;
    drops += count_drops(indices + i,
                         left < TACIT_CACHE_ENTRIES ? left : TACIT_CACHE_ENTRIES);
  }
  for (size_t i = 0; i < n_rows; ++i) {
    int64_t begin = rows->row_start[i], end = rows->row_start[i + 1];
    if (begin == end) continue;
    drops -= begin > 0 && indices[begin] <= indices[begin - 1];
    sound &= indices[end - 1] < features;
  }
  return sound && drops == 0;
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
  get_indices(at, (size_t)block->n_entries, block->indices, rows->indices);
  return indices_sound(rows, block->n_rows, features)
             ? NULL
             : "its indices do not ascend below the number of features";
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
  if (block.values != TACIT_CACHE_ONES && !all_finite(out->values, entries))
    *out_fault = "a value is not finite";
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
