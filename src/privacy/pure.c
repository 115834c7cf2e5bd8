/* SPDX-License-Identifier: MIT */
/*
 * Pure differential privacy in units of Gaussian DP. To distinguish neighbours by an
 * epsilon-DP output is at least as hard as to distinguish N(0,1) from N(mu,1) with
 *
 *   Phi(-mu/2) = 1/(1 + e^epsilon),   that is   erf(x/sqrt 2) = tanh(epsilon/2),
 *
 * where x = mu/2. For small epsilon the second form is precise. For larger epsilon the
 * logarithm of the first form, with R the Mills ratio,
 *
 *   x^2/2 + log sqrt(2 pi) - log R(x) = epsilon + log(1 + e^-epsilon),
 *
 * cannot underflow. Both left sides increase in x; the bisection returns its safe end.
 */
#include "base/error.h"
#include "base/numbers.h"
#include "privacy/mills.h"
#include "privacy/range.h"

#include <tacit/account.h>

static const double SQRT_HALF = 0.70710678118654752440;
static const double LOG_SQRT_2PI = 0.91893853320467274178;
static const double SMALL_EPSILON = 1;
static const double X_END = 200; /* the logarithmic form is above 20000 here */

/* Proven error of erf and tanh: 4e-15 (docs/proofs/tacit_mu_from_pure_up.md). */
static const double MARGIN = 1e-14;

/* Returns erf(x/sqrt 2), rounded down. */
static double centre_down(double x) {
  return tacit_mul_down(erf(x * SQRT_HALF), 1 - MARGIN);
}

/* Returns -log Phi(-x) for x >= 0, rounded down. Subtracts 2e-13 because the Mills
   ratio has a relative error of up to 1e-13. */
static double minus_log_tail_down(double x) {
  double value = 0.5 * x * x + (LOG_SQRT_2PI - log(tacit_mills(x)));
  return tacit_mul_down(value, 1 - MARGIN) - 2e-13;
}

/* Proof: docs/proofs/tacit_mu_from_pure_up.md */
tacit_status tacit_mu_from_pure_up(double epsilon, double *out_mu, tacit_error *err) {
  TACIT_TRY(tacit_check_output(out_mu, err));
  if (!(epsilon >= TACIT_EPSILON_MIN && epsilon <= TACIT_PURE_EPSILON_MAX))
    return tacit_fail(err, TACIT_EINVAL,
                      "epsilon of pure DP must be between 1e-6 and 10000");
  int small = epsilon <= SMALL_EPSILON;
  double needed =
      small ? tacit_mul_up(tanh(0.5 * epsilon), 1 + MARGIN)
            : tacit_add_up(epsilon, tacit_mul_up(log1p(exp(-epsilon)), 1 + MARGIN));
  double low = 0, high = X_END; /* high is never below the exact x */
  TACIT_HALVE(double, low, high,
              !((small ? centre_down(middle) : minus_log_tail_down(middle)) >= needed));
  *out_mu = 2 * high; /* doubling is exact */
  return TACIT_OK;
}
