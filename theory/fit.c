/* SPDX-License-Identifier: MIT */
/* Fits the slope of log y against log x by least squares, with its standard error. */
#include <math.h>

#include "theory.h"

line fit_slope(const double *x, const double *y, int n) {
  double mx = 0, my = 0, xx = 0, xy = 0, rest = 0;
  for (int i = 0; i < n; ++i) {
    mx += log(x[i]) / n;
    my += log(y[i]) / n;
  }
  for (int i = 0; i < n; ++i) {
    xx += pow(log(x[i]) - mx, 2);
    xy += (log(x[i]) - mx) * (log(y[i]) - my);
  }
  double slope = xy / xx;
  for (int i = 0; i < n; ++i)
    rest += pow(log(y[i]) - my - slope * (log(x[i]) - mx), 2);
  return (line){slope, n > 2 ? sqrt(rest / (n - 2) / xx) : INFINITY};
}
