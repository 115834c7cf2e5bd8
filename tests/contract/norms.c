/* SPDX-License-Identifier: MIT */
/* Lp norms, their duals and their mirror maps. */
#include "check.h"

#include <float.h>

#include "contract/draw.h"
#include "norm/norm.h"

enum { DIM = 9 };

static const double exponents[] = {1.05, 1.2, 1.5, 1.8, 2, 2.5, 4, 21};
enum { N_EXPONENTS = sizeof exponents / sizeof *exponents };

/* The norm by its definition, in long double. */
static double slow_norm(const double *v, size_t n, double p) {
  long double sum = 0;
  for (size_t i = 0; i < n; ++i)
    sum += powl(fabsl((long double)v[i]), (long double)p);
  return (double)powl(sum, 1 / (long double)p);
}

static void norms_equal_their_definition(void **state) {
  (void)state;
  draw source = {1};
  for (int trial = 0; trial < 5000; ++trial) {
    size_t n = 1 + (size_t)trial % DIM;
    double v[DIM];
    draw_direction(&source, n, exp(draw_uniform(&source, -20, 20)), v);
    for (size_t e = 0; e < N_EXPONENTS; ++e)
      CHECK_RELATIVE(tacit_norm_lp(NULL, v, n, exponents[e]),
                     slow_norm(v, n, exponents[e]), 1e-14);
    CHECK_RELATIVE(tacit_norm_lp(NULL, v, n, 1), slow_norm(v, n, 1), 1e-14);
    assert_true(tacit_norm_lp(NULL, v, n, 2) == tacit_norm_l2(NULL, v, n));
    assert_true(tacit_norm_lp(NULL, v, n, INFINITY) == tacit_norm_max(NULL, v, n));
  }
  double known[2] = {3, -4};
  CHECK_RELATIVE(tacit_norm_lp(NULL, known, 2, 1), 7, 1e-15);
  CHECK_RELATIVE(tacit_norm_lp(NULL, known, 2, 3), pow(91, 1. / 3), 1e-15);
  assert_true(tacit_norm_max(NULL, known, 2) == 4);
}

static void norms_of_any_size(void **state) {
  (void)state;
  double v[3] = {3, -4, 12};
  for (size_t e = 0; e < N_EXPONENTS; ++e) {
    double unit = tacit_norm_lp(NULL, v, 3, exponents[e]);
    for (int exponent = -1000; exponent <= 1000; exponent += 40) {
      double scaled[3];
      for (int i = 0; i < 3; ++i)
        scaled[i] = ldexp(v[i], exponent);
      CHECK_RELATIVE(tacit_norm_lp(NULL, scaled, 3, exponents[e]),
                     ldexp(unit, exponent), 1e-15);
    }
    double zero[2] = {0, 0}, none[2] = {1, NAN}, infinite[2] = {-INFINITY, 1};
    assert_true(tacit_norm_lp(NULL, zero, 2, exponents[e]) == 0);
    assert_true(isnan(tacit_norm_lp(NULL, none, 2, exponents[e])));
    assert_true(tacit_norm_lp(NULL, infinite, 2, exponents[e]) == INFINITY);
  }
}

static void duals(void **state) {
  (void)state;
  assert_true(tacit_norm_dual(2) == 2 && tacit_norm_dual(1) == INFINITY &&
              tacit_norm_dual(INFINITY) == 1 && tacit_norm_dual(1.5) == 3);
  draw source = {2};
  double tightest = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    double p = exponents[trial % N_EXPONENTS], q = tacit_norm_dual(p), x[DIM], y[DIM];
    CHECK_RELATIVE(tacit_norm_dual(q), p, 1e-14);
    draw_direction(&source, DIM, draw_uniform(&source, 0, 9), x);
    draw_direction(&source, DIM, draw_uniform(&source, 0, 9), y);
    double limit = tacit_norm_lp(NULL, x, DIM, p) * tacit_norm_lp(NULL, y, DIM, q);
    CHECK_AT_MAX(tacit_norm_dot(NULL, x, y, DIM), limit * (1 + 1e-14));
    tightest = fmax(tightest, tacit_norm_dot(NULL, x, y, DIM) / limit);
    /* equality along the mirror map */
    tacit_norm_mirror(NULL, x, DIM, p, y);
    CHECK_RELATIVE(tacit_norm_dot(NULL, x, y, DIM),
                   tacit_norm_lp(NULL, x, DIM, p) * tacit_norm_lp(NULL, y, DIM, q),
                   1e-13);
    CHECK_RELATIVE(tacit_norm_lp(NULL, y, DIM, q), tacit_norm_lp(NULL, x, DIM, p),
                   1e-13);
  }
  assert_true(tightest > 0.7);
}

