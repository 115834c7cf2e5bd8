/* SPDX-License-Identifier: MIT */
/*
 * Line 2 of Algorithm 1 for one batch: the gradient differences
 *   delta_t(z)/beta_t = grad l(x_t, z) - r_t grad l(x_{t-1}, z)
 * of a margin loss. For a linear model grad l = slope * row, so the difference is one
 * coefficient times the row. The vault measures a block of rows, this file turns the
 * products into slopes and coefficients, and the vault clips, truncates and adds.
 * Nothing here is trusted with privacy. The slope of a centred row is cut by itself,
 * and rows far from the centre are weighed down (omega), so that the clip of the vault,
 * which covers both, rarely cuts.
 */
#include "gradient/delta.h"

#include <math.h>

#include "base/error.h"
#include "batch/own.h"
#include "gradient/interleave.h"
#include "gradient/waves.h"

struct block {
  const tacit_batch *batch;
  int64_t first, end; /* the first row of this block, and the end of all blocks */
  size_t rows;        /* rows of this block */
  tacit_measures raw;
  const double *raw_labels; /* labels in the form that the loss takes */
  double raw_norms[TACIT_SUM_ROWS], scales[TACIT_SUM_ROWS], raw_inside[TACIT_SUM_ROWS];
  double raw_margins[TACIT_SUM_ROWS], raw_changes[TACIT_SUM_ROWS];
  double raw_slopes[TACIT_SUM_ROWS], raw_squares[TACIT_SUM_ROWS];
};

tacit_shape tacit_delta_shape(const tacit_delta *delta) {
  const tacit_label_rule *label = &delta->label;
  tacit_shape shape = {.rule = delta->row, .centred = delta->offset != NULL};
  if (delta->kind == TACIT_DELTA_GRADIENT) shape.tails = delta->square_scale > 0;
  if (delta->kind == TACIT_DELTA_MOMENTS) {
    shape.rule.outputs = 1;
    shape.tails = (label->kind != TACIT_LOSS_CLASSES ? 2 + delta->bins
                   : label->classes > 2              ? label->classes
                                                     : 1) +
                  (delta->norm_scale > 0) + (delta->wave_scale > 0 ? TACIT_WAVES : 0) +
                  (delta->weight_scale > 0);
  }
  if (delta->kind == TACIT_DELTA_PRODUCTS)
    shape.rule.outputs = tacit_shape_columns(&shape);
  /* A gradient of the caller is one dense row with one number per weight of the
     model. */
  if (delta->gradient != NULL)
    shape.rule = (tacit_row_rule){.features = delta->gradient->dim, .outputs = 1};
  return shape;
}

tacit_status tacit_delta_sum_new(const tacit_delta *delta, tacit_sum **out,
                                 tacit_error *err) {
  tacit_shape shape = tacit_delta_shape(delta);
  return tacit_sum_new(&shape, delta->kernel, out, err);
}

tacit_status tacit_delta_open(const tacit_delta *delta, tacit_pool *pool,
                              tacit_sum *sum, tacit_error *err) {
  return tacit_sum_open(sum, pool, delta->clip, delta->sens_norm, delta->offset, err);
}

/* Returns the margin of a row. A row without a norm has only the offset; it is zero or
   is left out later. */
static double margin_of(double scale, double raw_dot, double offset) {
  return (scale > 0 ? scale * raw_dot : 0) + offset;
}

static void labels_of_block(const tacit_delta *delta, struct block *block) {
  const double *raw_labels = block->batch->raw_labels + block->first;
  block->raw_labels = raw_labels;
  if (delta->label.kind == TACIT_LOSS_CLASSES) return; /* classes stay as they are */
  for (size_t i = 0; i < block->rows; ++i)
    block->raw_inside[i] = tacit_label_inside(&delta->label, raw_labels[i]);
  block->raw_labels = block->raw_inside;
}

/* Writes raw_changes, the slope at x_t less r_t times the slope at x_{t-1}, and
   raw_squares, the squared slope at x_t less r_t times the squared slope at x_{t-1}. */
