/* SPDX-License-Identifier: MIT */
/* A batch that is packed and unpacked is the same batch, bit for bit, however large its
   numbers are; and numbers that are small take little memory. */
#include "check.h"

#include <string.h>

#include "admit/packed.h"
#include "base/memory.h"
#include "batch/row.h"
#include "batch/unit.h"

enum { ROWS = 70, ENTRIES = 80000 };

/* What a batch is made of. */
struct shape {
  uint32_t largest; /* index */
  size_t longest;   /* row */
  int ones, floats, dense, weighted, gaps;
  double label;
};

struct made {
  double values[ENTRIES], labels[ROWS], weights[ROWS];
  float values32[ENTRIES];
  uint32_t indices[ENTRIES];
  int64_t starts[ROWS + 1], places[ROWS];
  tacit_batch batch;
};

static void make(struct made *made, const struct shape *shape, int64_t rows) {
  size_t at = 3; /* a batch need not begin with entry 0 */
  made->starts[0] = (int64_t)at;
  for (int64_t i = 0; i < rows; ++i) {
    size_t count = i == rows / 2 ? shape->longest : (size_t)(i % 7);
    for (size_t j = 0; j < count; ++j, ++at) {
      made->values[at] = shape->ones ? 1 : 1 / (double)(at + 1);
      made->values32[at] = (float)made->values[at];
      made->indices[at] = j + 1 == count ? shape->largest : (uint32_t)j;
    }
    made->starts[i + 1] = (int64_t)at;
    made->labels[i] = i % 3 == 1 ? shape->label : i % 2 == 0 ? 1 : -1;
    made->weights[i] = 1 / (double)(i + 1);
    made->places[i] = 1000 + i + (shape->gaps && i > 5);
  }
  tacit_batch_init(&made->batch);
  made->batch.n_rows = rows;
  made->batch.n_features = shape->dense ? 11 : (size_t)UINT32_MAX;
  if (shape->dense) /* as many values as sparse ones would have */
    for (size_t j = 0; j < (size_t)rows * 11; ++j)
      made->values32[j] = (float)(made->values[j] = (double)j / 7);
  if (shape->floats)
    made->batch.raw_values32 = made->values32;
  else
    made->batch.raw_values = made->values;
  if (!shape->dense) {
    made->batch.raw_row_start = made->starts;
    made->batch.raw_indices = made->indices;
  }
  made->batch.raw_labels = made->labels;
  if (shape->weighted) made->batch.raw_weights = made->weights;
}

static void check_row(const tacit_batch *a, const tacit_batch *b, int64_t i) {
  tacit_row one = tacit_row_of(a, i), two = tacit_row_of(b, i);
  assert_int_equal(one.count, two.count);
  assert_int_equal(one.raw_values32 != NULL, two.raw_values32 != NULL);
  assert_int_equal(one.raw_indices != NULL, two.raw_indices != NULL);
  for (size_t j = 0; j < one.count; ++j)
    assert_true(tacit_row_value(&one, j) == tacit_row_value(&two, j));
  if (one.raw_indices != NULL)
    assert_memory_equal(one.raw_indices, two.raw_indices,
                        one.count * sizeof *one.raw_indices);
  assert_memory_equal(&a->raw_labels[i], &b->raw_labels[i], sizeof a->raw_labels[i]);
  assert_true(tacit_batch_weight(a, i) == tacit_batch_weight(b, i));
}

