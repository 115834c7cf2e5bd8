/* SPDX-License-Identifier: MIT */
/*
 * e^x from additions and multiplications only. libm picks a variant by processor, and
 * the variants differ in the last bit; a slope that differs in its last bit can move a
 * contribution to the next lattice point and so change the model. This one does not.
 *
 * x = n ln 2 + r with |r| <= ln(2)/2; e^r by its Taylor series to r^13 (remainder below
 * 4e-18); the result scaled by 2^n. The arithmetic is written once, in SERIES, for one
 * number and for a vector of two, which current processors compute in one instruction.
 */
#include "loss/exp.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ln 2 in two parts: the first has 41 bits, so n times it is exact for every n here. */
static const double LN2_HIGH = 0x1.62e42fefa3000p-1;
static const double LN2_LOW = 0x1.3de6af278ece6p-42;
static const double INVERSE_LN2 = 0x1.71547652b82fep+0;
/* Adding this to a number below 2^51 leaves the nearest integer in the low bits. */
static const double MAGIC = 0x1.8p52;
#define MAGIC_BITS UINT64_C(0x4338000000000000)
/* For x in this range 2^n is a normal number. */
static const double PLAIN_MIN = -708, PLAIN_MAX = 709;

/* Computes from x: `moved`, whose low bits are n, and `power` = e^r. Even and odd
   powers are summed apart: two short chains of operations instead of one long chain. */
#define SERIES(real)                                                                   \
  real moved = x * INVERSE_LN2 + MAGIC;                                                \
  real n = moved - MAGIC;                                                              \
  real high = x - n * LN2_HIGH, low = n * LN2_LOW;                                     \
  real r = high - low;                                                                 \
  real rest = (high - r) - low; /* rounding error of r */                              \
  real s = r * r;                                                                      \
  real even = s * (1.0 / 479001600) + 1.0 / 3628800;                                   \
  real odd = s * (1.0 / 6227020800) + 1.0 / 39916800;                                  \
  even = even * s + 1.0 / 40320;                                                       \
  odd = odd * s + 1.0 / 362880;                                                        \
  even = even * s + 1.0 / 720;                                                         \
  odd = odd * s + 1.0 / 5040;                                                          \
  even = even * s + 1.0 / 24;                                                          \
  odd = odd * s + 1.0 / 120;                                                           \
  even = even * s + 1.0 / 2;                                                           \
  odd = odd * s + 1.0 / 6;                                                             \
  real power = 1 + (r + (s * (even + r * odd) + rest))

double tacit_exp(double x) {
  if (isnan(x)) return x;
  if (x > 710) return INFINITY;
  if (x < -746) return 0;
  SERIES(double);
  /* The result may be subnormal or overflow. */
  if (x < PLAIN_MIN || x > PLAIN_MAX) return ldexp(power, (int)n);
  uint64_t bits;
  memcpy(&bits, &moved, sizeof bits);
  bits = (bits - MAGIC_BITS + 1023) << 52;
  double scale;
  memcpy(&scale, &bits, sizeof scale);
  return power * scale;
}

#if defined(__GNUC__)
typedef double pair __attribute__((vector_size(16)));
typedef uint64_t pair_bits __attribute__((vector_size(16)));

void tacit_exp_many(double *out, size_t count) {
  size_t i = 0;
  for (; i + 2 <= count; i += 2) {
    /* Outside the plain range, or NaN: one by one. */
    if (!(out[i] >= PLAIN_MIN && out[i] <= PLAIN_MAX && out[i + 1] >= PLAIN_MIN &&
          out[i + 1] <= PLAIN_MAX)) {
      out[i] = tacit_exp(out[i]);
      out[i + 1] = tacit_exp(out[i + 1]);
      continue;
    }
    pair x;
    memcpy(&x, out + i, sizeof x);
    SERIES(pair);
    pair scale = (pair)(((pair_bits)moved - MAGIC_BITS + 1023) << 52);
    power *= scale;
    memcpy(out + i, &power, sizeof power);
  }
  for (; i < count; ++i)
    out[i] = tacit_exp(out[i]);
}
#else
void tacit_exp_many(double *out, size_t count) {
  for (size_t i = 0; i < count; ++i)
    out[i] = tacit_exp(out[i]);
}
#endif
