/* SPDX-License-Identifier: MIT */
/*
 * Huberised hinge loss of m = label * margin, label -1 or +1: 0 for m >= 1,
 * (1-m)^2/(2g) on (1-g, 1), 1 - m - g/2 below. The method needs a smooth loss, which
 * the plain hinge is not; this loss is within g/2 of it. The slope is -label
 * clip((1-m)/g, 0, 1). So, for rows of norm at most X and every margin, gradients have
 * norm at most G = X and Lipschitz constant H = X^2/g.
 */
#include <math.h>

#include "loss/tables.h"

struct hinge {
  double g;
};

static const tacit_param params[] = {
    {"g", 1e-3, 10, 0.5, "width of the rounded corner"},
    {NULL, 0, 0, 0, NULL},
};

static tacit_status init(void *self, double *values, const tacit_loss_facts *facts,
                         tacit_error *err) {
  struct hinge *hinge = self;
  (void)facts;
  (void)err;
  hinge->g = values[0];
  return TACIT_OK;
}

static double value(const void *self, double margin, double label) {
  const struct hinge *hinge = self;
  double gap = 1 - label * margin;
  if (gap <= 0) return 0;
  return gap >= hinge->g ? gap - 0.5 * hinge->g : 0.5 * gap * (gap / hinge->g);
}

static double slope(const void *self, double margin, double label) {
  const struct hinge *hinge = self;
  return -label * tacit_loss_clamp((1 - label * margin) / hinge->g, 0, 1);
}

static void bounds(const void *self, const tacit_loss_facts *facts,
                   tacit_loss_bounds *out) {
  const struct hinge *hinge = self;
  (void)facts;
  out->slope = 1;
  out->curvature = 1 / hinge->g;
  out->slope_at_zero = fmin(1 / hinge->g, 1);
  out->slope_is_global = 1;
}

const tacit_loss_ops tacit_loss_hinge = {
    .version = 1,
    .name = "hinge",
    .summary = "two classes, support vector machine with a rounded corner",
    .params = params,
    .labels = TACIT_LOSS_CLASSES,
    .state_size = sizeof(struct hinge),
    .init = init,
    .value = value,
    .slope = slope,
    .bounds = bounds,
};
