/* SPDX-License-Identifier: MIT */
/* The secret order: every row once, exact sizes, every assignment equally likely. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "admit/order.h"
#include "admit/order_draw.h"
#include "admit/rounds.h"

static void key_of(uint32_t number, unsigned char key[TACIT_ORDER_KEY_BYTES]) {
  memset(key, 0, TACIT_ORDER_KEY_BYTES);
  for (int i = 0; i < 4; ++i) /* the same bytes on every machine */
    key[i] = (unsigned char)(number >> 8 * i);
}

static tacit_order *order_of(int64_t n_rows, int64_t batches, uint32_t number) {
  unsigned char key[TACIT_ORDER_KEY_BYTES];
  tacit_order *order = NULL;
  tacit_error err;
  key_of(number, key);
  CHECK_OK(tacit_order_open(n_rows, batches, key, &order, &err), err);
  return order;
}

static int64_t *rows_of(const tacit_order *order, int64_t first, int64_t count) {
  int64_t *rows = calloc((size_t)count + 1, sizeof *rows);
  tacit_error err;
  assert_non_null(rows);
  CHECK_OK(tacit_order_rows(order, first, count, rows, &err), err);
  return rows;
}

/* Numbers of rows and batches: one batch, as many as rows, sizes that do not divide,
   more than one segment, a list that is just too long for one, more batches than parts.
 */
static const struct {
  int64_t rows, batches;
} shapes[] = {{1, 1},          {2, 1},       {2, 2},          {7, 3},
              {1000, 32},      {1000, 1000}, {5000, 1025},    {20000, 4097},
              {70000, 9},      {65535, 2},   {65536, 1024},   {131070, 2},
              {200001, 70000}, {140000, 33}, {140000, 139999}};

static void every_row_has_one_place_and_batches_ascend(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; ++k) {
    int64_t n = shapes[k].rows, batches = shapes[k].batches;
    tacit_order *order = order_of(n, batches, 7);
    int64_t *rows = rows_of(order, 0, n);
    char *seen = calloc((size_t)n, 1);
    for (int64_t i = 0; i < n; ++i) {
      assert_in_range(rows[i], 0, n - 1);
      assert_int_equal(seen[rows[i]]++, 0);
      assert_true(tacit_order_place(order, rows[i]) == i);
    }
    for (int64_t j = 0; j < batches; ++j) {
      int64_t first = tacit_rounds_batch(n, batches, j);
      int64_t end = tacit_rounds_batch(n, batches, j + 1);
      for (int64_t i = first + 1; i < end; ++i)
        assert_true(rows[i] > rows[i - 1]);
    }
    assert_true(tacit_order_place(order, -1) == -1);
    assert_true(tacit_order_place(order, n) == -1);
    free(seen);
    free(rows);
    tacit_order_free(order);
  }
}

/* Any range of places gives the rows of the whole list. */
static void ranges_agree_with_the_whole(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; ++k) {
    int64_t n = shapes[k].rows;
    tacit_order *order = order_of(n, shapes[k].batches, 8);
    int64_t *whole = rows_of(order, 0, n);
    tacit_order_group group = {0};
    for (int64_t first = 0, step = 1; first < n; first += step, step += n / 9 + 1) {
      int64_t count = first + step < n ? step : n - first;
      int64_t *rows = rows_of(order, first, count);
      assert_memory_equal(rows, whole + first, (size_t)count * sizeof *rows);
      memset(rows, 0, (size_t)count * sizeof *rows);
      tacit_error err;
      CHECK_OK(tacit_order_list(order, &group, first, count, rows, &err), err);
      assert_memory_equal(rows, whole + first, (size_t)count * sizeof *rows);
      free(rows);
    }
    tacit_order_group_fini(&group);
    free(whole);
    tacit_order_free(order);
  }
}

/* Chi-square over all assignments of n rows to batches, which n!/(sizes!) is the number
   of. The keys are fixed, so the result is too; for random keys a limit of
   df + 5 sqrt(2 df) would be passed by chance less than once in 100,000 times. */
static void check_uniform(int64_t n, int64_t batches, int cells) {
  enum { KEYS = 15000, CELLS = 5 * 5 * 5 * 5 * 5 };
  static int counts[CELLS];
  int found = 0;
  double sum = 0, expected = (double)KEYS / cells;
  memset(counts, 0, sizeof counts);
  for (uint32_t number = 0; number < KEYS; ++number) {
    tacit_order *order = order_of(n, batches, number);
    int cell = 0;
    for (int64_t row = 0; row < n; ++row) {
      int64_t place = tacit_order_place(order, row), batch = 0;
      while (tacit_rounds_batch(n, batches, batch + 1) <= place)
        ++batch;
      cell = cell * (int)batches + (int)batch;
    }
    ++counts[cell];
    tacit_order_free(order);
  }
  for (int i = 0; i < CELLS; ++i) {
    if (counts[i] == 0) continue;
    ++found;
    sum += (counts[i] - expected) * (counts[i] - expected) / expected;
  }
  assert_int_equal(found, cells);
  CHECK_WITHIN(sum, cells - 1, 5 * sqrt(2.0 * (cells - 1)));
}

