/* SPDX-License-Identifier: MIT */
/*
 * Bounds on the length of one example's contribution to round t. They are returned in
 * units of beta_R, with G, H the bounds of the loss and k the power:
 *   clip   C (beta_t - beta_{t-1})
 *   tight  (beta_t - beta_{t-1}) G + beta_{t-1} min(H |x_t - x_{t-1}|, 2G)
 *   paper  (k+1) t^{k-1} (G + H max_{i<=t} |w_i - x_{i-1}|)
 * Contributions are clipped to the bound whatever the loss does, so a wrong G or H
 * costs accuracy, not privacy.
 */
#include <math.h>

#include "admit/rounds.h"
#include "base/error.h"
#include "plan/plan.h"

double tacit_plan_bound(const tacit_plan *plan, const tacit_weights *weights,
                        double step, double longest) {
  double g = plan->grad_bound, h = plan->smoothness;
  switch (plan->bound) {
  case TACIT_BOUND_TIGHT: {
    /* Proof: docs/proofs/bound_tight.md. |x_t - x_{t-1}| = |w_t - x_{t-1}| / h_t. */
    double moved = fmin(h * step / weights->horizon, 2 * g);
    return weights->share * (weights->rise * g + weights->ratio * moved);
  }
  case TACIT_BOUND_PAPER:
    return weights->share * (weights->power + 1) / (double)weights->t *
           (g + h * longest);
  case TACIT_BOUND_CLIP:
  case TACIT_BOUND_DEFAULT: break;
  }
  return weights->share * weights->rise * plan->clip;
}

int64_t tacit_plan_round_first(const tacit_plan *plan, int64_t t) {
  if (t < 1) return 0;
  if (plan->apart)
    return plan->mean_rows + tacit_rounds_first(plan->rows, plan->per_pass, t);
  return tacit_rounds_first(plan->rows, plan->per_pass, t);
}

int64_t tacit_plan_round_rows(const tacit_plan *plan, int64_t t) {
  if (t < 1) return plan->mean_rows;
  return tacit_rounds_rows(plan->rows, plan->per_pass, t);
}