static void mirror_map_and_its_inverse(void **state) {
  (void)state;
  draw source = {3};
  for (int trial = 0; trial < 20000; ++trial) {
    double p = exponents[trial % N_EXPONENTS], q = tacit_norm_dual(p);
    double x[DIM], y[DIM], back[DIM];
    draw_direction(&source, DIM, exp(draw_uniform(&source, -200, 200)), x);
    tacit_norm_mirror(NULL, x, DIM, p, y);
    tacit_norm_mirror(NULL, y, DIM, q, back);
    for (size_t i = 0; i < DIM; ++i)
      CHECK_WITHIN(back[i], x[i], 1e-12 * fabs(x[i]));
    tacit_norm_mirror(NULL, x, DIM, p, x); /* in place */
    assert_memory_equal(x, y, sizeof x);
  }
  double zero[2] = {0, 0}, out[2] = {1, 1};
  tacit_norm_mirror(NULL, zero, 2, 1.5, out);
  assert_true(out[0] == 0 && out[1] == 0);
}

static double half_square(const double *v, double p) {
  double norm = tacit_norm_lp(NULL, v, DIM, p);
  return norm * norm / 2;
}

static void mirror_map_is_the_gradient(void **state) {
  (void)state;
  draw source = {4};
  for (int trial = 0; trial < 2000; ++trial) {
    double p = exponents[2 + trial % 4], x[DIM], gradient[DIM];
    draw_direction(&source, DIM, draw_uniform(&source, 0.5, 3), x);
    tacit_norm_mirror(NULL, x, DIM, p, gradient);
    for (size_t i = 0; i < DIM; ++i) {
      double at = x[i], h = 1e-6 * fabs(at);
      x[i] = at + h;
      double up = half_square(x, p);
      x[i] = at - h;
      double down = half_square(x, p);
      x[i] = at;
      CHECK_WITHIN((up - down) / (2 * h), gradient[i], 1e-8 * (1 + 1 / fabs(at)));
    }
  }
}

/* 2 (f(y) - f(x) - <grad f(x), y - x>) / |y - x|_p^2 of f = |.|_p^2. */
static double strength(const double *x, const double *y, double p) {
  double gradient[DIM], gap[DIM], linear = 0;
  tacit_norm_mirror(NULL, x, DIM, p, gradient);
  for (size_t i = 0; i < DIM; ++i) {
    gap[i] = y[i] - x[i];
    linear += 2 * gradient[i] * gap[i];
  }
  double f_x = 2 * half_square(x, p), f_y = 2 * half_square(y, p);
  double size = tacit_norm_lp(NULL, gap, DIM, p);
  return 2 * (f_y - f_x - linear) / (size * size);
}

/* The lambda for which |.|_p^2 is lambda-strongly convex in |.|_p, as the paper defines
   it: the function exceeds its tangent by at least (lambda/2) |u - v|_p^2. */
static double lambda_of(double p) { return 2 * (p - 1); }

