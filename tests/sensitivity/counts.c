/* SPDX-License-Identifier: MIT */
/*
 * Neighbouring data sets through sums of counts, as evaluations and descriptions
 * release them: one-hot rows and rows of several numbers, of one column and of many,
 * with weights, with persons of several rows, zero-out and replace. Callers may lie:
 * negative numbers, negative factors, scales, slopes, numbers far above the bound. The
 * distance of the two sums, in exact integers, is never larger than the noise that the
 * vault adds at mu = 1. The same harness with 0.99 of that noise must find a violation,
 * or it sees nothing.
 */
#include "check.h"

#include "base/numbers.h"
#include "kernel/kernel.h"
#include "mechanism/lattice.h"
#include "mechanism/mechanism.h"
#include "vault/vault.h"
#include "vault/words.h"

enum { COLUMNS_MAX = 7, ROWS = 12, OWN = 3, KINDS = 6 };

struct setting {
  size_t columns;
  int persons, kappa;
};

/* What the first rows, which are those that differ, try. */
enum kind { HONEST, LONG, NEGATIVE, NEGATIVE_FACTOR, SCALED, SLOPED };

struct rows {
  double values[ROWS * COLUMNS_MAX], weights[ROWS], signs[ROWS];
  uint32_t unit_rows[ROWS];
};

static double uniform(tacit_words *words) {
  return ldexp((double)(tacit_words_next(words) >> 11), -53);
}

/* Row i: one number, at `column`, or several. */
static void fill_row(tacit_words *words, const struct setting *setting, int i,
                     size_t column, int single, enum kind kind, struct rows *out) {
  for (size_t j = 0; j < setting->columns; ++j) {
    double value = single ? j == column : uniform(words);
    if (kind == LONG) value *= 1e6;
    if (kind == NEGATIVE && (single || j == column)) value = -value;
    out->values[(size_t)i * setting->columns + j] = value;
  }
}

/* Adds rows first … end-1, with scales or slopes if the kind has them. */
static void add(tacit_sum *sum, const tacit_batch *batch, const double *signs,
                int64_t first, int64_t end, enum kind kind, double steps) {
  double factors[ROWS];
  tacit_measures raw;
  tacit_error err;
  const tacit_points none = {0};
  for (int64_t i = first; i < end; ++i)
    factors[i - first] = kind == NEGATIVE_FACTOR ? steps * signs[i] : steps;
  const tacit_contribution contribution = {factors,
                                           kind == SCALED ? signs + first : NULL,
                                           kind == SLOPED ? signs + first : NULL, NULL};
  size_t rows = (size_t)(end - first);
  assert_int_equal(tacit_sum_measure(sum, batch, first, rows, &none, &raw), rows);
  CHECK_OK(tacit_sum_add(sum, &contribution, NULL, &err), err);
}

static tacit_sum *sum_of(const struct setting *setting, const struct rows *rows,
                         enum kind kind, int64_t clip, double steps) {
  tacit_error err;
  tacit_sum *sum = NULL;
  const tacit_level *kernel;
  const tacit_shape shape = {.rule = {setting->columns, 0, 1, 2, 1, 0}, .counts = 1};
  int own = setting->persons ? OWN : 1;
  CHECK_OK(tacit_kernel_pick(&kernel, &err), err);
  CHECK_OK(tacit_sum_new(&shape, kernel, &sum, &err), err);
  CHECK_OK(tacit_sum_open(sum, NULL, clip, 2, NULL, &err), err);
  tacit_batch batch = dense_rows(rows->values, NULL, ROWS, setting->columns);
  batch.raw_weights = rows->weights;
  batch.raw_unit_rows = rows->unit_rows;
  add(sum, &batch, rows->signs, 0, own, kind, steps);
  add(sum, &batch, rows->signs, own, ROWS, HONEST, steps);
  return sum;
}

/* Two data sets that differ in one record or person. */
static void make_pair(tacit_words *words, const struct setting *setting, enum kind kind,
                      struct rows *one, struct rows *two) {
  int own = setting->persons ? OWN : 1, single = tacit_words_next(words) % 4 != 0;
  size_t last = setting->columns - 1;
  for (int i = 0; i < ROWS; ++i) {
    fill_row(words, setting, i, i < own ? 0 : (size_t)i % setting->columns, single,
             HONEST, one);
    one->weights[i] = i < own || i % 2 ? 1 : 0.25;
    one->unit_rows[i] = (uint32_t)own;
    one->signs[i] = 1;
  }
  *two = *one;
  for (int i = 0; i < own; ++i) {
    if (setting->kappa == 1)
      two->weights[i] = 0;
    else
      fill_row(words, setting, i, last, single, kind, two);
    two->signs[i] = -1;
  }
}

