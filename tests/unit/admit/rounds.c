/* SPDX-License-Identifier: MIT */
/* A pass is cut into rounds without gap or overlap. */
#include "check.h"

#include "admit/rounds.h"

static void check_passes(int64_t rows, int64_t per_pass) {
  for (int64_t pass = 0; pass < 3; ++pass) {
    int64_t place = 0;
    for (int64_t j = 1; j <= per_pass; ++j) {
      int64_t t = pass * per_pass + j;
      assert_int_equal(tacit_rounds_first(rows, per_pass, t), place);
      int64_t count = tacit_rounds_rows(rows, per_pass, t);
      assert_in_range(count, rows / per_pass, (rows - 1) / per_pass + 1);
      place += count;
    }
    assert_int_equal(place, rows);
  }
}

static void every_place_belongs_to_one_round_of_a_pass(void **state) {
  (void)state;
  for (int64_t rows = 1; rows <= 40; ++rows)
    for (int64_t per_pass = 1; per_pass <= rows; ++per_pass)
      check_passes(rows, per_pass);
  check_passes(INT64_C(1) << 40, 1000);
  check_passes(INT64_MAX / 4, 7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_place_belongs_to_one_round_of_a_pass),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
