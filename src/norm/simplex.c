/* SPDX-License-Identifier: MIT */
/*
 * Projection of y onto the probability simplex: w_i = max(y_i - tau, 0) with tau such
 * that the sum is 1. This equation for tau is piecewise linear and convex. Newton's
 * method from below reaches the piece of the solution in finitely many steps (Michelot
 * 1986) and then solves it exactly. The usual method sorts the coordinates, which needs
 * more memory.
 */
#include <float.h>
#include <math.h>

#include "norm/domain.h"

/* Returns a bound on the rounding error of a sum of n numbers that is about 1. */
static double sum_error_up(size_t n) { return DBL_EPSILON * (double)(n < 8 ? 8 : n); }

int tacit_simplex_contains(size_t n, const double *w, double slack) {
  double sum = 0;
  for (size_t i = 0; i < n; ++i) {
    if (!(w[i] >= -slack)) return 0;
    sum += w[i];
  }
  return fabs(sum - 1) <= slack + sum_error_up(n);
}

/* Makes one Newton step: computes the next tau from the coordinates above *tau and
   returns their number. */
static size_t next_tau(size_t n, const double *w, double *tau) {
  double sum = 0;
  size_t count = 0;
  for (size_t i = 0; i < n; ++i) {
    if (w[i] > *tau) {
      sum += w[i];
      ++count;
    }
  }
  *tau = (sum - 1) / (double)count;
  return count;
}

void tacit_simplex_nearest(size_t n, double *w) {
  if (tacit_simplex_contains(n, w, 0)) return;
  double max = w[0];
  for (size_t i = 1; i < n; ++i)
    max = fmax(max, w[i]);
  /* Adding a constant to all coordinates does not change the projection. With the
     largest at 0, tau is in [-1, 0). */
  for (size_t i = 0; i < n; ++i)
    w[i] -= max;
  double tau = -1;
  size_t count = next_tau(n, w, &tau), last;
  do {
    last = count;
    count = next_tau(n, w, &tau);
  } while (count < last);
  for (size_t i = 0; i < n; ++i)
    w[i] = w[i] > tau ? w[i] - tau : 0;
  /* Corrects the sum for the rounding of tau, which was subtracted `count` times. */
  while (!tacit_simplex_contains(n, w, 0)) {
    double sum = 0;
    for (size_t i = 0; i < n; ++i)
      sum += w[i];
    for (size_t i = 0; i < n; ++i)
      w[i] /= sum;
  }
}