static void every_assignment_is_equally_likely(void **state) {
  (void)state;
  check_uniform(5, 2, 10); /* sizes 2, 3 */
  check_uniform(5, 3, 30); /* sizes 1, 2, 2 */
  check_uniform(5, 5, 120);
  check_uniform(4, 2, 6);
}

/* With more batches than parts too: where two rows of 2500 in 1250 batches meet. */
static void groups_are_uniform_too(void **state) {
  (void)state;
  enum { KEYS = 2000, N = 2500, BATCHES = 1250 };
  int same = 0;
  double places = 0;
  for (uint32_t number = 0; number < KEYS; ++number) {
    tacit_order *order = order_of(N, BATCHES, number);
    for (int64_t i = 0; i < 500; i += 2)
      same += tacit_order_place(order, i) / 2 == tacit_order_place(order, i + 1) / 2;
    places += (double)tacit_order_place(order, (int64_t)number);
    tacit_order_free(order);
  }
  /* A pair meets with probability 1/2499: 200 of 500,000, standard deviation 14. The
     mean place of a row is 1249.5 with standard deviation 722 / sqrt(2000) = 16. */
  CHECK_WITHIN(same, 200, 5 * 14.2);
  CHECK_WITHIN(places / KEYS, (N - 1) / 2.0, 5 * 16.2);
}

/* Fixed numbers: seeded runs must be the same on every machine and in every version. */
static void it_never_changes(void **state) {
  (void)state;
  static const int64_t ten[] = {0, 1, 6, 3, 8, 9, 2, 4, 5, 7};
  tacit_order *order = order_of(10, 3, 1);
  int64_t *rows = rows_of(order, 0, 10);
  for (int i = 0; i < 10; ++i)
    assert_int_equal(rows[i], ten[i]);
  free(rows);
  tacit_order_free(order);
  uint64_t sum = 0;
  order = order_of(100000, 5000, 1);
  rows = rows_of(order, 0, 100000);
  for (uint64_t i = 0; i < 100000; ++i)
    sum += (2 * i + 1) * (uint64_t)rows[i];
  assert_true(sum == UINT64_C(501004588186774));
  free(rows);
  tacit_order_free(order);
}

/* Neighbouring rows are dealt alone, not in blocks: rows 2i and 2i+1 are in one batch
   of 32 as often as any two rows. */
static void neighbours_are_dealt_alone(void **state) {
  (void)state;
  enum { N = 1 << 19, BATCHES = 32 };
  tacit_order *order = order_of(N, BATCHES, 3);
  int same = 0;
  for (int64_t i = 0; i < N; i += 2)
    same += tacit_order_place(order, i) / (N / BATCHES) ==
            tacit_order_place(order, i + 1) / (N / BATCHES);
  /* 8192 of 262,144 expected, standard deviation 89. */
  CHECK_WITHIN(same, 8192, 5 * 89);
  tacit_order_free(order);
}

static void other_keys_give_other_orders(void **state) {
  (void)state;
  tacit_order *first = order_of(1000, 10, 1), *second = order_of(1000, 10, 2);
  int same = 0;
  for (int64_t i = 0; i < 1000; ++i)
    same += tacit_order_place(first, i) / 100 == tacit_order_place(second, i) / 100;
  CHECK_WITHIN(same, 100, 50);
  tacit_order_free(first);
  tacit_order_free(second);
}

/* Half of the rows have a random number of rows of batch 0, although they are in two
   segments: hypergeometric, with mean n/4 and variance n/16. */
static void segments_have_random_shares(void **state) {
  (void)state;
  enum { KEYS = 200, N = 140000, HALF = N / 2 };
  double sum = 0, squares = 0;
  for (uint32_t number = 0; number < KEYS; ++number) {
    tacit_order *order = order_of(N, 2, number);
    int64_t *rows = rows_of(order, 0, HALF);
    double count = 0;
    for (int64_t i = 0; i < HALF && rows[i] < HALF; ++i)
      ++count;
    sum += count - N / 4.0;
    squares += (count - N / 4.0) * (count - N / 4.0);
    free(rows);
    tacit_order_free(order);
  }
  /* The standard deviation of the mean square is variance sqrt(2 / KEYS). */
  CHECK_WITHIN(sum / KEYS, 0, 5 * sqrt(N / 16.0 / KEYS));
  CHECK_WITHIN(squares / KEYS, N / 16.0, 5 * N / 16.0 * sqrt(2.0 / KEYS));
}

/* Two lists of fair coins agree in half of their places; a limit of 5 standard
   deviations is passed by chance less than once in a million times. */
static void check_unlike(int64_t same, int64_t count) {
  CHECK_WITHIN((double)same, (double)count / 2, 5 * sqrt((double)count) / 2);
}

/* Which of two batches the rows of one segment are in says nothing about the rows of
   another one, whether the two are laid side by side from their first row or from their
   last, which is drawn first. */
