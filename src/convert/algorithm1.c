/* SPDX-License-Identifier: MIT */
/*
 * Algorithm 1: differentially private online-to-batch (Zhang, Tran, Cutkosky, 2022).
 *
 *   Input: learner A on W, weights beta_t, stream z_1 … z_T.   g_0 = 0, beta_0 = 0.
 *   for t = 1 … T:
 *     1. w_t from A;  x_t = (beta_{1:t-1} x_{t-1} + beta_t w_t) / beta_{1:t}
 *     2. delta_t = beta_t grad l(x_t, z_t) - beta_{t-1} grad l(x_{t-1}, z_t)
 *     3. g_t = g_{t-1} + delta_t, released as gbar_t = g_t + gamma_t
 *     4. A receives the linear loss <gbar_t, w>
 *   Output x_T (or x_{T+1}: one more step of line 1 costs nothing).
 *
 * Line 2 and the release are in the vault (gradient/delta.c, vault/vault.c). The rest is
 * here, everything divided by beta_t (convert/weights.h), in coordinates where the
 * start point is 0. docs/theory.md walks through the paper beside this file.
 */
#include "convert/algorithm1.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mechanism/decode.h"
#include "norm/norm.h"

struct tacit_otb {
  size_t dim;
  tacit_weights weights;
  double rows_mean, l2, norm;
  size_t l2_dim;
  tacit_otb_regulariser regulariser;
  tacit_learner *learner;
  tacit_decoder *decoder;
  double step_length, step_longest;
  tacit_pool *pool;
  /* Vectors of dim numbers. */
  double *w;                  /* w_t, from the start point */
  double *x, *x_prev;         /* x_t and x_{t-1}, from the start point */
  double *start;              /* NULL: zeros, and then the next two are not used */
  double *x_abs, *x_prev_abs; /* start + x_t, start + x_{t-1} */
  double *grad;               /* gbar_t / beta_t */
};

void tacit_otb_free(tacit_otb *otb) {
  if (otb == NULL) return;
  tacit_learner_free(otb->learner);
  tacit_decoder_free(otb->decoder);
  tacit_array_free(otb->start);
  tacit_array_free(otb->w);
  tacit_array_free(otb->x);
  tacit_array_free(otb->x_prev);
  tacit_array_free(otb->x_abs);
  tacit_array_free(otb->x_prev_abs);
  tacit_array_free(otb->grad);
  tacit_array_free(otb);
}

static tacit_status otb_init(tacit_otb *otb, const tacit_otb_facts *facts,
                             tacit_error *err) {
  size_t dim = facts->learner.dim;
  double **vectors[] = {&otb->w,     &otb->x,     &otb->x_prev,    &otb->grad,
                        &otb->start, &otb->x_abs, &otb->x_prev_abs};
  for (size_t i = 0; i < (facts->start != NULL ? 7 : 4); ++i) {
    *vectors[i] = tacit_array_new(dim, sizeof(double));
    if (*vectors[i] == NULL) return tacit_fail_memory(err);
  }
  otb->dim = dim;
  otb->pool = facts->pool;
  otb->rows_mean = facts->rows_mean;
  otb->l2 = facts->l2;
  otb->l2_dim = facts->l2_dim;
  otb->norm = facts->learner.norm;
  otb->regulariser = facts->regulariser;
  tacit_weights_init(&otb->weights, facts->learner.power, facts->learner.rounds);
  if (facts->start != NULL) {
    memcpy(otb->start, facts->start, dim * sizeof(double));
    memcpy(otb->x_abs, facts->start, dim * sizeof(double));
  }
  TACIT_TRY(facts->learner_ops != NULL
                ? tacit_learner_new_ops(facts->learner_ops, facts->learner_spec,
                                        &facts->learner, &otb->learner, err)
                : tacit_learner_new(facts->learner_spec, &facts->learner, &otb->learner,
                                    err));
  if (otb->regulariser.scale > 0 &&
      !tacit_learner_ops_of(otb->learner)->takes_regulariser) {
    return tacit_fail(err, TACIT_EPRIVACY, "learner %s does not take the regulariser",
                      tacit_learner_ops_of(otb->learner)->name);
  }
  tacit_learner_first(otb->learner, otb->w); /* w_1 */
  return tacit_decoder_new(facts->encoder, &facts->shape, &otb->decoder, err);
}

tacit_status tacit_otb_new(const tacit_otb_facts *facts, tacit_otb **out,
                           tacit_error *err) {
  tacit_otb *otb = tacit_array_new(1, sizeof *otb);
  if (otb == NULL) return tacit_fail_memory(err);
  tacit_status status = otb_init(otb, facts, err);
  if (status != TACIT_OK) {
    tacit_otb_free(otb);
    return status;
  }
  *out = otb;
  return TACIT_OK;
}

static void swap(double **a, double **b) {
  double *kept = *a;
  *a = *b;
  *b = kept;
}

