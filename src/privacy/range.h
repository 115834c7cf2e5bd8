/* SPDX-License-Identifier: MIT */
#ifndef TACIT_PRIVACY_RANGE_H
#define TACIT_PRIVACY_RANGE_H

#include <tacit/status.h>

/* The ranges of the accountant. The proofs of the conversions cover numbers in these
   ranges only. */
#define TACIT_EPSILON_MIN 1e-6
#define TACIT_EPSILON_MAX 1e3
#define TACIT_PURE_EPSILON_MAX 1e4
#define TACIT_DELTA_MIN 1e-300
#define TACIT_DELTA_MAX 0.5
#define TACIT_MU_MIN 1e-9
#define TACIT_MU_MAX 1e3

/* Return TACIT_EINVAL with a message if the number is outside its range or NaN, or if
   `out` is NULL. `name` is what the message calls the quantity: the name that the user
   knows. */
tacit_status tacit_check_epsilon(double epsilon, tacit_error *err);
tacit_status tacit_check_delta(double delta, tacit_error *err);
tacit_status tacit_check_mu(const char *name, double mu, tacit_error *err);
tacit_status tacit_check_output(const double *out, tacit_error *err);

#endif
