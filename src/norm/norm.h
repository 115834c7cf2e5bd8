/* SPDX-License-Identifier: MIT */
#ifndef TACIT_NORM_NORM_H
#define TACIT_NORM_NORM_H

#include <stddef.h>

#include "base/threads.h"

/* `pool` divides the work on long vectors among threads; NULL: the caller does it all.
   The order of additions does not depend on the pool, and neither do the bits. */

/* <a, b>. */
double tacit_norm_dot(tacit_pool *pool, const double *a, const double *b, size_t n);
/* Euclidean norm, correct even if the squares would overflow or underflow. */
double tacit_norm_l2(tacit_pool *pool, const double *v, size_t n);
/* 1 if the root of this sum of squares is the norm: no square over- or underflowed in a
   way that matters. */
static inline int tacit_norm_squares_hold(double sum) {
  return sum > 0x1p-900 && sum < 0x1p1000;
}
/* sqrt(a^2 + b^2). Used instead of hypot, whose last bit differs between processors. */
double tacit_norm_of_two(double a, double b);
/* The largest magnitude; NaN if one coordinate is NaN. */
double tacit_norm_max(tacit_pool *pool, const double *v, size_t n);
/* |v|_p for 1 <= p <= infinity, correct even if the powers would overflow or underflow.
 */
double tacit_norm_lp(tacit_pool *pool, const double *v, size_t n, double p);

/* The exponent q of the dual norm: 1/p + 1/q = 1. */
double tacit_norm_dual(double p);
/*
 * Gradient of |v|_p^2/2 for 1 < p < infinity: |out|_q = |v|_p and <v, out> = |v|_p^2.
 * With q in place of p it is the inverse map. `out` may be v.
 */
void tacit_norm_mirror(tacit_pool *pool, const double *v, size_t n, double p,
                       double *out);
/* The p used in place of L1: 1 + 1/ln n, at most 2. For this p, |v|_1 < e |v|_p. */
double tacit_norm_for_l1(size_t n);

#endif
