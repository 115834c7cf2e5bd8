/* SPDX-License-Identifier: MIT */
/*
 * epsilon from mu for a delta slightly below delta(0) = 2 Phi(mu/2) - 1. There epsilon
 * depends on the small difference D = delta(0) - delta, which has few correct digits in
 * double precision. So delta(0) is computed in twice the precision, and epsilon is the
 * smallest number for which
 *
 *   F(eps) = delta(0) - delta(eps) = integral of e^s Phi(-s/mu - mu/2) over [0, eps]
 *
 * is at least D. The integrand is positive, so F has full relative precision.
 */
#include "base/numbers.h"
#include "privacy/gdp.h"
#include "privacy/mills.h"

#include <math.h>

static const double SQRT_HALF = 0.70710678118654752440;

/* Proven error of the integral: 1e-13 (docs/proofs/tacit_epsilon_from_mu_up.md). */
static const double MARGIN = 1e-12;

/* An unevaluated sum of two doubles, |low| <= half a unit in the last place of high. */
typedef struct twice {
  double high, low;
} twice;

static const twice INV_SQRT_2PI = {0.3989422804014327, -2.49232720227773e-17};

static twice twice_sum(double a, double b) {
  double high = a + b;
  double part = high - a;
  return (twice){high, (a - (high - part)) + (b - part)};
}

static twice twice_add(twice a, twice b) {
  twice sum = twice_sum(a.high, b.high);
  return twice_sum(sum.high, sum.low + a.low + b.low);
}

static twice twice_mul(twice a, twice b) {
  double high = a.high * b.high;
  double low = fma(a.high, b.high, -high) + (a.high * b.low + a.low * b.high);
  return twice_sum(high, low);
}

static twice twice_div(twice a, double b) {
  double high = a.high / b;
  double low = (fma(-high, b, a.high) + a.low) / b;
  return twice_sum(high, low);
}

/* Returns delta(0) = mu/sqrt(2 pi) * sum_k (-y)^k / (k! (2k+1)), y = mu^2/8, for mu <=
   1.6. */
static twice delta_at_zero(double mu) {
  double square = mu * mu;
  twice minus_y = {-square / 8, -fma(mu, mu, -square) / 8};
  twice term = {1, 0};
  twice sum = {1, 0};
  for (int k = 1; k <= 24; ++k) {
    term = twice_div(twice_mul(term, minus_y), k);
    sum = twice_add(sum, twice_div(term, 2 * k + 1));
  }
  return twice_mul(twice_mul(sum, INV_SQRT_2PI), (twice){mu, 0});
}

struct slope {
  double mu, epsilon;
};

/* Returns -delta'(s) = e^s Phi(-s/mu - mu/2) at s = t epsilon. */
static double slope_at(const void *context, double t) {
  const struct slope *slope = context;
  double s = t * slope->epsilon;
  return exp(s) * 0.5 * erfc((s / slope->mu + 0.5 * slope->mu) * SQRT_HALF);
}

static double fall_down(double mu, double epsilon) {
  struct slope slope = {mu, epsilon};
  double fall = epsilon * tacit_integral_01(slope_at, &slope);
  return tacit_mul_down(fall, 1 - MARGIN);
}

/* Proof: docs/proofs/tacit_epsilon_from_mu_up.md */
double tacit_epsilon_near_zero_up(double mu, double delta) {
  if (mu > 1.6)
    return -1; /* delta(0) is then above 0.57, far from every allowed
                  delta */
  twice start = delta_at_zero(mu);
  if (delta < 0.9 * start.high) return -1;
  twice gap = twice_add(start, (twice){-delta, 0});
  /* 1e-28 exceeds the relative error of the arithmetic on `twice`, which is 1e-29 */
  double gap_up = tacit_add_up(gap.high, tacit_add_up(gap.low, 1e-28 * start.high));
  if (gap_up <= 0) return 0;

  double low = gap_up; /* the slope is below 1/2, so epsilon >= 2 gap */
  double high = 0.25 * mu;
  if (!(fall_down(mu, high) >= gap_up)) return -1;
  TACIT_HALVE(double, low, high, !(fall_down(mu, middle) >= gap_up));
  return high;
}
