/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BASE_NUMBERS_H
#define TACIT_BASE_NUMBERS_H

#include <math.h>
#include <stdint.h>

/* 128-bit integers, for encoded sums and their noise. */
__extension__ typedef __int128 tacit_i128;
__extension__ typedef unsigned __int128 tacit_u128;

/* Returns the nearest double. Most values fit into 64 bits, which processors convert in
   one instruction. */
static inline double tacit_nearest_double(tacit_i128 value) {
  int64_t narrow = (int64_t)value;
  return narrow == value ? (double)narrow : (double)value;
}

/* Narrows the numbers low and high, variables of one type, until no number is between
   them. `middle` becomes low if `is_low`, an expression of middle, is true, otherwise
   high. */
#define TACIT_HALVE(type, low, high, is_low)                                           \
  for (type middle = (low) + ((high) - (low)) / 2; middle > (low) && middle < (high);  \
       middle = (low) + ((high) - (low)) / 2)                                          \
  *((is_low) ? &(low) : &(high)) = middle

/*
 * Arithmetic with a known direction. A double operation is within half a unit in the
 * last place of the exact result. So the next double above it is never below the exact
 * result, and the next double below it is never above. Accounting uses these functions
 * instead of bare operators.
 */
static inline double tacit_up(double x) { return nextafter(x, INFINITY); }
static inline double tacit_down(double x) { return nextafter(x, -INFINITY); }
static inline double tacit_add_up(double a, double b) { return tacit_up(a + b); }
static inline double tacit_add_down(double a, double b) { return tacit_down(a + b); }
static inline double tacit_mul_up(double a, double b) { return tacit_up(a * b); }
static inline double tacit_mul_down(double a, double b) { return tacit_down(a * b); }
static inline double tacit_div_up(double a, double b) { return tacit_up(a / b); }
static inline double tacit_div_down(double a, double b) { return tacit_down(a / b); }
static inline double tacit_sqrt_up(double x) { return tacit_up(sqrt(x)); }
static inline double tacit_sqrt_down(double x) {
  return x > 0 ? tacit_down(sqrt(x)) : 0;
}
/* Move by two doubles, because log and log2 of libm are within one unit in the last
 * place. */
static inline double tacit_log_down(double x) { return tacit_down(tacit_down(log(x))); }
static inline double tacit_log2_up(double x) { return tacit_up(tacit_up(log2(x))); }

/* Returns ceil(log2(n)) for n >= 1. */
static inline int tacit_ceil_log2(uint64_t n) {
  int bits = 0;
  while (bits < 64 && ((uint64_t)1 << bits) < n)
    ++bits;
  return bits;
}

/* Store and load an integer as bytes, least significant first on every machine. They
   are not loops, because compilers turn these lines into one store or load. */
static inline void tacit_store_le64(unsigned char *out, uint64_t value) {
  out[0] = (unsigned char)value;
  out[1] = (unsigned char)(value >> 8);
  out[2] = (unsigned char)(value >> 16);
  out[3] = (unsigned char)(value >> 24);
  out[4] = (unsigned char)(value >> 32);
  out[5] = (unsigned char)(value >> 40);
  out[6] = (unsigned char)(value >> 48);
  out[7] = (unsigned char)(value >> 56);
}
static inline uint64_t tacit_load_le64(const unsigned char *in) {
  return in[0] | (uint64_t)in[1] << 8 | (uint64_t)in[2] << 16 | (uint64_t)in[3] << 24 |
         (uint64_t)in[4] << 32 | (uint64_t)in[5] << 40 | (uint64_t)in[6] << 48 |
         (uint64_t)in[7] << 56;
}

#endif
