/* SPDX-License-Identifier: MIT */
/*
 * The Euclidean norm, the dot product, and the sets W a learner stays in. All of it
 * works on released or public vectors; nothing here sees a record.
 */
#include "norm/domain.h"

#include <assert.h>
#include <math.h>

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

/* Largest magnitude; NaN as soon as one coordinate is NaN. */
static double largest(const double *v, size_t n) {
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
  double most = largest(v, n);
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

/* Brings a vector whose norm is past the largest double, or infinite, to a size one can
   work with; the direction stays. */
static void shrink(double *w, size_t dim) {
  double most = largest(w, dim);
  for (size_t i = 0; i < dim; ++i) {
    if (isinf(most))
      w[i] = isinf(w[i]) ? copysign(1, w[i]) : 0;
    else
      w[i] /= most;
  }
}

static void project_on_ball(double radius, size_t dim, double *w) {
  double norm = tacit_norm_l2(w, dim);
  if (isnan(norm)) {
    for (size_t i = 0; i < dim; ++i)
      if (isnan(w[i])) w[i] = 0;
    norm = tacit_norm_l2(w, dim);
  }
  if (norm <= radius) return;
  if (isinf(norm)) {
    shrink(w, dim);
    norm = tacit_norm_l2(w, dim);
  }
  for (size_t i = 0; i < dim; ++i)
    w[i] *= radius / norm;
  /* Rounding may leave the norm an ulp outside; W is closed and means it. The cut grows
     so that this ends even where the numbers have no ulps left to give. */
  for (double cut = 0x1p-52; tacit_norm_l2(w, dim) > radius; cut *= 2) {
    for (size_t i = 0; i < dim; ++i)
      w[i] *= 1 - cut;
  }
}

static void project_on_box(double radius, size_t dim, double *w) {
  for (size_t i = 0; i < dim; ++i) {
    if (isnan(w[i])) w[i] = 0;
    if (w[i] > radius) w[i] = radius;
    if (w[i] < -radius) w[i] = -radius;
  }
}

void tacit_domain_project(const tacit_learner_facts *facts, double *w) {
  assert(facts != NULL && w != NULL && facts->radius > 0);
  if (facts->domain == TACIT_DOMAIN_BOX)
    project_on_box(facts->radius, facts->dim, w);
  else
    project_on_ball(facts->radius, facts->dim, w);
}

double tacit_domain_diameter(const tacit_learner_facts *facts) {
  double diameter = 2 * facts->radius;
  return facts->domain == TACIT_DOMAIN_BOX ? diameter * sqrt((double)facts->dim)
                                           : diameter;
}

int tacit_domain_contains(const tacit_learner_facts *facts, const double *w,
                          double slack) {
  double limit = facts->radius * (1 + slack);
  double size = facts->domain == TACIT_DOMAIN_BOX ? largest(w, facts->dim)
                                                  : tacit_norm_l2(w, facts->dim);
  return size <= limit;
}