static void lambda_holds_and_is_tight(void **state) {
  (void)state;
  static const double seen[] = {0.1001, 0.4002, 1.0006, 1.6001}; /* for p up to 1.8 */
  draw source = {5};
  for (size_t e = 0; e < 5; ++e) {
    double p = exponents[e], lambda = lambda_of(p), x[DIM], y[DIM];
    for (int trial = 0; trial < 20000; ++trial) {
      draw_direction(&source, DIM, 1, x);
      draw_direction(&source, DIM, exp(draw_uniform(&source, -3, 2)), y);
      CHECK_AT_MAX(lambda * (1 - 1e-9), strength(x, y, p));
    }
    /* across the diagonal of two equal coordinates */
    double min = INFINITY;
    for (double step = 0.02; step < 0.5; step *= 1.3) {
      memset(x, 0, sizeof x);
      memset(y, 0, sizeof y);
      x[0] = x[1] = 1;
      y[0] = 1 + step;
      y[1] = 1 - step;
      min = fmin(min, strength(x, y, p));
    }
    CHECK_AT_MAX(lambda * (1 - 1e-9), min);
    if (e < 4) CHECK_WITHIN(min, seen[e], 8e-4);
    CHECK_RELATIVE(min, lambda, 1e-3);
  }
  /* for p > 2 there is no such constant */
  double flat[DIM] = {1}, up[DIM] = {1, 1e-3};
  CHECK_AT_MAX(strength(flat, up, 3), 1e-2);
}

static void l1_through_a_p_near_1(void **state) {
  (void)state;
  CHECK_RELATIVE(tacit_norm_for_l1(1000), 1 + 1 / log(1000), 1e-15);
  assert_true(tacit_norm_for_l1(1) == 2 && tacit_norm_for_l1(2) == 2);
  assert_true(tacit_norm_for_l1(3) < 2);
  for (size_t n = 3; n < 4000; n = n * 3 / 2) {
    double p = tacit_norm_for_l1(n), v[4000];
    for (size_t i = 0; i < n; ++i)
      v[i] = 1; /* the worst case */
    double ratio = tacit_norm_lp(NULL, v, n, 1) / tacit_norm_lp(NULL, v, n, p),
           l = log((double)n);
    CHECK_RELATIVE(ratio, exp(l / (1 + l)), 1e-12);
    assert_true(ratio < exp(1));
    CHECK_RELATIVE(lambda_of(p), 2 / l, 1e-12);
  }
}

static void euclidean_norms_do_not_overflow_or_vanish(void **state) {
  (void)state;
  double v[7] = {3, 0, 0, 0, 0, 4, 12};
  for (int exponent = -1060; exponent <= 1015; ++exponent) {
    double scaled[7];
    for (int i = 0; i < 7; ++i)
      scaled[i] = ldexp(v[i], exponent);
    assert_true(tacit_norm_l2(NULL, scaled, 7) == ldexp(13, exponent));
    assert_true(tacit_norm_of_two(scaled[0], -scaled[5]) == ldexp(5, exponent));
  }
  double zero[3] = {0, 0, 0}, none[2] = {NAN, 1}, infinite[2] = {1, -INFINITY};
  assert_true(tacit_norm_l2(NULL, zero, 3) == 0);
  assert_true(tacit_norm_l2(NULL, zero, 0) == 0);
  assert_true(isnan(tacit_norm_l2(NULL, none, 2)));
  assert_true(isnan(tacit_norm_of_two(1, NAN)) && tacit_norm_of_two(0, -0.0) == 0);
  assert_true(tacit_norm_of_two(1, -INFINITY) == INFINITY);
  assert_true(tacit_norm_l2(NULL, infinite, 2) == INFINITY);
  double mixed[3] = {1e-200, 1e200, 1e-200};
  CHECK_RELATIVE(tacit_norm_l2(NULL, mixed, 3), 1e200, 1e-15);
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
    assert_true(tacit_norm_dot(NULL, a, b, n) == expected);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(norms_equal_their_definition),
      cmocka_unit_test(norms_of_any_size),
      cmocka_unit_test(duals),
      cmocka_unit_test(mirror_map_and_its_inverse),
      cmocka_unit_test(mirror_map_is_the_gradient),
      cmocka_unit_test(lambda_holds_and_is_tight),
      cmocka_unit_test(l1_through_a_p_near_1),
      cmocka_unit_test(euclidean_norms_do_not_overflow_or_vanish),
      cmocka_unit_test(dot_products_are_exact_on_integers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
