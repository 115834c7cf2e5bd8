/* SPDX-License-Identifier: MIT */
#ifndef TACIT_PRIVACY_EXACT_H
#define TACIT_PRIVACY_EXACT_H

#include "base/numbers.h"

/*
 * Sums and products that are rounded up only when they are not exact, so that round
 * numbers stay round. The numbers must be finite, and no rounding error may be
 * subnormal.
 */
static inline double tacit_product_up(double a, double b) {
  double product = a * b;
  return fma(a, b, -product) > 0 ? tacit_up(product) : product;
}

static inline double tacit_sum_up(double a, double b) {
  double sum = a + b;
  /* `lost` is the rounding error of the sum, computed exactly (Knuth's two-sum) */
  double part = sum - a;
  double lost = (a - (sum - part)) + (b - part);
  return lost > 0 ? tacit_up(sum) : sum;
}

#endif
