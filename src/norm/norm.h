/* SPDX-License-Identifier: MIT */
#ifndef TACIT_NORM_NORM_H
#define TACIT_NORM_NORM_H

#include <stddef.h>

#include "base/threads.h"

/* `pool` shares the work on long vectors out; NULL: nobody to share it with. Sums run
   in one order whoever adds, so the same vector gives the same bits. */

/* <a, b>. */
double tacit_norm_dot(tacit_pool *pool, const double *a, const double *b, size_t n);
/* Euclidean norm; right even where the squares would overflow or vanish. */
double tacit_norm_l2(tacit_pool *pool, const double *v, size_t n);
/* 1 when the root of a sum of squares is the norm: no square that matters was lost. */
static inline int tacit_norm_squares_hold(double sum) {
  return sum > 0x1p-900 && sum < 0x1p1000;
}
/* sqrt(a^2 + b^2) in place of hypot, whose last bit differs between processors. */
double tacit_norm_of_two(double a, double b);
/* Largest magnitude; NaN as soon as one coordinate is NaN. */
double tacit_norm_max(tacit_pool *pool, const double *v, size_t n);
/* |v|_p for 1 <= p <= infinity, right where the powers would overflow or vanish. */
double tacit_norm_lp(tacit_pool *pool, const double *v, size_t n, double p);

/* q of the dual norm, 1/p + 1/q = 1. */
double tacit_norm_dual(double p);
/*
 * Gradient of |v|_p^2/2 for 1 < p < infinity: |out|_q = |v|_p and <v, out> = |v|_p^2.
 * With q in place of p it is the inverse map. `out` may be v.
 */
void tacit_norm_mirror(tacit_pool *pool, const double *v, size_t n, double p,
                       double *out);
/* lambda: |.|_p^2 is lambda-strongly convex in |.|_p in the paper's sense, (lambda/2)
   |u - v|_p^2 below the difference to the tangent. 2 (p - 1), tight; 1 < p <= 2. */
double tacit_norm_lambda(double p);
/* The p that stands in for L1: 1 + 1/ln n, at most 2. |v|_1 < e |v|_p there. */
double tacit_norm_for_l1(size_t n);

#endif
