/* SPDX-License-Identifier: MIT */
/*
 * Quantile loss of r = label - margin, smoothed by a Moreau envelope of width kappa:
 * r^2/(2 kappa) on [kappa(tau-1), kappa tau], tau r - kappa tau^2/2 above, (tau-1) r -
 * kappa (1-tau)^2/2 below. It lies below the pinball loss by at most kappa max(tau,
 * 1-tau)^2 / 2. The slope is -clip(r/kappa, tau-1, tau). So, for rows of norm at most X
 * and every margin, gradients have norm at most G = max(tau, 1-tau) X and Lipschitz
 * constant H = X^2/kappa.
 */
#include <math.h>

#include "loss/tables.h"

struct quantile {
  double tau, kappa;
};

static const tacit_param params[] = {
    {"tau", 1e-6, 1 - 1e-6, 0.5, "the quantile: 0.5 is the median"},
    {"kappa", 1e-6, 10, NAN,
     "width of the smoothing, in mapped labels; default 0.1, or 0.02 for learners of "
     "plain gradients"},
    {NULL, 0, 0, 0, NULL},
};

static tacit_status init(void *self, double *values, const tacit_loss_facts *facts,
                         tacit_error *err) {
  struct quantile *quantile = self;
  (void)err;
  if (isnan(values[1])) values[1] = facts->plain ? 0.02 : 0.1;
  quantile->tau = values[0];
  quantile->kappa = values[1];
  return TACIT_OK;
}

static double value(const void *self, double margin, double label) {
  const struct quantile *quantile = self;
  double tau = quantile->tau, kappa = quantile->kappa, r = label - margin;
  if (r > kappa * tau) return tau * (r - 0.5 * kappa * tau);
  if (r < kappa * (tau - 1)) return (tau - 1) * (r - 0.5 * kappa * (tau - 1));
  return 0.5 * r * (r / kappa);
}

static double slope(const void *self, double margin, double label) {
  const struct quantile *quantile = self;
  return -tacit_loss_clamp((label - margin) / quantile->kappa, quantile->tau - 1,
                           quantile->tau);
}

static void bounds(const void *self, const tacit_loss_facts *facts,
                   tacit_loss_bounds *out) {
  const struct quantile *quantile = self;
  (void)facts;
  out->slope = fmax(quantile->tau, 1 - quantile->tau);
  out->curvature = 1 / quantile->kappa;
  out->slope_at_zero = fmin(out->slope, 1 / quantile->kappa);
  out->slope_is_global = 1;
}

const tacit_loss_ops tacit_loss_quantile = {
    .version = 1,
    .name = "quantile",
    .summary = "regression on a quantile, smoothed",
    .params = params,
    .labels = TACIT_LOSS_UNIT,
    .state_size = sizeof(struct quantile),
    .init = init,
    .value = value,
    .slope = slope,
    .bounds = bounds,
};