/* Returns the bytes it takes. */
static size_t round_trip(const struct shape *shape, int64_t rows,
                         tacit_packed_room *room) {
  static struct made made;
  make(&made, shape, rows);
  tacit_packing packing = tacit_packing_of(&made.batch, made.places);
  size_t bytes = tacit_packing_bytes(&packing);
  unsigned char *memory = tacit_raw_new(bytes, 1);
  tacit_batch batch;
  const int64_t *places;
  assert_non_null(memory);
  tacit_pack_batch(&packing, &made.batch, made.places, memory);
  tacit_packed packed = tacit_packed_at(&packing, memory);
  assert_true(tacit_unpack(&packed, room, &batch, &places));
  assert_int_equal(batch.n_rows, rows);
  assert_int_equal(batch.n_features, made.batch.n_features);
  assert_int_equal(batch.raw_weights != NULL, shape->weighted);
  for (int64_t i = 0; i < rows; ++i) {
    check_row(&made.batch, &batch, i);
    assert_int_equal(places[i], made.places[i]);
    assert_int_equal(tacit_packed_place(&packed, i), made.places[i]);
  }
  tacit_raw_free(memory);
  return bytes;
}

static void what_is_unpacked_was_packed(void **state) {
  (void)state;
  static const uint32_t largest[] = {6, 255, 256, 65535, 65536, UINT32_MAX};
  static const size_t longest[] = {0, 6, 255, 256, 65535, 65536};
  static const double labels[] = {1, 0, -0.0, 127, 128, -128, -129, 0.5, 1e300, NAN};
  tacit_packed_room room = {0};
  for (unsigned i = 0; i < 6 * 6 * 10 * 32; ++i) {
    unsigned bits = i / 360;
    struct shape shape = {.largest = largest[i % 6],
                          .longest = longest[i / 6 % 6],
                          .label = labels[i / 36 % 10],
                          .ones = bits & 1,
                          .floats = bits >> 1 & 1,
                          .dense = bits >> 2 & 1,
                          .weighted = bits >> 3 & 1,
                          .gaps = bits >> 4 & 1};
    if (shape.longest > 256 && i % 7 != 0) shape.longest = 257; /* they take long */
    (void)round_trip(&shape, 1 + i % ROWS, &room);
  }
  tacit_packed_room_fini(&room);
}

static void small_numbers_take_little(void **state) {
  (void)state;
  tacit_packed_room room = {0};
  struct shape shape = {.largest = 200, .longest = 200, .label = -1, .ones = 1};
  size_t ones = round_trip(&shape, ROWS, &room);
  assert_true(ones < 200 + 7 * ROWS + 2 * ROWS + 3 * TACIT_PACKED_ALIGN);
  shape.ones = 0;
  size_t doubles = round_trip(&shape, ROWS, &room);
  assert_true(doubles > ones + 8 * 200);
  shape.largest = 256;
  assert_true(round_trip(&shape, ROWS, &room) > doubles + 200);
  tacit_packed_room_fini(&room);
}

/* Ids of persons go into a cache; a run, which has places, leaves them out. */
static void ids_are_packed_without_places(void **state) {
  (void)state;
  static struct made made;
  tacit_packed_room room = {0};
  tacit_unit units[ROWS];
  tacit_batch batch;
  const int64_t *places;
  make(&made, &(struct shape){.largest = 6}, ROWS);
  for (int i = 0; i < ROWS; ++i)
    memset(&units[i], i, sizeof units[i]);
  made.batch.raw_units = units;
  for (int has_places = 0; has_places < 2; ++has_places) {
    const int64_t *given = has_places ? made.places : NULL;
    tacit_packing packing = tacit_packing_of(&made.batch, given);
    unsigned char *memory = tacit_raw_new(tacit_packing_bytes(&packing), 1);
    assert_non_null(memory);
    tacit_pack_batch(&packing, &made.batch, given, memory);
    tacit_packed packed = tacit_packed_at(&packing, memory);
    assert_true(tacit_unpack(&packed, &room, &batch, &places));
    assert_int_equal(places[1], has_places ? made.places[1] : 1);
    assert_int_equal(batch.raw_units != NULL, !has_places);
    if (!has_places) assert_memory_equal(batch.raw_units, units, sizeof units);
    tacit_raw_free(memory);
  }
  tacit_packed_room_fini(&room);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_unpacked_was_packed),
      cmocka_unit_test(small_numbers_take_little),
      cmocka_unit_test(ids_are_packed_without_places),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
