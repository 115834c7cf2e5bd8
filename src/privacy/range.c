/* SPDX-License-Identifier: MIT */
/*
 * The ranges that the accountant accepts. The comparisons are written so that NaN fails
 * them. The messages contain the limits as text, because printf would use the decimal
 * point of the user's locale.
 */
#include "privacy/range.h"

#include "base/error.h"

#include <stddef.h>

tacit_status tacit_check_epsilon(double epsilon, tacit_error *err) {
  if (epsilon <= 0)
    return tacit_fail(err, TACIT_EINVAL,
                      "epsilon must be greater than 0 (between 1e-6 and 1000)");
  if (!(epsilon >= TACIT_EPSILON_MIN && epsilon <= TACIT_EPSILON_MAX))
    return tacit_fail(err, TACIT_EINVAL, "epsilon must be between 1e-6 and 1000");
  return TACIT_OK;
}

tacit_status tacit_check_delta(double delta, tacit_error *err) {
  if (delta <= 0)
    return tacit_fail(err, TACIT_EINVAL,
                      "delta must be greater than 0 (between 1e-300 and 0.5)");
  if (!(delta >= TACIT_DELTA_MIN && delta <= TACIT_DELTA_MAX))
    return tacit_fail(err, TACIT_EINVAL, "delta must be between 1e-300 and 0.5");
  return TACIT_OK;
}

tacit_status tacit_check_mu(const char *name, double mu, tacit_error *err) {
  if (mu <= 0)
    return tacit_fail(err, TACIT_EINVAL,
                      "%s must be greater than 0 (between 1e-9 and 1000)", name);
  if (!(mu >= TACIT_MU_MIN && mu <= TACIT_MU_MAX))
    return tacit_fail(err, TACIT_EINVAL, "%s must be between 1e-9 and 1000", name);
  return TACIT_OK;
}

tacit_status tacit_check_output(const double *out, tacit_error *err) {
  if (out == NULL)
    return tacit_fail(err, TACIT_EINVAL, "the place for the result is NULL");
  return TACIT_OK;
}