/* x_t = x_{t-1} + (w_t - x_{t-1}) / h_t: the weighted average of w_1 … w_t. Returns the
   squares of w_t - x_{t-1}, added up in four lanes. */
static double average_stretch(void *context, size_t first, size_t end) {
  const tacit_otb *otb = context;
  const double *w = otb->w, *x_prev = otb->x_prev;
  double *x = otb->x, horizon = otb->weights.horizon;
  double lanes[4] = {0};
  for (size_t i = first; i < end;) {
    size_t count = end - i < 4 ? end - i : 4;
    for (size_t k = 0; k < count; ++k, ++i) {
      double step = w[i] - x_prev[i];
      x[i] = x_prev[i] + step / horizon;
      lanes[k] += step * step;
    }
  }
  for (size_t i = first; otb->start != NULL && i < end; ++i)
    otb->x_abs[i] = otb->start[i] + x[i];
  return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

/* The gradient is not needed any more when a round begins: its place serves. */
static double step_stretch(void *context, size_t first, size_t end) {
  const tacit_otb *otb = context;
  for (size_t i = first; i < end; ++i)
    otb->grad[i] = otb->w[i] - otb->x_prev[i];
  return 0;
}

/* |w_t - x_{t-1}| in the norm of the run. */
static double step_length(tacit_otb *otb, double squares) {
  if (otb->norm == 2 && tacit_norm_squares_hold(squares)) return sqrt(squares);
  (void)tacit_sweep_sum(otb->pool, otb->dim, step_stretch, otb);
  return tacit_norm_lp(otb->pool, otb->grad, otb->dim, otb->norm);
}

static void move_average(tacit_otb *otb) {
  swap(&otb->x, &otb->x_prev);
  swap(&otb->x_abs, &otb->x_prev_abs);
  double squares = tacit_sweep_sum(otb->pool, otb->dim, average_stretch, otb);
  otb->step_length = step_length(otb, squares);
  otb->step_longest = fmax(otb->step_longest, otb->step_length);
}

void tacit_otb_begin(tacit_otb *otb) {
  tacit_weights_next(&otb->weights);
  move_average(otb); /* line 1 */
}

struct gradient {
  tacit_otb *otb;
  const double *y;
  double unit;
};

/* Line 3: gbar_t = g_t + gamma_t from the released rows, in units of beta_R and summed
   over rows; then the mean, over beta_t. The L2 term is public: its gradient beta_t l2
   x_t is added after the noise. */
static double gradient_stretch(void *context, size_t first, size_t end) {
  const struct gradient *gradient = context;
  const tacit_otb *otb = gradient->otb;
  const double *x = tacit_otb_x(otb);
  tacit_decoder_sum(otb->decoder, gradient->y, first, end, otb->grad);
  double *grad = otb->grad, unit = gradient->unit;
  for (size_t i = first; i < end; ++i)
    grad[i] *= unit;
  for (size_t i = first; otb->l2 > 0 && i < end && i < otb->l2_dim; ++i)
    grad[i] += otb->l2 * x[i];
  return 0;
}

double tacit_otb_end(tacit_otb *otb, double bound, const double *y, double y_std) {
  const tacit_weights *weights = &otb->weights;
  double unit = 1 / (weights->share * otb->rows_mean);

  /* Line 3. */
  struct gradient gradient = {otb, y, unit};
  double sum_std = tacit_decoder_open(otb->decoder, weights->t, bound, y_std);
  (void)tacit_sweep_sum(otb->pool, otb->dim, gradient_stretch, &gradient);

  /* Line 4, with the regulariser of the parameter-free section if asked for. */
  const tacit_otb_regulariser *reg = &otb->regulariser;
  double root_t = sqrt((double)weights->t);
  tacit_learner_loss loss = {
      .t = weights->t,
      .grad = otb->grad,
      .ratio = weights->ratio,
      .horizon = weights->horizon,
      .x = otb->x,
      .pool = otb->pool,
  };
  if (reg->scale > 0) {
    loss.xi = reg->scale * (reg->xi / root_t + reg->noise * sum_std * unit);
    loss.nu = reg->scale * reg->nu / root_t;
  }
  tacit_learner_step(otb->learner, &loss, otb->w);
  return sum_std * unit;
}

void tacit_otb_last_step(tacit_otb *otb) {
  tacit_weights_next(&otb->weights);
  move_average(otb);
}

const tacit_weights *tacit_otb_weights(const tacit_otb *otb) { return &otb->weights; }
const double *tacit_otb_x(const tacit_otb *otb) {
  return otb->start != NULL ? otb->x_abs : otb->x;
}
const double *tacit_otb_x_prev(const tacit_otb *otb) {
  return otb->start != NULL ? otb->x_prev_abs : otb->x_prev;
}

double tacit_otb_step_length(const tacit_otb *otb, double *out_longest) {
  *out_longest = otb->step_longest;
  return otb->step_length;
}
