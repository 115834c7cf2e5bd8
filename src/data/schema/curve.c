/* SPDX-License-Identifier: MIT */
/* The points of curves, and a logarithm with the same bits everywhere. */
#include "data/schema/curve.h"

#include "base/error.h"
#include "base/memory.h"

const char *tacit_number_map_name(tacit_number_map map) {
  static const char *const names[] = {"linear", "log", "log1p", "sqrt"};
  return names[map];
}

/* Uses x = m 2^e with m from 1/sqrt 2 to sqrt 2, and log m = 2 atanh z with z = (m -
   1)/(m + 1). The terms of the series after z^21/21 are below 2^-56, because |z| <=
   0.1716. */
double tacit_curve_log(double x) {
  static const double ln2_high = 0x1.62e42fefap-1, ln2_low = 0x1.cf79abc9e3b3ap-40;
  int exponent;
  double m = frexp(x, &exponent);
  if (m < 0.70710678118654752) {
    m *= 2;
    --exponent;
  }
  double z = (m - 1) / (m + 1), square = z * z, sum = 0;
  for (int i = 21; i >= 3; i -= 2)
    sum = square * (sum + 1.0 / i);
  double e = exponent;
  return e * ln2_high + (e * ln2_low + (2 * z + 2 * z * sum));
}

/* Inverts a map. The result is only for names and pictures, because numbers of files
   are compared in the mapped range. */
static double inverse(tacit_number_map map, double mapped) {
  switch (map) {
  case TACIT_MAP_LINEAR: break;
  case TACIT_MAP_LOG: return exp(mapped);
  case TACIT_MAP_LOG1P: return expm1(mapped);
  case TACIT_MAP_SQRT: return mapped * mapped;
  }
  return mapped;
}

tacit_status tacit_curve_finish(tacit_curve *curve, const double *edges,
                                tacit_error *err) {
  curve->start = tacit_curve_mapped(curve, curve->min);
  curve->width = tacit_curve_mapped(curve, curve->max) - curve->start;
  if (curve->shape == TACIT_TERM_LINE) return TACIT_OK;
  size_t last = curve->n_points - 1;
  curve->points = tacit_array_new(curve->n_points, sizeof *curve->points);
  curve->at = tacit_array_new(curve->n_points, sizeof *curve->at);
  if (curve->points == NULL || curve->at == NULL) return tacit_fail_memory(err);
  curve->has_edges = edges != NULL;
  for (size_t i = 1; i < last; ++i) {
    double even = curve->start + curve->width * ((double)i / (double)last);
    curve->at[i] = edges != NULL ? tacit_curve_mapped(curve, edges[i - 1]) : even;
    curve->points[i] = edges != NULL ? edges[i - 1] : inverse(curve->map, even);
  }
  curve->points[0] = curve->min;
  curve->points[last] = curve->max;
  curve->at[0] = curve->start;
  curve->at[last] = tacit_curve_mapped(curve, curve->max);
  return TACIT_OK;
}

void tacit_curve_fini(tacit_curve *curve) {
  TACIT_FREE(curve->points, curve->at, curve->atoms);
}
