/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_ROW_H
#define TACIT_DATA_ROW_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <tacit/data.h>

/* One row of a batch. raw_indices is NULL for a dense row. */
typedef struct tacit_row {
  size_t count;
  const double *raw_values;
  const uint32_t *raw_indices;
} tacit_row;

static inline tacit_row tacit_row_of(const tacit_batch *batch, int64_t i) {
  tacit_row row;
  if (batch->raw_row_start != NULL) {
    int64_t first = batch->raw_row_start[i];
    row.count = (size_t)(batch->raw_row_start[i + 1] - first);
    row.raw_values = batch->raw_values + first;
    row.raw_indices = batch->raw_indices + first;
  } else {
    row.count = batch->n_features;
    row.raw_values = batch->raw_values + (size_t)i * batch->n_features;
    row.raw_indices = NULL;
  }
  return row;
}

/* 1 when the indices are strictly ascending and below n_features. An index twice would
   add up to more than the norm of the row says, so the vault never takes such a row. */
static inline int tacit_row_is_sound(const tacit_row *row, size_t n_features) {
  if (row->raw_indices == NULL) return 1;
  for (size_t j = 1; j < row->count; ++j) {
    if (row->raw_indices[j] <= row->raw_indices[j - 1]) return 0;
  }
  return row->count == 0 || row->raw_indices[row->count - 1] < n_features;
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

/* Norm of a row with its bias, before scaling. For exponents 1 and 2 the terms are
   added left to right: docs/proofs/tacit_delta_factor.md counts these roundings. */
double tacit_row_norm(const tacit_row *row, int bias, double exponent);

/* Below this, squares may have lost all digits to underflow. */
#define TACIT_ROW_NORM_MIN 1e-140

static inline double tacit_row_scale(double raw_norm, double row_norm) {
  if (!(raw_norm > TACIT_ROW_NORM_MIN) || isinf(raw_norm)) return 0;
  return raw_norm <= row_norm ? 1 : row_norm / raw_norm;
}

/* Margin of one output before scaling. */
static inline double tacit_row_dot(const tacit_row *row, const tacit_row_rule *rule,
                                   const double *weights, size_t output) {
  double raw_dot = rule->bias ? weights[rule->outputs * rule->features + output] : 0;
  const double *own = weights + output * rule->features;
  if (row->raw_indices != NULL) {
    for (size_t j = 0; j < row->count; ++j) {
      raw_dot += own[row->raw_indices[j]] * row->raw_values[j];
    }
  } else {
    for (size_t j = 0; j < row->count; ++j)
      raw_dot += own[j] * row->raw_values[j];
  }
  return raw_dot;
}

static inline double tacit_batch_label(const tacit_batch *batch, int64_t i) {
  return batch->raw_labels[i];
}

/* Checks that a batch can be read at all: sizes, pointers, CSR order. `labels`: needed.
 */
tacit_status tacit_batch_check(const tacit_batch *batch, size_t features, int labels,
                               tacit_error *err);
/* The margins of all rows, `outputs` a row, for prediction. */
tacit_status tacit_batch_margins(const tacit_batch *batch, const tacit_row_rule *rule,
                                 const double *weights, double *raw_out,
                                 tacit_error *err);

#endif
