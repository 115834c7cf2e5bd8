/* SPDX-License-Identifier: MIT */
/*
 * An attack on a sorted file. The rows are sorted by a feature; one person's feature
 * changes from the lowest to the highest, so all others move by one place. The attacker
 * knows all rows of both files and sees the noisy sum of every batch: one pass, clip 1,
 * noise for mu. How well can the two files be told apart? The guarantee allows an area
 * under the curve (AUC) of Phi(mu / sqrt 2).
 *
 * Orders are those of src/admit/order.c; releases are drawn here from the law of the
 * vault, so that thousands of runs take a second. Seeds are fixed: a result is the same
 * in every run, and would be a false alarm for less than 1 in 700 seeds (3 standard
 * errors, one side).
 */
#include "check.h"

#include <math.h>
#include <string.h>

#include "admit/order.h"
#include "admit/rounds.h"

enum { N = 2000, BATCHES = 32, TRIALS = 2000 };
static const double mu = 0.222; /* epsilon = 1, delta = 1e-6 */

static uint64_t state_of_words = 1;

static double uniform(void) {
  uint64_t z = state_of_words += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  z ^= z >> 31;
  return ((double)(z >> 11) + 0.5) * 0x1p-53;
}

static double normal(void) {
  return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

/* Contributions by position: labels do not follow the feature. In the second file the
   first person is the last, and has the other label. */
static double files[2][N];

static void make_files(void) {
  for (int i = 0; i < N; ++i)
    files[0][i] = uniform() < 0.5 ? -1 : 1;
  memcpy(files[1], files[0] + 1, (N - 1) * sizeof files[0][0]);
  files[1][N - 1] = -files[0][0];
}

/* Sums of the batches. `shift`: position i of the file is dealt as position i + shift
   (mod N): the coupling that matches the common rows of the two files. */
static void sums_of(const double *file, uint32_t number, int shift, double *sums) {
  unsigned char key[TACIT_ORDER_KEY_BYTES] = {0};
  static int64_t rows[N];
  tacit_order *order = NULL;
  tacit_error err;
  memcpy(key, &number, sizeof number);
  CHECK_OK(tacit_order_new(N, BATCHES, key, NULL, &order, &err), err);
  CHECK_OK(tacit_order_rows(order, 0, N, rows, &err), err);
  for (int j = 0; j < BATCHES; ++j) {
    sums[j] = 0;
    for (int64_t p = tacit_rounds_batch(N, BATCHES, j);
         p < tacit_rounds_batch(N, BATCHES, j + 1); ++p)
      sums[j] += file[(rows[p] + shift) % N];
  }
  tacit_order_free(order);
}

static double distance(const double *a, const double *b) {
  double sum = 0;
  for (int j = 0; j < BATCHES; ++j)
    sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sqrt(sum);
}

/* AUC of the exact likelihood ratio between normal releases of these sums. */
static double exact_auc(const double *a, const double *b) {
  double sigma = 2 / mu;
  return 0.5 * erfc(-distance(a, b) / sigma / 2);
}

static double allowed(void) { return 0.5 * erfc(-mu / 2); }

static void a_public_order_is_seen_through(void **state) {
  (void)state;
  double sums[2][BATCHES];
  for (uint32_t number = 0; number < 20; ++number) {
    for (int file = 0; file < 2; ++file)
      sums_of(files[file], number, 0, sums[file]);
    assert_true(exact_auc(sums[0], sums[1]) > 0.9);
  }
}

/* Given the coupled orders the two files differ in one row of one batch. */
static void coupled_secret_orders_keep_the_guarantee(void **state) {
  (void)state;
  double sums[2][BATCHES];
  for (uint32_t number = 0; number < 200; ++number) {
    sums_of(files[0], number, 1, sums[0]);
    sums_of(files[1], number, 0, sums[1]);
    assert_true(distance(sums[0], sums[1]) <= 2);
    assert_true(exact_auc(sums[0], sums[1]) <= allowed() + 1e-12);
  }
}

/* Fraction of pairs that the scores put into the right order. */
static double empirical_auc(const double *first, const double *second) {
  double right = 0;
  for (int i = 0; i < TRIALS; ++i) {
    for (int k = 0; k < TRIALS; ++k)
      right += first[i] > second[k] ? 1 : first[i] == second[k] ? 0.5 : 0;
  }
  right /= (double)TRIALS * TRIALS;
  return right > 0.5 ? right : 1 - right;
}

/* Releases of runs, each with an order of its own, or all with the order of key 0. */
static void releases(const double *file, uint32_t first_key, int is_secret,
                     double out[TRIALS][BATCHES]) {
  for (int i = 0; i < TRIALS; ++i) {
    sums_of(file, is_secret ? first_key + (uint32_t)i : 0, 0, out[i]);
    for (int j = 0; j < BATCHES; ++j)
      out[i][j] += 2 / mu * normal();
  }
}

/* A linear classifier, trained on half of the runs (the difference of the means) and
   scored on the other half. */
static double attack(int is_secret) {
  static double seen[2][2][TRIALS][BATCHES], scores[2][TRIALS];
  double weights[BATCHES] = {0};
  for (int half = 0; half < 2; ++half) {
    for (int file = 0; file < 2; ++file)
      releases(files[file], 1 + (uint32_t)(2 * half + file) * TRIALS, is_secret,
               seen[half][file]);
  }
  for (int i = 0; i < TRIALS; ++i) {
    for (int j = 0; j < BATCHES; ++j)
      weights[j] += seen[0][0][i][j] - seen[0][1][i][j];
  }
  for (int file = 0; file < 2; ++file) {
    for (int i = 0; i < TRIALS; ++i) {
      scores[file][i] = 0;
      for (int j = 0; j < BATCHES; ++j)
        scores[file][i] += weights[j] * seen[1][file][i][j];
    }
  }
  return empirical_auc(scores[0], scores[1]);
}

static void a_trained_attacker_learns_no_more_than_allowed(void **state) {
  (void)state;
  double error = sqrt((2.0 * TRIALS + 1) / (12.0 * TRIALS * TRIALS));
  double secret = attack(1), public = attack(0);
  assert_true(secret <= allowed() + 3 * error);
  assert_true(public > 0.9);
}

static int setup(void **state) {
  (void)state;
  make_files();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_public_order_is_seen_through),
      cmocka_unit_test(coupled_secret_orders_keep_the_guarantee),
      cmocka_unit_test(a_trained_attacker_learns_no_more_than_allowed),
  };
  return cmocka_run_group_tests(tests, setup, NULL);
}