static void slopes_of_block(const tacit_delta *delta, struct block *block) {
  const tacit_row_rule *rule = &delta->row;
  const tacit_sums *raw_sums = block->raw.raw_sums;
  size_t rows = block->rows;
  double bias = rule->bias ? delta->x[rule->features] : 0;
  double offset = delta->offset != NULL ? delta->offsets[0] : 0;
  labels_of_block(delta, block);
  for (size_t i = 0; i < rows; ++i) {
    double raw_norm = block->raw.raw_norms[i];
    if (rule->exponent != delta->sens_norm)
      raw_norm = tacit_sums_norm(&raw_sums[i], block->batch, block->first + (int64_t)i,
                                 rule->bias, rule->exponent);
    block->raw_norms[i] = raw_norm;
    block->scales[i] = tacit_row_scale(rule, raw_norm);
    block->raw_margins[i] =
        margin_of(block->scales[i], raw_sums[i].raw_dot + bias, offset);
  }
  tacit_loss_slope_many(delta->loss, block->raw_margins, block->raw_labels, rows,
                        block->raw_changes);
  for (size_t i = 0; delta->square_scale > 0 && i < rows; ++i)
    block->raw_squares[i] = block->raw_changes[i] * block->raw_changes[i];
  if (!(delta->ratio > 0)) return;
  bias = rule->bias ? delta->x_prev[rule->features] : 0;
  if (delta->offset != NULL) offset = delta->offsets_prev[0];
  for (size_t i = 0; i < rows; ++i)
    block->raw_margins[i] =
        margin_of(block->scales[i], raw_sums[i].raw_dot_prev + bias, offset);
  tacit_loss_slope_many(delta->loss, block->raw_margins, block->raw_labels, rows,
                        block->raw_slopes);
  for (size_t i = 0; i < rows; ++i)
    block->raw_changes[i] -= delta->ratio * block->raw_slopes[i];
  for (size_t i = 0; delta->square_scale > 0 && i < rows; ++i)
    block->raw_squares[i] -=
        delta->ratio * (block->raw_slopes[i] * block->raw_slopes[i]);
}

/* Turns raw_changes into the factors of the rows, 0 for a row that must not count. The
   bound in the dual norm is for utility; the sum clips once more. */
static void factors_of_block(const tacit_delta *delta, struct block *block) {
  const tacit_row_rule *rule = &delta->row;
  size_t count = rule->features + (rule->bias ? 1 : 0);
  for (size_t i = 0; i < block->rows; ++i) {
    double scale = block->scales[i];
    double raw_factor = block->raw_changes[i] * scale * delta->steps;
    if (!(scale > 0)) raw_factor = 0;
    if (rule->exponent != delta->sens_norm)
      raw_factor =
          tacit_clip_factor(raw_factor, delta->clip_dual, block->raw_norms[i], count);
    block->raw_changes[i] = raw_factor;
  }
}

/* Turns raw_changes and raw_squares of centred rows into slopes and tails, and sets
   raw_slopes to the factors of the rows. */
static void centred_block(const tacit_delta *delta, struct block *block) {
  const tacit_centred_rows centred = {block->raw.centre, block->raw.raw_sums,
                                      block->raw.raw_norms, block->scales};
  const tacit_kernel *kernel = tacit_kernel_of(delta->kernel);
  kernel->weigh(&centred, block->rows, delta->radius, delta->slope_max,
                block->raw_changes);
  for (size_t i = 0; i < block->rows; ++i)
    block->raw_slopes[i] = delta->steps;
  if (delta->square_scale > 0)
    kernel->cut(block->rows, delta->square_max, delta->square_scale,
                block->raw_squares);
}

/* Returns the dense rows after the block, or NULL if they are not known. Prefetches the
   labels of these rows. */
