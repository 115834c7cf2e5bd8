/* SPDX-License-Identifier: MIT */
#include "base/eigen.h"

#include <float.h>
#include <math.h>

enum { SWEEPS_MAX = 60 };

/* Turns two numbers by an angle with sine s; `tau` is s / (1 + cosine). */
static inline void turn(double *a, double *b, double s, double tau) {
  double g = *a, h = *b;
  *a = g - s * (h + g * tau);
  *b = h + s * (g - h * tau);
}

/* Turns rows and columns p and q so that their common entry becomes 0. Keeps only the
   upper triangle. */
static void rotate(size_t n, double *a, double *vectors, size_t p, size_t q) {
  double common = a[p * n + q], gap = a[q * n + q] - a[p * n + p];
  double theta = gap / (2 * common);
  double tangent = 1 / (fabs(theta) + sqrt(theta * theta + 1));
  if (theta < 0) tangent = -tangent;
  double cosine = 1 / sqrt(tangent * tangent + 1), sine = tangent * cosine;
  double tau = sine / (1 + cosine);
  a[p * n + p] -= tangent * common;
  a[q * n + q] += tangent * common;
  a[p * n + q] = 0;
  for (size_t j = 0; j < p; ++j)
    turn(&a[j * n + p], &a[j * n + q], sine, tau);
  for (size_t j = p + 1; j < q; ++j)
    turn(&a[p * n + j], &a[j * n + q], sine, tau);
  for (size_t j = q + 1; j < n; ++j)
    turn(&a[p * n + j], &a[q * n + j], sine, tau);
  for (size_t j = 0; j < n; ++j)
    turn(&vectors[j * n + p], &vectors[j * n + q], sine, tau);
}

/* Computes eigenvalues and eigenvectors by Jacobi's method, sweep by sweep. Leaves an
   entry alone if it is below the rounding of its two diagonal entries. Ends after a
   sweep without rotations. */
void tacit_eigen(size_t n, double *a, double *vectors, double *values) {
  int turned = 1;
  for (size_t i = 0; i < n * n; ++i)
    vectors[i] = i % (n + 1) == 0;
  for (int sweep = 0; turned && sweep < SWEEPS_MAX; ++sweep) {
    turned = 0;
    for (size_t p = 0; p + 1 < n; ++p) {
      for (size_t q = p + 1; q < n; ++q) {
        double size = fabs(a[p * n + p]) + fabs(a[q * n + q]);
        if (!(fabs(a[p * n + q]) > DBL_EPSILON / 8 * size)) continue;
        rotate(n, a, vectors, p, q);
        turned = 1;
      }
    }
  }
  for (size_t i = 0; i < n; ++i)
    values[i] = a[i * n + i];
}