/* The integer scale of the noise that the vault adds to the sum at mu = 1. */
static double noise_of(const struct setting *setting, const tacit_sum *sum,
                       int64_t clip) {
  static const tacit_key key;
  double y[COLUMNS_MAX];
  tacit_release release = {.y = y};
  tacit_error err;
  tacit_vault *vault = NULL;
  tacit_pool *pool = NULL;
  const tacit_vault_facts facts = {
      .encoder = &tacit_encoder_tree,
      .shape = {.dim = setting->columns, .rounds = 1, .per_pass = 1, .clip_max = clip},
      .lattice = {.clip_max = clip, .sens = 1 + 0x1p-40},
      .law = &tacit_law_gaussian,
      .exponent = 2,
      .kappa = setting->kappa,
      .budget = 1,
  };
  CHECK_OK(tacit_pool_new(1, &pool, &err), err);
  CHECK_OK(tacit_vault_new(&facts, &key, 0, setting->columns, &vault, &err), err);
  CHECK_OK(tacit_round_release(vault, pool, 1, sum, &release, &err), err);
  tacit_vault_free(vault);
  tacit_pool_free(pool);
  return release.noise_scale;
}

/* Pairs that differ by more than `share` of the noise, which depends on setting and
   clip alone. */
static int violations(const struct setting *setting, double share) {
  static const unsigned char seed[TACIT_KEY_BYTES] = "neighbouring counts";
  static const int64_t clips[] = {12, 4096, INT64_C(1) << 40};
  tacit_words words;
  int found = 0;
  tacit_words_init(&words, seed);
  for (int trial = 0; trial < 3 * 60; ++trial) {
    static double noise;
    struct rows one, two;
    enum kind kind = (enum kind)(trial % KINDS);
    int64_t clip = clips[trial / 60];
    make_pair(&words, setting, kind, &one, &two);
    tacit_sum *raw_one = sum_of(setting, &one, HONEST, clip, 1.5 * (double)clip);
    tacit_sum *raw_two = sum_of(setting, &two, kind, clip, 1.5 * (double)clip);
    if (trial % 60 == 0) noise = noise_of(setting, raw_one, clip);
    tacit_i128 square = 0, bound = (tacit_i128)floor(share * noise);
    for (size_t j = 0; j < setting->columns; ++j) {
      tacit_i128 change =
          tacit_sum_raw_integers(raw_one)[j] - tacit_sum_raw_integers(raw_two)[j];
      square += change * change;
    }
    found += square > bound * bound;
    tacit_sum_free(raw_one);
    tacit_sum_free(raw_two);
  }
  return found;
}

static void replaced_counts_move_no_further_than_their_noise(void **state) {
  (void)state;
  for (int i = 0; i < 12; ++i) {
    struct setting setting = {i % 3 == 0   ? 1
                              : i % 3 == 1 ? 2
                                           : COLUMNS_MAX,
                              i / 3 % 2, 1 + i / 6};
    int found = violations(&setting, 1);
    if (found > 0)
      fail_msg("%zu columns, persons %d, kappa %d: %d pairs", setting.columns,
               setting.persons, setting.kappa, found);
    if (violations(&setting, 0.9) == 0)
      fail_msg("%zu columns, persons %d, kappa %d: the harness sees nothing",
               setting.columns, setting.persons, setting.kappa);
  }
}

/* Rows that may be negative never get the smaller noise, nor do sums of both kinds. */
static void only_counts_have_the_smaller_noise(void **state) {
  tacit_error err;
  const tacit_level *kernel;
  tacit_sum *counts = NULL, *other = NULL;
  const struct setting setting = {2, 0, 2};
  const tacit_shape shape = {.rule = {2, 0, 1, 2, 1, 0}, .counts = 1},
                    plain = {.rule = {2, 0, 1, 2, 1, 0}};
  (void)state;
  CHECK_OK(tacit_kernel_pick(&kernel, &err), err);
  CHECK_OK(tacit_sum_new(&shape, kernel, &counts, &err), err);
  CHECK_OK(tacit_sum_new(&plain, kernel, &other, &err), err);
  CHECK_OK(tacit_sum_open(counts, NULL, 1000, 2, NULL, &err), err);
  CHECK_OK(tacit_sum_open(other, NULL, 1000, 2, NULL, &err), err);
  assert_true(noise_of(&setting, counts, 1000) >= 1000 * sqrt(2));
  assert_true(noise_of(&setting, counts, 1000) < 1420);
  assert_true(noise_of(&setting, other, 1000) >= 2000);
  assert_int_equal(tacit_sum_merge(counts, other, NULL, &err), TACIT_EPRIVACY);
  tacit_sum_free(counts);
  tacit_sum_free(other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(replaced_counts_move_no_further_than_their_noise),
      cmocka_unit_test(only_counts_have_the_smaller_noise),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
