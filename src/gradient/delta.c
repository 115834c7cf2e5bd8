/* SPDX-License-Identifier: MIT */
/*
 * Line 2 of Algorithm 1 for one batch: the gradient differences
 *   delta_t(z)/beta_t = grad l(x_t, z) - r_t grad l(x_{t-1}, z)
 * of a margin loss, each clipped to a bound known before the batch is read, truncated
 * to the lattice and summed as integers. For a linear model grad l = slope * row, so
 * the difference is one coefficient times the row and the clip is on |coefficient| *
 * |row|. Rows go through in blocks: one sweep for norms and both margins, the slopes of
 * the block, the factors, one sweep for the sums.
 */
#include "gradient/delta.h"

#include <float.h>
#include <math.h>

#include "base/error.h"
#include "kernel/margins.h"
#include "kernel/sparse.h"

double tacit_label_inside(const tacit_label_rule *rule, double raw_label) {
  if (rule->kind == TACIT_LOSS_CLASSES || isnan(raw_label)) return raw_label;
  double raw_clamped = raw_label < rule->min   ? rule->min
                       : raw_label > rule->max ? rule->max
                                               : raw_label;
  if (rule->kind == TACIT_LOSS_COUNT) return raw_clamped;
  return 2 * ((raw_clamped - rule->min) / (rule->max - rule->min)) - 1;
}

/*
 * The factor that turns a row into its contribution in lattice steps, such that
 * |trunc(factor * row)| <= clip holds for the exact real norm: (count + 8) 2^-50 covers
 * the rounding of norm, product and quotient (Proof:
 * docs/proofs/tacit_delta_factor.md). The comparison is written so that whatever is not
 * a number falls to zero.
 */
double tacit_delta_factor(double raw_factor, double clip, double raw_norm,
                          size_t count) {
  double limit = clip * (1 - ((double)count + 8) * 0x1p-50);
  double raw_length = fabs(raw_factor) * raw_norm;
  double raw_clipped = copysign(limit / raw_norm, raw_factor);
  if (!(raw_length <= DBL_MAX)) return 0;
  return raw_length <= limit ? raw_factor : raw_clipped;
}

/* Some rows on their way through the sweeps. */
enum { BLOCK_ROWS = 64, BLOCK_BYTES = 1 << 16 };
struct block {
  const tacit_batch *batch;
  int64_t first, end; /* of the rows to go through, in blocks */
  size_t rows;        /* of this block */
  tacit_sums raw_sums[BLOCK_ROWS];
  double raw_norms[BLOCK_ROWS], scales[BLOCK_ROWS], raw_labels[BLOCK_ROWS];
  double raw_margins[BLOCK_ROWS], raw_changes[BLOCK_ROWS], raw_slopes[BLOCK_ROWS];
};

/* Entries of a sparse batch from row i of the block to the block's end. */
static size_t reach_of(const struct block *block, size_t i) {
  const int64_t *raw_start = block->batch->raw_row_start + block->first;
  return (size_t)(raw_start[block->rows] - raw_start[i]);
}

static void sum_block(const tacit_delta *delta, struct block *block) {
  if (block->batch->raw_row_start == NULL) {
    tacit_batch_sums(delta->kernel, block->batch, block->first, block->rows, delta->x,
                     delta->ratio > 0 ? delta->x_prev : NULL, block->raw_sums);
    return;
  }
  for (size_t i = 0; i < block->rows; ++i) {
    tacit_row row = tacit_row_of(block->batch, block->first + (int64_t)i);
    tacit_sparse_sums(&row, reach_of(block, i), delta->spread, &block->raw_sums[i]);
  }
}

/* A row without a norm is left out later; till then its margin is 0. */
static double margin_of(double scale, double raw_dot) {
  return scale > 0 ? scale * raw_dot : 0;
}

/* raw_changes: the slope at x_t less r_t times the slope at x_{t-1}. */
static void slopes_of_block(const tacit_delta *delta, struct block *block) {
  const tacit_row_rule *rule = &delta->row;
  size_t rows = block->rows;
  double bias = rule->bias ? delta->x[rule->features] : 0;
  for (size_t i = 0; i < rows; ++i) {
    int64_t at = block->first + (int64_t)i;
    double raw_norm = tacit_sums_norm(&block->raw_sums[i], block->batch, at, rule->bias,
                                      rule->exponent);
    block->raw_norms[i] = raw_norm;
    block->scales[i] = tacit_row_scale(raw_norm, rule->row_norm);
    block->raw_labels[i] =
        tacit_label_inside(&delta->label, block->batch->raw_labels[at]);
    block->raw_margins[i] =
        margin_of(block->scales[i], block->raw_sums[i].raw_dot + bias);
  }
  tacit_loss_slope_many(delta->loss, block->raw_margins, block->raw_labels, rows,
                        block->raw_changes);
  if (!(delta->ratio > 0)) return;
  bias = rule->bias ? delta->x_prev[rule->features] : 0;
  for (size_t i = 0; i < rows; ++i)
    block->raw_margins[i] =
        margin_of(block->scales[i], block->raw_sums[i].raw_dot_prev + bias);
  tacit_loss_slope_many(delta->loss, block->raw_margins, block->raw_labels, rows,
                        block->raw_slopes);
  for (size_t i = 0; i < rows; ++i)
    block->raw_changes[i] -= delta->ratio * block->raw_slopes[i];
}

