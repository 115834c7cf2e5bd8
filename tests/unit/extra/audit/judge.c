/* SPDX-License-Identifier: MIT */
/* From scores to limits: against known values and on normal scores. */
#include "check.h"

#include <stdlib.h>

#include "extra/audit/judge.h"

enum { COUNT = 16000 };

/* Quantiles of N(mean, 1), in an order that has nothing to do with their size. */
static void normal_scores(double mean, double *out, int count) {
  for (int i = 0; i < count; ++i) {
    double p = ((double)((int64_t)i * 7919 % count) + 0.5) / count;
    out[i] = mean + tacit_normal_quantile(p);
  }
}

static const tacit_audit_claim of_mu = {.mu = 1, .delta = 1e-6};

static tacit_audit_claim claim_of(double epsilon, double delta) {
  return (tacit_audit_claim){.is_epsilon = 1, .epsilon = epsilon, .delta = delta};
}

static tacit_audit_result judge_claim(tacit_audit_claim claim, const double *first,
                                      const double *second, int count) {
  tacit_audit_result result;
  tacit_error err;
  CHECK_OK(tacit_audit_judge(&claim, first, second, count, &result, &err), err);
  return result;
}

static tacit_audit_result judge(const double *first, const double *second, int count) {
  return judge_claim(of_mu, first, second, count);
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
      CHECK_OK(tacit_audit_judge_at(&of_mu, first, second, COUNT, 0.1 * mu * k, &result,
                                    &err),
               err);
      best = fmax(best, result.mu_low);
    }
    CHECK_OK(tacit_audit_judge_at(&of_mu, first, second, COUNT, 0, &result, &err), err);
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
  double scores[20] = {0}, out[40];
  tacit_audit_result result;
  tacit_audit_view view;
  tacit_error err;
  assert_int_equal(tacit_audit_judge(&of_mu, scores, scores, 19, &result, &err),
                   TACIT_EINVAL);
  scores[3] = NAN;
  assert_int_equal(tacit_audit_judge(&of_mu, scores, scores, 20, &result, &err),
                   TACIT_EDATA);
  assert_int_equal(tacit_audit_judge_at(&of_mu, scores, scores, 20, 0, &result, &err),
                   TACIT_EDATA);
  assert_int_equal(
      tacit_audit_look(&of_mu, scores, scores, 20, 1, out, out + 20, &view, &err),
      TACIT_EDATA);
  assert_int_equal(
      tacit_audit_look(&of_mu, scores, scores, 20, 0, out, out + 20, &view, &err),
      TACIT_EINVAL);
}

/* Quantiles of Laplace noise of scale 1 around a mean, out of order. */
static void laplace_scores(double mean, double *out, int count) {
  for (int i = 0; i < count; ++i) {
    double p = ((double)((int64_t)i * 7919 % count) + 0.5) / count;
    out[i] = mean + (p < 0.5 ? log(2 * p) : -log(2 - 2 * p));
  }
}

/* Laplace noise keeps (1, 0) and so (1, 1e-5), but not the mu that has this pair: the
   claim does not say mu. */
static void a_claim_of_epsilon_is_judged_as_epsilon(void **state) {
  (void)state;
  static double first[COUNT], second[COUNT];
  laplace_scores(1, first, COUNT);
  laplace_scores(0, second, COUNT);
  const double deltas[] = {0, 1e-5};
  for (int i = 0; i < 2; ++i) {
    tacit_audit_result result =
        judge_claim(claim_of(1, deltas[i]), first, second, COUNT);
    assert_true(result.holds);
    CHECK_AT_MAX(result.epsilon_sure, 1);
    CHECK_AT_MAX(0.85, result.epsilon_sure);
    assert_false(judge_claim(claim_of(0.8, deltas[i]), first, second, COUNT).holds);
  }
  const tacit_audit_claim mu = {.mu = 0.2681, .delta = 1e-5}; /* that of (1, 1e-5) */
  assert_false(judge_claim(mu, first, second, COUNT).holds);
}

/* One run in a hundred shows which data set it was. That is epsilon beyond any bound,
   but hardly moves mu: the threshold must be in the tail, above all runs but these. */
