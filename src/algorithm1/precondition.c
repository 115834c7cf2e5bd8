/* SPDX-License-Identifier: MIT */
#include "algorithm1/precondition.h"

/* Sums run in one order, so the bits do not depend on threads. */
void tacit_precondition_apply(const tacit_precondition *pre, double *grad) {
  size_t n = pre->columns;
  double *along = pre->room;
  for (size_t k = 0; k < n; ++k)
    along[k] = 0;
  for (size_t j = 0; j < n; ++j)
    for (size_t k = 0; k < n; ++k)
      along[k] += pre->vectors[j * n + k] * grad[j];
  for (size_t k = 0; k < n; ++k)
    along[k] /= pre->curvatures[k];
  for (size_t j = 0; j < n; ++j) {
    double sum = 0;
    for (size_t k = 0; k < n; ++k)
      sum += pre->vectors[j * n + k] * along[k];
    grad[j] = sum;
  }
  grad[n] /= pre->intercept;
}
