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
 * Line 2 and the release are in the vault (vault/delta.c, vault/vault.c). The rest is
 * here, everything divided by beta_t (convert/weights.h), in coordinates where the
 * start point is 0. docs/theory.md walks through the paper beside this file.
 */
#include "convert/algorithm1.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "convert/decode.h"
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
  /* Vectors of dim numbers. */
  double *start;
  double *step;       /* w_t - x_{t-1} */
  double *w;          /* w_t, from the start point */
  double *x;          /* x_t, from the start point */
  double *x_abs;      /* start + x_t */
  double *x_prev_abs; /* start + x_{t-1} */
  double *grad;       /* gbar_t / beta_t */
};

void tacit_otb_free(tacit_otb *otb) {
  if (otb == NULL) return;
  tacit_learner_free(otb->learner);
  tacit_decoder_free(otb->decoder);
  tacit_array_free(otb->start);
  tacit_array_free(otb->step);
  tacit_array_free(otb->w);
  tacit_array_free(otb->x);
  tacit_array_free(otb->x_abs);
  tacit_array_free(otb->x_prev_abs);
  tacit_array_free(otb->grad);
  tacit_array_free(otb);
}

static tacit_status otb_init(tacit_otb *otb, const tacit_otb_facts *facts,
                             tacit_error *err) {
  size_t dim = facts->learner.dim;
  double **vectors[] = {&otb->start, &otb->step,       &otb->w,   &otb->x,
                        &otb->x_abs, &otb->x_prev_abs, &otb->grad};
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i) {
    *vectors[i] = tacit_array_new(dim, sizeof(double));
    if (*vectors[i] == NULL) return tacit_fail_memory(err);
  }
  otb->dim = dim;
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

/* x_t = x_{t-1} + (w_t - x_{t-1}) / h_t: the weighted average of w_1 … w_t. */
static void move_average(tacit_otb *otb) {
  for (size_t i = 0; i < otb->dim; ++i) {
    otb->step[i] = otb->w[i] - otb->x[i];
    otb->x_prev_abs[i] = otb->x_abs[i];
    otb->x[i] += otb->step[i] / otb->weights.horizon;
    otb->x_abs[i] = otb->start[i] + otb->x[i];
  }
  otb->step_length = tacit_norm_lp(otb->step, otb->dim, otb->norm);
  otb->step_longest = fmax(otb->step_longest, otb->step_length);
}

void tacit_otb_begin(tacit_otb *otb) {
  tacit_weights_next(&otb->weights);
  move_average(otb); /* line 1 */
}

double tacit_otb_end(tacit_otb *otb, double bound, const double *y, double y_std) {
  const tacit_weights *weights = &otb->weights;
  double sum_std;

  /* Line 3: gbar_t = g_t + gamma_t from the released rows, in units of beta_R and
     summed over rows; then the mean, over beta_t. */
  tacit_decoder_step(otb->decoder, weights->t, bound, y, y_std, otb->grad, &sum_std);
  double unit = 1 / (weights->share * otb->rows_mean);
  for (size_t i = 0; i < otb->dim; ++i)
    otb->grad[i] *= unit;

  /* The L2 term is public: its gradient beta_t l2 x_t is added after the noise. */
  for (size_t i = 0; i < otb->l2_dim; ++i)
    otb->grad[i] += otb->l2 * otb->x_abs[i];

  /* Line 4, with the regulariser of the parameter-free section if asked for. */
  const tacit_otb_regulariser *reg = &otb->regulariser;
  double root_t = sqrt((double)weights->t);
  tacit_learner_loss loss = {
      .t = weights->t,
      .grad = otb->grad,
      .ratio = weights->ratio,
      .horizon = weights->horizon,
      .x = otb->x,
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
const double *tacit_otb_x(const tacit_otb *otb) { return otb->x_abs; }
const double *tacit_otb_x_prev(const tacit_otb *otb) { return otb->x_prev_abs; }

double tacit_otb_step_length(const tacit_otb *otb, double *out_longest) {
  *out_longest = otb->step_longest;
  return otb->step_length;
}
