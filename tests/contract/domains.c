/* SPDX-License-Identifier: MIT */
/* The sets W: projections, diameters, membership. */
#include "check.h"

#include <float.h>
#include <stdlib.h>

#include "contract/draw.h"
#include "norm/domain.h"

enum { DIM_MAX = 9 };

static const struct set {
  tacit_domain domain;
  double norm;
} sets[] = {
    {TACIT_DOMAIN_BALL, 0},    {TACIT_DOMAIN_BALL, 2},    {TACIT_DOMAIN_BOX, 0},
    {TACIT_DOMAIN_BALL, 1.8},  {TACIT_DOMAIN_BALL, 1.5},  {TACIT_DOMAIN_BALL, 1.2},
    {TACIT_DOMAIN_BALL, 1.05}, {TACIT_DOMAIN_SIMPLEX, 0},
};
enum { N_SETS = sizeof sets / sizeof *sets };

static tacit_learner_facts facts_of(struct set set, size_t dim, double radius) {
  return (tacit_learner_facts){.dim = dim,
                               .rounds = 1,
                               .power = 1,
                               .grad_bound = 1,
                               .domain = set.domain,
                               .radius = radius,
                               .norm = set.norm};
}

static double distance(const double *a, const double *b, size_t n) {
  double difference[DIM_MAX];
  for (size_t i = 0; i < n; ++i)
    difference[i] = a[i] - b[i];
  return draw_norm(difference, n);
}

/* 1 up to rounding if w is on the boundary of the set, less inside, more outside. */
static double size_in(const tacit_learner_facts *facts, const double *w) {
  double sum = 0, min = 0, powers = 0;
  for (size_t i = 0; i < facts->dim; ++i) {
    sum += w[i];
    min = fmin(min, w[i]);
    powers += pow(fabs(w[i]) / facts->radius, tacit_domain_norm(facts));
  }
  switch (facts->domain) {
  case TACIT_DOMAIN_SIMPLEX: return 1 + fabs(sum - 1) - min;
  case TACIT_DOMAIN_BOX: return tacit_norm_max(NULL, w, facts->dim) / facts->radius;
  default: break;
  }
  return pow(powers, 1 / tacit_domain_norm(facts));
}

static void projection_lands_in_the_set_and_stays(void **state) {
  (void)state;
  draw source = {1};
  for (size_t k = 0; k < N_SETS; ++k) {
    for (int trial = 0; trial < 5000; ++trial) {
      size_t dim = 1 + (size_t)trial % DIM_MAX;
      double radius = exp(draw_uniform(&source, -3, 5));
      tacit_learner_facts facts = facts_of(sets[k], dim, radius);
      double once[DIM_MAX], twice[DIM_MAX], before[DIM_MAX];
      draw_direction(&source, dim, radius * exp(draw_uniform(&source, -2, 6)), once);
      memcpy(before, once, sizeof before);
      tacit_domain_project(&facts, once);
      CHECK_AT_MAX(size_in(&facts, once), 1 + 1e-14);
      if (size_in(&facts, before) > 1) /* a point from outside ends on the boundary */
        CHECK_AT_MAX(1 - 4e-15 * DIM_MAX, size_in(&facts, once));
      memcpy(twice, once, sizeof twice);
      tacit_domain_project(&facts, twice);
      assert_memory_equal(once, twice, dim * sizeof *once);
      assert_true(tacit_domain_contains(NULL, &facts, once, 0));
    }
  }
}

static void points_inside_are_left_alone(void **state) {
  (void)state;
  draw source = {2};
  for (size_t k = 0; k < N_SETS; ++k) {
    tacit_learner_facts facts = facts_of(sets[k], 5, 2);
    int inside = 0;
    for (int trial = 0; trial < 5000; ++trial) {
      double w[5], before[5], sum = 0;
      draw_direction(&source, 5, 2 * draw_uniform(&source, 0, 1 - 1e-12), w);
      for (size_t i = 0; i < 5; ++i)
        sum += fabs(w[i]);
      for (size_t i = 0; i < 5 && facts.domain == TACIT_DOMAIN_SIMPLEX; ++i)
        w[i] = fabs(w[i]) / sum;
      memcpy(before, w, sizeof w);
      if (!tacit_domain_contains(NULL, &facts, w, 0)) continue;
      ++inside;
      tacit_domain_project(&facts, w);
      assert_memory_equal(w, before, sizeof w);
    }
    assert_true(inside > 500);
    if (facts.domain == TACIT_DOMAIN_SIMPLEX) continue;
    tacit_learner_facts line = facts_of(sets[k], 1, 0.1);
    double edge = 0.1;
    tacit_domain_project(&line, &edge);
    assert_true(edge == 0.1);
  }
}