static void no_segment_is_shuffled_like_another(void **state) {
  (void)state;
  enum { N = 300000, HALF = N / 2 };
  tacit_order *order = order_of(N, 2, 11);
  assert_true(order->segments > 4);
  for (int64_t i = 0; i < order->segments; ++i)
    for (int64_t j = 0; j < i; ++j) {
      const int64_t *first = order->raw_first;
      int64_t of_i = tacit_order_segment(order, i), same[2] = {0};
      int64_t of_j = tacit_order_segment(order, j), count = of_i < of_j ? of_i : of_j;
      for (int64_t k = 0; k < count; ++k) {
        same[0] += (tacit_order_place(order, first[i] + k) < HALF) ==
                   (tacit_order_place(order, first[j] + k) < HALF);
        same[1] += (tacit_order_place(order, first[i + 1] - 1 - k) < HALF) ==
                   (tacit_order_place(order, first[j + 1] - 1 - k) < HALF);
      }
      check_unlike(same[0], count);
      check_unlike(same[1], count);
    }
  tacit_order_free(order);
}

/* With 2048 batches a group has two of 100 rows each, and its 200 rows are dealt to
   them unlike the 200 rows of any other group. */
static void no_group_is_dealt_like_another(void **state) {
  (void)state;
  enum { GROUPS = 1024, ROWS = 200, BATCH = ROWS / 2, N = GROUPS * ROWS };
  static char is_second[GROUPS][ROWS];
  tacit_order *order = order_of(N, 2 * GROUPS, 12);
  for (int64_t g = 0; g < GROUPS; ++g) {
    int64_t *rows = rows_of(order, g * ROWS, ROWS);
    for (int i = 0, a = 0, b = BATCH; i < ROWS; ++i) { /* both batches ascend */
      is_second[g][i] = a == BATCH || (b < ROWS && rows[b] < rows[a]);
      if (is_second[g][i])
        ++b;
      else
        ++a;
    }
    free(rows);
  }
  for (int apart = 1; apart <= 8; ++apart) {
    int64_t same = 0;
    for (int g = 0; g + apart < GROUPS; ++g)
      for (int i = 0; i < ROWS; ++i)
        same += is_second[g][i] == is_second[g + apart][i];
    check_unlike(same, (int64_t)(GROUPS - apart) * ROWS);
  }
  tacit_order_free(order);
}

static void any_number_of_threads_gives_the_same(void **state) {
  (void)state;
  enum { N = 300001, BATCHES = 77 };
  unsigned char key[TACIT_ORDER_KEY_BYTES];
  tacit_order *alone = order_of(N, BATCHES, 5);
  int64_t *rows = rows_of(alone, 0, N);
  key_of(5, key);
  for (unsigned threads = 1; threads <= 5; threads += 2) {
    tacit_order *order = NULL;
    tacit_pool *pool = NULL;
    tacit_error err;
    CHECK_OK(tacit_pool_new(threads, &pool, &err), err);
    CHECK_OK(tacit_order_new(N, BATCHES, key, pool, &order, &err), err);
    int64_t *same = rows_of(order, 0, N);
    assert_memory_equal(same, rows, N * sizeof *rows);
    free(same);
    tacit_order_free(order);
    tacit_pool_free(pool);
  }
  free(rows);
  tacit_order_free(alone);
}

static void impossible_orders_are_refused(void **state) {
  (void)state;
  unsigned char key[TACIT_ORDER_KEY_BYTES] = {1};
  tacit_order *order = NULL;
  int64_t row;
  assert_int_equal(tacit_order_open(0, 1, key, &order, NULL), TACIT_EINVAL);
  assert_int_equal(tacit_order_open(8, 0, key, &order, NULL), TACIT_EINVAL);
  assert_int_equal(tacit_order_open(8, 9, key, &order, NULL), TACIT_EINVAL);
  assert_int_equal(tacit_order_open(8, 2, NULL, &order, NULL), TACIT_EINVAL);
  assert_int_equal(tacit_order_open(8, 2, key, NULL, NULL), TACIT_EINVAL);
  assert_null(order);
  order = order_of(8, 2, 1);
  assert_int_equal(tacit_order_rows(order, -1, 1, &row, NULL), TACIT_EINVAL);
  assert_int_equal(tacit_order_rows(order, 8, 1, &row, NULL), TACIT_EINVAL);
  tacit_order_free(order);
  tacit_order_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_row_has_one_place_and_batches_ascend),
      cmocka_unit_test(ranges_agree_with_the_whole),
      cmocka_unit_test(every_assignment_is_equally_likely),
      cmocka_unit_test(groups_are_uniform_too),
      cmocka_unit_test(it_never_changes),
      cmocka_unit_test(neighbours_are_dealt_alone),
      cmocka_unit_test(other_keys_give_other_orders),
      cmocka_unit_test(segments_have_random_shares),
      cmocka_unit_test(no_segment_is_shuffled_like_another),
      cmocka_unit_test(no_group_is_dealt_like_another),
      cmocka_unit_test(any_number_of_threads_gives_the_same),
      cmocka_unit_test(impossible_orders_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
