/* SPDX-License-Identifier: MIT */
/*
 * Logistic loss: log(1 + e^{-m}), m = label * margin, label -1 or +1. The slope is
 * -label * sigma(-m). So, for rows of norm at most X, gradients have norm at most G = X
 * and Lipschitz constant H = X^2/4. Only e^{-|m|} is computed, which cannot overflow.
 */
#include <math.h>
#include <stdint.h>

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

/* Returns the slope, from e = e^{-|m|}. Chooses the numerator from an array, because a
   branch would be mispredicted half of the time. */
static double slope_of(double margin, double label, double e) {
  double tops[2] = {e, 1};
  return -label * (tops[-label * margin >= 0] / (1 + e));
}

#if defined(__GNUC__)
/* Defines a function that replaces the numbers e^{-|m|} in out by slopes, as slope_of
   computes them, for whole vectors only. Returns how many numbers it replaced. */
#define SLOPES(name, width, attributes)                                                \
  attributes static size_t name(const double *margins, const double *labels,           \
                                size_t count, double *out) {                           \
    typedef double real                                                                \
        __attribute__((vector_size(8 * (width)), aligned(8), may_alias));              \
    typedef int64_t mask __attribute__((vector_size(8 * (width))));                    \
    const real one = (real){0} + 1;                                                    \
    size_t i = 0;                                                                      \
    for (; i + (width) <= count; i += (width)) {                                       \
      real e = *(const real *)(out + i), minus = -*(const real *)(labels + i);         \
      mask ones = minus * *(const real *)(margins + i) >= 0;                           \
      real top = (real)(((mask)one & ones) | ((mask)e & ~ones));                       \
      *(real *)(out + i) = minus * (top / (1 + e));                                    \
    }                                                                                  \
    return i;                                                                          \
  }
SLOPES(slope_pairs, 2, )
#if defined(TACIT_HAVE_X86_LEVELS)
SLOPES(slope_fours, 4, __attribute__((target("avx2"))))
#endif

static size_t slope_vectors(const double *margins, const double *labels, size_t count,
                            double *out) {
#if defined(TACIT_HAVE_X86_LEVELS)
  if (__builtin_cpu_supports("avx2")) return slope_fours(margins, labels, count, out);
#endif
  return slope_pairs(margins, labels, count, out);
}
#else
static size_t slope_vectors(const double *margins, const double *labels, size_t count,
                            double *out) {
  (void)margins, (void)labels, (void)count, (void)out;
  return 0;
}
#endif

/* Computes the slopes of `count` examples, in vectors where the processor has them. */
static void slope_many(const void *self, const double *margins, const double *labels,
                       size_t count, double *out) {
  (void)self;
  for (size_t i = 0; i < count; ++i)
    out[i] = -fabs(labels[i] * margins[i]);
  tacit_exp_many(out, count);
  for (size_t i = slope_vectors(margins, labels, count, out); i < count; ++i)
    out[i] = slope_of(margins[i], labels[i], out[i]);
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

/* Returns the probability of the positive class. */
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
