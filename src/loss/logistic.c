/* SPDX-License-Identifier: MIT */
/*
 * Logistic loss: log(1 + e^{-m}), m = label * margin, label -1 or +1.
 * Slope -label * sigma(-m), so G = X and H = X^2/4. Only e^{-|m|} is computed, which
 * cannot overflow.
 */
#include <math.h>

#include "loss/exp.h"
#include "loss/tables.h"

static double value(const void *self, double margin, double label) {
  (void)self;
  double m = label * margin;
  double tail = log1p(tacit_exp(-fabs(m)));
  return m >= 0 ? tail : tail - m;
}

static double sigmoid(double u) {
  double e = tacit_exp(-fabs(u));
  return u >= 0 ? 1 / (1 + e) : e / (1 + e);
}

static double slope(const void *self, double margin, double label) {
  (void)self;
  return -label * sigmoid(-label * margin);
}

/* The numerator is chosen from an array: a branch would be mispredicted half of the
   time. */
static void slope_many(const void *self, const double *margins, const double *labels,
                       size_t count, double *out) {
  (void)self;
  for (size_t i = 0; i < count; ++i)
    out[i] = -fabs(labels[i] * margins[i]);
  tacit_exp_many(out, count);
  for (size_t i = 0; i < count; ++i) {
    double tops[2] = {out[i], 1};
    out[i] = -labels[i] * (tops[-labels[i] * margins[i] >= 0] / (1 + out[i]));
  }
}

static void bounds(const void *self, const tacit_loss_facts *facts,
                   tacit_loss_bounds *out) {
  (void)self;
  (void)facts;
  out->slope = 1;
  out->curvature = 0.25;
  out->slope_at_zero = 0.5;
  out->slope_is_global = 1;
}

/* Probability of the positive class. */
static double predict(const void *self, double margin) {
  (void)self;
  return sigmoid(margin);
}

const tacit_loss_ops tacit_loss_logistic = {
    .version = 2,
    .name = "logistic",
    .summary = "two classes; predicts the probability of the second",
    .labels = TACIT_LOSS_CLASSES,
    .value = value,
    .slope = slope,
    .bounds = bounds,
    .predict = predict,
    .slope_many = slope_many,
};
