/* SPDX-License-Identifier: MIT */
/*
 * Products rounded to the nearest integer, for sums of several outputs. If the last
 * digit of a factor is odd, none of its products lies halfway between two integers
 * below 2^51. So "nearest" means one integer, whatever it is added to and in which
 * order. Proof: docs/proofs/nearest_integers.md
 */
#ifndef TACIT_VAULT_NEAREST_H
#define TACIT_VAULT_NEAREST_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* From 2^52 to 2^53 the doubles are the integers. TACIT_MAGIC is in the middle, with
   2^51 of them on each side. */
#define TACIT_MAGIC 0x1.8p52

/* Returns how many integers of size at most `bound` always have a sum below 2^51; 0 if
   not even one does. */
static inline size_t tacit_together(int64_t bound) {
  const int64_t max = ((int64_t)1 << 51) - 1;
  return (size_t)(max / (bound > 1 ? bound : 1));
}

/* Returns the nearest double that has an odd last digit and is at most as large as
   raw_factor. Returns 0 for 0 and for denormal numbers, which have fewer digits. */
static inline double tacit_odd(double raw_factor) {
  uint64_t raw_bits;
  if (!(fabs(raw_factor) >= 0x1p-1022)) return 0;
  memcpy(&raw_bits, &raw_factor, sizeof raw_bits);
  raw_bits = (raw_bits - 1) | 1;
  memcpy(&raw_factor, &raw_bits, sizeof raw_bits);
  return raw_factor;
}

/* Returns the integer nearest to the exact product, which must be below 2^51, of an odd
   factor. A product that was rounded first can only be wrong if it comes to lie
   halfway. */
static inline int64_t tacit_nearest(double raw_factor, double raw_value) {
  double raw_product = raw_factor * raw_value;
  double raw_near = (raw_product + TACIT_MAGIC) - TACIT_MAGIC;
  if (fabs(raw_product - raw_near) == 0.5)
    raw_near = fma(raw_factor, raw_value, TACIT_MAGIC) - TACIT_MAGIC;
  return (int64_t)raw_near;
}

#endif
