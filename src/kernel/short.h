/* SPDX-License-Identifier: MIT */
#ifndef TACIT_KERNEL_SHORT_H
#define TACIT_KERNEL_SHORT_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/*
 * A short number has 29 significant bits and is 0 or between 2^-850 and 2^850 in size.
 * Its product with a float, which has 24 bits, is exact as a double. So a processor may
 * fuse the multiplication with the addition that follows: the sum has the same bits
 * fused or not. Gradients are evaluated at points that are rounded to short numbers, a
 * relative change of at most 2^-29 that costs nobody privacy: the vault clips what rows
 * contribute, whatever the point.
 */
static inline double tacit_short(double number) {
  const double min = 0x1p-850, max = 0x1p850;
  const uint64_t rest = (UINT64_C(1) << 24) - 1;
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  bits = (bits + (rest + 1) / 2) & ~rest; /* rounds to the nearest, halves away from
                                             zero */
  double rounded;
  memcpy(&rounded, &bits, sizeof rounded);
  double size = fabs(number);
  if (!(size < max)) return isnan(number) ? number : copysign(max, number);
  return size < min ? 0 : rounded;
}

#endif
