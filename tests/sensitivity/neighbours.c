/* SPDX-License-Identifier: MIT */
/*
 * Lists of rows that differ in one place. Half of the pairs are worst cases, a third
 * have weights and units of up to 20 rows; some weights are none, and add nothing.
 */
#include "harness.h"

/* Weights of all rows, also such as no caller can pass. The units of the record that
   differs have m rows, before and after. */
static void weigh(struct rows *rows, int shift, uint32_t m, int64_t differs) {
  static const double weights[] = {1, 0, 1e-300, 0.3, NAN, 1, -1, 0.999};
  rows->weighted = 1;
  for (int i = 0; i < UNITS; ++i) {
    rows->raw_weights[i] = weights[(i + shift) % 8];
    rows->raw_unit_rows[i] = i == differs ? m : 1 + (uint32_t)i % 3;
  }
}

static void make_lists(const struct setting *setting, int number, tacit_words *words,
                       struct pair *out) {
  int flat = number % 16 == 1; /* row 1, k = 1: no slack anywhere */
  int64_t differs = flat ? 0 : number % UNITS;
  struct rows *one = &out->one, *two = &out->two;
  one->n = UNITS;
  for (int i = 0; i < UNITS; ++i) {
    random_row(one, i, words, setting);
    one->batch[i] = i / (UNITS / PER_PASS);
  }
  out->share = number % 3 == 2 ? 1 + (uint32_t)number % 20 : 1;
  if (number % 3 == 2) weigh(one, number, out->share, differs);
  *two = *one;
  if (two->weighted) two->raw_weights[differs] = one->raw_weights[(number + 5) % UNITS];
  int worst = number % 2;
  out->lie = worst && number % 4 == 1;
  if (worst)
    worst_row(one, differs, two, differs, number / 2, setting);
  else
    random_row(two, differs, words, setting);
  if (setting->adjacency == TACIT_ZERO_OUT) two->batch[differs] = -1;
  out->odd_batch = one->batch[differs];
  out->seed = (uint64_t)(flat ? 3 * number : number);
}

int main(int argc, char **argv) {
  static const struct maker lists = {.name = "lists",
                                     .pairs = 20,
                                     .whole = 1,
                                     .reach = {0.99, 0.9},
                                     .make = make_lists};
  return run_harness(argc, argv, &lists, 1, NULL, 0);
}
