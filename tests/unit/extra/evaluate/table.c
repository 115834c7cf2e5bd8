/* SPDX-License-Identifier: MIT */
/* From a table without noise come the exact numbers; intervals are as wide as noise and
   sampling make them, and say when they are too wide. */
#include "check.h"

#include "extra/evaluate/table.h"

static const double no_noise[TACIT_TABLE_PARTS] = {0};

static tacit_score_table two(size_t bins, double rows) {
  return (tacit_score_table){
      .kind = TACIT_TABLE_TWO,
      .classes = 2,
      .bins = bins,
      .is_probability = 1,
      .rows = rows,
      .loss_max = 8,
      .parts = {{2 * bins, 0.9}, {1, 0.4}},
      .n_parts = 2,
      .columns = 2 * bins + 1,
  };
}

/* (negatives, positives) of four bins: accuracy (40 + 30 + 25 + 35)/170. The area by
   pairs, ties one half, plus the lines inside bins. */
static void two_classes(void **state) {
  double values[] = {40, 5, 30, 10, 15, 25, 10, 35, 8.5}, out[64];
  tacit_score_table table = two(4, 170);
  (void)state;
  tacit_score_table_compute(&table, no_noise, values, out);
  CHECK_RELATIVE(out[0], 130.0 / 170, 1e-12);
  double wins = 5 * 20 + 10 * (40 + 15) + 25 * (70 + 7.5) + 35 * (85 + 5);
  double lines = (10.0 * 40 - 5 * 30 + 25 * 30 - 10 * 15 + 35 * 15 - 25 * 10) / 12;
  CHECK_RELATIVE(out[1], (wins + lines) / (75.0 * 95), 1e-12);
  CHECK_RELATIVE(out[2], 8 * 8.5 / 170, 1e-12);
  CHECK_RELATIVE(out[4], 70.0 / 75, 1e-12);         /* true positives above 1/4 */
  CHECK_RELATIVE(out[5], 55.0 / 95, 1e-12);         /* false positives */
  CHECK_RELATIVE(out[6], 70.0 / 125, 1e-12);        /* precision */
  CHECK_RELATIVE(out[4 + 9], 5.0 / 45, 1e-12);      /* positives of the first bin */
  CHECK_RELATIVE(out[4 + 9 + 3], 35.0 / 45, 1e-12); /* and of the last one */
  assert_int_equal(tacit_score_table_count(&table), 4 + 9 + 4);
}

/* What is known of the sum is used: an excess is taken from all columns. */
static void the_number_of_rows_is_used(void **state) {
  double values[] = {41, 6, 31, 11, 16, 26, 11, 36, 8.5}, out[64];
  tacit_score_table table = two(4, 170);
  (void)state;
  tacit_score_table_compute(&table, no_noise, values, out);
  CHECK_RELATIVE(out[0], 130.0 / 170, 1e-12);
  CHECK_RELATIVE(values[0], 40, 1e-12);
  double weighted[] = {41, 6, 31, 11, 16, 26, 11, 36, 8.5};
  table.weighted = 1; /* then it is not known */
  tacit_score_table_compute(&table, no_noise, weighted, out);
  CHECK_RELATIVE(out[0], 134.0 / 178, 1e-12);
}

static void several_classes(void **state) {
  /* predicted by true; then (wrong, right) of two bins; then the loss */
  double values[] = {20, 2, 3, 4, 30, 1, 0, 5, 35, 9, 21, 6, 64, 10}, out[32];
  const double noise[] = {1, 100, 1};
  tacit_score_table table = {.kind = TACIT_TABLE_CLASSES,
                             .classes = 3,
                             .bins = 2,
                             .rows = 100,
                             .loss_max = 4,
                             .parts = {{9, 0.7}, {4, 0.5}, {1, 0.4}},
                             .n_parts = 3,
                             .columns = 14};
  (void)state;
  tacit_score_table_compute(&table, noise, values, out);
  CHECK_RELATIVE(out[0], 0.85, 1e-12);
  CHECK_RELATIVE(out[1], 0.4, 1e-12);
  CHECK_RELATIVE(out[2], 20.0 / 24, 1e-12); /* recall of class 0 */
  CHECK_RELATIVE(out[3], 20.0 / 25, 1e-12); /* its precision */
  CHECK_RELATIVE(out[8], 21.0 / 30, 1e-12); /* right rows of the first bin */
}

