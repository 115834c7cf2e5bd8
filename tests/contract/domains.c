/* SPDX-License-Identifier: MIT */
/* The sets W: projections, diameters, norms. */
#include "check.h"

#include <float.h>

#include "contract/draw.h"
#include "norm/domain.h"

enum { DIM_MAX = 9 };

static const tacit_domain domains[] = {TACIT_DOMAIN_BALL, TACIT_DOMAIN_BOX};

static tacit_learner_facts facts_of(tacit_domain domain, size_t dim, double radius) {
  return (tacit_learner_facts){.dim = dim,
                               .rounds = 1,
                               .power = 1,
                               .grad_bound = 1,
                               .domain = domain,
                               .radius = radius};
}

static double distance(const double *a, const double *b, size_t n) {
  double difference[DIM_MAX];
  for (size_t i = 0; i < n; ++i)
    difference[i] = a[i] - b[i];
  return draw_norm(difference, n);
}

static double largest_of(const double *v, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; ++i)
    most = fmax(most, fabs(v[i]));
  return most;
}

static void projection_lands_in_the_set_and_stays(void **state) {
  (void)state;
  draw source = {1};
  for (size_t k = 0; k < 2; ++k) {
    for (int trial = 0; trial < 20000; ++trial) {
      size_t dim = 1 + (size_t)trial % DIM_MAX;
      double radius = exp(draw_uniform(&source, -3, 5));
      tacit_learner_facts facts = facts_of(domains[k], dim, radius);
      double once[DIM_MAX], twice[DIM_MAX];
      draw_direction(&source, dim, radius * exp(draw_uniform(&source, -2, 6)), once);
      tacit_domain_project(&facts, once);
      double size =
          domains[k] == TACIT_DOMAIN_BOX ? largest_of(once, dim) : draw_norm(once, dim);
      CHECK_AT_MOST(size, radius * (1 + 1e-15));
      memcpy(twice, once, sizeof twice);
      tacit_domain_project(&facts, twice);
      assert_memory_equal(once, twice, dim * sizeof *once);
      assert_true(tacit_domain_contains(&facts, once, 0));
    }
  }
}

static void points_inside_are_left_alone(void **state) {
  (void)state;
  draw source = {2};
  for (size_t k = 0; k < 2; ++k) {
    for (int trial = 0; trial < 5000; ++trial) {
      tacit_learner_facts facts = facts_of(domains[k], 5, 2);
      double w[5], before[5];
      draw_direction(&source, 5, 2 * draw_uniform(&source, 0, 1 - 1e-12), w);
      memcpy(before, w, sizeof w);
      tacit_domain_project(&facts, w);
      assert_memory_equal(w, before, sizeof w);
    }
    tacit_learner_facts facts = facts_of(domains[k], 1, 0.1);
    double edge = 0.1;
    tacit_domain_project(&facts, &edge);
    assert_true(edge == 0.1);
  }
}

static void projection_never_moves_points_apart(void **state) {
  (void)state;
  draw source = {3};
  for (size_t k = 0; k < 2; ++k) {
    for (int trial = 0; trial < 20000; ++trial) {
      size_t dim = 1 + (size_t)trial % DIM_MAX;
      tacit_learner_facts facts = facts_of(domains[k], dim, 1.5);
      double a[DIM_MAX], b[DIM_MAX];
      draw_direction(&source, dim, draw_uniform(&source, 0, 6), a);
      draw_direction(&source, dim, draw_uniform(&source, 0, 6), b);
      double before = distance(a, b, dim);
      tacit_domain_project(&facts, a);
      tacit_domain_project(&facts, b);
      CHECK_AT_MOST(distance(a, b, dim), before * (1 + 1e-12) + 1e-14);
    }
  }
}

/* p is the projection of x exactly when <x - p, z - p> <= 0 for all z in W, and then no
   z is nearer. The z tried are random ones and the farthest one along x - p. */
static void no_point_of_the_set_is_nearer(void **state) {
  (void)state;
  draw source = {4};
  for (size_t k = 0; k < 2; ++k) {
    for (int trial = 0; trial < 300; ++trial) {
      size_t dim = 1 + (size_t)trial % DIM_MAX;
      tacit_learner_facts facts = facts_of(domains[k], dim, 1);
      double x[DIM_MAX], p[DIM_MAX], z[DIM_MAX];
      draw_direction(&source, dim, draw_uniform(&source, 0.5, 4), x);
      memcpy(p, x, sizeof p);
      tacit_domain_project(&facts, p);
      double nearest = distance(x, p, dim);
      for (int other = 0; other < 200; ++other) {
        for (size_t i = 0; i < dim; ++i)
          z[i] = domains[k] == TACIT_DOMAIN_BOX ? draw_uniform(&source, -1, 1) : 0;
        if (domains[k] == TACIT_DOMAIN_BALL)
          draw_direction(&source, dim, draw_uniform(&source, 0, 1), z);
        if (other == 0) {
          double gap = distance(x, p, dim);
          for (size_t i = 0; i < dim && gap > 0; ++i)
            z[i] = domains[k] == TACIT_DOMAIN_BOX ? (x[i] >= p[i] ? 1 : -1)
                                                  : (x[i] - p[i]) / gap;
        }
        CHECK_AT_MOST(nearest, distance(x, z, dim) + 1e-12);
        double angle = 0;
        for (size_t i = 0; i < dim; ++i)
          angle += (x[i] - p[i]) * (z[i] - p[i]);
        CHECK_AT_MOST(angle, 1e-12);
      }
    }
  }
}

