/* SPDX-License-Identifier: MIT */
/* The noise laws of pure DP: moments, shape, and the privacy inequality itself. Fixed
   seeds; tolerances of four standard errors or more. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "not_private/laws.h"
#include "not_private/seed.h"
#include "vault/key.h"

static void words_for(tacit_words *words, uint64_t seed) {
  tacit_key key;
  tacit_error err;
  CHECK_OK(tacit_key_from_seed(seed, &key, &err), err);
  tacit_words_init(words, key.bytes);
}

static double norm(const double *x, size_t dim, double q) {
  double sum = 0, max = 0;
  for (size_t i = 0; i < dim; ++i) {
    sum += pow(fabs(x[i]), isinf(q) ? 1 : q);
    max = fmax(max, fabs(x[i]));
  }
  return isinf(q) ? max : pow(sum, 1 / q);
}

/* The noise alone, at scale 1. */
static void draw_vector(const struct tacit_law_ops *law, tacit_words *words, size_t dim,
                        double exponent, double *out) {
  memset(out, 0, dim * sizeof *out);
  assert_true(law->add_vector(words, 1, dim, exponent, out));
}

/* d = 10: E|R|_*^2 = 110 +- 1% for l1, l2, linf, l3; E|R|_2^2 = 20 (l1), 440 (linf). */
static void moments_are_those_of_the_gamma_law(void **state) {
  (void)state;
  enum { DIM = 10, SAMPLES = 400000 };
  struct {
    const struct tacit_law_ops *law;
    double exponent, second_l2;
  } const cases[] = {{&tacit_law_exp_l1, 1, 20},
                     {&tacit_law_exp_l2, 2, 110},
                     {&tacit_law_exp_linf, INFINITY, 440},
                     {&tacit_law_exp_lp, 3, 0}};
  for (int c = 0; c < 4; ++c) {
    tacit_words words;
    words_for(&words, 40 + (uint64_t)c);
    double dual = 0, euclid = 0, first = 0;
    for (int i = 0; i < SAMPLES; ++i) {
      double x[DIM];
      draw_vector(cases[c].law, &words, DIM, cases[c].exponent, x);
      double size = norm(x, DIM, cases[c].exponent);
      dual += size * size;
      size = norm(x, DIM, 2);
      euclid += size * size;
      first += x[0] * x[0];
    }
    CHECK_RELATIVE(dual / SAMPLES, 110, 0.01);
    CHECK_RELATIVE(tacit_law_second_moment(cases[c].law, DIM, cases[c].exponent), 110,
                   1e-15);
    if (cases[c].second_l2 > 0)
      CHECK_RELATIVE(euclid / SAMPLES, cases[c].second_l2, 0.01);
    double std = tacit_law_std(cases[c].law, DIM, cases[c].exponent);
    CHECK_RELATIVE(first / SAMPLES, std * std, 0.015);
    CHECK_RELATIVE(euclid / SAMPLES, DIM * std * std, 0.01);
  }
}

/* The norm of exp(-|x|) noise is Gamma(d): P(|x| <= d) by its series, for l2. */
static void norms_follow_the_gamma_law(void **state) {
  (void)state;
  enum { DIM = 4, SAMPLES = 400000 };
  tacit_words words;
  words_for(&words, 50);
  double below = 0;
  for (int i = 0; i < SAMPLES; ++i) {
    double x[DIM];
    draw_vector(&tacit_law_exp_l2, &words, DIM, 2, x);
    below += norm(x, DIM, 2) <= 4;
  }
  double expected = 1, term = 1; /* 1 - e^-4 (1 + 4 + 8 + 32/3) */
  double tail = 0;
  for (int k = 0; k < DIM; ++k) {
    tail += term;
    term *= 4.0 / (k + 1);
  }
  expected -= exp(-4) * tail;
  CHECK_WITHIN(below / SAMPLES, expected, 0.0032);
}

static tacit_i128 draw(const struct tacit_law_ops *law, tacit_words *words,
                       uint64_t scale) {
  tacit_i128 value = 0;
  law->add(words, scale, &value, 1);
  return value;
}

