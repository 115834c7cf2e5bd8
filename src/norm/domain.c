/* SPDX-License-Identifier: MIT */
/*
 * The sets W that weights stay in: projections, diameters, membership. All vectors here
 * are released or public; nothing depends on a record.
 */
#include "norm/domain.h"

#include <assert.h>
#include <math.h>

double tacit_domain_norm(const tacit_learner_facts *facts) {
  return facts->norm == 0 ? 2 : facts->norm;
}

/* Scales a vector whose norm overflows to a size that can be computed with, and keeps
   its direction. */
static void shrink(tacit_pool *pool, double *w, size_t dim) {
  double max = tacit_norm_max(pool, w, dim);
  for (size_t i = 0; i < dim; ++i)
    if (isinf(max))
      w[i] = isinf(w[i]) ? copysign(1, w[i]) : 0;
    else
      w[i] /= max;
}

static void drop_nan(double *w, size_t dim) {
  for (size_t i = 0; i < dim; ++i)
    if (isnan(w[i])) w[i] = 0;
}

struct scaling {
  double factor, *w;
};

static double multiply_chunk(void *context, size_t first, size_t end) {
  const struct scaling *scaling = context;
  double *w = scaling->w, factor = scaling->factor;
  for (size_t i = first; i < end; ++i)
    w[i] *= factor;
  return 0;
}

static void multiply(tacit_pool *pool, double factor, size_t dim, double *w) {
  struct scaling scaling = {factor, w};
  (void)tacit_parallel_sum(pool, dim, multiply_chunk, &scaling);
}

/* Scales w down until its norm is at most the radius. Rounding may have left it an ulp
   above. The cut grows with every turn, so that the loop ends even for subnormal
   numbers. */
static void pull_in(tacit_pool *pool, double radius, double p, size_t dim, double *w) {
  for (double cut = 0x1p-52; tacit_norm_lp(pool, w, dim, p) > radius; cut *= 2)
    multiply(pool, 1 - cut, dim, w);
}

static void scale_into_ball(tacit_pool *pool, double radius, double p, size_t dim,
                            double *w) {
  double norm = tacit_norm_lp(pool, w, dim, p);
  if (isnan(norm)) {
    drop_nan(w, dim);
    norm = tacit_norm_lp(pool, w, dim, p);
  }
  if (norm <= radius) return;
  if (isinf(norm)) {
    shrink(pool, w, dim);
    norm = tacit_norm_lp(pool, w, dim, p);
  }
  multiply(pool, radius / norm, dim, w);
  pull_in(pool, radius, p, dim, w);
}

static void project_on_lp_ball(tacit_pool *pool, double radius, double p, size_t dim,
                               double *w) {
  double norm = tacit_norm_lp(pool, w, dim, p);
  if (isnan(norm)) {
    drop_nan(w, dim);
    norm = tacit_norm_lp(pool, w, dim, p);
  }
  if (norm <= radius) return;
  if (isinf(norm)) {
    /* The norm overflows, so that only the direction of w matters. 0x1p1000 keeps w far
       outside the ball without an overflow. */
    shrink(pool, w, dim);
    for (size_t i = 0; i < dim; ++i)
      w[i] *= 0x1p1000;
  }
  tacit_lp_ball_nearest(radius, p, dim, w);
  pull_in(pool, radius, p, dim, w);
}

static void project_on_box(double radius, size_t dim, double *w) {
  for (size_t i = 0; i < dim; ++i) {
    if (isnan(w[i])) w[i] = 0;
    if (w[i] > radius) w[i] = radius;
    if (w[i] < -radius) w[i] = -radius;
  }
}

static void project_on_simplex(size_t dim, double *w) {
  drop_nan(w, dim);
  size_t infinite = 0;
  for (size_t i = 0; i < dim; ++i)
    infinite += w[i] == INFINITY;
  for (size_t i = 0; i < dim; ++i) {
    if (infinite > 0) w[i] = w[i] == INFINITY ? 1 / (double)infinite : 0;
    if (isinf(w[i])) w[i] = -0x1p1023;
  }
  tacit_simplex_nearest(dim, w);
}

void tacit_domain_project(const tacit_learner_facts *facts, double *w) {
  tacit_domain_project_on(NULL, facts, w);
}

void tacit_domain_project_on(tacit_pool *pool, const tacit_learner_facts *facts,
                             double *w) {
  assert(facts != NULL && w != NULL && facts->radius > 0);
  double p = tacit_domain_norm(facts);
  switch (facts->domain) {
  case TACIT_DOMAIN_BOX: project_on_box(facts->radius, facts->dim, w); return;
  case TACIT_DOMAIN_SIMPLEX: project_on_simplex(facts->dim, w); return;
  default: break;
  }
  if (p == 2)
    scale_into_ball(pool, facts->radius, 2, facts->dim, w);
  else
    project_on_lp_ball(pool, facts->radius, p, facts->dim, w);
}

void tacit_domain_project_mirror(tacit_pool *pool, const tacit_learner_facts *facts,
                                 double *w) {
  double p = tacit_domain_norm(facts);
  assert(p == 2 || facts->domain <= TACIT_DOMAIN_BALL);
  if (p == 2)
    tacit_domain_project_on(pool, facts, w);
  else
    scale_into_ball(pool, facts->radius, p, facts->dim, w);
}

/* Returns the largest |v|_to among all v with |v|_from <= 1. */
static double equivalence(size_t dim, double from, double to) {
  return to >= from ? 1 : pow((double)dim, 1 / to - 1 / from);
}

double tacit_domain_diameter_in(const tacit_learner_facts *facts, double p) {
  if (facts->domain == TACIT_DOMAIN_SIMPLEX)
    return facts->dim == 1 ? 0 : p == 2 ? sqrt(2) : pow(2, 1 / p);
  return 2 * tacit_domain_reach_in(facts, p);
}

double tacit_domain_reach_in(const tacit_learner_facts *facts, double p) {
  double d = (double)facts->dim;
  switch (facts->domain) {
  case TACIT_DOMAIN_SIMPLEX: return 1;
  case TACIT_DOMAIN_BOX: return facts->radius * (p == 2 ? sqrt(d) : pow(d, 1 / p));
  default: break;
  }
  return facts->radius * equivalence(facts->dim, tacit_domain_norm(facts), p);
}

double tacit_domain_diameter(const tacit_learner_facts *facts) {
  return tacit_domain_diameter_in(facts, 2);
}

double tacit_domain_l2_bound(const tacit_learner_facts *facts, double dual_bound) {
  double q = tacit_norm_dual(tacit_domain_norm(facts));
  return dual_bound * equivalence(facts->dim, q, 2);
}

int tacit_domain_contains(tacit_pool *pool, const tacit_learner_facts *facts,
                          const double *w, double slack) {
  double limit = facts->radius * (1 + slack);
  switch (facts->domain) {
  case TACIT_DOMAIN_SIMPLEX: return tacit_simplex_contains(facts->dim, w, slack);
  case TACIT_DOMAIN_BOX: return tacit_norm_max(pool, w, facts->dim) <= limit;
  default: break;
  }
  return tacit_norm_lp(pool, w, facts->dim, tacit_domain_norm(facts)) <= limit;
}
