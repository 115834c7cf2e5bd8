/* SPDX-License-Identifier: MIT */
/*
 * Huber loss of r = margin - label: r^2/2 for |r| <= tau, tau |r| - tau^2/2 beyond. The
 * slope is clip(r, -tau, tau). So, for rows of norm at most X and every margin,
 * gradients have norm at most G = tau X and Lipschitz constant H = X^2.
 */
#include <math.h>

#include "loss/tables.h"

struct huber {
  double tau;
};

static const tacit_param params[] = {
    {"tau", 1e-6, 1e6, 1, "residual, in mapped labels, where the loss turns linear"},
    {NULL, 0, 0, 0, NULL},
};

static tacit_status init(void *self, double *values, const tacit_loss_facts *facts,
                         tacit_error *err) {
  struct huber *huber = self;
  (void)facts;
  (void)err;
  huber->tau = values[0];
  return TACIT_OK;
}

static double value(const void *self, double margin, double label) {
  const struct huber *huber = self;
  double r = fabs(margin - label);
  return r > huber->tau ? huber->tau * (r - 0.5 * huber->tau) : 0.5 * r * r;
}

static double slope(const void *self, double margin, double label) {
  const struct huber *huber = self;
  return tacit_loss_clamp(margin - label, -huber->tau, huber->tau);
}

static void bounds(const void *self, const tacit_loss_facts *facts,
                   tacit_loss_bounds *out) {
  const struct huber *huber = self;
  (void)facts;
  out->slope = huber->tau;
  out->curvature = 1;
  out->slope_at_zero = fmin(huber->tau, 1);
  out->slope_is_global = 1;
}

const tacit_loss_ops tacit_loss_huber = {
    .version = 1,
    .name = "huber",
    .summary = "regression that large errors do not dominate",
    .params = params,
    .labels = TACIT_LOSS_UNIT,
    .state_size = sizeof(struct huber),
    .init = init,
    .value = value,
    .slope = slope,
    .bounds = bounds,
};
