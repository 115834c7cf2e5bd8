/* SPDX-License-Identifier: MIT */
/* From scores to limits: against known values and on normal scores. */
#include "check.h"

#include <stdlib.h>

enum { COUNT = 16000 };

/* Quantiles of N(mean, 1), in an order that has nothing to do with their size. */
static void normal_scores(double mean, double *out, int count) {
  for (int i = 0; i < count; ++i) {
    double p = ((double)((int64_t)i * 7919 % count) + 0.5) / count;
    out[i] = mean + tacit_normal_quantile(p);
  }
}

static tacit_audit_result judge(const double *first, const double *second, int count) {
  tacit_audit_result result;
  tacit_error err;
  CHECK_OK(tacit_audit_judge(first, second, count, 1e-6, &result, &err), err);
  return result;
}

static void normal_quantiles_are_right(void **state) {
  (void)state;
  CHECK_WITHIN(tacit_normal_quantile(0.975), 1.959963984540054, 1e-12);
  CHECK_WITHIN(tacit_normal_quantile(0.5), 0, 1e-12);
  CHECK_WITHIN(tacit_normal_quantile(1e-10), -6.361340902404056, 1e-9);
  CHECK_WITHIN(tacit_normal_below(tacit_normal_quantile(0.123)), 0.123, 1e-13);
}

/* For no error in n trials the limit is 1 - wrong^(1/n). For k errors the reference is
   beta.ppf(0.975, k + 1, n - k) of SciPy. */
static void limits_are_those_of_clopper_and_pearson(void **state) {
  (void)state;
  double first[100], second[100];
  for (int i = 0; i < 100; ++i) {
    first[i] = 1 + i;
    second[i] = -1 - i;
  }
  tacit_audit_result result = judge(first, second, 100);
  assert_int_equal(result.judged, 50);
  assert_int_equal(result.false_positives + result.false_negatives, 0);
  CHECK_WITHIN(result.alpha_up, 1 - pow(0.025, 1.0 / 50), 1e-12);
  double sure = 1 - pow(1e-4, 1.0 / 50);
  CHECK_WITHIN(result.mu_sure, -2 * tacit_normal_quantile(sure), 1e-9);
  CHECK_WITHIN(result.epsilon_low, log((1 - 1e-6 - result.beta_up) / result.alpha_up),
               1e-12);
  assert_true(result.auc == 1);
  for (int i = 60; i < 67; ++i) /* seven of them change sides */
    second[i] = 1000;
  result = judge(first, second, 100);
  assert_int_equal(result.false_positives, 7);
  CHECK_WITHIN(result.alpha_up, 0.2673960024970084, 1e-12);
}

static void normal_scores_have_their_mu(void **state) {
  (void)state;
  static double first[COUNT], second[COUNT];
  const double mus[] = {0.222, 1, 3};
  for (int i = 0; i < 3; ++i) {
    normal_scores(mus[i], first, COUNT);
    normal_scores(0, second, COUNT);
    tacit_audit_result result = judge(first, second, COUNT);
    assert_int_equal(result.judged, COUNT / 2);
    CHECK_AT_MAX(result.mu_low, mus[i]);
    CHECK_AT_MAX(result.mu_sure, result.mu_low);
    CHECK_AT_MAX(mus[i] - (mus[i] > 2 ? 0.15 : 0.1), result.mu_low);
    CHECK_WITHIN(result.auc, tacit_normal_below(mus[i] / sqrt(2)), 1e-4);
  }
}

/* The threshold of exact ratios: of N(m^2/2, m^2) and N(-m^2/2, m^2), 0 is where the
   limits leave most. It is known before, so all runs are judged. */
static void a_known_threshold_judges_all_runs(void **state) {
  (void)state;
  static double first[COUNT], second[COUNT];
  const double mus[] = {0.2367, 1.5315, 3};
  for (int i = 0; i < 3; ++i) {
    double mu = mus[i], best = 0;
    tacit_audit_result result;
    tacit_error err;
    normal_scores(mu / 2, first, COUNT);
    normal_scores(-mu / 2, second, COUNT);
    for (int k = 0; k < COUNT; ++k) {
      first[k] *= mu;
      second[k] *= mu;
    }
    for (int k = -8; k <= 8; ++k) {
      CHECK_OK(
          tacit_audit_judge_at(first, second, COUNT, 0.1 * mu * k, 1e-6, &result, &err),
          err);
      best = fmax(best, result.mu_low);
    }
    CHECK_OK(tacit_audit_judge_at(first, second, COUNT, 0, 1e-6, &result, &err), err);
    assert_int_equal(result.judged, COUNT);
    assert_true(result.threshold == 0);
    CHECK_AT_MAX(best - 0.002, result.mu_low);
    CHECK_AT_MAX(result.mu_low, mu);
    CHECK_WITHIN((double)result.false_positives / COUNT, tacit_normal_below(-mu / 2),
                 1e-4);
    assert_true(judge(first, second, COUNT).mu_low < result.mu_low);
  }
}

/* Most runs say nothing, a few say all: an even threshold would hardly see it. */
static void rare_leaks_are_seen(void **state) {
  (void)state;
  static double first[COUNT], second[COUNT];
  normal_scores(0, first, COUNT);
  normal_scores(0, second, COUNT);
  for (int i = 0; i < COUNT; i += 20)
    first[i] = 10;
  tacit_audit_result result = judge(first, second, COUNT);
  CHECK_AT_MAX((double)result.false_positives, 28);
  CHECK_AT_MAX(1, result.mu_low);
  CHECK_AT_MAX(2, result.epsilon_low);
}

static void equal_scores_say_nothing(void **state) {
  (void)state;
  static double first[COUNT], second[COUNT];
  normal_scores(0, first, COUNT);
  normal_scores(0, second, COUNT);
  tacit_audit_result result = judge(first, second, COUNT);
  CHECK_AT_MAX(result.mu_low, 0.02);
  memset(first, 0, sizeof first);
  memset(second, 0, sizeof second);
  result = judge(first, second, COUNT);
  assert_true(result.mu_low == 0 && result.mu_sure == 0 && result.auc == 0.5);
}

static void bad_scores_are_refused(void **state) {
  (void)state;
  double scores[20] = {0};
  tacit_audit_result result;
  tacit_error err;
  assert_int_equal(tacit_audit_judge(scores, scores, 19, 0, &result, &err),
                   TACIT_EINVAL);
  scores[3] = NAN;
  assert_int_equal(tacit_audit_judge(scores, scores, 20, 0, &result, &err),
                   TACIT_EDATA);
  assert_int_equal(tacit_audit_judge_at(scores, scores, 20, 0, 0, &result, &err),
                   TACIT_EDATA);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(normal_quantiles_are_right),
      cmocka_unit_test(limits_are_those_of_clopper_and_pearson),
      cmocka_unit_test(normal_scores_have_their_mu),
      cmocka_unit_test(a_known_threshold_judges_all_runs),
      cmocka_unit_test(rare_leaks_are_seen),
      cmocka_unit_test(equal_scores_say_nothing),
      cmocka_unit_test(bad_scores_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