static void projection_of_known_points(void **state) {
  (void)state;
  tacit_learner_facts ball = facts_of(TACIT_DOMAIN_BALL, 2, 1);
  tacit_learner_facts box = facts_of(TACIT_DOMAIN_BOX, 2, 1);
  double w[2] = {3, 4};
  tacit_domain_project(&ball, w);
  CHECK_WITHIN(w[0], 0.6, 1e-15);
  CHECK_WITHIN(w[1], 0.8, 1e-15);
  double v[2] = {-3, 0.25};
  tacit_domain_project(&box, v);
  assert_true(v[0] == -1 && v[1] == 0.25);
}

static void projection_copes_with_any_number(void **state) {
  (void)state;
  const double values[] = {0,    1e-320, 1e-300,   1,         1e300, DBL_MAX,
                           -1e8, NAN,    INFINITY, -INFINITY, 5e307};
  enum { N = sizeof values / sizeof *values };
  const double radii[] = {5e-324, 1e-310, 1e-100, 1, 1e100};
  for (size_t k = 0; k < 2; ++k) {
    for (size_t r = 0; r < sizeof radii / sizeof *radii; ++r) {
      tacit_learner_facts facts = facts_of(domains[k], 3, radii[r]);
      for (size_t i = 0; i < N * N * N; ++i) {
        double w[3] = {values[i % N], values[i / N % N], values[i / N / N]};
        tacit_domain_project(&facts, w);
        assert_true(tacit_domain_contains(&facts, w, 0));
      }
    }
  }
  tacit_learner_facts ball = facts_of(TACIT_DOMAIN_BALL, 2, 1);
  double large[2] = {1.5e308, -1.5e308};
  tacit_domain_project(&ball, large);
  CHECK_WITHIN(large[0], sqrt(0.5), 1e-15);
  CHECK_WITHIN(large[1], -sqrt(0.5), 1e-15);
  double infinite[2] = {-INFINITY, 3};
  tacit_domain_project(&ball, infinite);
  assert_true(infinite[0] == -1 && infinite[1] == 0);
  double not_in[2] = {NAN, 0.5};
  assert_false(tacit_domain_contains(&ball, not_in, 1));
  tacit_domain_project(&ball, not_in);
  assert_true(not_in[0] == 0 && not_in[1] == 0.5);
}

static void diameters_are_attained(void **state) {
  (void)state;
  tacit_learner_facts ball = facts_of(TACIT_DOMAIN_BALL, 4, 1.5);
  tacit_learner_facts box = facts_of(TACIT_DOMAIN_BOX, 4, 1.5);
  assert_true(tacit_domain_diameter(&ball) == 3);
  assert_true(tacit_domain_diameter(&box) == 6);
  double a[4] = {9, 9, 9, 9}, b[4] = {-9, -9, -9, -9};
  tacit_domain_project(&box, a);
  tacit_domain_project(&box, b);
  CHECK_RELATIVE(distance(a, b, 4), 6, 1e-15);
}

static void norms_do_not_overflow_or_vanish(void **state) {
  (void)state;
  double v[7] = {3, 0, 0, 0, 0, 4, 12};
  for (int exponent = -1060; exponent <= 1015; ++exponent) {
    double scaled[7];
    for (int i = 0; i < 7; ++i)
      scaled[i] = ldexp(v[i], exponent);
    assert_true(tacit_norm_l2(scaled, 7) == ldexp(13, exponent));
  }
  double zero[3] = {0, 0, 0}, none[2] = {NAN, 1}, infinite[2] = {1, -INFINITY};
  assert_true(tacit_norm_l2(zero, 3) == 0);
  assert_true(tacit_norm_l2(zero, 0) == 0);
  assert_true(isnan(tacit_norm_l2(none, 2)));
  assert_true(tacit_norm_l2(infinite, 2) == INFINITY);
  double mixed[3] = {1e-200, 1e200, 1e-200};
  CHECK_RELATIVE(tacit_norm_l2(mixed, 3), 1e200, 1e-15);
}

static void dot_products_are_exact_on_integers(void **state) {
  (void)state;
  double a[11], b[11];
  for (size_t n = 0; n <= 11; ++n) {
    double expected = 0;
    for (size_t i = 0; i < n; ++i) {
      a[i] = (double)i - 4;
      b[i] = (double)(i * i) + 1;
      expected += a[i] * b[i];
    }
    assert_true(tacit_norm_dot(a, b, n) == expected);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(projection_lands_in_the_set_and_stays),
      cmocka_unit_test(points_inside_are_left_alone),
      cmocka_unit_test(projection_never_moves_points_apart),
      cmocka_unit_test(no_point_of_the_set_is_nearer),
      cmocka_unit_test(projection_of_known_points),
      cmocka_unit_test(projection_copes_with_any_number),
      cmocka_unit_test(diameters_are_attained),
      cmocka_unit_test(norms_do_not_overflow_or_vanish),
      cmocka_unit_test(dot_products_are_exact_on_integers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
