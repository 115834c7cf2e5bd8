/* SPDX-License-Identifier: MIT */
/* Tails of normal, t and F distributions, from the incomplete beta function. */
#include <math.h>

#include "extra/infer/infer.h"

double tacit_normal_above(double z) { return erfc(z / sqrt(2)) / 2; }

/* Returns x with above(x, df) = tail for a tail of 0 to 1/2 and a function that falls,
   by bisection. */
static double point_of(double (*above)(double, double), double tail, double df) {
  double low = 0, high = 1;
  while (above(high, df) > tail && high < 0x1p500)
    high *= 2;
  for (int i = 0; i < 200 && low < high; ++i) {
    double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    if (above(middle, df) > tail)
      low = middle;
    else
      high = middle;
  }
  return high;
}

static double normal_above(double z, double unused) {
  (void)unused;
  return tacit_normal_above(z);
}

double tacit_normal_point(double tail) { return point_of(normal_above, tail, 0); }

/* Returns the continued fraction of the incomplete beta function (Lentz). */
static double beta_fraction(double a, double b, double x) {
  const double tiny = 1e-300;
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  d = 1 / (fabs(d) < tiny ? tiny : d);
  double result = d;
  for (int m = 1; m < 10000; ++m) {
    double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    for (int i = 0; i < 2; ++i) {
      double term = i == 0 ? even : odd;
      d = 1 + term * d;
      d = 1 / (fabs(d) < tiny ? tiny : d);
      c = 1 + term / c;
      if (fabs(c) < tiny) c = tiny;
      result *= c * d;
    }
    if (fabs(c * d - 1) < 1e-15) break;
  }
  return result;
}

/* Returns the regularised incomplete beta function I_x(a, b); `rest` is 1 - x. */
static double beta_of(double a, double b, double x, double rest) {
  if (!(x > 0)) return 0;
  if (!(rest > 0)) return 1;
  double front =
      exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(rest));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, rest) / b;
}

double tacit_student_above(double t, double df) {
  if (df > 1e7) return tacit_normal_above(t);
  double square = t * t;
  double half = beta_of(df / 2, 0.5, df / (df + square), square / (df + square)) / 2;
  return t < 0 ? 1 - half : half;
}

double tacit_student_point(double tail, double df) {
  return point_of(tacit_student_above, tail, df);
}

double tacit_fisher_above(double f, double df_1, double df_2) {
  double sum = df_2 + df_1 * f;
  return beta_of(df_2 / 2, df_1 / 2, df_2 / sum, df_1 * f / sum);
}
