/* SPDX-License-Identifier: MIT */
/* What a joint release is a sum of, and what it decodes to. */
#include "check.h"

#include "extra/infer/infer.h"

enum { D = 3, DIM = D + D * (D + 1) + 1 };

static const double theta[D] = {0.3, -0.7, 0.2};

static tacit_joint_facts facts_of(tacit_effects_loss loss, int kappa) {
  return (tacit_joint_facts){.loss = loss,
                             .d = D,
                             .has_meat = 1,
                             .kappa = kappa,
                             .r = 2,
                             .tau = 0.5,
                             .most = 1.5,
                             .theta = theta};
}

/* Adds a row, or begins a unit with it. */
static void add_row(const tacit_joint_facts *facts, const double *z, double y,
                    double weight, double share, int is_first, double *unit) {
  const tacit_joint_scale scale = tacit_joint_scale_of(facts);
  tacit_sums sums = {0};
  for (int j = 0; j < D; ++j) {
    sums.raw_square += z[j] * z[j];
    sums.raw_dot += z[j] * theta[j];
  }
  tacit_joint_row(facts, &scale, z, &sums, y, weight, share, is_first, unit);
}

static void end_unit(const tacit_joint_facts *facts, double *unit) {
  const tacit_joint_scale scale = tacit_joint_scale_of(facts);
  tacit_joint_unit(facts, &scale, unit);
}

/* The curvature is the derivative of the slope, in units of tau and of `most`; for
   counts, with the deviation of the label held fast. */
static void curvature_is_the_derivative_of_the_slope(void **state) {
  (void)state;
  const double step = 1e-6;
  for (double eta = -2; eta < 2; eta += 0.17) {
    for (double y = -1; y <= 1; y += 2) {
      tacit_slope low = tacit_slope_of(TACIT_EFFECTS_LOGISTIC, 1, 1, eta - step, y);
      tacit_slope high = tacit_slope_of(TACIT_EFFECTS_LOGISTIC, 1, 1, eta + step, y);
      tacit_slope at = tacit_slope_of(TACIT_EFFECTS_LOGISTIC, 1, 1, eta, y);
      CHECK_WITHIN((high.psi - low.psi) / (2 * step), at.h, 1e-8);
      low = tacit_slope_of(TACIT_EFFECTS_SQUARED, 0.5, 1, eta - step, y);
      high = tacit_slope_of(TACIT_EFFECTS_SQUARED, 0.5, 1, eta + step, y);
      at = tacit_slope_of(TACIT_EFFECTS_SQUARED, 0.5, 1, eta, y);
      CHECK_WITHIN((high.psi - low.psi) / (2 * step) * 0.5, at.h, 1e-8);
      assert_true(fabs(at.psi) < 1 && at.h >= 0 && at.h <= 1);
    }
    for (double y = 0; y <= 9; y += 3) { /* t = (mean - y) v/tau, v at this eta */
      const double tau = 2, most = 1.5;
      double mean = exp(eta), v = 1 / sqrt(1 + mean), t = (mean - y) * v / tau;
      tacit_slope at = tacit_slope_of(TACIT_EFFECTS_POISSON, tau, most, eta, y);
      CHECK_RELATIVE(at.psi, t / pow(1 + pow(t, 6), 1. / 6), 1e-12);
      CHECK_RELATIVE(at.h, pow(1 + pow(t, 6), -7. / 6) * mean * v / most, 1e-12);
      CHECK_RELATIVE(at.weight, fmin(1, most / (mean * v)), 1e-12);
    }
  }
}

/* A unit decodes to its gradient, curvature and meat; noise of 1 in every number is
   smaller by the root of 2 off the diagonals. */
