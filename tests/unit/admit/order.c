/* SPDX-License-Identifier: MIT */
/* The public order of rows. */
#include "check.h"

#include <stdlib.h>

#include "admit/order.h"

static tacit_order *order_of(int64_t n_rows, int64_t max_blocks) {
  tacit_order *order;
  tacit_error err;
  CHECK_OK(tacit_order_new(n_rows, max_blocks, &order, &err), err);
  return order;
}

static void it_is_a_bijection(void **state) {
  (void)state;
  static const int64_t blocks[] = {1, 2, 3, 7, 8, 64, 1 << 20};
  for (int64_t n = 1; n <= 300; n = n < 40 ? n + 1 : n + 37) {
    for (size_t b = 0; b < sizeof blocks / sizeof blocks[0]; ++b) {
      tacit_order *order = order_of(n, blocks[b]);
      char seen[300] = {0};
      for (int64_t i = 0; i < n; ++i) {
        int64_t row = tacit_order_row(order, i);
        assert_in_range(row, 0, n - 1);
        assert_int_equal(seen[row], 0);
        seen[row] = 1;
      }
      tacit_order_free(order);
    }
  }
}

/* Fixed numbers: the order of a model must be the same in every version. */
static void it_never_changes(void **state) {
  (void)state;
  static const int64_t ten[] = {6, 9, 4, 7, 2, 5, 1, 8, 0, 3};
  tacit_order *order = order_of(10, TACIT_ORDER_BLOCKS);
  for (int i = 0; i < 10; ++i)
    assert_int_equal(tacit_order_row(order, i), ten[i]);
  tacit_order_free(order);

  static const int64_t blocks_of_two[] = {0, 1, 8, 9, 4, 5, 2, 3, 6, 7, 10};
  order = order_of(11, 5);
  assert_int_equal(tacit_order_block_rows(order), 2);
  assert_int_equal(tacit_order_blocks(order), 6);
  for (int i = 0; i < 11; ++i)
    assert_int_equal(tacit_order_row(order, i), blocks_of_two[i]);
  tacit_order_free(order);
}

static void block_size_depends_on_the_number_of_rows(void **state) {
  (void)state;
  static const struct {
    int64_t n, block_rows, blocks;
  } cases[] = {
      {1, 1, 1},
      {1 << 17, 1, 1 << 17},
      {(1 << 17) + 1, 2, (1 << 16) + 1},
      {1 << 18, 2, 1 << 17},
      {(1 << 18) + 1, 2, (1 << 17) + 1},
      {(1 << 18) + 2, 4, (1 << 16) + 1},
      {INT64_C(1) << 37, 1 << 20, 1 << 17},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    tacit_order *order = order_of(cases[i].n, TACIT_ORDER_BLOCKS);
    assert_int_equal(tacit_order_block_rows(order), cases[i].block_rows);
    assert_int_equal(tacit_order_blocks(order), cases[i].blocks);
    tacit_order_free(order);
  }
}

static void a_short_last_block_stays_last(void **state) {
  (void)state;
  for (int64_t n = 9; n < 100; ++n) {
    tacit_order *order = order_of(n, 4);
    int64_t m = tacit_order_block_rows(order);
    for (int64_t i = n - n % m; i < n; ++i)
      assert_int_equal(tacit_order_row(order, i), i);
    tacit_order_free(order);
  }
}

/* Sorted rows are mixed: each tenth of the order has about a tenth of the first half.
   The key is fixed, so the result is too. */
static void it_mixes(void **state) {
  (void)state;
  enum { N = 10000 };
  tacit_order *order = order_of(N, TACIT_ORDER_BLOCKS);
  for (int tenth = 0; tenth < 10; ++tenth) {
    int low = 0;
    for (int i = 0; i < N / 10; ++i)
      low += tacit_order_row(order, tenth * N / 10 + i) < N / 2;
    CHECK_WITHIN(low, 500, 75);
  }
  tacit_order_free(order);
}

static void no_rows_have_no_order(void **state) {
  (void)state;
  tacit_order *order = NULL;
  assert_int_equal(tacit_order_new(0, 8, &order, NULL), TACIT_EINVAL);
  assert_int_equal(tacit_order_new(8, 0, &order, NULL), TACIT_EINVAL);
  assert_null(order);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_is_a_bijection),
      cmocka_unit_test(it_never_changes),
      cmocka_unit_test(block_size_depends_on_the_number_of_rows),
      cmocka_unit_test(a_short_last_block_stays_last),
      cmocka_unit_test(it_mixes),
      cmocka_unit_test(no_rows_have_no_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
