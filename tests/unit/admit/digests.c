/* SPDX-License-Identifier: MIT */
/* The digest of a batch depends on each row and its place, but not on the order in
   which rows are added, and a later pass with another digest is refused. */
#include "check.h"

#include "admit/digest.h"

enum { ROWS = 3, FEATURES = 4 };
static const tacit_key key = {{1, 2, 3}};

/* The rows of a small sparse batch, which tests change. */
struct rows {
  double values[5], labels[ROWS], weights[ROWS];
  uint32_t unit_rows[ROWS];
  uint32_t indices[5];
  int64_t starts[ROWS + 1];
  tacit_batch batch;
};

static void fill(struct rows *rows) {
  *rows = (struct rows){.values = {1, 2, 3, 4, 5},
                        .labels = {1, -1, 1},
                        .weights = {1, 1, 1},
                        .unit_rows = {1, 1, 1},
                        .indices = {0, 2, 1, 0, 3},
                        .starts = {0, 2, 3, 5}};
  tacit_batch_init(&rows->batch);
  rows->batch.n_rows = ROWS;
  rows->batch.n_features = FEATURES;
  rows->batch.raw_values = rows->values;
  rows->batch.raw_indices = rows->indices;
  rows->batch.raw_row_start = rows->starts;
  rows->batch.raw_labels = rows->labels;
}

/* The digest of all rows at places first, first+1, …, added from row `from` on. */
static tacit_digest digest_of(const tacit_digests *digests, const struct rows *rows,
                              int64_t first, int64_t from) {
  tacit_digest sum = {{0}};
  tacit_digest_room room = {0};
  tacit_error err;
  for (int64_t k = 0; k < ROWS; ++k) {
    int64_t i = (from + k) % ROWS;
    CHECK_OK(tacit_digest_add(digests, &rows->batch, i, first + i, &room, &sum, &err),
             err);
  }
  tacit_digest_room_fini(&room);
  return sum;
}

static int same(const tacit_digest *a, const tacit_digest *b) {
  return memcmp(a, b, sizeof *a) == 0;
}

static tacit_digests *digests_new(void) {
  tacit_digests *digests;
  tacit_error err;
  CHECK_OK(tacit_digests_new(&key, 2, &digests, &err), err);
  return digests;
}

static void the_order_of_adding_does_not_matter(void **state) {
  (void)state;
  tacit_digests *digests = digests_new();
  struct rows rows;
  fill(&rows);
  tacit_digest first = digest_of(digests, &rows, 10, 0);
  for (int64_t from = 1; from < ROWS; ++from) {
    tacit_digest other = digest_of(digests, &rows, 10, from);
    assert_true(same(&first, &other));
  }
  tacit_digests_free(digests);
}

static void every_number_of_a_row_and_its_place_matter(void **state) {
  (void)state;
  tacit_digests *digests = digests_new();
  struct rows rows;
  fill(&rows);
  tacit_digest before = digest_of(digests, &rows, 10, 0);
  for (int change = 0; change < 9; ++change) {
    fill(&rows);
    if (change == 0) rows.values[4] = 6;
    if (change == 1) rows.labels[1] = 1;
    if (change == 2) rows.indices[1] = 3;
    if (change == 3) rows.starts[1] = 1; /* the same numbers, cut otherwise */
    if (change == 5) rows.weights[1] = 0.5;
    if (change == 6) rows.unit_rows[1] = 2;
    if (change == 7) rows.unit_rows[1] = 0;
    if (change >= 5) rows.batch.raw_weights = rows.weights;
    if (change >= 5) rows.batch.raw_unit_rows = rows.unit_rows;
    tacit_digest after = digest_of(digests, &rows, change == 4 ? 11 : 10, 0);
    assert_int_equal(same(&before, &after), change == 8); /* weights of 1 */
  }
  tacit_digests_free(digests);
}

/* One dense row of floats: every value of it matters, in the first and the last chunk
   of the hash, also where values change places. */
static void every_value_of_a_long_row_matters(void **state) {
  (void)state;
  enum { LONG = 2051 };
  static float values[LONG];
  const double label = 1;
  const size_t places[] = {0, 1, 2, 3, 4, 1022, 1023, 1024, 2047, 2048, 2049, 2050};
  enum { PLACES = sizeof places / sizeof places[0] };
  tacit_digests *digests = digests_new();
  tacit_digest seen[2 * PLACES + 2];
  tacit_digest_room room = {0};
  tacit_batch batch;
  tacit_error err;
  tacit_batch_init(&batch);
  batch.n_rows = 1;
  batch.n_features = LONG;
  batch.raw_values32 = values;
  batch.raw_labels = &label;
  for (size_t c = 0; c < 2 * PLACES + 2; ++c) {
    for (size_t j = 0; j < LONG; ++j)
      values[j] = (float)j;
    float *one = &values[places[c / 2 % PLACES]], kept = *one;
    float *two = &values[places[(c / 2 + 1) % PLACES]];
    if (c == 2 * PLACES + 1) { /* words that the hash multiplies change places */
      memcpy(values, (const float[]){4, 5, 6, 7, 0, 1, 2, 3}, 8 * sizeof *values);
    } else if (c > 0) {
      *one = c % 2 ? -1 : *two;
      if (c % 2 == 0) *two = kept;
    }
    seen[c] = (tacit_digest){{0}};
    CHECK_OK(tacit_digest_add(digests, &batch, 0, 7, &room, &seen[c], &err), err);
    for (size_t before = 0; before < c; ++before)
      assert_false(same(&seen[before], &seen[c]));
  }
  tacit_digest_room_fini(&room);
  tacit_digests_free(digests);
}

static void a_later_pass_must_have_the_digests_of_the_first(void **state) {
  (void)state;
  tacit_digests *digests = digests_new();
  tacit_digest sums[2] = {{{1}}, {{2}}}, other = {{1, 0, 0, 7}};
  tacit_error err;
  for (int pass = 1; pass <= 3; ++pass)
    for (int64_t j = 0; j < 2; ++j)
      CHECK_OK(tacit_digests_end(digests, j, pass == 1, &sums[j], &err), err);
  assert_int_equal(tacit_digests_end(digests, 0, 0, &other, &err), TACIT_EDATA);
  assert_int_equal(tacit_digests_end(digests, 0, 0, &sums[1], &err), TACIT_EDATA);
  tacit_digests_free(digests);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_order_of_adding_does_not_matter),
      cmocka_unit_test(every_number_of_a_row_and_its_place_matter),
      cmocka_unit_test(every_value_of_a_long_row_matters),
      cmocka_unit_test(a_later_pass_must_have_the_digests_of_the_first),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
