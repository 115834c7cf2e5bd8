/* SPDX-License-Identifier: MIT */
/*
 * Poisson loss: e^u - y u for a count y in [0, Y], continued above umax by its tangent
 * (in the e^u part), e^umax (1 + u - umax) - y u, so that slope and curvature are
 * bounded. The slope is e^{min(u, umax)} - y. So, for rows of norm at most X, gradients
 * have norm at most G = X max(Y, e^umax) and Lipschitz constant H = X^2 e^umax. With
 * the default umax = ln Y + 1 the tangent starts at a mean of e Y, past every label.
 *
 * The value is the negative log-likelihood without ln(y!), so it may be negative. The
 * prediction is the mean e^u, continued by the same tangent above umax. It increases
 * with the margin, and no margin predicts an infinite count.
 */
#include <math.h>

#include "base/error.h"
#include "loss/exp.h"
#include "loss/tables.h"

struct poisson {
  double umax, top; /* top = e^umax */
};

static const tacit_param params[] = {
    {"umax", -20, 40, NAN,
     "margin where the loss turns linear; default ln(label max)+1"},
    {NULL, 0, 0, 0, NULL},
};

static tacit_status init(void *self, double *values, const tacit_loss_facts *facts,
                         tacit_error *err) {
  struct poisson *poisson = self;
  if (isnan(values[0])) values[0] = log(facts->label_max) + 1;
  if (!(values[0] >= params[0].min && values[0] <= params[0].max))
    return tacit_fail(err, TACIT_EINVAL,
                      "loss poisson: ln(label max)+1 is not between %g and %g; declare "
                      "other label bounds or give umax",
                      params[0].min, params[0].max);
  poisson->umax = values[0];
  poisson->top = tacit_exp(values[0]);
  return TACIT_OK;
}

static double predict(const void *self, double margin) {
  const struct poisson *poisson = self;
  if (margin > poisson->umax) return poisson->top * (1 + (margin - poisson->umax));
  return tacit_exp(margin);
}

static double value(const void *self, double margin, double label) {
  return predict(self, margin) - label * margin;
}

static double slope(const void *self, double margin, double label) {
  const struct poisson *poisson = self;
  return (margin > poisson->umax ? poisson->top : tacit_exp(margin)) - label;
}

static void bounds(const void *self, const tacit_loss_facts *facts,
                   tacit_loss_bounds *out) {
  const struct poisson *poisson = self;
  double mean_at_zero = fmin(1, poisson->top);
  out->slope = fmax(facts->label_max, poisson->top);
  out->curvature = poisson->top;
  out->slope_at_zero = fmax(mean_at_zero, facts->label_max - mean_at_zero);
  out->slope_is_global = 1;
}

const tacit_loss_ops tacit_loss_poisson = {
    .version = 1,
    .name = "poisson",
    .summary = "counts; predicts the mean",
    .params = params,
    .labels = TACIT_LOSS_COUNT,
    .state_size = sizeof(struct poisson),
    .init = init,
    .value = value,
    .slope = slope,
    .bounds = bounds,
    .predict = predict,
};