static void a_claim_of_epsilon_is_broken_in_a_tail(void **state) {
  (void)state;
  static double first[COUNT], second[COUNT];
  laplace_scores(0.1, first, COUNT);
  laplace_scores(0, second, COUNT);
  for (int i = 0; i < COUNT; i += 100)
    first[i] = 30;
  tacit_audit_result result = judge_claim(claim_of(1, 0), first, second, COUNT);
  assert_false(result.holds);
  CHECK_AT_MAX((double)result.false_positives, 10);
  for (int i = 0; i < COUNT; ++i) { /* the other tail, and the other data set */
    double swap = -first[i];
    first[i] = -second[i];
    second[i] = swap;
  }
  result = judge_claim(claim_of(1, 0), first, second, COUNT);
  assert_false(result.holds);
  CHECK_AT_MAX((double)result.false_negatives, 10);
}

/* A threshold at the edge of a gap would be passed by one of the next runs. */
static void the_threshold_is_in_the_middle_of_a_gap(void **state) {
  (void)state;
  double first[200], second[200];
  for (int i = 0; i < 200; ++i) {
    first[i] = 16 + (i < 100 ? 0 : -4) + 0.001 * i;
    second[i] = (i < 100 ? 0 : 4) + 0.001 * i;
  }
  tacit_audit_result result = judge_claim(claim_of(3, 0), first, second, 200);
  assert_int_equal(result.false_positives + result.false_negatives, 0);
  double limit = 1 - pow(1e-4, 1.0 / 100);
  CHECK_WITHIN(result.epsilon_sure, log((1 - limit) / limit), 1e-9);
  CHECK_WITHIN(result.most, result.epsilon_sure, 1e-12);
}

/* No threshold rules anything out at the limits of the verdict: one with few errors of
   one kind and nearly all of the other is no better than an even one. */
static void a_weak_attack_has_an_even_threshold(void **state) {
  (void)state;
  double first[400], second[400];
  laplace_scores(0.2, first, 400);
  laplace_scores(0, second, 400);
  tacit_audit_result result = judge_claim(claim_of(1, 0), first, second, 400);
  CHECK_AT_MAX(40, (double)result.false_positives);
  CHECK_AT_MAX(40, (double)result.false_negatives);
}

static void what_is_allowed_follows_the_claim(void **state) {
  (void)state;
  const tacit_audit_claim claims[] = {claim_of(1, 0), claim_of(0.5, 0.1), {.mu = 1.2}};
  for (int i = 0; i < 3; ++i) {
    double area = 0;
    for (int k = 0; k < 100000; ++k)
      area += tacit_audit_allowed(&claims[i], (k + 0.5) / 100000) / 100000;
    CHECK_WITHIN(tacit_audit_auc_allowed(&claims[i]), area, 1e-6);
  }
  CHECK_WITHIN(tacit_audit_allowed(&claims[0], 0.1), 0.1 * exp(1), 1e-12);
  CHECK_WITHIN(tacit_audit_allowed(&claims[1], 0), 0.1, 1e-12);
  CHECK_WITHIN(tacit_audit_allowed(&claims[1], 0.8), 1 - 0.1 * exp(-0.5), 1e-12);
  assert_true(tacit_audit_allowed(&claims[1], 0.95) == 1);
}

/* Hoeffding's limit for 100 judged runs. */
static void the_area_has_limits(void **state) {
  (void)state;
  double first[200], second[200];
  normal_scores(0.5, first, 200);
  normal_scores(0, second, 200);
  tacit_audit_result result = judge(first, second, 200);
  double off = sqrt(log(40) / 200);
  CHECK_WITHIN(result.auc_low, result.auc - off, 1e-12);
  CHECK_WITHIN(result.auc_up, result.auc + off, 1e-12);
}

enum { RUNS = 2000, NUMBERS = 4 };

/* Between 0 and 1, by splitmix64. */
static double uniform(uint64_t *state) {
  uint64_t word = *state += 0x9e3779b97f4a7c15;
  word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9;
  word = (word ^ word >> 27) * 0x94d049bb133111eb;
  return ((double)((word ^ word >> 31) >> 11) + 0.5) * 0x1p-53;
}

