/* SPDX-License-Identifier: MIT */
/* Standard deviations and mean squared norms of random vectors. */
#include "norm/moments.h"

#include <math.h>

double tacit_normal_std(size_t dim, double exponent) {
  (void)dim;
  (void)exponent;
  return 1;
}

/* Returns a bound on E|Z|_q^2 for a standard normal vector Z with d coordinates z and q
   = exponent >= 2: (d E|z|^q)^(2/q), which is exact for q = 2. */
double tacit_normal_second_moment(size_t dim, double exponent) {
  double d = (double)dim;
  if (exponent == 2) return d;
  if (isinf(exponent)) return 2 * log(2 * d) + 2; /* E max_i z_i^2, from its tail */
  double log_moment =
      exponent / 2 * log(2) + lgamma((exponent + 1) / 2) - log(M_PI) / 2;
  return exp(2 / exponent * (log(d) + log_moment));
}

double tacit_laplace_std(size_t dim, double exponent) {
  (void)dim;
  (void)exponent;
  return sqrt(2);
}

/* Returns E|x|^2 = d (d + 1), because |x| has the law Gamma(d) in the norm of the
   density. */
double tacit_exp_second_moment(size_t dim, double exponent) {
  (void)exponent;
  return (double)dim * ((double)dim + 1);
}