static void projection_never_moves_points_apart(void **state) {
  (void)state;
  draw source = {3};
  for (size_t k = 0; k < N_SETS; ++k) {
    for (int trial = 0; trial < 5000; ++trial) {
      size_t dim = 1 + (size_t)trial % DIM_MAX;
      tacit_learner_facts facts = facts_of(sets[k], dim, 1.5);
      double a[DIM_MAX], b[DIM_MAX];
      draw_direction(&source, dim, draw_uniform(&source, 0, 6), a);
      draw_direction(&source, dim, draw_uniform(&source, 0, 6), b);
      if (trial % 3 == 0) /* two points close to each other */
        for (size_t i = 0; i < dim; ++i)
          b[i] = a[i] + 1e-6 * b[i];
      double before = distance(a, b, dim);
      tacit_domain_project(&facts, a);
      tacit_domain_project(&facts, b);
      CHECK_AT_MAX(distance(a, b, dim), before * (1 + 1e-12) + 2e-14);
    }
  }
}

/* The point z of the set with the largest <z, v>, |v| > 0. */
static void farthest(const tacit_learner_facts *facts, const double *v, double *out) {
  size_t dim = facts->dim, best = 0;
  double q = tacit_norm_dual(tacit_domain_norm(facts));
  tacit_norm_mirror(NULL, v, dim, q, out);
  double size = tacit_norm_lp(NULL, v, dim, q);
  for (size_t i = 0; i < dim; ++i) {
    if (v[i] > v[best]) best = i;
    out[i] *= facts->radius / size;
    if (facts->domain == TACIT_DOMAIN_BOX) out[i] = copysign(facts->radius, v[i]);
  }
  for (size_t i = 0; i < dim && facts->domain == TACIT_DOMAIN_SIMPLEX; ++i)
    out[i] = i == best;
}

/* p is the projection of x if and only if <x - p, z - p> <= 0 for all z in W. It is
   enough to check the z farthest along x - p. */
static void no_point_of_the_set_is_nearer(void **state) {
  (void)state;
  draw source = {4};
  for (size_t k = 0; k < N_SETS; ++k) {
    for (int trial = 0; trial < 1000; ++trial) {
      size_t dim = 1 + (size_t)trial % DIM_MAX;
      tacit_learner_facts facts = facts_of(sets[k], dim, 1);
      double x[DIM_MAX], p[DIM_MAX], z[DIM_MAX], gap[DIM_MAX];
      draw_direction(&source, dim, draw_uniform(&source, 0.5, 4), x);
      memcpy(p, x, sizeof p);
      tacit_domain_project(&facts, p);
      for (size_t i = 0; i < dim; ++i)
        gap[i] = x[i] - p[i];
      for (int other = 0; other < 10; ++other) {
        draw_direction(&source, dim, draw_uniform(&source, 0.1, 2), z);
        tacit_domain_project(&facts, z);
        if (other == 0 && draw_norm(gap, dim) > 0) farthest(&facts, gap, z);
        CHECK_AT_MAX(distance(x, p, dim), distance(x, z, dim) + 1e-12);
        double angle = 0;
        for (size_t i = 0; i < dim; ++i)
          angle += gap[i] * (z[i] - p[i]);
        CHECK_AT_MAX(angle, 1e-12);
      }
    }
  }
}

static void projection_of_known_points(void **state) {
  (void)state;
  tacit_learner_facts ball = facts_of(sets[0], 2, 1);
  tacit_learner_facts box = facts_of(sets[2], 2, 1);
  double w[2] = {3, 4};
  tacit_domain_project(&ball, w);
  CHECK_WITHIN(w[0], 0.6, 1e-15);
  CHECK_WITHIN(w[1], 0.8, 1e-15);
  double v[2] = {-3, 0.25};
  tacit_domain_project(&box, v);
  assert_true(v[0] == -1 && v[1] == 0.25);
  /* p = 3/2: from a boundary point a outwards along its normal, mu sqrt(a) */
  tacit_learner_facts lp = facts_of((struct set){TACIT_DOMAIN_BALL, 1.5}, 2, 1);
  double a[2] = {pow(0.3, 1 / 1.5), pow(0.7, 1 / 1.5)}, mu = 0.8;
  double y[2] = {a[0] + mu * sqrt(a[0]), -a[1] - mu * sqrt(a[1])};
  tacit_domain_project(&lp, y);
  CHECK_WITHIN(y[0], a[0], 1e-14);
  CHECK_WITHIN(y[1], -a[1], 1e-14);
}

