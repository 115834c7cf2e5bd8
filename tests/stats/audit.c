/* SPDX-License-Identifier: MIT */
/*
 * A privacy audit from outside the vault: release runs with and without a canary at the
 * clip bound, score each run by its likelihood ratio, and measure how well the score
 * tells the two apart. For a mu-GDP mechanism no score has AUC above Phi(mu/sqrt2), and
 * where the accounting is tight the likelihood ratio reaches it. 1e5 runs each way: the
 * standard error of the AUC is .0011.
 */
#include "check.h"

#include <stdlib.h>

#include "vault/noise.h"
#include "vault/vault.h"

enum { RUNS = 100000 };

struct audit {
  int64_t per_pass;
  int passes;
  int kappa;       /* canary against null (1) or against its opposite (2) */
  int adaptive;    /* the clip of a round depends on what was released before */
  double mu;       /* claimed */
  double noise_mu; /* what the noise is calibrated to */
  tacit_noise noise;
};

enum { CLIP = 1 << 20, ROUNDS_MOST = 64 };

/* One run: the log-likelihood ratio of canary against no canary, given everything
   released. `sign` is +1 with the canary, 0 or -1 without. */
static double one_run(const struct audit *audit, tacit_pool *pool, uint64_t seed,
                      int sign) {
  int64_t rounds = audit->per_pass * audit->passes;
  tacit_vault_facts facts = {
      .encoder = &tacit_encoder_tree,
      .shape = {.dim = 1, .rounds = rounds, .per_pass = audit->per_pass},
      .lattice = {.exponent = 0, .clip_max = CLIP, .width = TACIT_WIDTH_8},
      .noise = audit->noise,
      .kappa = audit->kappa,
      .mu = audit->noise_mu,
  };
  tacit_key key;
  tacit_vault *vault;
  tacit_error err;
  double sens_squared;
  CHECK_OK(facts.encoder->sens_squared(&facts.shape, &sens_squared, &err), err);
  facts.sens = tacit_sqrt_up(sens_squared);
  CHECK_OK(tacit_key_from_seed(seed, &key, &err), err);
  CHECK_OK(tacit_vault_new(&facts, &key, &vault, &err), err);
  double clips[ROUNDS_MOST + 1], last = 0, ratio = 0;
  for (int64_t t = 1; t <= rounds; ++t) {
    int64_t clip = audit->adaptive ? (last > 0 ? CLIP : CLIP / 3) : CLIP;
    int present = (t - 1) % audit->per_pass == 0; /* the canary is row 1 */
    int64_t raw_sum = present ? sign * clip : 0;
    clips[t] = present ? (double)clip : 0;
    double y;
    tacit_release release = {.y = &y};
    CHECK_OK(tacit_round_release(vault, pool, t, clip, 1, &raw_sum, &release, &err),
             err);
    double shift = 0; /* of node t by the canary, against its absence */
    for (int64_t i = t - (t & -t) + 1; i <= t; ++i)
      shift += clips[i];
    double centre = audit->kappa == 1 ? shift / 2 : 0;
    shift *= audit->kappa;
    ratio += shift * (y - centre) / (release.noise_scale * release.noise_scale);
    last = y;
  }
  tacit_vault_free(vault);
  return ratio;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double measure_auc(const struct audit *audit, double *out_tpr) {
  tacit_pool *pool;
  tacit_error err;
  CHECK_OK(tacit_pool_new(1, &pool, &err), err);
  double *with = calloc(RUNS, sizeof *with), *without = calloc(RUNS, sizeof *without);
  for (int i = 0; i < RUNS; ++i) {
    with[i] = one_run(audit, pool, (uint64_t)(2 * i), 1);
    without[i] =
        one_run(audit, pool, (uint64_t)(2 * i + 1), audit->kappa == 1 ? 0 : -1);
  }
  qsort(with, RUNS, sizeof *with, by_value);
  qsort(without, RUNS, sizeof *without, by_value);
  double wins = 0, caught = 0, threshold = without[RUNS - RUNS / 20];
  for (int i = 0, below = 0; i < RUNS; ++i) {
    while (below < RUNS && without[below] < with[i])
      ++below;
    wins += below;
    caught += with[i] >= threshold;
  }
  *out_tpr = caught / RUNS; /* at a false positive rate of 5% */
  free(with);
  free(without);
  tacit_pool_free(pool);
  return wins / ((double)RUNS * RUNS);
}

/* k = 1 clip mode: every round has the same bound; row 1 is in nodes 1, 2, 4, …, T. */
static const struct audit tight = {
    .per_pass = 8, .passes = 1, .kappa = 1, .mu = 1, .noise_mu = 1};

static double normal_cdf(double x) { return erfc(-x / sqrt(2)) / 2; }

static void tree_is_exactly_mu_private(void **state) {
  (void)state;
  double tpr, auc = measure_auc(&tight, &tpr);
  CHECK_WITHIN(auc, 0.760249939, 0.004);
  CHECK_WITHIN(tpr, 0.259511, 0.012);
}

static void tree_is_exactly_mu_private_at_half(void **state) {
  (void)state;
  struct audit audit = tight;
  double tpr;
  audit.mu = audit.noise_mu = 0.5;
  CHECK_WITHIN(measure_auc(&audit, &tpr), 0.638163195, 0.004);
}

static void replace_one_is_exactly_mu_private(void **state) {
  (void)state;
  struct audit audit = tight;
  double tpr;
  audit.kappa = 2;
  CHECK_WITHIN(measure_auc(&audit, &tpr), 0.760249939, 0.004);
}

static void fast_noise_has_the_same_auc(void **state) {
  (void)state;
  struct audit audit = tight;
  double tpr;
  audit.noise = TACIT_NOISE_FAST;
  CHECK_WITHIN(measure_auc(&audit, &tpr), 0.760249939, 0.004);
}

static void adaptive_bounds_and_passes_stay_below(void **state) {
  (void)state;
  struct audit audit = tight;
  double tpr, limit = normal_cdf(1 / sqrt(2)) + 0.004;
  audit.adaptive = 1;
  double auc = measure_auc(&audit, &tpr);
  CHECK_AT_MOST(auc, limit);
  assert_true(auc > 0.6); /* the audit sees something */
  audit.adaptive = 0;
  audit.per_pass = 4;
  audit.passes = 3;
  auc = measure_auc(&audit, &tpr);
  CHECK_AT_MOST(auc, limit);
  assert_true(auc > 0.72);
}

/* The audit has power: with half the noise it finds Phi(2 mu/sqrt2). */
static void half_the_noise_is_caught(void **state) {
  (void)state;
  struct audit audit = tight;
  double tpr;
  audit.noise_mu = 2;
  double auc = measure_auc(&audit, &tpr);
  CHECK_WITHIN(auc, 0.921350, 0.004);
  assert_true(auc > normal_cdf(audit.mu / sqrt(2)) + 0.01);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tree_is_exactly_mu_private),
      cmocka_unit_test(tree_is_exactly_mu_private_at_half),
      cmocka_unit_test(replace_one_is_exactly_mu_private),
      cmocka_unit_test(fast_noise_has_the_same_auc),
      cmocka_unit_test(adaptive_bounds_and_passes_stay_below),
      cmocka_unit_test(half_the_noise_is_caught),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
