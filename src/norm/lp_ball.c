/* SPDX-License-Identifier: MIT */
/*
 * Euclidean projection x of a point y onto the p-ball, 1 < p < 2. With b = |y|/radius
 * and a = |x|/radius, per coordinate, the optimality conditions are
 *
 *   a_i + mu a_i^{p-1} = b_i   with mu > 0 such that |a|_p = 1.
 *
 * In s = a^{p-1} the first condition is s^m + mu s = b with m = 1/(p-1) > 1. Its left
 * side is convex and increasing, so Newton's method from the right converges to the
 * root. The second condition is solved as 1/|a|_p = 1, which is nearly linear in mu
 * (linear for p = 2), by Newton's method within a bracket.
 */
#include <float.h>
#include <math.h>

#include "norm/domain.h"

/* Above this ratio of |y_i| to the radius, rounding loses the term a_i of the first
   condition. */
static const double far = 1e18;

/* Returns s with s^m + mu s = b; *out_a is s^m. */
static double root_of(double b, double mu, double m, double *out_a) {
  double s = fmin(pow(b, 1 / m), b / mu);
  for (int i = 0; i < 100; ++i) {
    double a = pow(s, m);
    double next = s - (a + mu * s - b) / (m * a / s + mu);
    if (!(next < s) || !(next > 0)) break;
    s = next;
  }
  *out_a = pow(s, m);
  return s;
}

/* Returns 1/|a(mu)|_p - 1; *out_slope is its derivative in mu. */
static double gap_at(double mu, double radius, double p, size_t n, const double *w,
                     double *out_slope) {
  double m = 1 / (p - 1), sum = 0, drift = 0;
  for (size_t i = 0; i < n; ++i) {
    double b = fabs(w[i]) / radius, a;
    if (b == 0) continue;
    double s = root_of(b, mu, m, &a);
    if (!(s > 0)) continue;
    sum += a * s;
    drift += a * s / (m * a / s + mu);
  }
  double norm = pow(sum, 1 / p);
  *out_slope = m * drift / (norm * sum);
  return 1 / norm - 1;
}

/* Returns the mu in (low, high) where gap_at returns 0. The gap must be negative at low
   and not negative at high. */
static double solve(double low, double high, double radius, double p, size_t n,
                    const double *w) {
  double mu = high;
  for (int i = 0; i < 200; ++i) {
    double slope, gap = gap_at(mu, radius, p, n, w, &slope);
    if (fabs(gap) <= DBL_EPSILON) break;
    if (gap < 0)
      low = mu;
    else
      high = mu;
    double next = mu - gap / slope;
    if (!(next > low && next < high)) next = low + (high - low) / 2;
    if (next == mu || !(next > low && next < high)) break;
    mu = next;
  }
  return mu;
}

void tacit_lp_ball_nearest(double radius, double p, size_t n, double *w) {
  double max = tacit_norm_max(NULL, w, n), q = tacit_norm_dual(p);
  if (max / radius > far) {
    /* Takes the point x of the ball with the largest <x, w> instead. */
    for (size_t i = 0; i < n; ++i)
      w[i] /= max;
    double size = tacit_norm_lp(NULL, w, n, q);
    tacit_norm_mirror(NULL, w, n, q, w);
    for (size_t i = 0; i < n; ++i)
      w[i] *= radius / size;
    return;
  }
  /* mu >= b_i - 1 for every i, because a_i <= 1. mu <= |b|_q, because a_i <= (b_i/mu)^m
     makes |a|_p <= 1 at mu = |b|_q. */
  double low = fmax(0, max / radius - 1);
  double high = tacit_norm_lp(NULL, w, n, q) / radius * (1 + 4 * DBL_EPSILON);
  double mu = solve(low, high, radius, p, n, w);
  for (size_t i = 0; i < n; ++i) {
    double b = fabs(w[i]) / radius, a = 0;
    if (b > 0) (void)root_of(b, mu, 1 / (p - 1), &a);
    w[i] = copysign(radius * a, w[i]);
  }
}
