/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BASE_NUMBERS_H
#define TACIT_BASE_NUMBERS_H

#include <math.h>
#include <stdint.h>

/* 128-bit integers: encoded sums plus noise. */
__extension__ typedef __int128 tacit_i128;
__extension__ typedef unsigned __int128 tacit_u128;

/*
 * Arithmetic with a known direction. The result of the double operation is within half
 * a unit in the last place of the exact one, so the next double up (down) is never
 * below (above) it. Accounting uses these and no bare operators.
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
/* libm's log, exp and log2 are within 1 ulp: two steps are on the safe side. */
static inline double tacit_log_up(double x) { return tacit_up(tacit_up(log(x))); }
static inline double tacit_log_down(double x) { return tacit_down(tacit_down(log(x))); }
static inline double tacit_log2_up(double x) { return tacit_up(tacit_up(log2(x))); }

/* ceil(log2(n)) for n >= 1. */
static inline int tacit_ceil_log2(uint64_t n) {
  int bits = 0;
  while (bits < 64 && ((uint64_t)1 << bits) < n)
    ++bits;
  return bits;
}

/* Bytes of an integer, least significant first, whatever the machine's order. */
static inline void tacit_store_le64(unsigned char *out, uint64_t value) {
  for (int i = 0; i < 8; ++i)
    out[i] = (unsigned char)(value >> (8 * i));
}
static inline uint64_t tacit_load_le64(const unsigned char *in) {
  uint64_t value = 0;
  for (int i = 0; i < 8; ++i)
    value |= (uint64_t)in[i] << (8 * i);
  return value;
}

#endif