static const void *after_block(const tacit_delta *delta, const struct block *block) {
  const tacit_batch *batch = block->batch;
  int64_t next = block->first + (int64_t)block->rows;
  if (next + (int64_t)block->rows > block->end) return delta->raw_prefetch;
  for (size_t i = 0; i < block->rows; i += 8) /* a cache line holds eight labels */
    TACIT_PREFETCH_READ(batch->raw_labels + next + i);
  tacit_dense dense = tacit_dense_of(batch, 0);
  return batch->raw_row_start == NULL ? tacit_dense_row(&dense, (size_t)next) : NULL;
}

/* Fetches the rows that add_block would fetch first. A kernel fetches the rows of the
   next block while it runs, but between two kernels memory would be idle. */
static void fetch_some(const struct block *block, const void *raw_prefetch) {
  enum { LINES = 8, LINE = 64 };
  if (raw_prefetch == NULL) return;
  tacit_dense dense = tacit_dense_of(block->batch, 0);
  size_t bytes = block->rows * dense.columns * tacit_stored_size(dense.stored);
  const char *raw_half = (const char *)raw_prefetch + bytes / 2;
  for (size_t i = 0; i < LINES && i * LINE < bytes / 2; ++i)
    __builtin_prefetch(raw_half + i * LINE, 0, 2);
}

