/* SPDX-License-Identifier: MIT */
#ifndef TACIT_GRADIENT_DELTA_H
#define TACIT_GRADIENT_DELTA_H

#include <stdint.h>
#include <tacit/data.h>
#include <tacit/gradient.h>
#include <tacit/loss.h>

#include "batch/row.h"
#include "gradient/label.h"
#include "kernel/kernel.h"
#include "loss/loss.h"
#include "vault/clip.h"

/* What a row contributes. z is the row as in vault/clip.h, omega = min(1, radius/|z|)
   with o_last left out of |z|. */
typedef enum tacit_delta_kind {
  /* The change a of the slopes, no longer than slope_max, times omega z; and, if
     square_scale > 0, the change of the squared slope. */
  TACIT_DELTA_GRADIENT = 0,
  /* One output, a = 1, rows not centred. Tails: the classes (tacit_label_class; one
     number for two of them), or v and v^2/2 of a label v, times label_scale; then
     the hats of v at `bins` points (gradient/moments.c) times bin_scale, |z|^2
     norm_scale and weight_scale, if these are positive. */
  TACIT_DELTA_MOMENTS,
  /* One output per column: a = (z without o_last)/radius times omega^2 z. */
  TACIT_DELTA_PRODUCTS,
} tacit_delta_kind;

/* All that a contribution of round t depends on besides the row. Public or released. */
typedef struct tacit_delta {
  tacit_delta_kind kind;
  const tacit_gradient_ops *gradient; /* NULL: the margin loss below */
  const tacit_loss *loss;
  tacit_row_rule row;
  tacit_label_rule label;
  const double *class_weights; /* one per class, 0 … 1; NULL: all 1 */
  const double *x, *x_prev;    /* x_t and x_{t-1}, laid out as in batch/row.h */
  double ratio;                /* r_t = beta_{t-1}/beta_t; 0 in round 1 */
  double steps;                /* lattice steps in one unit of delta_t/beta_t */
  int64_t clip;                /* largest norm of a contribution, in steps … */
  double sens_norm;            /* … and the exponent of that norm, 1 or 2 */
  double clip_dual; /* largest norm in row.exponent, in steps, where it differs */

  /* Centred rows; only in the norm 2. */
  const tacit_offset *offset; /* NULL: rows as they are, and none of the following */
  const double *offsets, *offsets_prev; /* of the margins at x and x_prev, per output */
  double radius, slope_max;
  double square_scale, square_max; /* of the squared slope; its change is cut first */

  /* Moments and products. v is the label as the loss takes it, over label_unit. */
  double label_unit, label_scale, norm_scale, weight_scale;
  size_t bins; /* points from bin_low to 1; not 1 */
  double bin_low, bin_scale;

  const tacit_level *kernel;
  const double *pairs;      /* x and x_prev interleaved: gradient/interleave.h */
  int64_t row_base;         /* added to the numbers of rows in messages */
  const void *raw_prefetch; /* where the dense rows of the next call are, or NULL */
} tacit_delta;

/* The shape of the sums; gradient, kind, row, label, bins, and which of offset,
   square_scale, norm_scale and weight_scale are not 0 decide it. */
tacit_shape tacit_delta_shape(const tacit_delta *delta);
/* A sum of that shape. It must be opened before rows are added. */
tacit_status tacit_delta_sum_new(const tacit_delta *delta, tacit_sum **out,
                                 tacit_error *err);
/* Opens the sum for the round of the delta. */
tacit_status tacit_delta_open(const tacit_delta *delta, tacit_pool *pool,
                              tacit_sum *sum, tacit_error *err);
/* Adds the contributions of rows first … end-1 to an open sum. The sum clips them to
   its own clip. Repeated or wild indices, or an undeclared class, is TACIT_EDATA. A row
   is read twice, so nobody else may change the memory of the batch meanwhile: it is a
   reader's, or a copy (batch/own.h). */
tacit_status tacit_delta_add(const tacit_delta *delta, const tacit_batch *batch,
                             int64_t first, int64_t end, tacit_sum *sum,
                             tacit_error *err);

/* Measures rows into the sum after the checks that every row passes: sound indices and
   a declared class. */
tacit_status tacit_delta_measure(const tacit_delta *delta, const tacit_batch *batch,
                                 int64_t first, size_t rows, const tacit_points *points,
                                 tacit_sum *sum, tacit_measures *raw_out,
                                 tacit_error *err);
/* Between -max and max; not a number stays so, and the vault drops the row. */
static inline double tacit_delta_cut(double raw_value, double max) {
  return raw_value < -max ? -max : raw_value > max ? max : raw_value;
}
/* omega of row i of those measured, which has this scale; `weigh` of the kernels has
   the same bits. */
static inline double tacit_delta_omega(const tacit_delta *delta,
                                       const tacit_measures *raw, size_t i,
                                       double scale) {
  double raw_square = tacit_centre_inner(raw->centre, scale, raw->raw_norms[i],
                                         raw->raw_sums[i].raw_offset);
  return raw_square > delta->radius * delta->radius ? delta->radius / sqrt(raw_square)
                                                    : 1;
}
/* tacit_delta_add for more than one output (gradient/outputs.c) … */
tacit_status tacit_delta_add_outputs(const tacit_delta *delta, const tacit_batch *batch,
                                     int64_t first, int64_t end, tacit_sum *sum,
                                     tacit_error *err);
/* … for the other kinds (gradient/moments.c) … */
tacit_status tacit_delta_add_moments(const tacit_delta *delta, const tacit_batch *batch,
                                     int64_t first, int64_t end, tacit_sum *sum,
                                     tacit_error *err);
/* … and for a gradient of the caller's (gradient/callback.c). */
tacit_status tacit_delta_add_gradients(const tacit_delta *delta,
                                       const tacit_batch *batch, int64_t first,
                                       int64_t end, tacit_sum *sum, tacit_error *err);

#endif
