/* SPDX-License-Identifier: MIT */
/* Tallies: what is released is the weighted count of rows plus noise of the size that
   is claimed; the parts share one budget and no noise. */
#include "check.h"

#include "extra/evaluate/tally.h"
#include "not_private/seed.h"

enum { ROWS = 200 };

static const tacit_tally_part parts[] = {{4, 0.8}, {1, 0.6}};

static tacit_tally *new_tally(int kappa, double mu) {
  const tacit_tally_facts facts = {parts, 2, ROWS, kappa, mu};
  tacit_tally *tally = NULL;
  tacit_error err;
  CHECK_OK(tacit_tally_new(&facts, &tally, &err), err);
  return tally;
}

/* Row i counts in column i mod 4, and adds 1/4 to the other part. The first 20 rows are
   two persons with 10 rows each; the last 20 have weight 1/2. */
static void fill(tacit_tally *tally) {
  uint32_t columns[2 * ROWS], unit_rows[ROWS];
  double values[2 * ROWS], weights[ROWS];
  tacit_error err;
  for (uint32_t i = 0; i < ROWS; ++i) {
    columns[2 * i] = i % 4;
    columns[2 * i + 1] = 0;
    values[2 * i] = 1;
    values[2 * i + 1] = 0.25;
    unit_rows[i] = i < 20 ? 10 : 1;
    weights[i] = i < ROWS - 20 ? 1 : 0.5;
  }
  tacit_batch batch = dense_rows(NULL, NULL, ROWS, 0);
  batch.raw_weights = weights;
  batch.raw_unit_rows = unit_rows;
  CHECK_OK(tacit_tally_add(tally, &batch, columns, values, &err), err);
}

static void end(int kappa, double mu, uint64_t seed, double out[5]) {
  tacit_error err;
  tacit_key key;
  tacit_tally *tally = new_tally(kappa, mu);
  fill(tally);
  CHECK_OK(tacit_key_from_seed(seed, &key, &err), err);
  CHECK_OK(tacit_tally_end(tally, &key, out, &err), err);
  tacit_tally_free(tally);
}

static void the_parts_are_within_the_budget(void **state) {
  (void)state;
  for (int i = 0; i < 200; ++i) {
    double mu = 0.003 * pow(1.05, i);
    tacit_tally *tally = new_tally(1 + i % 2, mu);
    double first = tacit_tally_mu(tally, 0), second = tacit_tally_mu(tally, 1), total;
    tacit_error err;
    CHECK_OK(tacit_mu_compose_up(first, second, &total, &err), err);
    CHECK_AT_MAX(total, mu);
    assert_true(total > 0.9999999 * mu);
    tacit_tally_free(tally);
  }
}

/* Replace: the distance of two rows is the root of 2 * 0.64 + 0.36; zero-out: 1. */
static void noise_is_that_of_one_vector(void **state) {
  (void)state;
  for (int kappa = 1; kappa <= 2; ++kappa) {
    tacit_tally *tally = new_tally(kappa, 0.5);
    double distance = kappa == 1 ? 1 : sqrt(2 * 0.64 + 0.36);
    CHECK_RELATIVE(tacit_tally_noise(tally, 0), distance / (0.8 * 0.5), 1e-9);
    CHECK_RELATIVE(tacit_tally_noise(tally, 1), distance / (0.6 * 0.5), 1e-9);
    tacit_tally_free(tally);
  }
}

/* 1,500 seeds: the variance is off by more than 16% with probability below 1e-4, the
   mean by more than 5 standard errors below 1e-6. */
static void what_is_released_is_the_count_plus_that_noise(void **state) {
  enum { SEEDS = 1500 };
  static const double exact[] = {43, 43, 43, 43, 43};
  double sum[5] = {0}, squares[5] = {0}, y[5];
  tacit_tally *tally = new_tally(2, 0.5);
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; ++seed) {
    end(2, 0.5, seed, y);
    for (int j = 0; j < 5; ++j) {
      sum[j] += y[j] - exact[j];
      squares[j] += (y[j] - exact[j]) * (y[j] - exact[j]);
    }
  }
  for (int j = 0; j < 5; ++j) {
    double noise = tacit_tally_noise(tally, (size_t)j / 4);
    CHECK_WITHIN(sum[j] / SEEDS, 0, 5 * noise / sqrt(SEEDS));
    CHECK_RELATIVE(squares[j] / SEEDS, noise * noise, 0.16);
  }
  tacit_tally_free(tally);
}

/* Two parts that are alike and one key: their noise must differ. */
static void no_two_parts_share_noise(void **state) {
  static const tacit_tally_part alike[] = {{2, 1}, {2, 1}};
  const tacit_tally_facts facts = {alike, 2, ROWS, 2, 1};
  double y[4];
  tacit_tally *tally = NULL;
  tacit_key key;
  tacit_error err;
  (void)state;
  CHECK_OK(tacit_tally_new(&facts, &tally, &err), err);
  CHECK_OK(tacit_key_from_seed(7, &key, &err), err);
  CHECK_OK(tacit_tally_end(tally, &key, y, &err), err);
  assert_true(y[0] != y[2] && y[1] != y[3]);
  tacit_tally_free(tally);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_parts_are_within_the_budget),
      cmocka_unit_test(noise_is_that_of_one_vector),
      cmocka_unit_test(what_is_released_is_the_count_plus_that_noise),
      cmocka_unit_test(no_two_parts_share_noise),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
