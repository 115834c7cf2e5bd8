/* SPDX-License-Identifier: MIT */
#ifndef TACIT_GRADIENT_DELTA_H
#define TACIT_GRADIENT_DELTA_H

#include <stdint.h>
#include <tacit/data.h>
#include <tacit/gradient.h>
#include <tacit/loss.h>

#include "batch/row.h"
#include "gradient/label.h"
#include "gradient/map.h"
#include "kernel/kernel.h"
#include "loss/loss.h"
#include "vault/clip.h"

/* What a row contributes. z is the row as in vault/centre.h, and omega = min(1,
   radius/|z|) with o_last left out of |z|. */
typedef enum tacit_delta_kind {
  /* The change of the slopes, cut to slope_max, times omega z; if square_scale is
     positive, also the change of the squared slope. */
  TACIT_DELTA_GRADIENT = 0,
  /* z itself, for rows that are not centred, with one output. The tails are: the class
     (one number per class, one in all for two classes), or v and v^2/2 of a label v,
     times label_scale; the hats of v at `bins` points (gradient/moments.c) times
     bin_scale; |z|^2 times norm_scale; the waves of z (gradient/waves.h) times
     wave_scale; and weight_scale. The last four exist if bins, norm_scale, wave_scale
     and weight_scale are positive. */
  TACIT_DELTA_MOMENTS,
  /* The product of z with itself, with one output per column: (z without o_last)/radius
     times omega^2 z. */
  TACIT_DELTA_PRODUCTS,
} tacit_delta_kind;

/* All that a contribution of round t depends on besides the row. Everything in it is
   public or released. */
typedef struct tacit_delta {
  tacit_delta_kind kind;
  const tacit_gradient_ops *gradient; /* NULL for the margin loss below */
  const tacit_loss *loss;
  tacit_row_rule row;
  tacit_label_rule label;
  const tacit_map *map; /* what rows pass through before all else, and `row` is then the
                           rule of mapped rows; NULL without a map */
  const double *class_weights; /* one weight per class, 0 … 1; NULL if all are 1 */
  const double *x, *x_prev;    /* x_t and x_{t-1}, in the layout of batch/row.h */
  double ratio;                /* r_t = beta_{t-1}/beta_t; 0 in round 1 */
  double steps;                /* lattice steps in one unit of delta_t/beta_t */
  int64_t clip;                /* largest norm of a contribution, in lattice steps */
  double sens_norm;            /* exponent of the norm that `clip` is in: 1 or 2 */
  double clip_dual; /* the clip in the norm row.exponent, in lattice steps; used only if
                       that norm is not sens_norm */

  /* Members for centred rows, which need the norm 2. */
  const tacit_offset *offset; /* NULL if rows are not centred; the next six members are
                                 then not used */
  const double *offsets, *offsets_prev; /* numbers added to the margins at x and at
                                           x_prev, one per output */
  const double *stretch; /* factors of the features, one each, for a gradient; NULL if
                            all are 1 */
  double radius, slope_max;
  double square_scale, square_max; /* scale of the squared slope in a contribution, and
                                      the size that its change is cut to */

  /* Members for moments and products. v is the label in the form that the loss takes,
     divided by label_unit. */
  double label_unit, label_scale, norm_scale, wave_scale, weight_scale;
  size_t bins; /* number of histogram points from bin_low to 1: 0, or at least 2 */
  double bin_low, bin_scale;

  const tacit_level *kernel;
  const double *pairs;      /* x and x_prev interleaved (gradient/interleave.h) */
  int64_t row_base;         /* added to the numbers of rows in messages */
  const void *raw_prefetch; /* the dense rows of the next call, or NULL */
} tacit_delta;

/* Returns the shape of the sums. It depends on gradient, kind, row, label, bins, and on
   which of offset, square_scale, norm_scale, wave_scale and weight_scale are not 0. */
tacit_shape tacit_delta_shape(const tacit_delta *delta);
/* Makes a sum of the shape of the delta. It must be opened before rows are added. The
   caller frees it. */
tacit_status tacit_delta_sum_new(const tacit_delta *delta, tacit_sum **out,
                                 tacit_error *err);
/* Opens the sum for the round of the delta. */
tacit_status tacit_delta_open(const tacit_delta *delta, tacit_pool *pool,
                              tacit_sum *sum, tacit_error *err);
/* Adds the contributions of rows first … end-1 to an open sum, which clips them to its
   own clip. Returns TACIT_EDATA if indices repeat or are too large, or for an
   undeclared class. Nobody else may change the memory of the batch meanwhile, because a
   row is read twice: the batch must be a reader's, or a copy (batch/own.h). */
tacit_status tacit_delta_add(const tacit_delta *delta, const tacit_batch *batch,
                             int64_t first, int64_t end, tacit_sum *sum,
                             tacit_error *err);

/* Has the vault measure rows, and checks their indices and classes. Returns TACIT_EDATA
   if the indices of a row are not sound or its class is not declared. */
tacit_status tacit_delta_measure(const tacit_delta *delta, const tacit_batch *batch,
                                 int64_t first, size_t rows, const tacit_points *points,
                                 tacit_sum *sum, tacit_measures *raw_out,
                                 tacit_error *err);
/* Returns the number cut to -max … max. NaN stays NaN, and the vault drops the row. */
static inline double tacit_delta_cut(double raw_value, double max) {
  return raw_value < -max ? -max : raw_value > max ? max : raw_value;
}
/* Returns omega of measured row i, which has this scale. Its bits equal what `weigh` of
   the kernels computes. */
static inline double tacit_delta_omega(const tacit_delta *delta,
                                       const tacit_measures *raw, size_t i,
                                       double scale) {
  double raw_square = tacit_centre_inner(raw->centre, scale, raw->raw_norms[i],
                                         raw->raw_sums[i].raw_offset);
  return raw_square > delta->radius * delta->radius ? delta->radius / sqrt(raw_square)
                                                    : 1;
}
/* Adds the contributions of rows if the model has several outputs
   (gradient/outputs.c). */
tacit_status tacit_delta_add_outputs(const tacit_delta *delta, const tacit_batch *batch,
                                     int64_t first, int64_t end, tacit_sum *sum,
                                     tacit_error *err);
/* Adds moments or products of rows (gradient/moments.c). */
tacit_status tacit_delta_add_moments(const tacit_delta *delta, const tacit_batch *batch,
                                     int64_t first, int64_t end, tacit_sum *sum,
                                     tacit_error *err);
/* Adds the contributions of rows that pass through a map (gradient/map.c). */
tacit_status tacit_delta_add_mapped(const tacit_delta *delta, const tacit_batch *batch,
                                    int64_t first, int64_t end, tacit_sum *sum,
                                    tacit_error *err);
/* Fails because of the indices of a row of the batch. */
tacit_status tacit_delta_fail_row(const tacit_delta *delta, int64_t row,
                                  tacit_error *err);
/* Adds gradient differences that a callback computes (gradient/callback.c). */
tacit_status tacit_delta_add_gradients(const tacit_delta *delta,
                                       const tacit_batch *batch, int64_t first,
                                       int64_t end, tacit_sum *sum, tacit_error *err);

#endif
