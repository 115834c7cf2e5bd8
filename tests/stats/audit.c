/* SPDX-License-Identifier: MIT */
/*
 * A privacy audit from outside the vault: release runs with and without a canary at the
 * clip bound, score each run by its likelihood ratio, and measure how well the score
 * tells the two apart. For a mu-GDP mechanism no score has AUC above Phi(mu/sqrt2), and
 * where the accounting is tight the likelihood ratio reaches it. With 1e5 runs each way
 * ("full") the standard error of the AUC is .0011; with a quarter of them twice that.
 */
#include "sums.h"

#include <stdlib.h>

#include "mechanism/mechanism.h"
#include "not_private/laws.h"
#include "not_private/seed.h"
#include "vault/law.h"
#include "vault/vault.h"

static int n_runs = 25000;
static double auc_error = 0.008, tpr_error = 0.024;

struct audit {
  const struct tacit_encoder_ops *encoder; /* NULL: tree */
  int64_t per_pass;
  int passes;
  int kappa;       /* canary against null (1) or against its opposite (2) */
  int adaptive;    /* the clip of a round depends on what was released before */
  double mu;       /* claimed */
  double noise_mu; /* what the noise is calibrated to */
  const struct tacit_law_ops *law; /* NULL: gaussian */
};

enum { CLIP = 1 << 20, ROUNDS_MAX = 64, WEIGHT_BITS = 20 };

static tacit_vault_facts facts_of(const struct audit *audit) {
  const struct tacit_encoder_ops *ops =
      audit->encoder != NULL ? audit->encoder : &tacit_encoder_tree;
  tacit_vault_facts facts = {
      .encoder = ops,
      .shape = {.dim = 1,
                .rounds = audit->per_pass * audit->passes,
                .per_pass = audit->per_pass,
                .values = {ops == &tacit_encoder_banded ? 0.7 : 0, 4},
                .weight_bits = ops->weight_bits_max > 0 ? WEIGHT_BITS : 0,
                .clip_max = CLIP},
      .lattice = {.clip_max = CLIP},
      .law = audit->law != NULL ? audit->law : &tacit_law_gaussian,
      .exponent = 2,
      .kappa = audit->kappa,
      .budget = audit->noise_mu,
  };
  facts.lattice.sens = sens_of(ops, &facts.shape).squares;
  return facts;
}

/* One run: the log-likelihood ratio of canary against no canary, given everything
   released. `sign` is +1 with the canary, 0 or -1 without. What the canary alone does
   to each row is computed with a second, noiseless encoder. */
static double one_run(const struct audit *audit, const tacit_vault_facts *facts,
                      tacit_pool *pool, uint64_t seed, int sign) {
  tacit_key key;
  tacit_vault *vault;
  tacit_error err;
  tacit_encoder *alone = encoder_of(facts->encoder, &facts->shape);
  CHECK_OK(tacit_key_from_seed(seed, &key, &err), err);
  CHECK_OK(tacit_vault_new(facts, &key, 0, facts->shape.dim, &vault, &err), err);
  double last = 0, ratio = 0;
  for (int64_t t = 1; t <= facts->shape.rounds; ++t) {
    int64_t clip = audit->adaptive ? (last > 0 ? CLIP : CLIP / 3) : CLIP;
    int present = (t - 1) % audit->per_pass == 0; /* the canary is row 1 */
    int64_t raw_canary = present ? clip : 0, raw_sum = sign * raw_canary;
    tacit_i128 raw_row;
    (void)encoder_begin(alone, t, clip);
    encoder_encode(alone, &raw_canary, 0, 1, &raw_row);
    double y, shift = (double)raw_row;
    tacit_release release = {.y = &y};
    CHECK_OK(release_integers(vault, facts, pool, t, clip, 1, &raw_sum, &release, &err),
             err);
    double centre = audit->kappa == 1 ? shift / 2 : 0;
    shift *= audit->kappa;
    ratio += shift * (y - centre) / (release.noise_scale * release.noise_scale);
    last = y;
  }
  tacit_vault_free(vault);
  encoder_free(alone);
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
  size_t n = (size_t)n_runs;
  double *with = calloc(n, sizeof *with), *without = calloc(n, sizeof *without);
  tacit_vault_facts facts = facts_of(audit);
  for (int i = 0; i < n_runs; ++i) {
    with[i] = one_run(audit, &facts, pool, (uint64_t)(2 * i), 1);
    without[i] =
        one_run(audit, &facts, pool, (uint64_t)(2 * i + 1), audit->kappa == 1 ? 0 : -1);
  }
  qsort(with, n, sizeof *with, by_value);
  qsort(without, n, sizeof *without, by_value);
  double wins = 0, caught = 0, threshold = without[n_runs - n_runs / 20];
  for (int i = 0, below = 0; i < n_runs; ++i) {
    while (below < n_runs && without[below] < with[i])
      ++below;
    wins += below;
    caught += with[i] >= threshold;
  }
  *out_tpr = caught / n_runs; /* at a false positive rate of 5% */
  free(with);
  free(without);
  tacit_pool_free(pool);
  return wins / ((double)n_runs * n_runs);
}