/* Adds the contributions of one block to the sum. */
static tacit_status add_block(const tacit_delta *delta, const struct block *block,
                              const void *raw_prefetch, tacit_sum *sum,
                              tacit_error *err) {
  tacit_contribution raw = {.raw_factors = block->raw_changes};
  if (delta->offset != NULL)
    raw = (tacit_contribution){block->raw_slopes, block->scales, block->raw_changes,
                               delta->square_scale > 0 ? block->raw_squares : NULL};
  return tacit_sum_add(sum, &raw, raw_prefetch, err);
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

tacit_status tacit_delta_fail_row(const tacit_delta *delta, int64_t row,
                                  tacit_error *err) {
  return tacit_fail(err, TACIT_EDATA,
                    "row %lld of the batch: indices must ascend and stay below the "
                    "number of features",
                    (long long)(delta->row_base + row) + 1);
}

tacit_status tacit_delta_measure(const tacit_delta *delta, const tacit_batch *batch,
                                 int64_t first, size_t rows, const tacit_points *points,
                                 tacit_sum *sum, tacit_measures *raw_out,
                                 tacit_error *err) {
  size_t raw_sound = tacit_sum_measure(sum, batch, first, rows, points, raw_out);
  for (int64_t i = first; i < first + (int64_t)raw_sound; ++i)
    if (!tacit_label_is_declared(&delta->label, batch->raw_labels[i]))
      return fail_class(delta, i, err);
  if (raw_sound == rows) return TACIT_OK;
  return tacit_delta_fail_row(delta, first + (int64_t)raw_sound, err);
}

/* Returns 1 if all rows are sparse with an entry in every column. *out then shows them
   as dense rows, which is faster and gives equal bits. */
static int is_full(const tacit_delta *delta, const tacit_batch *batch, int64_t first,
                   int64_t end, tacit_batch *out) {
  if (!tacit_batch_is_full(batch, first, end, out)) return 0;
  for (int64_t i = first; i < end; ++i) {
    tacit_row row = tacit_row_of(batch, i);
    if (!tacit_row_is_sound(&row, delta->row.features)) return 0;
  }
  return 1;
}

/* Adds rows whose weights are multiplied with the weights of their classes. Rows of
   undeclared classes are refused later, where rows are measured. */
static tacit_status add_weighed(const tacit_delta *delta, const tacit_batch *batch,
                                int64_t first, int64_t end, tacit_sum *sum,
                                tacit_error *err) {
  enum { ROWS = 1024 };
  double raw_weights[ROWS];
  tacit_delta part = *delta;
  part.class_weights = NULL;
  for (int64_t next; first < end; first = next) {
    next = end - first < ROWS ? end : first + ROWS;
    tacit_batch rows = tacit_batch_part(batch, first, next);
    for (int64_t i = 0; i < rows.n_rows; ++i) {
      double raw_label = rows.raw_labels[i];
      raw_weights[i] = tacit_batch_weight(&rows, i);
      if (tacit_label_is_declared(&delta->label, raw_label))
        raw_weights[i] *=
            delta->class_weights[tacit_label_class(&delta->label, raw_label)];
    }
    rows.raw_weights = raw_weights;
    part.row_base = delta->row_base + first;
    part.raw_prefetch = next == end ? delta->raw_prefetch : NULL;
    TACIT_TRY(tacit_delta_add(&part, &rows, 0, rows.n_rows, sum, err));
  }
  return TACIT_OK;
}

/* Adds rows whose features are stretched, from copies of them. Nothing here need be
   exact: the vault measures the copies. */
static tacit_status add_stretched(const tacit_delta *delta, const tacit_batch *batch,
                                  int64_t first, int64_t end, tacit_sum *sum,
                                  tacit_error *err) {
  tacit_own own = {0};
  tacit_delta part = *delta;
  tacit_status status = TACIT_OK;
  part.stretch = NULL;
  part.raw_prefetch = NULL;
  for (int64_t next; first < end && status == TACIT_OK; first = next) {
    next = tacit_own_end(batch, first, end);
    status = tacit_own_rows(&own, batch, first, next, 0, err);
    if (status != TACIT_OK) break;
    tacit_own_stretch(&own, delta->stretch);
    part.row_base = delta->row_base + first;
    status = tacit_delta_add(&part, &own.view, 0, own.view.n_rows, sum, err);
  }
  tacit_own_fini(&own);
  return status;
}

/* Adds rows of one output, block after block. */
static tacit_status add_blocks(const tacit_delta *delta, const tacit_batch *batch,
                               int64_t first, int64_t end, tacit_sum *sum,
                               tacit_error *err) {
  struct block block; /* not cleared, because that takes time; the fields are set before
                         they are read */
  tacit_points points = tacit_interleaved(delta);
  size_t max = batch->raw_row_start == NULL ? tacit_batch_block(batch) : TACIT_SUM_ROWS;
  block.batch = batch;
  block.end = end;
  for (int64_t i = first; i < end; i += (int64_t)block.rows) {
    block.first = i;
    block.rows = (size_t)(end - i) < max ? (size_t)(end - i) : max;
    points.raw_prefetch = after_block(delta, &block);
    TACIT_TRY(tacit_delta_measure(delta, batch, i, block.rows, &points, sum, &block.raw,
                                  err));
    fetch_some(&block, points.raw_prefetch);
    slopes_of_block(delta, &block);
    if (delta->offset != NULL)
      centred_block(delta, &block);
    else
      factors_of_block(delta, &block);
    TACIT_TRY(add_block(delta, &block, points.raw_prefetch, sum, err));
  }
  return TACIT_OK;
}

/* Adds the contributions of some rows to the sum: measures them, computes slopes, and
   has the vault clip and add. */
tacit_status tacit_delta_add(const tacit_delta *delta, const tacit_batch *batch,
                             int64_t first, int64_t end, tacit_sum *sum,
                             tacit_error *err) {
  if (delta->class_weights != NULL)
    return add_weighed(delta, batch, first, end, sum, err);
  if (delta->stretch != NULL) return add_stretched(delta, batch, first, end, sum, err);
  if (delta->gradient != NULL)
    return tacit_delta_add_gradients(delta, batch, first, end, sum, err);
  if (delta->map != NULL)
    return tacit_delta_add_mapped(delta, batch, first, end, sum, err);
  tacit_batch full;
  if (is_full(delta, batch, first, end, &full)) {
    tacit_delta moved = *delta;
    moved.row_base += first;
    return tacit_delta_add(&moved, &full, 0, end - first, sum, err);
  }
  if (delta->kind != TACIT_DELTA_GRADIENT)
    return tacit_delta_add_moments(delta, batch, first, end, sum, err);
  if (delta->row.outputs > 1)
    return tacit_delta_add_outputs(delta, batch, first, end, sum, err);
  return add_blocks(delta, batch, first, end, sum, err);
}
