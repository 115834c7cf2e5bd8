/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_BATCH_ROW_H
#define TACIT_DATA_BATCH_ROW_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <tacit/data.h>

/* One row of a batch: doubles or, in raw_values32, floats. raw_indices is NULL for a
   dense row. */
typedef struct tacit_row {
  size_t count;
  const double *raw_values;
  const float *raw_values32;
  const uint32_t *raw_indices;
} tacit_row;

static inline tacit_row tacit_row_of(const tacit_batch *batch, int64_t i) {
  tacit_row row = {.count = batch->n_features};
  int64_t first = i * (int64_t)batch->n_features;
  if (batch->raw_row_start != NULL) {
    first = batch->raw_row_start[i];
    row.count = (size_t)(batch->raw_row_start[i + 1] - first);
    row.raw_indices = batch->raw_indices + first;
  }
  if (batch->raw_values32 != NULL)
    row.raw_values32 = batch->raw_values32 + first;
  else if (batch->raw_values != NULL)
    row.raw_values = batch->raw_values + first;
  return row;
}

static inline double tacit_row_value(const tacit_row *row, size_t j) {
  return row->raw_values32 != NULL ? (double)row->raw_values32[j] : row->raw_values[j];
}

/* 1 when the indices are strictly ascending and below n_features. An index twice would
   add up to more than the norm of the row says, so the vault never takes such a row. */
static inline int tacit_row_is_sound(const tacit_row *row, size_t n_features) {
  const uint32_t *raw_indices = row->raw_indices;
  if (raw_indices == NULL || row->count == 0) return 1;
  unsigned raw_wrong[8] = {0}; /* side by side, which compilers turn into vectors */
  size_t j = 1;
  for (; j + 8 <= row->count; j += 8) {
    for (size_t k = 0; k < 8; ++k)
      raw_wrong[k] |= raw_indices[j + k] <= raw_indices[j + k - 1];
  }
  for (; j < row->count; ++j)
    raw_wrong[0] |= raw_indices[j] <= raw_indices[j - 1];
  for (size_t k = 1; k < 8; ++k)
    raw_wrong[0] |= raw_wrong[k];
  return raw_wrong[0] == 0 && raw_indices[row->count - 1] < n_features;
}

/* How a row becomes model input: a one is appended (bias), then all is scaled to norm
   at most row_norm. A row whose norm is not finite, or too small to be told from zero,
   becomes zero. */
typedef struct tacit_row_rule {
  size_t features;
  int bias;
  double row_norm;
  double exponent; /* of the norm: 1 … INFINITY; 2 is Euclidean */
  size_t outputs;  /* margins of a row: 1, or one for each class */
} tacit_row_rule;

/* Weights of a model: for each output its features, then one bias for each output. */
static inline size_t tacit_row_weights(const tacit_row_rule *rule) {
  return rule->outputs * (rule->features + (rule->bias ? 1 : 0));
}

/* Norm of a row with its bias, before scaling, for exponents other than 2: that one
   comes with the margins (kernel/kernel.h). docs/proofs/tacit_clip_factor.md counts
   the roundings. */
double tacit_row_norm_other(const tacit_row *row, int bias, double exponent);

/* Below this, squares may have lost all digits to underflow. */
#define TACIT_ROW_NORM_MIN 1e-140

static inline double tacit_row_scale(double raw_norm, double row_norm) {
  if (!(raw_norm > TACIT_ROW_NORM_MIN) || isinf(raw_norm)) return 0;
  return raw_norm <= row_norm ? 1 : row_norm / raw_norm;
}

static inline double tacit_batch_label(const tacit_batch *batch, int64_t i) {
  return batch->raw_labels[i];
}

/* 1 when rows first … end-1 are sparse and have as many entries as there are columns.
   Then, if they are sound, they are dense rows, which *out is a view of: faster, with
   the same bits. */
int tacit_batch_is_full(const tacit_batch *batch, int64_t first, int64_t end,
                        tacit_batch *out);

/* Checks that a batch can be read at all: sizes, pointers, CSR order. `labels`: needed.
 */
tacit_status tacit_batch_check(const tacit_batch *batch, size_t features, int labels,
                               tacit_error *err);

#endif
