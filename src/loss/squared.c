/* SPDX-License-Identifier: MIT */
/*
 * Squared loss: (margin - label)^2 / 2, label in [-1, 1]. The slope, margin - label,
 * grows with the margin, so its bound holds for margins up to margin_max only. Privacy
 * does not rest on the bound: the vault clips.
 */
#include "loss/tables.h"

static double value(const void *self, double margin, double label) {
  (void)self;
  double r = margin - label;
  return 0.5 * r * r;
}

static double slope(const void *self, double margin, double label) {
  (void)self;
  return margin - label;
}

static void bounds(const void *self, const tacit_loss_facts *facts,
                   tacit_loss_bounds *out) {
  (void)self;
  out->slope = facts->margin_max + 1;
  out->curvature = 1;
  out->slope_at_zero = 1;
  out->slope_is_global = 0;
}

const tacit_loss_ops tacit_loss_squared = {
    .version = 1,
    .name = "squared",
    .summary = "regression on the mean",
    .labels = TACIT_LOSS_UNIT,
    .value = value,
    .slope = slope,
    .bounds = bounds,
};