static void a_unit_decodes_to_what_it_added(void **state) {
  (void)state;
  for (int i = 0; i < 6; ++i) {
    const tacit_joint_facts facts = facts_of((tacit_effects_loss)(i % 3), 1 + i / 3);
    const double z[D] = {1, 0.8, -0.5}, far[D] = {1, 3, -1.5};
    const double *row = i % 2 ? far : z;
    double unit[DIM], ones[DIM], eta = 0, square = 0;
    tacit_joint_sums sums, noise;
    tacit_error err;
    assert_int_equal(tacit_joint_dim(&facts), DIM);
    for (int j = 0; j < D; ++j) {
      eta += row[j] * theta[j];
      square += row[j] * row[j];
    }
    double w = 0.7 * fmin(1, 4 / square);
    tacit_slope at = tacit_slope_of(facts.loss, 0.5, 1.5, eta, 1);
    w *= at.weight;
    add_row(&facts, row, 1, 0.7, 1, 1, unit);
    end_unit(&facts, unit);
    CHECK_OK(tacit_joint_decode(&facts, unit, 1, &sums, &err), err);
    for (int j = 0; j < DIM; ++j)
      ones[j] = 1;
    CHECK_OK(tacit_joint_decode(&facts, ones, 1, &noise, &err), err);
    for (int j = 0; j < D; ++j) {
      CHECK_WITHIN(sums.g[j], w * at.psi * row[j], 1e-12);
      CHECK_RELATIVE(noise.g[j], sums.g_noise, 1e-12);
      for (int k = 0; k < D; ++k) {
        double less = j == k ? 1 : sqrt(0.5);
        CHECK_WITHIN(sums.h[j * D + k], w * at.h * row[j] * row[k], 1e-12);
        CHECK_WITHIN(sums.s[j * D + k], sums.g[j] * sums.g[k], 1e-12);
        CHECK_RELATIVE(noise.h[j * D + k], less * sums.h_noise, 1e-12);
        CHECK_RELATIVE(noise.s[j * D + k], less * sums.s_noise, 1e-12);
      }
    }
    CHECK_WITHIN(sums.low, w < 0.35 ? 0.7 : 0, 1e-12);
    tacit_joint_sums_fini(&sums);
    tacit_joint_sums_fini(&noise);
  }
}

/* Equal rows of a person are one row; gradients of opposite rows cancel, in the meat,
   too. */
static void a_person_is_the_mean_of_its_rows(void **state) {
  const tacit_joint_facts facts = facts_of(TACIT_EFFECTS_SQUARED, 2);
  const double z[D] = {1, 0.8, -0.5};
  double one[DIM], many[DIM], apart[DIM], eta = 0;
  (void)state;
  for (int j = 0; j < D; ++j)
    eta += z[j] * theta[j];
  add_row(&facts, z, 1, 1, 1, 1, one);
  end_unit(&facts, one);
  for (int i = 0; i < 4; ++i) {
    add_row(&facts, z, 1, 1, 0.25, i == 0, many);
    add_row(&facts, z, eta + (i % 2 ? 0.1 : -0.1), 1, 0.25, i == 0, apart);
  }
  end_unit(&facts, many);
  end_unit(&facts, apart);
  for (int j = 0; j < DIM; ++j) {
    CHECK_WITHIN(many[j], one[j], 1e-15);
    if (j < D || j >= D + D * (D + 1) / 2) CHECK_WITHIN(apart[j], 0, 1e-15);
  }
  assert_true(apart[D] > 0);
}

/* Against SciPy 1.10: t.isf, t.sf, norm.isf, norm.sf, f.sf. */
static void tails_and_points_are_those_of_scipy(void **state) {
  (void)state;
  CHECK_RELATIVE(tacit_student_point(0.025, 2), 4.3026527299112765, 1e-9);
  CHECK_RELATIVE(tacit_student_point(0.025, 7.3), 2.34506673615093, 1e-9);
  CHECK_RELATIVE(tacit_student_point(0.05, 1234.5), 1.6460888802690201, 1e-9);
  CHECK_RELATIVE(tacit_student_point(0.025, 1e9), 1.9599639869123255, 1e-8);
  CHECK_RELATIVE(tacit_student_above(2.5, 3.7), 0.035911011455913376, 1e-9);
  CHECK_RELATIVE(tacit_student_above(8, 40), 3.952542055052272e-10, 1e-9);
  CHECK_RELATIVE(tacit_student_above(-1, 5), 0.8183912661754387, 1e-9);
  CHECK_RELATIVE(tacit_normal_point(1e-3), 3.090232306167813, 1e-9);
  CHECK_RELATIVE(tacit_normal_above(6), 9.865876450376946e-10, 1e-9);
  CHECK_RELATIVE(tacit_fisher_above(2.5, 3, 17.5), 0.09324992632762573, 1e-9);
  CHECK_RELATIVE(tacit_fisher_above(9, 2, 1e6), 0.00012341980056451203, 1e-7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(curvature_is_the_derivative_of_the_slope),
      cmocka_unit_test(a_unit_decodes_to_what_it_added),
      cmocka_unit_test(a_person_is_the_mean_of_its_rows),
      cmocka_unit_test(tails_and_points_are_those_of_scipy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
