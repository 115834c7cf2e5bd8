/* SPDX-License-Identifier: MIT */
#ifndef TACIT_NORM_NORM_H
#define TACIT_NORM_NORM_H

#include <stddef.h>

#include "base/threads.h"

/* In this file `pool` divides the work on long vectors among threads; with NULL the
   calling thread does all of it. The order of additions, and so every bit of a result,
   does not depend on the pool. */

/* Returns the inner product <a, b>. */
double tacit_norm_dot(tacit_pool *pool, const double *a, const double *b, size_t n);
/* Returns the Euclidean norm, correct even if the squares would overflow or
   underflow. */
double tacit_norm_l2(tacit_pool *pool, const double *v, size_t n);
/* Returns 1 if the root of this sum of squares is the norm, because no square
   overflowed or underflowed in a way that matters. */
static inline int tacit_norm_squares_hold(double sum) {
  return sum > 0x1p-900 && sum < 0x1p1000;
}
/* Returns sqrt(a^2 + b^2). Replaces hypot, whose last bit differs between
   processors. */
double tacit_norm_of_two(double a, double b);
/* Returns the largest magnitude of a coordinate, or NaN if a coordinate is NaN. */
double tacit_norm_max(tacit_pool *pool, const double *v, size_t n);
/* Returns |v|_p for 1 <= p <= infinity, correct even if the powers would overflow or
   underflow. */
double tacit_norm_lp(tacit_pool *pool, const double *v, size_t n, double p);

/* Returns the exponent q of the dual norm: 1/p + 1/q = 1. */
double tacit_norm_dual(double p);
/*
 * Writes the gradient of |v|_p^2/2 at v for 1 < p < infinity: |out|_q = |v|_p and <v,
 * out> = |v|_p^2, with q dual to p. A call with q instead of p inverts the map. `out`
 * may be v.
 */
void tacit_norm_mirror(tacit_pool *pool, const double *v, size_t n, double p,
                       double *out);
/* Returns the p that stands for L1, which is not strongly convex: 1 + 1/ln n, at most
   2. For this p, |v|_1 < e |v|_p. */
double tacit_norm_for_l1(size_t n);

#endif
