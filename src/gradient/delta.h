/* SPDX-License-Identifier: MIT */
#ifndef TACIT_GRADIENT_DELTA_H
#define TACIT_GRADIENT_DELTA_H

#include <stdint.h>
#include <tacit/data.h>
#include <tacit/gradient.h>
#include <tacit/loss.h>

#include "data/batch/row.h"
#include "gradient/label.h"
#include "loss/loss.h"
#include "vault/clip.h"

/* All that a contribution of round t depends on besides the row. Public or released. */
typedef struct tacit_delta {
  const tacit_gradient_ops *gradient; /* NULL: the margin loss below */
  const tacit_loss *loss;
  tacit_row_rule row;
  tacit_label_rule label;
  const double *class_weights; /* one per class, 0 … 1; NULL: all 1 */
  const double *x, *x_prev;    /* x_t and x_{t-1}, laid out as in data/batch/row.h */
  double ratio;                /* r_t = beta_{t-1}/beta_t; 0 in round 1 */
  double steps;                /* lattice steps in one unit of delta_t/beta_t */
  int64_t clip;                /* largest norm of a contribution, in steps … */
  double sens_norm;            /* … and the exponent of that norm, 1 or 2 */
  double clip_dual; /* largest norm in row.exponent, in steps, where it differs */
  const tacit_kernel_ops *kernel;
  const double *pairs;      /* x and x_prev interleaved: gradient/interleave.h */
  int64_t row_base;         /* added to the numbers of rows in messages */
  const void *raw_prefetch; /* where the dense rows of the next call are, or NULL */
} tacit_delta;

/* A sum for contributions of this kind: gradient, row and kernel of the delta decide
   its shape. It must be opened before rows are added. */
tacit_status tacit_delta_sum_new(const tacit_delta *delta, tacit_sum **out,
                                 tacit_error *err);
/* Opens the sum for the round of the delta. */
tacit_status tacit_delta_open(const tacit_delta *delta, tacit_pool *pool,
                              tacit_sum *sum, tacit_error *err);
/* Adds the contributions of rows first … end-1 to an open sum. The sum clips them to
   its own clip. Repeated or wild indices, or an undeclared class, is TACIT_EDATA. A row
   is read twice, so nobody else may change the memory of the batch meanwhile: it is a
   reader's, or a copy (data/batch/own.h). */
tacit_status tacit_delta_add(const tacit_delta *delta, const tacit_batch *batch,
                             int64_t first, int64_t end, tacit_sum *sum,
                             tacit_error *err);

/* Measures rows into the sum after the checks that every row passes: sound indices and
   a declared class. */
tacit_status tacit_delta_measure(const tacit_delta *delta, const tacit_batch *batch,
                                 int64_t first, size_t rows, const tacit_points *points,
                                 tacit_sum *sum, tacit_measures *raw_out,
                                 tacit_error *err);
/* tacit_delta_add for more than one output (gradient/outputs.c) … */
tacit_status tacit_delta_add_outputs(const tacit_delta *delta, const tacit_batch *batch,
                                     int64_t first, int64_t end, tacit_sum *sum,
                                     tacit_error *err);
/* … and for a gradient of the caller's (gradient/callback.c). */
tacit_status tacit_delta_add_gradients(const tacit_delta *delta,
                                       const tacit_batch *batch, int64_t first,
                                       int64_t end, tacit_sum *sum, tacit_error *err);

#endif