static int descending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x < y) - (x > y);
}

/* The threshold from the sorted coordinates: the largest j with y_(j) above
   (y_(1) + … + y_(j) - 1)/j. */
static void simplex_projection_is_that_of_sorting(void **state) {
  (void)state;
  draw source = {6};
  enum { N = 300 };
  for (int trial = 0; trial < 2000; ++trial) {
    size_t n = 1 + (size_t)(draw_word(&source) % N);
    double y[N], sorted[N], scale = exp(draw_uniform(&source, -8, 4)), tau = 0, sum = 0;
    for (size_t i = 0; i < n; ++i)
      y[i] = scale * draw_normal(&source) + draw_uniform(&source, -1, 1) * scale;
    memcpy(sorted, y, n * sizeof *y);
    qsort(sorted, n, sizeof *sorted, descending);
    for (size_t j = 0; j < n; ++j) {
      sum += sorted[j];
      double candidate = (sum - 1) / (double)(j + 1);
      if (sorted[j] > candidate) tau = candidate;
    }
    tacit_learner_facts facts = facts_of(sets[7], n, 1);
    double w[N];
    memcpy(w, y, n * sizeof *y);
    tacit_domain_project(&facts, w);
    for (size_t i = 0; i < n; ++i)
      CHECK_WITHIN(w[i], fmax(y[i] - tau, 0), 1e-13 * (1 + scale));
  }
  double origin[4] = {0, 0, 0, 0}, one[1] = {-7};
  tacit_learner_facts four = facts_of(sets[7], 4, 1), single = facts_of(sets[7], 1, 1);
  tacit_domain_project(&four, origin);
  for (int i = 0; i < 4; ++i)
    assert_true(origin[i] == 0.25);
  tacit_domain_project(&single, one);
  assert_true(one[0] == 1);
}

/* The minimiser over the ball of |w|_p^2/2 - <theta, w>, where theta is the dual of a
   point outside, lies on the ray through that point. */
static void mirror_projection_scales_back(void **state) {
  (void)state;
  draw source = {7};
  for (size_t k = 3; k < 7; ++k) {
    for (int trial = 0; trial < 300; ++trial) {
      tacit_learner_facts facts = facts_of(sets[k], 6, 1.5);
      double p = sets[k].norm, w[6], theta[6], z[6];
      draw_direction(&source, 6, draw_uniform(&source, 1, 9), w);
      tacit_norm_mirror(NULL, w, 6, p, theta);
      double before = tacit_norm_lp(NULL, w, 6, p);
      tacit_domain_project_mirror(NULL, &facts, w);
      double size = tacit_norm_lp(NULL, w, 6, p);
      assert_true(size <= 1.5);
      CHECK_RELATIVE(size, fmin(1.5, before), 1e-14);
      double value = size * size / 2 - tacit_norm_dot(NULL, theta, w, 6);
      for (int other = 0; other < 50; ++other) {
        double share = draw_uniform(&source, 0, 1);
        draw_direction(&source, 6, 1, z);
        for (size_t i = 0; i < 6; ++i)
          z[i] = w[i] + share * z[i];
        tacit_domain_project(&facts, z);
        double length = tacit_norm_lp(NULL, z, 6, p);
        CHECK_AT_MAX(value,
                     length * length / 2 - tacit_norm_dot(NULL, theta, z, 6) + 1e-12);
      }
    }
  }
}

