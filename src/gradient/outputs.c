/* SPDX-License-Identifier: MIT */
/*
 * Line 2 of Algorithm 1 for a model with several outputs. The slope is a vector a, and
 * the gradient difference the matrix a x^T, whose norm is |a| |x| in every norm that is
 * a sum of powers. The vault clips the matrix as a whole.
 */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "gradient/delta.h"
#include "kernel/margins.h"

enum { BLOCK_ROWS = 16 };

struct block {
  const tacit_batch *batch;
  int64_t first;
  size_t rows;
  tacit_measures raw;
  double *raw_dots;   /* per row: products with x_t, then with x_{t-1}, tacit_wide_width
                         numbers */
  double *raw_slopes; /* one number per row and output */
  double raw_factors[BLOCK_ROWS], raw_scales[BLOCK_ROWS], raw_squares[BLOCK_ROWS];
};

/* Returns the sum of the squared slopes. */
static double square_of(const double *raw_slopes, size_t count) {
  double raw_square = 0;
  for (size_t k = 0; k < count; ++k)
    raw_square += raw_slopes[k] * raw_slopes[k];
  return raw_square;
}

/* Writes the slopes of row i at x_t less r_t times its slopes at x_{t-1}, and the
   difference of their squares. */
static void slopes_of_row(const tacit_delta *delta, struct block *block, size_t i,
                          double scale) {
  size_t outputs = delta->row.outputs, width = tacit_wide_width(outputs, 2);
  double raw_label = block->batch->raw_labels[block->first + (int64_t)i];
  double *raw_margins = block->raw_dots + i * width, *raw_prev = raw_margins + outputs,
         *raw_change = block->raw_slopes + i * outputs;
  for (size_t k = 0; k < 2 * outputs; ++k)
    raw_margins[k] *= scale;
  for (size_t k = 0; delta->offset != NULL && k < outputs; ++k) {
    raw_margins[k] += delta->offsets[k];
    if (delta->ratio > 0) raw_prev[k] += delta->offsets_prev[k];
  }
  tacit_loss_slope_all(delta->loss, raw_margins, raw_label, raw_change);
  block->raw_squares[i] = square_of(raw_change, outputs);
  if (!(delta->ratio > 0)) return;
  tacit_loss_slope_all(delta->loss, raw_prev, raw_label, raw_margins);
  block->raw_squares[i] -= delta->ratio * square_of(raw_margins, outputs);
  for (size_t k = 0; k < outputs; ++k)
    raw_change[k] -= delta->ratio * raw_margins[k];
}

/* Writes the slopes and the tail of row i, which must be centred. */
static void centred_row(const tacit_delta *delta, struct block *block, size_t i,
                        double scale) {
  size_t outputs = delta->row.outputs;
  double *raw_slopes = block->raw_slopes + i * outputs;
  slopes_of_row(delta, block, i, scale);
  double raw_norm = sqrt(square_of(raw_slopes, outputs));
  double raw_share = tacit_delta_omega(delta, &block->raw, i, scale);
  if (raw_norm > delta->slope_max) raw_share *= delta->slope_max / raw_norm;
  for (size_t k = 0; k < outputs; ++k)
    raw_slopes[k] *= raw_share;
  block->raw_scales[i] = scale;
  block->raw_squares[i] =
      delta->square_scale * tacit_delta_cut(block->raw_squares[i], delta->square_max);
}

/* Returns the factor of row i, or 0 for a row that must not count. The bound in the
   dual norm is for utility. */
static double factor_of(const tacit_delta *delta, struct block *block, size_t i) {
  const tacit_row_rule *rule = &delta->row;
  double raw_norm = block->raw.raw_norms[i];
  if (rule->exponent != delta->sens_norm)
    raw_norm = tacit_sums_norm(&block->raw.raw_sums[i], block->batch,
                               block->first + (int64_t)i, rule->bias, rule->exponent);
  double scale = tacit_row_scale(rule, raw_norm);
  if (delta->offset != NULL) {
    centred_row(delta, block, i, scale);
    return delta->steps;
  }
  if (!(scale > 0)) return 0;
  slopes_of_row(delta, block, i, scale);
  double raw_factor = scale * delta->steps;
  if (rule->exponent == delta->sens_norm) return raw_factor;
  double raw_slope_norm =
      tacit_vector_norm(delta->kernel, block->raw_slopes + i * rule->outputs,
                        rule->outputs, rule->exponent);
  if (!(raw_slope_norm > TACIT_ROW_NORM_MIN)) return 0;
  return tacit_clip_factor(raw_factor, delta->clip_dual, raw_slope_norm * raw_norm,
                           2 * (rule->features + rule->outputs) + 8);
}

/* Prefetches row i of the next block if rows are dense. */
static void prefetch_row(const tacit_delta *delta, const struct block *block, size_t i,
                         int64_t end) {
  int64_t row = block->first + (int64_t)(block->rows + i);
  if (block->batch->raw_row_start != NULL) return;
  tacit_dense dense = tacit_dense_of(block->batch, 0);
  const char *raw_row = row < end ? tacit_dense_row(&dense, (size_t)row) : NULL;
  if (row >= end && delta->raw_prefetch != NULL) {
    dense.raw_values = delta->raw_prefetch;
    raw_row = tacit_dense_row(&dense, (size_t)(row - end));
  }
  size_t bytes = dense.columns * tacit_stored_size(dense.stored);
  for (size_t at = 0; raw_row != NULL && at < bytes; at += 64) /* in steps of a cache
                                                                  line */
    TACIT_PREFETCH_READ(raw_row + at);
}

static tacit_status add_blocks(const tacit_delta *delta, struct block *block,
                               int64_t end, tacit_sum *sum, tacit_error *err) {
  const tacit_outputs outputs = {&delta->row, delta->pairs, 2, 1, block->raw_dots};
  const tacit_points squares_alone = {0};
  for (; block->first < end; block->first += (int64_t)block->rows) {
    int64_t left = end - block->first;
    block->rows = left < BLOCK_ROWS ? (size_t)left : BLOCK_ROWS;
    TACIT_TRY(tacit_delta_measure(delta, block->batch, block->first, block->rows,
                                  &squares_alone, sum, &block->raw, err));
    tacit_wide_dots(delta->kernel, block->batch, block->first, block->rows, &outputs);
    for (size_t i = 0; i < block->rows; ++i) {
      prefetch_row(delta, block, i, end);
      block->raw_factors[i] = factor_of(delta, block, i);
    }
    tacit_contribution raw = {.raw_factors = block->raw_factors,
                              .raw_slopes = block->raw_slopes};
    if (delta->offset != NULL) raw.raw_scales = block->raw_scales;
    if (delta->square_scale > 0) raw.raw_tails = block->raw_squares;
    TACIT_TRY(tacit_sum_add(sum, &raw, NULL, err));
  }
  return TACIT_OK;
}

tacit_status tacit_delta_add_outputs(const tacit_delta *delta, const tacit_batch *batch,
                                     int64_t first, int64_t end, tacit_sum *sum,
                                     tacit_error *err) {
  size_t outputs = delta->row.outputs, dots = tacit_wide_width(outputs, 2);
  double *raw_room = tacit_raw_new((dots + outputs) * BLOCK_ROWS, sizeof *raw_room);
  if (raw_room == NULL) return tacit_fail_memory(err);
  struct block block = {.batch = batch,
                        .first = first,
                        .raw_dots = raw_room,
                        .raw_slopes = raw_room + dots * BLOCK_ROWS};
  tacit_status status = add_blocks(delta, &block, end, sum, err);
  tacit_raw_free(raw_room);
  return status;
}