/* P(N = j) = (1 - a)/(1 + a) a^|j|, a = exp(-1/scale). */
static void discrete_laplace_has_its_probabilities(void **state) {
  (void)state;
  enum { SAMPLES = 1000000, J = 8 };
  static const uint64_t scales[] = {1, 2, 5};
  for (int which = 0; which < 3; ++which) {
    tacit_words words;
    words_for(&words, 60 + (uint64_t)which);
    double a = exp(-1 / (double)scales[which]), squares = 0;
    int count[2 * J + 1] = {0};
    for (int i = 0; i < SAMPLES; ++i) {
      tacit_i128 value = draw(&tacit_law_laplace, &words, scales[which]);
      if (value >= -J && value <= J) ++count[value + J];
      squares += (double)value * (double)value;
    }
    for (int j = -J; j <= J; ++j) {
      double p = (1 - a) / (1 + a) * pow(a, abs(j));
      CHECK_WITHIN(count[j + J] / (double)SAMPLES, p, 5 * sqrt(p / SAMPLES));
    }
    CHECK_RELATIVE(squares / SAMPLES, 2 * a / ((1 - a) * (1 - a)), 0.015);
  }
}

static void discrete_laplace_at_a_large_scale(void **state) {
  (void)state;
  enum { SAMPLES = 400000 };
  tacit_words words;
  words_for(&words, 70);
  double scale = 0x1p50, squares = 0, sizes = 0, below = 0, positive = 0;
  for (int i = 0; i < SAMPLES; ++i) {
    double z = (double)draw(&tacit_law_laplace, &words, (uint64_t)1 << 50) / scale;
    squares += z * z;
    sizes += fabs(z);
    below += fabs(z) < 1;
    positive += z > 0;
  }
  CHECK_RELATIVE(squares / SAMPLES, 2, 0.015);
  CHECK_RELATIVE(sizes / SAMPLES, 1, 0.007);
  CHECK_WITHIN(below / SAMPLES, 1 - exp(-1), 0.0032);
  CHECK_WITHIN(positive / SAMPLES, 0.5, 0.0032);
}

/* The log-density of a unit shift changes by at most 1, in every norm, on 1e5 points:
   the triangle inequality, at points the samplers give. */
static void unit_shifts_change_the_density_by_at_most_e(void **state) {
  (void)state;
  enum { DIM = 6, POINTS = 100000 };
  static const double exponents[] = {1, 2, INFINITY, 3};
  const struct tacit_law_ops *const laws[] = {&tacit_law_exp_l1, &tacit_law_exp_l2,
                                              &tacit_law_exp_linf, &tacit_law_exp_lp};
  for (int c = 0; c < 4; ++c) {
    tacit_words words;
    words_for(&words, 80 + (uint64_t)c);
    double worst = 0;
    for (int i = 0; i < POINTS; ++i) {
      double x[DIM], shift[DIM], moved[DIM];
      draw_vector(laws[c], &words, DIM, exponents[c], x);
      draw_vector(laws[c], &words, DIM, exponents[c], shift);
      double size = norm(shift, DIM, exponents[c]);
      if (i % 4 == 0) { /* the worst shift points along x */
        size = norm(x, DIM, exponents[c]);
        memcpy(shift, x, sizeof shift);
      }
      for (int j = 0; j < DIM; ++j)
        moved[j] = x[j] + shift[j] / size;
      double change = fabs(norm(moved, DIM, exponents[c]) - norm(x, DIM, exponents[c]));
      worst = fmax(worst, change);
    }
    CHECK_AT_MAX(worst, 1 + 1e-12);
    assert_true(worst > 0.999);
  }
}

static void gaussian_second_moments_bound_the_truth(void **state) {
  (void)state;
  enum { DIM = 50, SAMPLES = 20000 };
  static const double exponents[] = {2, 3, 6, 12, INFINITY};
  tacit_words words;
  words_for(&words, 90);
  double mean[5] = {0};
  for (int i = 0; i < SAMPLES; ++i) {
    double x[DIM];
    for (int j = 0; j < DIM; ++j)
      x[j] = (double)draw(&tacit_law_gaussian, &words, 1 << 30) * 0x1p-30;
    for (int c = 0; c < 5; ++c) {
      double size = norm(x, DIM, exponents[c]);
      mean[c] += size * size / SAMPLES;
    }
  }
  CHECK_RELATIVE(mean[0], 50, 0.01);
  for (int c = 0; c < 5; ++c) {
    double v = tacit_law_second_moment(&tacit_law_gaussian, DIM, exponents[c]);
    CHECK_AT_MAX(mean[c], v * 1.01);
    assert_true(v < 2.2 * mean[c]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(moments_are_those_of_the_gamma_law),
      cmocka_unit_test(norms_follow_the_gamma_law),
      cmocka_unit_test(discrete_laplace_has_its_probabilities),
      cmocka_unit_test(discrete_laplace_at_a_large_scale),
      cmocka_unit_test(unit_shifts_change_the_density_by_at_most_e),
      cmocka_unit_test(gaussian_second_moments_bound_the_truth),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
