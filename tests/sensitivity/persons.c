/* SPDX-License-Identifier: MIT */
/*
 * A person with 0 to 20 rows anywhere in a file, through the roster and the vault's
 * sum: what all rows of the person add, in whatever batches they fall, has norm at most
 * the clip, in exact integers. Half of the persons are worst cases. Without the shares
 * of the roster the same rows pass the clip, so the test can see a violation.
 */
#include "check.h"

#include "admit/roster.h"
#include "base/numbers.h"
#include "kernel/kernel.h"
#include "vault/clip.h"
#include "vault/words.h"

enum { FEATURES = 4, ROWS_MAX = 20, OTHERS = 50, BATCHES = 5, PERSONS = 400 };

static tacit_roster *roster_with(int rows, tacit_words *words, int64_t *own) {
  tacit_error err;
  tacit_roster *roster;
  tacit_key key = {{3}};
  int left = rows, others = OTHERS;
  CHECK_OK(tacit_roster_new(0, &roster, &err), err);
  for (int64_t i = 0; left + others > 0; ++i) {
    int is_own = tacit_words_below(words, (uint64_t)(left + others)) < (uint64_t)left;
    tacit_unit unit;
    tacit_unit_of_number(is_own ? 7 : 100 + i / 2, &unit);
    CHECK_OK(tacit_roster_add(roster, i, &unit, 0, &err), err);
    own[i] = is_own;
    left -= is_own;
    others -= !is_own;
  }
  CHECK_OK(tacit_roster_meet(roster, NULL, &err), err);
  CHECK_OK(tacit_roster_deal(roster, &key, BATCHES, &err), err);
  return roster;
}

/* The length of what the person adds to all batches, where every row counts in full as
   if none cancelled another: the sum of the lengths of its rows. */
static int passes_clip(int rows, int64_t clip, int worst, int shares,
                       tacit_words *words) {
  tacit_error err;
  int64_t own[OTHERS + ROWS_MAX];
  tacit_roster *roster = roster_with(rows, words, own);
  const tacit_level *kernel = NULL;
  CHECK_OK(tacit_kernel_pick(&kernel, &err), err);
  const tacit_shape shape = {.rule = {.features = FEATURES, .outputs = 1}};
  tacit_sum *sum = NULL;
  CHECK_OK(tacit_sum_new(&shape, kernel, &sum, &err), err);
  long double total = 0;
  for (int64_t j = 0; j < BATCHES; ++j) {
    int64_t first, end;
    tacit_roster_batch(roster, j, &first, &end);
    for (int64_t place = first; place < end; ++place) {
      if (!own[tacit_roster_row(roster, place)]) continue;
      uint32_t unit_rows = *tacit_roster_shares(roster, &place, 1, NULL);
      assert_int_equal(unit_rows, rows);
      double values[FEATURES] = {1}, zeros[2 * FEATURES] = {0}, factor = 1e30;
      for (int k = 0; k < FEATURES && !worst; ++k)
        values[k] = ldexp((double)tacit_words_half(words), -32) - 0.5;
      tacit_batch batch = dense_rows(values, NULL, 1, FEATURES);
      if (shares) batch.raw_unit_rows = &unit_rows;
      tacit_points points = {.x = zeros, .pairs = zeros};
      tacit_measures measures;
      CHECK_OK(tacit_sum_open(sum, NULL, clip, 2, NULL, &err), err);
      assert_int_equal(tacit_sum_measure(sum, &batch, 0, 1, &points, &measures), 1);
      const tacit_contribution raw = {.raw_factors = &factor};
      CHECK_OK(tacit_sum_add(sum, &raw, NULL, &err), err);
      long double squares = 0;
      for (int k = 0; k < FEATURES; ++k) {
        long double part = (long double)tacit_sum_raw_integers(sum)[k];
        squares += part * part;
      }
      total += sqrtl(squares);
    }
  }
  tacit_sum_free(sum);
  tacit_roster_free(roster);
  return total > (long double)clip;
}

static int violations(int shares) {
  static const int64_t clips[] = {3, 1000003, INT64_C(1) << 45};
  unsigned char key[TACIT_KEY_BYTES] = {5};
  tacit_words words;
  int found = 0;
  tacit_words_init(&words, key);
  for (int i = 0; i < PERSONS; ++i)
    found += passes_clip(i % (ROWS_MAX + 1), clips[i % 3], i % 2, shares, &words);
  return found;
}

static void a_person_adds_at_most_one_clip(void **state) {
  (void)state;
  assert_int_equal(violations(1), 0);
}

static void rows_without_shares_are_noticed(void **state) {
  (void)state;
  assert_true(violations(0) > PERSONS / 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_person_adds_at_most_one_clip),
      cmocka_unit_test(rows_without_shares_are_noticed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
