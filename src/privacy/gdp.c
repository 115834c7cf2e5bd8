/* SPDX-License-Identifier: MIT */
/*
 * The exact conversion of mu-GDP (accounting theorem,
 * docs/proofs/accounting_theorem.md)
 *
 *   delta(eps) = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu)
 *              = phi(c) (R(c) - R(c + mu)),   c = eps/mu - mu/2,
 *
 * with R the Mills ratio. For mu <= 1 the difference is the integral of g = -R' over
 * [c, c + mu], a positive smooth function, so nothing cancels. delta decreases in eps
 * and increases in mu; the inverses are bisections that return their safe end.
 */
#include "privacy/gdp.h"

#include "base/error.h"
#include "base/numbers.h"
#include "privacy/mills.h"
#include "privacy/range.h"

#include <tacit/account.h>

static const double INV_SQRT_2PI = 0.39894228040143267794;
static const double SQRT_HALF = 0.70710678118654752440;

/* Proven error of the estimate: 5e-13 (docs/proofs/tacit_delta_from_mu_up.md). */
static const double MARGIN = 1e-12;

/* End of the search for epsilon. For mu and delta in range, epsilon is at most
   5.4e5. */
static const double EPSILON_END = 1e7;

/* The c of the head of this file, as an unevaluated sum of two doubles. c^2/2 may be as
   large as 700, and its absolute error becomes a relative error of delta, so one double
   would not be precise enough. */
typedef struct split {
  double high, low;
} split;

static split shift_of(double mu, double epsilon) {
  double ratio = epsilon / mu;
  double ratio_low = fma(-ratio, mu, epsilon) / mu;
  double half = 0.5 * mu;
  double high = ratio - half;
  /* `lost` is the rounding error of the subtraction, computed exactly (Knuth's
     two-sum) */
  double back = high - ratio;
  double lost = (ratio - (high - back)) - (half + back);
  return (split){high, lost + ratio_low};
}

/* Returns phi(c), the normal density; half_square is c.high^2/2. */
static double density(split c, double half_square) {
  double square = c.high * c.high;
  double rest = fma(c.high, c.high, -square) + 2 * c.high * c.low;
  return INV_SQRT_2PI * exp(-half_square) * (1 - 0.5 * rest);
}

struct strip {
  double start, width;
};

static double fall_in_strip(const void *context, double t) {
  const struct strip *strip = context;
  return tacit_mills_fall(strip->start + strip->width * t);
}

/* Returns delta, increased by MARGIN and at least TACIT_DELTA_MIN. mu must be in range,
   epsilon between 0 and EPSILON_END. Proof: docs/proofs/tacit_delta_from_mu_up.md */
static double delta_up(double mu, double epsilon) {
  split c = shift_of(mu, epsilon);
  double half_square = 0.5 * (c.high * c.high);
  if (c.high > 0 && half_square > 700) return TACIT_DELTA_MIN;

  double delta;
  if (mu <= 1) {
    struct strip strip = {c.high, mu};
    delta = density(c, half_square) * (mu * tacit_integral_01(fall_in_strip, &strip));
  } else if (c.high > 0) {
    delta = density(c, half_square) * (tacit_mills(c.high) - tacit_mills(c.high + mu));
  } else {
    delta = 0.5 * erfc(c.high * SQRT_HALF) -
            density(c, half_square) * tacit_mills(c.high + mu);
  }
  delta = tacit_mul_up(delta, 1 + MARGIN);
  if (delta > 1) return 1;
  return delta < TACIT_DELTA_MIN ? TACIT_DELTA_MIN : delta;
}

/* Proof: docs/proofs/tacit_delta_from_mu_up.md */
tacit_status tacit_delta_from_mu_up(double mu, double epsilon, double *out_delta,
                                    tacit_error *err) {
  TACIT_TRY(tacit_check_output(out_delta, err));
  TACIT_TRY(tacit_check_mu("mu", mu, err));
  if (!(epsilon >= 0 && epsilon <= TACIT_EPSILON_MAX))
    return tacit_fail(err, TACIT_EINVAL, "epsilon must be between 0 and 1000");
  *out_delta = delta_up(mu, epsilon);
  return TACIT_OK;
}

/* Proof: docs/proofs/tacit_epsilon_from_mu_up.md */
tacit_status tacit_epsilon_from_mu_up(double mu, double delta, double *out_epsilon,
                                      tacit_error *err) {
  TACIT_TRY(tacit_check_output(out_epsilon, err));
  TACIT_TRY(tacit_check_mu("mu", mu, err));
  TACIT_TRY(tacit_check_delta(delta, err));
  double near_zero = tacit_epsilon_near_zero_up(mu, delta);
  if (near_zero >= 0) {
    *out_epsilon = near_zero;
    return TACIT_OK;
  }
  double low = 0, high = EPSILON_END; /* delta_up(mu, high) <= delta throughout */
  TACIT_HALVE(double, low, high, !(delta_up(mu, middle) <= delta));
  *out_epsilon = high;
  return TACIT_OK;
}

/* Proof: docs/proofs/tacit_mu_from_dp_down.md */
tacit_status tacit_mu_from_dp_down(double epsilon, double delta, double *out_mu,
                                   tacit_error *err) {
  TACIT_TRY(tacit_check_output(out_mu, err));
  TACIT_TRY(tacit_check_epsilon(epsilon, err));
  TACIT_TRY(tacit_check_delta(delta, err));
  double low = TACIT_MU_MIN; /* delta_up(low, epsilon) <= delta throughout */
  double high = TACIT_MU_MAX;
  TACIT_HALVE(double, low, high, delta_up(middle, epsilon) <= delta);
  *out_mu = low;
  return TACIT_OK;
}
