/* SPDX-License-Identifier: MIT */
/*
 * Softmax loss over K classes: log(sum_k e^{u_k}) - u_y, one margin per class. The
 * slope p - e_y has norm at most sqrt2 and is Lipschitz with constant 1/2, the largest
 * eigenvalue of diag(p) - p p^T. For two classes this is the logistic loss of the
 * margin u_1 - u_0 and is computed as such.
 */
#include <math.h>

#include "loss/exp.h"
#include "loss/tables.h"

static double value(const void *self, double margin, double label) {
  (void)self;
  return tacit_loss_logistic.value(NULL, margin, label);
}

static double slope(const void *self, double margin, double label) {
  (void)self;
  return tacit_loss_logistic.slope(NULL, margin, label);
}

static void slope_many(const void *self, const double *margins, const double *labels,
                       size_t count, double *out) {
  (void)self;
  tacit_loss_logistic.slope_many(NULL, margins, labels, count, out);
}

static double predict(const void *self, double margin) {
  (void)self;
  return tacit_loss_logistic.predict(NULL, margin);
}

static double largest(const double *margins, size_t outputs) {
  double max = margins[0];
  for (size_t k = 1; k < outputs; ++k)
    if (margins[k] > max) max = margins[k];
  return max;
}

/* Writes the probabilities of the classes to out. */
static void probabilities(const double *margins, size_t outputs, double *out) {
  double max = largest(margins, outputs), sum = 0;
  for (size_t k = 0; k < outputs; ++k)
    out[k] = margins[k] - max;
  tacit_exp_many(out, outputs);
  for (size_t k = 0; k < outputs; ++k)
    sum += out[k];
  for (size_t k = 0; k < outputs; ++k)
    out[k] /= sum;
}

static double value_joint(const void *self, const double *margins, size_t outputs,
                          size_t label) {
  (void)self;
  double max = largest(margins, outputs), sum = 0;
  for (size_t k = 0; k < outputs; ++k)
    sum += tacit_exp(margins[k] - max);
  return max + log(sum) - margins[label];
}

static void slope_joint(const void *self, const double *margins, size_t outputs,
                        size_t label, double *out) {
  (void)self;
  probabilities(margins, outputs, out);
  out[label] -= 1;
}

static void predict_joint(const void *self, const double *margins, size_t outputs,
                          double *out) {
  (void)self;
  probabilities(margins, outputs, out);
}

static void bounds(const void *self, const tacit_loss_facts *facts,
                   tacit_loss_bounds *out) {
  (void)self;
  if (facts->classes <= 2) {
    tacit_loss_logistic.bounds(NULL, facts, out);
    return;
  }
  out->slope = sqrt(2);
  out->curvature = 0.5;
  out->slope_at_zero = sqrt(1 - 1 / (double)facts->classes);
  out->slope_is_global = 1;
}

const tacit_loss_ops tacit_loss_softmax = {
    .version = 2,
    .name = "softmax",
    .summary = "two or more classes, jointly; predicts their probabilities",
    .labels = TACIT_LOSS_CLASSES,
    .value = value,
    .slope = slope,
    .bounds = bounds,
    .predict = predict,
    .value_joint = value_joint,
    .slope_joint = slope_joint,
    .predict_joint = predict_joint,
    .slope_many = slope_many,
};
