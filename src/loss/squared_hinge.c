/* SPDX-License-Identifier: MIT */
/*
 * Squared hinge loss of m = label * margin, label -1 or +1: max(0, 1-m)^2 / 2. The
 * slope is -label max(0, 1-m), which grows with the margin. For rows of norm at most X,
 * gradients have Lipschitz constant H = X^2, and norm at most G = X (1 + margin_max)
 * for margins up to margin_max only.
 */
#include "loss/tables.h"

static double value(const void *self, double margin, double label) {
  (void)self;
  double gap = 1 - label * margin;
  return gap <= 0 ? 0 : 0.5 * gap * gap;
}

static double slope(const void *self, double margin, double label) {
  (void)self;
  double gap = 1 - label * margin;
  return gap <= 0 ? 0 : -label * gap;
}

static void bounds(const void *self, const tacit_loss_facts *facts,
                   tacit_loss_bounds *out) {
  (void)self;
  out->slope = 1 + facts->margin_max;
  out->curvature = 1;
  out->slope_at_zero = 1;
  out->slope_is_global = 0;
}

const tacit_loss_ops tacit_loss_squared_hinge = {
    .version = 1,
    .name = "squared-hinge",
    .summary = "two classes, support vector machine with squared slack",
    .labels = TACIT_LOSS_CLASSES,
    .value = value,
    .slope = slope,
    .bounds = bounds,
};
