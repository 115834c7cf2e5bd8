/* SPDX-License-Identifier: MIT */
/*
 * Algorithm 1: differentially private online-to-batch (Zhang, Tran, Cutkosky, 2022).
 *
 *   Input: learner A on W, weights beta_t, stream z_1 … z_T.   g_0 = 0, beta_0 = 0.
 *   for t = 1 … T:                                                      run/run.c
 *     1. w_t from A;  x_t = (beta_{1:t-1} x_{t-1} + beta_t w_t) / beta_{1:t}
 *                                                              tacit_algorithm1_begin
 *     2. delta_t = beta_t grad l(x_t, z_t) - beta_{t-1} grad l(x_{t-1}, z_t)
 *                                                                  gradient/delta.c
 *     3. g_t = g_{t-1} + delta_t, released as gbar_t = g_t + gamma_t
 *                                          vault/vault.c, then tacit_algorithm1_end
 *     4. A receives the linear loss <gbar_t, w>                tacit_algorithm1_end
 *   Output x_T (or x_{T+1}: one more step of line 1 costs no privacy).
 *
 * This file sees released values only. Everything is divided by beta_t (weights.c), in
 * coordinates where the start point is 0. docs/theory.md has the lines beside the code.
 */
#include <math.h>

#include "algorithm1/parts.h"
#include "norm/norm.h"

static void swap(double **a, double **b) {
  double *kept = *a;
  *a = *b;
  *b = kept;
}

/* Moves some coordinates to x_t = x_{t-1} + (w_t - x_{t-1}) / h_t: line 1, with h_t =
   beta_{1:t} / beta_t. Returns their part of |w_t - x_{t-1}|^2. */
static double average(void *context, size_t first, size_t end) {
  const tacit_algorithm1 *a = context;
  const double *w = a->w, *x_prev = a->x_prev, horizon = a->weights.horizon;
  double *x = a->x, lanes[4] = {0};
  for (size_t i = first; i < end; ++i) {
    double step = w[i] - x_prev[i];
    x[i] = x_prev[i] + step / horizon;
    lanes[(i - first) % 4] += step * step;
  }
  for (size_t i = first; a->from.start != NULL && i < end; ++i)
    a->from.x[i] = a->from.start[i] + x[i];
  return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

/* Writes w_t - x_{t-1} over the gradient, which is free when a round begins. */
static double difference(void *context, size_t first, size_t end) {
  const tacit_algorithm1 *a = context;
  for (size_t i = first; i < end; ++i)
    a->grad[i] = a->w[i] - a->x_prev[i];
  return 0;
}

/* Returns |w_t - x_{t-1}| in the norm of the run; the bound of round t rests on it. */
static double step_length(tacit_algorithm1 *a, double squares) {
  if (a->norm == 2 && tacit_norm_squares_hold(squares)) return sqrt(squares);
  (void)tacit_parallel_sum(a->pool, a->dim, difference, a);
  return tacit_norm_lp(a->pool, a->grad, a->dim, a->norm);
}

/* Moves to x_t: line 1. w_t is in place, because tacit_algorithm1_new or line 4 of
   round t-1 wrote it. */
void tacit_algorithm1_begin(tacit_algorithm1 *a) {
  tacit_weights_next(&a->weights);
  swap(&a->x, &a->x_prev);
  swap(&a->from.x, &a->from.x_prev);
  double squares = tacit_parallel_sum(a->pool, a->dim, average, a);
  a->step_length = step_length(a, squares);
  a->step_longest = fmax(a->step_longest, a->step_length);
  if (a->band != NULL) tacit_band_average(a->band, &a->weights);
}

/* Moves to the output x_{T+1}. */
void tacit_algorithm1_last_step(tacit_algorithm1 *a) { tacit_algorithm1_begin(a); }

struct released {
  tacit_algorithm1 *a;
  const double *y;
  double unit; /* turns a sum over rows, in units of beta_R, into a mean over beta_t */
};

/* Decodes some coordinates of gbar_t: line 3. Adds the gradient of the L2 term after
   the noise, because it is public. */
static double decode(void *context, size_t first, size_t end) {
  const struct released *released = context;
  const tacit_algorithm1 *a = released->a;
  const double *x = tacit_algorithm1_x(a);
  tacit_decoder_sum(a->decoder, released->y, first, end, a->grad);
  if (a->last != NULL) tacit_plain_difference(a, first, end);
  for (size_t i = first; i < end; ++i)
    a->grad[i] *= released->unit;
  for (size_t i = first; a->l2 > 0 && i < end && i < a->l2_dim; ++i)
    a->grad[i] += a->l2 * x[i];
  return 0;
}

/* Decodes the release and gives gbar_t to the learner: lines 3 and 4. */
double tacit_algorithm1_end(tacit_algorithm1 *a, double bound, const double *y,
                            double y_std) {
  struct released released = {a, y, 1 / (a->weights.share * a->rows_mean)};
  double sum_std = tacit_decoder_open(a->decoder, a->weights.t, bound, y_std);
  (void)tacit_parallel_sum(a->pool, a->sums, decode, &released); /* gbar_t */
  if (a->precondition != NULL) tacit_precondition_apply(a->precondition, a->grad);
  sum_std = tacit_told_noise(a, bound, y_std, released.unit, sum_std);
  tacit_learner_loss loss = tacit_told_loss(a, sum_std, released.unit);
  tacit_learner_step(a->learner, &loss, a->w); /* w becomes w_{t+1} */
  if (a->band != NULL)
    tacit_band_step(a->band, a->learner, &loss, a->told.noise.weights);
  return sum_std * released.unit;
}