/* k = 1 clip mode: every round has the same bound; row 1 is in nodes 1, 2, 4, …, T. */
static const struct audit tight = {
    .per_pass = 8, .passes = 1, .kappa = 1, .mu = 1, .noise_mu = 1};

static double normal_cdf(double x) { return erfc(-x / sqrt(2)) / 2; }

static void tree_is_exactly_mu_private(void **state) {
  (void)state;
  double tpr, auc = measure_auc(&tight, &tpr);
  CHECK_WITHIN(auc, 0.760249939, auc_error);
  CHECK_WITHIN(tpr, 0.259511, tpr_error);
}

static void tree_is_exactly_mu_private_at_half(void **state) {
  (void)state;
  struct audit audit = tight;
  double tpr;
  audit.mu = audit.noise_mu = 0.5;
  CHECK_WITHIN(measure_auc(&audit, &tpr), 0.638163195, auc_error);
}

static void replace_one_is_exactly_mu_private(void **state) {
  (void)state;
  struct audit audit = tight;
  double tpr;
  audit.kappa = 2;
  CHECK_WITHIN(measure_auc(&audit, &tpr), 0.760249939, auc_error);
}

static void adaptive_bounds_and_passes_stay_below(void **state) {
  (void)state;
  struct audit audit = tight;
  double tpr, limit = normal_cdf(1 / sqrt(2)) + auc_error;
  audit.adaptive = 1;
  double auc = measure_auc(&audit, &tpr);
  CHECK_AT_MAX(auc, limit);
  assert_true(auc > 0.6); /* the audit sees something */
  audit.adaptive = 0;
  audit.per_pass = 4;
  audit.passes = 3;
  auc = measure_auc(&audit, &tpr);
  CHECK_AT_MAX(auc, limit);
  assert_true(auc > 0.72);
}

/* Column scaling makes every record cost the same: equality for both, one pass and
   four. */
static void check_equality(const struct tacit_encoder_ops *encoder) {
  for (int variant = 0; variant < 2; ++variant) {
    struct audit audit = tight;
    double tpr;
    audit.encoder = encoder;
    audit.passes = variant == 1 ? 4 : 1;
    audit.per_pass = variant == 1 ? 3 : 8;
    CHECK_WITHIN(measure_auc(&audit, &tpr), 0.760249939, auc_error);
  }
}

static void banded_is_exactly_mu_private(void **state) {
  (void)state;
  check_equality(&tacit_encoder_banded);
}

static void blt_is_exactly_mu_private(void **state) {
  (void)state;
  check_equality(&tacit_encoder_blt);
}

/* Two matrices of the table: one pass and two. */
static void matrix_is_exactly_mu_private(void **state) {
  (void)state;
  for (int passes = 1; passes <= 2; ++passes) {
    struct audit audit = tight;
    double tpr;
    audit.encoder = &tacit_encoder_matrix;
    audit.passes = passes;
    audit.per_pass = passes == 1 ? 24 : 16;
    CHECK_WITHIN(measure_auc(&audit, &tpr), 0.760249939, auc_error);
  }
}

static void half_the_noise_of_the_others_is_caught(void **state) {
  (void)state;
  struct audit audit = tight;
  double tpr;
  audit.noise_mu = 2;
  audit.encoder = &tacit_encoder_banded;
  CHECK_WITHIN(measure_auc(&audit, &tpr), 0.921350, auc_error);
  audit.encoder = &tacit_encoder_blt;
  audit.passes = 4;
  audit.per_pass = 3;
  CHECK_WITHIN(measure_auc(&audit, &tpr), 0.921350, auc_error);
}

/* The audit has power: with half the noise it finds Phi(2 mu/sqrt2). */
static void half_the_noise_is_caught(void **state) {
  (void)state;
  struct audit audit = tight;
  double tpr;
  audit.noise_mu = 2;
  double auc = measure_auc(&audit, &tpr);
  CHECK_WITHIN(auc, 0.921350, auc_error);
  assert_true(auc > normal_cdf(audit.mu / sqrt(2)) + 0.01);
}

int main(int argc, char **argv) {
  if (is_full_test(argc, argv)) {
    n_runs = 100000;
    auc_error = 0.004;
    tpr_error = 0.012;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tree_is_exactly_mu_private),
      cmocka_unit_test(tree_is_exactly_mu_private_at_half),
      cmocka_unit_test(replace_one_is_exactly_mu_private),
      cmocka_unit_test(adaptive_bounds_and_passes_stay_below),
      cmocka_unit_test(banded_is_exactly_mu_private),
      cmocka_unit_test(blt_is_exactly_mu_private),
      cmocka_unit_test(matrix_is_exactly_mu_private),
      cmocka_unit_test(half_the_noise_is_caught),
      cmocka_unit_test(half_the_noise_of_the_others_is_caught),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