static double laplace(uint64_t *seed) {
  double p = uniform(seed);
  return p < 0.5 ? log(2 * p) : -log(2 - 2 * p);
}

static tacit_audit_view look(tacit_audit_claim claim, const double *first,
                             const double *second, int count, double *scores) {
  tacit_audit_view view;
  tacit_error err;
  CHECK_OK(tacit_audit_look(&claim, first, second, count, NUMBERS, scores,
                            scores + count, &view, &err),
           err);
  return view;
}

/* Only the third number says something, and only by how far it is from its middle. */
static void a_number_is_found_among_several(void **state) {
  (void)state;
  static double first[RUNS * NUMBERS], second[RUNS * NUMBERS], scores[2 * RUNS];
  uint64_t seed = 11;
  for (int i = 0; i < RUNS * NUMBERS; ++i) {
    first[i] = 5 + laplace(&seed);
    second[i] = 5 + (i % NUMBERS == 2 ? 30 : 1) * laplace(&seed);
  }
  tacit_audit_view view = look(claim_of(1, 0), first, second, RUNS, scores);
  assert_int_equal(view.number, 3);
  assert_true(view.is_distance && view.is_negative);
  CHECK_WITHIN(view.centre, 5, 1.5);
  CHECK_WITHIN(scores[7], -fabs(first[7 * NUMBERS + 2] - view.centre), 1e-12);
  assert_false(judge_claim(claim_of(1, 0), scores, scores + RUNS, RUNS).holds);
}

/* Every number says a little: their weighted sum says most. */
static void numbers_are_added_up(void **state) {
  (void)state;
  static double first[RUNS * NUMBERS], second[RUNS * NUMBERS], scores[2 * RUNS];
  uint64_t seed = 12;
  for (int i = 0; i < RUNS * NUMBERS; ++i) {
    first[i] = tacit_normal_quantile(uniform(&seed)) - (i % 2 == 0 ? 0.8 : -0.8);
    second[i] = tacit_normal_quantile(uniform(&seed));
  }
  tacit_audit_view view = look(of_mu, first, second, RUNS, scores);
  assert_int_equal(view.number, 0);
  assert_false(view.is_distance || view.is_negative);
  tacit_audit_result result = judge(scores, scores + RUNS, RUNS);
  CHECK_AT_MAX(1.2, result.mu_low); /* each number alone has 0.8, all 1.6 */
  CHECK_AT_MAX(result.mu_low, 1.6);
}

/* Exact Laplace noise on every number, of which one moves by 1: the claim of 1 is true.
   16 views and 282 thresholds are tried, and yet limits that are wrong with probability
   0.05 are wrong about as often, in these 40 audits: 8 or more have a probability
   of 0.0007. Were they picked on the runs that are judged, most would be wrong. */
static void looking_at_all_does_not_deceive(void **state) {
  (void)state;
  enum { AUDITS = 40, FEW = 200 };
  static double first[FEW * NUMBERS], second[FEW * NUMBERS], scores[2 * FEW];
  uint64_t seed = 13;
  int wrong = 0;
  for (int audit = 0; audit < AUDITS; ++audit) {
    for (int i = 0; i < FEW * NUMBERS; ++i) {
      first[i] = laplace(&seed) + (i % NUMBERS == 1);
      second[i] = laplace(&seed);
    }
    look(claim_of(1, 0), first, second, FEW, scores);
    tacit_audit_result result = judge_claim(claim_of(1, 0), scores, scores + FEW, FEW);
    assert_true(result.holds);
    wrong += result.epsilon_low > 1;
  }
  CHECK_AT_MAX(wrong, 7);
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
      cmocka_unit_test(a_claim_of_epsilon_is_judged_as_epsilon),
      cmocka_unit_test(a_claim_of_epsilon_is_broken_in_a_tail),
      cmocka_unit_test(the_threshold_is_in_the_middle_of_a_gap),
      cmocka_unit_test(a_weak_attack_has_an_even_threshold),
      cmocka_unit_test(what_is_allowed_follows_the_claim),
      cmocka_unit_test(the_area_has_limits),
      cmocka_unit_test(a_number_is_found_among_several),
      cmocka_unit_test(numbers_are_added_up),
      cmocka_unit_test(looking_at_all_does_not_deceive),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
