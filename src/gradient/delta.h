/* SPDX-License-Identifier: MIT */
#ifndef TACIT_GRADIENT_DELTA_H
#define TACIT_GRADIENT_DELTA_H

#include <stdint.h>
#include <tacit/data.h>
#include <tacit/gradient.h>
#include <tacit/loss.h>

#include "data/batch/row.h"
#include "kernel/kernel.h"
#include "loss/loss.h"

/* What labels become: classes stay -1/+1, numbers are clamped to [min, max] and, unless
   the loss counts, mapped to [-1, 1]. */
typedef struct tacit_label_rule {
  tacit_loss_labels kind;
  size_t classes; /* declared ones; labels are -1 and +1, or 0 … classes-1 */
  double min, max;
} tacit_label_rule;

/* All that a contribution of round t depends on besides the row. Public or released. */
typedef struct tacit_delta {
  const tacit_gradient_ops *gradient; /* NULL: the margin loss below */
  const tacit_loss *loss;
  tacit_row_rule row;
  tacit_label_rule label;
  const double *x, *x_prev; /* x_t and x_{t-1}, laid out as in data/batch/row.h */
  double ratio;             /* r_t = beta_{t-1}/beta_t; 0 in round 1 */
  double steps;             /* lattice steps in one unit of delta_t/beta_t */
  int64_t clip;     /* largest norm of a contribution, in steps: the guarantee */
  double sens_norm; /* exponent of that norm, 1 or 2 */
  double clip_dual; /* largest norm in row.exponent, in steps, where it differs */
  const tacit_kernel_ops *kernel;
  const double
      *spread;      /* x and x_prev as the sweeps take them: gradient/interleave.h */
  int64_t row_base; /* added to the numbers of rows in messages */
  const void
      *raw_prefetch; /* where the dense rows lie that come next, to ask for; or NULL
                      */
} tacit_delta;

/* 1 when a label is one of the declared classes, or any number where there are none. */
int tacit_label_is_declared(const tacit_label_rule *rule, double raw_label);
/* Label as the loss takes it. Not finite stays so. */
double tacit_label_inside(const tacit_label_rule *rule, double raw_label);

/* Adds the clipped integer contributions of rows first … end-1 to raw_sum. A row that
   cannot be bounded (repeated or wild indices) or a class that is none is TACIT_EDATA.
   A row is read more than once, so the batch must be memory that nobody else changes
   meanwhile: of a reader, or a copy (data/batch/own.h). */
tacit_status tacit_delta_add(const tacit_delta *delta, const tacit_batch *batch,
                             int64_t first, int64_t end, int64_t *raw_sum,
                             tacit_error *err);

/* For one implementation: the factor that keeps a vector of norm raw_norm within clip.
 */
double tacit_delta_factor(double raw_factor, double clip, double raw_norm,
                          size_t count);
/* 1 when no coordinate of a contribution can reach 2^51. */
static inline int tacit_delta_fits(const tacit_delta *delta) {
  return delta->clip < (int64_t)1 << 51;
}
/* The same for more than one output (gradient/outputs.c). */
tacit_status tacit_delta_add_outputs(const tacit_delta *delta, const tacit_batch *batch,
                                     int64_t first, int64_t end, int64_t *raw_sum,
                                     tacit_error *err);
/* The checks every row passes before it counts: soundness and class. */
tacit_status tacit_delta_check(const tacit_delta *delta, const tacit_batch *batch,
                               int64_t first, size_t rows, tacit_error *err);
/* The same for a gradient of the caller's (gradient/callback.c). */
tacit_status tacit_delta_add_gradients(const tacit_delta *delta,
                                       const tacit_batch *batch, int64_t first,
                                       int64_t end, int64_t *raw_sum, tacit_error *err);

#endif