/* Labels -1, 0, 1 and 2 in -4 … 4, predicted with errors 1, -1, 1, 1. */
static void numbers(void **state) {
  static const double labels[] = {-1, 0, 1, 2}, errors[] = {1, -1, 1, 1};
  double values[5] = {0}, out[4];
  tacit_score_table table = {.kind = TACIT_TABLE_NUMBERS,
                             .rows = 4,
                             .label_min = -4,
                             .label_max = 4,
                             .error_max = 2,
                             .n_parts = 5,
                             .columns = 5};
  (void)state;
  for (int i = 0; i < 4; ++i) {
    double y = labels[i] / 4, e = errors[i] / 2;
    values[0] += (y + 1) / 2;
    values[1] += y * y;
    values[2] += (e + 1) / 2;
    values[3] += fabs(e);
    values[4] += e * e;
  }
  tacit_score_table_compute(&table, no_noise, values, out);
  CHECK_RELATIVE(out[0], 1, 1e-12);
  CHECK_RELATIVE(out[1], 1, 1e-12);
  CHECK_RELATIVE(out[2], 1 - 1 / 1.25, 1e-12);
  CHECK_RELATIVE(out[3], 0.5, 1e-12);
}

/* Without noise the interval of the accuracy is that of a proportion; with much noise
   it says nothing. */
static void intervals_are_as_wide_as_they_should_be(void **state) {
  double values[] = {4000, 500, 3000, 1000, 1500, 2500, 1000, 3500, 850};
  double noise[] = {1e-6, 1e-6};
  tacit_interval out[32];
  tacit_error err;
  tacit_score_table table = two(4, 17000);
  (void)state;
  CHECK_OK(tacit_score_table_intervals(&table, noise, values, out, &err), err);
  double p = 13000.0 / 17000, half = 1.96 * sqrt(p * (1 - p) / 17000);
  CHECK_RELATIVE(out[0].value, p, 1e-12);
  CHECK_RELATIVE(out[0].high - out[0].low, 2 * half, 0.08);
  assert_true(out[1].low < out[1].value && out[1].value < out[1].high);
  noise[0] = 300; /* in a column; half of eight columns are right */
  CHECK_OK(tacit_score_table_intervals(&table, noise, values, out, &err), err);
  double noisy = 1.96 * 300 * sqrt(2.0) / 17000;
  CHECK_RELATIVE(out[0].high - out[0].low, 2 * sqrt(half * half + noisy * noisy), 0.08);
  noise[0] = 1e6;
  CHECK_OK(tacit_score_table_intervals(&table, noise, values, out, &err), err);
  assert_true(out[0].too_noisy && out[1].too_noisy);
}

/* An interval that would be 0 to 0 says nothing: the noise made a loss of few rows
   negative, with both its bounds. */
static void an_interval_outside_of_its_range_is_too_noisy(void **state) {
  double values[] = {4000, 500, 3000, 1000, 1500, 2500, 1000, 3500, -900};
  double noise[] = {1, 1};
  tacit_interval out[32];
  tacit_error err;
  tacit_score_table table = two(4, 17000);
  (void)state;
  CHECK_OK(tacit_score_table_intervals(&table, noise, values, out, &err), err);
  assert_true(out[2].too_noisy && !out[0].too_noisy && !out[1].too_noisy);
  values[8] = 0.5;
  CHECK_OK(tacit_score_table_intervals(&table, noise, values, out, &err), err);
  assert_true(!out[2].too_noisy && out[2].low == 0 && out[2].high > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_classes),
      cmocka_unit_test(the_number_of_rows_is_used),
      cmocka_unit_test(several_classes),
      cmocka_unit_test(numbers),
      cmocka_unit_test(intervals_are_as_wide_as_they_should_be),
      cmocka_unit_test(an_interval_outside_of_its_range_is_too_noisy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