static void projection_copes_with_any_number(void **state) {
  (void)state;
  const double values[] = {0,    1e-320, 1e-300,   1,         1e300, DBL_MAX,
                           -1e8, NAN,    INFINITY, -INFINITY, 5e307};
  enum { N = sizeof values / sizeof *values };
  const double radii[] = {5e-324, 1e-310, 1e-100, 1, 1e100};
  for (size_t k = 0; k < N_SETS; ++k) {
    for (size_t r = 0; r < sizeof radii / sizeof *radii; ++r) {
      tacit_learner_facts facts = facts_of(sets[k], 3, radii[r]);
      for (size_t i = 0; i < N * N * N; ++i) {
        double w[3] = {values[i % N], values[i / N % N], values[i / N / N]};
        tacit_domain_project(&facts, w);
        assert_true(tacit_domain_contains(NULL, &facts, w, 0));
      }
    }
  }
  tacit_learner_facts ball = facts_of(sets[0], 2, 1), lp = facts_of(sets[4], 2, 1);
  tacit_learner_facts simplex = facts_of(sets[7], 2, 1);
  double large[2] = {1.5e308, -1.5e308}, same[2] = {1.5e308, -1.5e308};
  tacit_domain_project(&ball, large);
  CHECK_WITHIN(large[0], sqrt(0.5), 1e-15);
  CHECK_WITHIN(large[1], -sqrt(0.5), 1e-15);
  tacit_domain_project(&lp, same);
  CHECK_WITHIN(same[0], pow(0.5, 1 / 1.5), 1e-15);
  double infinite[2] = {-INFINITY, 3}, edge[2] = {INFINITY, INFINITY},
         low[2] = {-INFINITY, 3};
  tacit_domain_project(&ball, infinite);
  assert_true(infinite[0] == -1 && infinite[1] == 0);
  tacit_domain_project(&simplex, edge);
  assert_true(edge[0] == 0.5 && edge[1] == 0.5);
  tacit_domain_project(&simplex, low);
  assert_true(low[0] == 0 && low[1] == 1);
  double not_in[2] = {NAN, 0.5};
  for (size_t k = 0; k < N_SETS; ++k) {
    tacit_learner_facts facts = facts_of(sets[k], 2, 1);
    assert_false(tacit_domain_contains(NULL, &facts, not_in, 1));
  }
  tacit_domain_project(&ball, not_in);
  assert_true(not_in[0] == 0 && not_in[1] == 0.5);
}

/* No two points are farther apart than the diameter, and two points attain it. */
static void diameters_are_attained(void **state) {
  (void)state;
  draw source = {5};
  const double in[] = {1, 1.2, 1.5, 2, 3};
  for (size_t k = 0; k < N_SETS; ++k) {
    tacit_learner_facts facts = facts_of(sets[k], 4, 1.5);
    assert_true(tacit_domain_diameter(&facts) == tacit_domain_diameter_in(&facts, 2));
    for (size_t j = 0; j < sizeof in / sizeof *in; ++j) {
      double D = tacit_domain_diameter_in(&facts, in[j]), max = 0, reach = 0;
      for (int trial = 0; trial < 2000; ++trial) {
        double a[4], b[4], gap[4];
        draw_direction(&source, 4, 10, a);
        if (trial % 4 < 2) /* corners */
          for (size_t i = 0; i < 4; ++i)
            a[i] = i == (size_t)trial / 4 % 4 ? 90 : 0;
        if (trial % 4 == 2) /* diagonals */
          for (size_t i = 0; i < 4; ++i)
            a[i] = 9;
        for (size_t i = 0; i < 4; ++i)
          b[i] = facts.domain == TACIT_DOMAIN_SIMPLEX ? a[(i + 1) % 4] : -a[i];
        tacit_domain_project(&facts, a);
        tacit_domain_project(&facts, b);
        for (size_t i = 0; i < 4; ++i)
          gap[i] = a[i] - b[i];
        max = fmax(max, tacit_norm_lp(NULL, gap, 4, in[j]));
        reach = fmax(reach, tacit_norm_lp(NULL, a, 4, in[j]));
      }
      CHECK_RELATIVE(max, D, 1e-12);
      CHECK_RELATIVE(reach, tacit_domain_reach_in(&facts, in[j]), 1e-12);
    }
  }
  tacit_learner_facts point = facts_of(sets[7], 1, 1);
  assert_true(tacit_domain_diameter(&point) == 0);
}

/* |g|_q <= 3 implies |g|_2 <= bound, and some g attains the bound. */
static void euclidean_bounds_from_dual_ones(void **state) {
  (void)state;
  for (size_t k = 0; k < N_SETS; ++k) {
    tacit_learner_facts facts = facts_of(sets[k], 5, 1);
    double g[5] = {1, 1, 1, 1, 1};
    double q = tacit_norm_dual(tacit_domain_norm(&facts));
    CHECK_RELATIVE(tacit_domain_l2_bound(&facts, 3) / 3,
                   tacit_norm_l2(NULL, g, 5) / tacit_norm_lp(NULL, g, 5, q), 1e-14);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(projection_lands_in_the_set_and_stays),
      cmocka_unit_test(points_inside_are_left_alone),
      cmocka_unit_test(projection_never_moves_points_apart),
      cmocka_unit_test(no_point_of_the_set_is_nearer),
      cmocka_unit_test(projection_of_known_points),
      cmocka_unit_test(simplex_projection_is_that_of_sorting),
      cmocka_unit_test(mirror_projection_scales_back),
      cmocka_unit_test(projection_copes_with_any_number),
      cmocka_unit_test(diameters_are_attained),
      cmocka_unit_test(euclidean_bounds_from_dual_ones),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
