/* SPDX-License-Identifier: MIT */
/*
 * e^x from additions and multiplications only. libm picks a variant by processor, and
 * the variants differ in the last bit; a slope that differs in its last bit can move a
 * contribution to the next lattice point and so change the model. tacit_exp returns the
 * same bits everywhere.
 *
 * x = n ln 2 + r with |r| <= ln(2)/2; e^r by its Taylor series to r^13 (remainder below
 * 4e-18); the result scaled by 2^n. The arithmetic is written once, in SERIES, for one
 * number and for vectors of two and four. All three give the same bits, so
 * tacit_exp_many may choose by the processor.
 */
#include "loss/exp.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ln 2 in two parts. LN2_HIGH has 41 bits, so n LN2_HIGH is exact for every n that
   occurs. */
static const double LN2_HIGH = 0x1.62e42fefa3000p-1;
static const double LN2_LOW = 0x1.3de6af278ece6p-42;
static const double INVERSE_LN2 = 0x1.71547652b82fep+0;
/* Adding MAGIC to a number below 2^51 leaves the nearest integer in the low bits. */
static const double MAGIC = 0x1.8p52;
#define MAGIC_BITS UINT64_C(0x4338000000000000)
/* For x between PLAIN_MIN and PLAIN_MAX, 2^n is a normal number. */
static const double PLAIN_MIN = -708, PLAIN_MAX = 709;

/* Computes from x: `moved`, whose low bits are n, and `power` = e^r. Even and odd
   powers are summed apart, because two short chains of operations run faster than one
   long chain. */
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
/* Defines a function that replaces every number of the whole vectors in out by e to its
   power, and returns how many numbers they contain. A vector with NaN or a number
   outside PLAIN_MIN … PLAIN_MAX is computed one number at a time. */
#define MANY(name, width, all, attributes)                                             \
  attributes static size_t name(double *out, size_t count) {                           \
    typedef double real __attribute__((vector_size(8 * (width))));                     \
    typedef uint64_t bits __attribute__((vector_size(8 * (width))));                   \
    typedef double real_there                                                          \
        __attribute__((vector_size(8 * (width)), aligned(8), may_alias));              \
    size_t i = 0;                                                                      \
    for (; i + (width) <= count; i += (width)) {                                       \
      real x = *(const real_there *)(out + i);                                         \
      bits plain = (bits)(x >= PLAIN_MIN) & (bits)(x <= PLAIN_MAX);                    \
      if (!(all)) {                                                                    \
        for (size_t k = 0; k < (width); ++k)                                           \
          out[i + k] = tacit_exp(out[i + k]);                                          \
        continue;                                                                      \
      }                                                                                \
      SERIES(real);                                                                    \
      real scale = (real)(((bits)moved - MAGIC_BITS + 1023) << 52);                    \
      *(real_there *)(out + i) = power * scale;                                        \
    }                                                                                  \
    return i;                                                                          \
  }

MANY(many_pairs, 2, plain[0] & plain[1], )
#if defined(TACIT_HAVE_X86_LEVELS)
MANY(many_fours, 4, plain[0] & plain[1] & plain[2] & plain[3],
     __attribute__((target("avx2"))))
#endif

void tacit_exp_many(double *x, size_t count) {
  size_t i = 0;
#if defined(TACIT_HAVE_X86_LEVELS)
  if (__builtin_cpu_supports("avx2")) i = many_fours(x, count);
#endif
  i += many_pairs(x + i, count - i);
  for (; i < count; ++i)
    x[i] = tacit_exp(x[i]);
}
#else
void tacit_exp_many(double *x, size_t count) {
  for (size_t i = 0; i < count; ++i)
    x[i] = tacit_exp(x[i]);
}
#endif
