/* SPDX-License-Identifier: MIT */
/*
 * e^x from additions and multiplications only. libm picks a variant by processor, and
 * the variants differ in the last bit; a slope that differs in its last bit can move a
 * contribution to the next lattice point and so change the model. This one does not.
 *
 * x = n ln 2 + r with |r| <= ln(2)/2; e^r by its Taylor series to r^13 (remainder below
 * 4e-18); the result scaled by 2^n.
 */
#include "loss/exp.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ln 2 in two parts: n times the first, of 41 bits, is exact for every n that occurs.
 */
static const double LN2_HIGH = 0x1.62e42fefa3000p-1;
static const double LN2_LOW = 0x1.3de6af278ece6p-42;
static const double INVERSE_LN2 = 0x1.71547652b82fep+0;

static double power_of_two(int n) {
  uint64_t bits = (uint64_t)(n + 1023) << 52;
  double power;
  memcpy(&power, &bits, sizeof power);
  return power;
}

double tacit_exp(double x) {
  if (isnan(x)) return x;
  if (x > 710) return INFINITY;
  if (x < -746) return 0;
  int n = (int)(x * INVERSE_LN2 + (x < 0 ? -0.5 : 0.5));
  double high = x - n * LN2_HIGH, low = n * LN2_LOW;
  double r = high - low;
  double rest = (high - r) - low; /* what rounding took from r */

  /* Even and odd powers apart: two short chains instead of one long one. */
  double s = r * r;
  double even = 1.0 / 479001600;
  even = even * s + 1.0 / 3628800;
  even = even * s + 1.0 / 40320;
  even = even * s + 1.0 / 720;
  even = even * s + 1.0 / 24;
  even = even * s + 1.0 / 2;
  double odd = 1.0 / 6227020800;
  odd = odd * s + 1.0 / 39916800;
  odd = odd * s + 1.0 / 362880;
  odd = odd * s + 1.0 / 5040;
  odd = odd * s + 1.0 / 120;
  odd = odd * s + 1.0 / 6;
  double power = 1 + (r + (s * (even + r * odd) + rest));

  if (n >= -1022 && n <= 1023) return power * power_of_two(n);
  return ldexp(power, n); /* into the subnormal numbers, or past the largest */
}
