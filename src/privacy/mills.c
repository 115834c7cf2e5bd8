/* SPDX-License-Identifier: MIT */
/*
 * The Mills ratio R and g = -R', the two smooth functions from which the exact Gaussian
 * conversion is computed. Below 2.5 they use libm's erfc; above, the continued fraction
 * R(x) = 1/(x + 1/(x + 2/(x + 3/(x + ...)))). Its tails T_n are all positive, so
 * nothing cancels in g = T_1/(x + T_1).
 */
#include "privacy/mills.h"

#include <math.h>
#include <stddef.h>

static const double SQRT_HALF = 0.70710678118654752440;
static const double SQRT_HALF_PI = 1.2533141373155002512;

/* For x from FRACTION_FROM on, FRACTION_LEVELS levels of the continued fraction leave
   an error below 1e-16. */
static const double FRACTION_FROM = 2.5;
enum { FRACTION_LEVELS = 64 };

/* Returns the tail T_1 of the continued fraction. Proof: docs/proofs/tacit_mills.md */
static double fraction_tail(double x) {
  double tail = 0.5 * (sqrt(x * x + 4.0 * FRACTION_LEVELS) - x);
  for (int n = FRACTION_LEVELS - 1; n >= 1; --n)
    tail = n / (x + tail);
  return tail;
}

static double ratio_by_erfc(double x) {
  return SQRT_HALF_PI * exp(0.5 * x * x) * erfc(x * SQRT_HALF);
}

/* Proof: docs/proofs/tacit_mills.md */
double tacit_mills(double x) {
  return x < FRACTION_FROM ? ratio_by_erfc(x) : 1 / (x + fraction_tail(x));
}

/* Proof: docs/proofs/tacit_mills.md */
double tacit_mills_fall(double x) {
  if (x < FRACTION_FROM) return 1 - x * ratio_by_erfc(x);
  double tail = fraction_tail(x);
  return tail / (x + tail);
}

double tacit_integral_01(double (*f)(const void *context, double t),
                         const void *context) {
  /* positive nodes on [-1, 1]; weights halved for the interval of length 1 */
  static const double node[] = {0.97390652851717172008, 0.86506336668898451073,
                                0.67940956829902440623, 0.43339539412924719080,
                                0.14887433898163121088};
  static const double weight[] = {0.033335672154344068797, 0.074725674575290296573,
                                  0.109543181257991022, 0.13463335965499817755,
                                  0.14776211235737643509};
  double sum = 0;
  for (size_t i = 0; i < sizeof node / sizeof node[0]; ++i)
    sum +=
        weight[i] * (f(context, 0.5 * (1 - node[i])) + f(context, 0.5 * (1 + node[i])));
  return sum;
}
