/* SPDX-License-Identifier: MIT */
/*
 * Lp norms, their duals, and the mirror maps of OMD and FTRL. For psi(v) = |v|_p^2/2,
 *
 *   (grad psi(v))_i = sgn(v_i) |v_i|^{p-1} |v|_p^{2-p},
 *
 * the inverse of which is the same map with q = p/(p-1). All of it works on released
 * or public vectors; nothing here sees a record.
 */
#include "norm/norm.h"

#include <math.h>
#include <string.h>

/* Four running sums, joined in one order: as fast as the compiler can make it without
   leave to reorder. */
double tacit_norm_dot(const double *a, const double *b, size_t n) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    s0 += a[i] * b[i];
    s1 += a[i + 1] * b[i + 1];
    s2 += a[i + 2] * b[i + 2];
    s3 += a[i + 3] * b[i + 3];
  }
  for (; i < n; ++i)
    s0 += a[i] * b[i];
  return (s0 + s1) + (s2 + s3);
}

double tacit_norm_max(const double *v, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; ++i) {
    double size = fabs(v[i]);
    if (!(size <= most)) most = size;
    if (isnan(size)) break;
  }
  return most;
}

double tacit_norm_l2(const double *v, size_t n) {
  double sum = tacit_norm_dot(v, v, n);
  /* Between these no square that matters was lost. */
  if (sum > 0x1p-900 && sum < 0x1p1000) return sqrt(sum);
  double most = tacit_norm_max(v, n);
  if (!(most > 0) || isinf(most)) return most;
  /* A power of two scales without rounding. */
  int exponent;
  (void)frexp(most, &exponent);
  sum = 0;
  for (size_t i = 0; i < n; ++i) {
    double scaled = ldexp(v[i], -exponent);
    sum += scaled * scaled;
  }
  return ldexp(sqrt(sum), exponent);
}

/* sum (|v_i|/most)^p, between 1 and n. */
static double sum_of_powers(const double *v, size_t n, double p, double most) {
  double sum = 0;
  for (size_t i = 0; i < n; ++i)
    sum += pow(fabs(v[i]) / most, p);
  return sum;
}

double tacit_norm_lp(const double *v, size_t n, double p) {
  if (p == 2) return tacit_norm_l2(v, n);
  double most = tacit_norm_max(v, n);
  if (isinf(p) || !(most > 0) || isinf(most)) return most;
  return most * pow(sum_of_powers(v, n, p, most), 1 / p);
}

double tacit_norm_dual(double p) {
  if (isinf(p)) return 1;
  return p > 1 ? p / (p - 1) : INFINITY;
}

void tacit_norm_mirror(const double *v, size_t n, double p, double *out) {
  if (p == 2) {
    memmove(out, v, n * sizeof *out);
    return;
  }
  double most = tacit_norm_max(v, n), sum = 1;
  if (most > 0) sum = sum_of_powers(v, n, p, most);
  double scale = most * pow(sum, (2 - p) / p);
  for (size_t i = 0; i < n; ++i)
    out[i] = v[i] == 0 ? 0 : copysign(scale * pow(fabs(v[i]) / most, p - 1), v[i]);
}

double tacit_norm_lambda(double p) { return 2 * (p - 1); }

double tacit_norm_for_l1(size_t n) {
  return n > 2 ? fmin(2, 1 + 1 / log((double)n)) : 2;
}