/* The factor of row i, 0 for a row that does not count. */
static double factor_of(const tacit_delta *delta, const struct block *block, size_t i) {
  const tacit_row_rule *rule = &delta->row;
  /* Columns, not entries: a row makes the same bits stored densely and sparsely. */
  size_t count = rule->features + (rule->bias ? 1 : 0);
  double raw_norm = block->raw_norms[i], scale = block->scales[i];
  if (!(scale > 0)) return 0;
  double raw_factor = block->raw_changes[i] * scale * delta->steps;
  if (rule->exponent != delta->sens_norm) {
    raw_factor = tacit_delta_factor(raw_factor, delta->clip_dual, raw_norm, count);
    raw_norm = tacit_sums_norm(&block->raw_sums[i], block->batch,
                               block->first + (int64_t)i, rule->bias, delta->sens_norm);
    if (!(raw_norm > TACIT_ROW_NORM_MIN)) return 0;
  }
  /* Last, because the guarantee rests on it. */
  return tacit_delta_factor(raw_factor, (double)delta->clip, raw_norm, count);
}

/* Adds the rows that count, each truncated toward zero. */
static void add_block(const tacit_delta *delta, const struct block *block,
                      int64_t *raw_sum) {
  const tacit_batch *batch = block->batch;
  tacit_dense dense = {0};
  if (batch->raw_row_start == NULL) dense = tacit_dense_of(batch, block->first);
  const void *raw_rows[BLOCK_ROWS];
  double raw_factors[BLOCK_ROWS];
  size_t counted = 0;
  int64_t raw_bias = 0;
  for (size_t i = 0; i < block->rows; ++i) {
    double raw_factor = factor_of(delta, block, i);
    if (raw_factor == 0) continue;
    raw_bias += (int64_t)raw_factor * delta->row.bias;
    if (batch->raw_row_start != NULL) {
      tacit_row row = tacit_row_of(batch, block->first + (int64_t)i);
      tacit_sparse_add(&row, reach_of(block, i), raw_factor, raw_sum);
      continue;
    }
    raw_rows[counted] = tacit_dense_row(&dense, i);
    raw_factors[counted++] = raw_factor;
  }
  int64_t next = block->first + (int64_t)block->rows;
  const void *raw_prefetch = delta->raw_prefetch;
  if (next + (int64_t)block->rows <= block->end) {
    raw_prefetch = tacit_dense_row(&dense, block->rows);
    for (size_t i = 0; i < block->rows; i += 8) /* eight labels in a line of memory */
      TACIT_PREFETCH_READ(batch->raw_labels + next + i);
  }
  if (counted > 0)
    delta->kernel->add(raw_rows, dense.is32, raw_factors, counted, dense.columns,
                       tacit_delta_fits(delta), raw_prefetch, raw_sum);
  if (delta->row.bias) raw_sum[delta->row.features] += raw_bias;
}

int tacit_label_is_declared(const tacit_label_rule *rule, double raw_label) {
  if (rule->kind != TACIT_LOSS_CLASSES) return 1;
  if (rule->classes <= 2) return raw_label == 1 || raw_label == -1;
  return raw_label >= 0 && raw_label < (double)rule->classes &&
         raw_label == floor(raw_label);
}

static tacit_status fail_class(const tacit_delta *delta, int64_t row,
                               tacit_error *err) {
  return tacit_fail(err, TACIT_EDATA,
                    delta->label.classes > 2
                        ? "row %lld of the batch: the class must be a number from 0, "
                          "below the number of classes"
                        : "row %lld of the batch: the class must be -1 or 1",
                    (long long)(delta->row_base + row) + 1);
}

tacit_status tacit_delta_check(const tacit_delta *delta, const tacit_batch *batch,
                               int64_t first, size_t rows, tacit_error *err) {
  for (int64_t i = first; i < first + (int64_t)rows; ++i) {
    if (batch->raw_row_start != NULL) {
      tacit_row raw_row = tacit_row_of(batch, i);
      if (!tacit_row_is_sound(&raw_row, delta->row.features)) {
        return tacit_fail(err, TACIT_EDATA,
                          "row %lld of the batch: indices must ascend and stay below "
                          "the number of features",
                          (long long)(delta->row_base + i) + 1);
      }
    }
    if (!tacit_label_is_declared(&delta->label, batch->raw_labels[i]))
      return fail_class(delta, i, err);
  }
  return TACIT_OK;
}

tacit_status tacit_delta_add(const tacit_delta *delta, const tacit_batch *batch,
                             int64_t first, int64_t end, int64_t *raw_sum,
                             tacit_error *err) {
  if (delta->gradient != NULL) {
    return tacit_delta_add_gradients(delta, batch, first, end, raw_sum, err);
  }
  tacit_batch full;
  if (tacit_batch_is_full(batch, first, end, &full)) {
    TACIT_TRY(tacit_delta_check(delta, batch, first, (size_t)(end - first), err));
    batch = &full; /* indices that ascend are now 0, 1, 2, … */
    end -= first;
    first = 0;
  }
  if (delta->row.outputs > 1) {
    return tacit_delta_add_outputs(delta, batch, first, end, raw_sum, err);
  }
  /* So many rows at a time that they stay near between the two sweeps. */
  struct block block = {.batch = batch, .end = end};
  size_t row_bytes = delta->row.features * sizeof(double) + 1;
  size_t max = BLOCK_BYTES / row_bytes / 8 * 8;
  if (max > BLOCK_ROWS || batch->raw_row_start != NULL) max = BLOCK_ROWS;
  if (max < 8) max = 8;
  for (int64_t i = first; i < end; i += (int64_t)block.rows) {
    block.first = i;
    block.rows = (size_t)(end - i) < max ? (size_t)(end - i) : max;
    TACIT_TRY(tacit_delta_check(delta, batch, i, block.rows, err));
    sum_block(delta, &block);
    slopes_of_block(delta, &block);
    add_block(delta, &block, raw_sum);
  }
  return TACIT_OK;
}
