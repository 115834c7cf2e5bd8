/* SPDX-License-Identifier: MIT */
/*
 * Line 2 of Algorithm 1 for a model with several outputs: the slope is a vector a, the
 * gradient difference the matrix a x^T, and its norm |a| |x| in every norm that is a
 * sum of powers. One clip for the whole matrix, one sum for all outputs. Margins are
 * vectors over the outputs, sums vectors over the columns.
 */
#include "gradient/delta.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "kernel/margins.h"
#include "kernel/sparse.h"

enum { BLOCK_ROWS = 32 };

/* Room for some rows on their way through the sweeps. */
struct block {
  const tacit_batch *batch;
  int64_t first;
  size_t rows;
  tacit_sums raw_sums[BLOCK_ROWS];
  double *raw_dots; /* a row: x_t's, then x_{t-1}'s, tacit_wide_width each */
  double *raw_change, *raw_own; /* of one row: slopes; then F a_k of all rows and k */
};

/* The factor of the matrix change x^T, kept within the clip of one norm. */
static double limit_factor(const tacit_delta *delta, const struct block *block,
                           size_t i, double exponent, double clip, double raw_factor) {
  size_t outputs = delta->row.outputs;
  double raw_slope_norm =
      tacit_vector_norm(delta->kernel, block->raw_change, outputs, exponent);
  double raw_row_norm =
      tacit_sums_norm(&block->raw_sums[i], block->batch, block->first + (int64_t)i,
                      delta->row.bias, exponent);
  /* Nothing, not a number, or too small for its square to be trusted. */
  if (!(raw_slope_norm > TACIT_ROW_NORM_MIN) || !(raw_row_norm > TACIT_ROW_NORM_MIN)) {
    return 0;
  }
  return tacit_delta_factor(raw_factor, clip, raw_slope_norm * raw_row_norm,
                            2 * (delta->row.features + outputs) + 8);
}

/* raw_change: the slopes at x_t less r_t times those at x_{t-1}. */
static void slopes_of_row(const tacit_delta *delta, struct block *block, size_t i,
                          double scale) {
  size_t outputs = delta->row.outputs, width = tacit_wide_width(outputs);
  double raw_label = block->batch->raw_labels[block->first + (int64_t)i];
  double *raw_margins = block->raw_dots + 2 * i * width,
         *raw_prev = raw_margins + width;
  for (size_t k = 0; k < 2 * width; ++k)
    raw_margins[k] *= scale;
  tacit_loss_slope_all(delta->loss, raw_margins, raw_label, block->raw_change);
  if (!(delta->ratio > 0)) return;
  tacit_loss_slope_all(delta->loss, raw_prev, raw_label, raw_margins);
  for (size_t k = 0; k < outputs; ++k)
    block->raw_change[k] -= delta->ratio * raw_margins[k];
}

/* The factor of row i, 0 for a row that does not count. */
static double factor_of(const tacit_delta *delta, struct block *block, size_t i) {
  const tacit_row_rule *rule = &delta->row;
  double raw_norm =
      tacit_sums_norm(&block->raw_sums[i], block->batch, block->first + (int64_t)i,
                      rule->bias, rule->exponent);
  double scale = tacit_row_scale(raw_norm, rule->row_norm);
  if (!(scale > 0)) return 0;
  slopes_of_row(delta, block, i, scale);
  double raw_factor = scale * delta->steps;
  if (rule->exponent != delta->sens_norm) {
    raw_factor =
        limit_factor(delta, block, i, rule->exponent, delta->clip_dual, raw_factor);
  }
  return limit_factor(delta, block, i, delta->sens_norm, (double)delta->clip,
                      raw_factor);
}

static void add_sparse(const tacit_delta *delta, const tacit_row *row,
                       const double *raw_own, int64_t *raw_sum) {
  for (size_t k = 0; k < delta->row.outputs; ++k) {
    if (raw_own[k * BLOCK_ROWS] == 0) continue;
    tacit_sparse_add(row, row->count, raw_own[k * BLOCK_ROWS],
                     raw_sum + k * delta->row.features);
  }
}

static void add_block(const tacit_delta *delta, struct block *block, int64_t *raw_sum) {
  const tacit_batch *batch = block->batch;
  size_t outputs = delta->row.outputs, features = delta->row.features, counted = 0;
  tacit_dense dense = {0};
  if (batch->raw_row_start == NULL) dense = tacit_dense_of(batch, block->first);
  const void *raw_rows[BLOCK_ROWS];
  for (size_t i = 0; i < block->rows; ++i) {
    double raw_factor = factor_of(delta, block, i);
    if (raw_factor == 0) continue;
    double *raw_own = block->raw_own + counted;
    for (size_t k = 0; k < outputs; ++k) {
      raw_own[k * BLOCK_ROWS] = raw_factor * block->raw_change[k];
      if (delta->row.bias)
        raw_sum[outputs * features + k] += (int64_t)raw_own[k * BLOCK_ROWS];
    }
    if (batch->raw_row_start != NULL) {
      tacit_row row = tacit_row_of(batch, block->first + (int64_t)i);
      add_sparse(delta, &row, raw_own, raw_sum);
      continue;
    }
    raw_rows[counted++] = tacit_dense_row(&dense, i);
  }
  for (size_t k = 0; counted > 0 && k < outputs; ++k) {
    delta->kernel->add(raw_rows, dense.is32, block->raw_own + k * BLOCK_ROWS, counted,
                       dense.columns, tacit_delta_fits(delta), NULL,
                       raw_sum + k * features);
  }
}

/* Proof: docs/proofs/tacit_delta_factor.md */
tacit_status tacit_delta_add_outputs(const tacit_delta *delta, const tacit_batch *batch,
                                     int64_t first, int64_t end, int64_t *raw_sum,
                                     tacit_error *err) {
  size_t outputs = delta->row.outputs,
         dots = 2 * tacit_wide_width(outputs) * BLOCK_ROWS;
  double *raw_room = tacit_raw_new(dots + outputs * (BLOCK_ROWS + 1), sizeof *raw_room);
  if (raw_room == NULL) return tacit_fail_memory(err);
  struct block block = {.batch = batch,
                        .raw_dots = raw_room,
                        .raw_change = raw_room + dots,
                        .raw_own = raw_room + dots + outputs};
  tacit_status status = TACIT_OK;
  for (int64_t i = first; i < end && status == TACIT_OK; i += (int64_t)block.rows) {
    block.first = i;
    block.rows = end - i < BLOCK_ROWS ? (size_t)(end - i) : BLOCK_ROWS;
    status = tacit_delta_check(delta, batch, i, block.rows, err);
    if (status != TACIT_OK) break;
    tacit_batch_sums(delta->kernel, batch, i, block.rows, NULL, NULL, block.raw_sums);
    tacit_wide_dots(delta->kernel, batch, i, block.rows, &delta->row, delta->spread, 2,
                    block.raw_dots);
    add_block(delta, &block, raw_sum);
  }
  tacit_raw_free(raw_room);
  return status;
}
