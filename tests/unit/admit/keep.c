/* SPDX-License-Identifier: MIT */
/* Rows kept in memory are those that the cursor below gave out, each at its place, and
   every place is dealt once; what is too large or was not read to its end is not kept.
 */
#include "check.h"

#include <stdatomic.h>
#include <string.h>

#include "admit/keep.h"
#include "base/memory.h"
#include "base/threads.h"
#include "batch/row.h"

enum { ROWS = 12000, FEATURES = 5, THREADS = 4, MOST = 1 << 24 };

/* Rows made from their places: `shape` says how a batch stores them. A reading gives
   rows of other places too if `shift` is set. */
enum shape { DENSE, DENSE32, SPARSE, SPARSE32, SHAPES };

struct source {
  tacit_cursor base;
  enum shape shape;
  int weighted, readings;
  int64_t shift, end;
  _Atomic int64_t next;
  struct made {
    double values[64 * FEATURES], labels[64], weights[64];
    float values32[64 * FEATURES];
    uint32_t indices[64 * FEATURES];
    int64_t starts[65], places[64];
    tacit_batch view;
  } made[THREADS];
};

static tacit_status source_range(tacit_cursor *base, int64_t first, int64_t end,
                                 tacit_error *err) {
  struct source *source = (struct source *)base;
  (void)err;
  source->end = end;
  source->readings += first == 0;
  atomic_store(&source->next, first);
  return TACIT_OK;
}

static size_t entries_of(int64_t place) { return (size_t)(place % (FEATURES + 1)); }

static void make_row(struct source *source, struct made *made, int64_t i,
                     int64_t place) {
  int is_sparse = source->shape == SPARSE || source->shape == SPARSE32;
  int64_t number = place + source->shift;
  size_t count = is_sparse ? entries_of(number) : FEATURES;
  int64_t start = is_sparse ? made->starts[i] : i * FEATURES;
  for (size_t j = 0; j < count; ++j) {
    double value = (double)(number * FEATURES + (int64_t)j) / 8;
    made->values[(size_t)start + j] = value;
    made->values32[(size_t)start + j] = (float)value;
    made->indices[(size_t)start + j] = (uint32_t)j;
  }
  made->starts[i + 1] = start + (int64_t)count;
  made->labels[i] = (double)number;
  made->weights[i] = 1 / (1 + (double)number);
  made->places[i] = place;
}

static tacit_status source_next(tacit_cursor *base, size_t thread, int64_t *reached,
                                tacit_cursor_rows *out, tacit_error *err) {
  struct source *source = (struct source *)base;
  struct made *made = &source->made[thread];
  int64_t first = atomic_fetch_add(&source->next, 37), end = first + 37;
  (void)err;
  if (end > source->end) end = source->end;
  if (first > source->end) first = end = source->end;
  made->starts[0] = 3 * FEATURES; /* a batch need not begin with entry 0 */
  for (int64_t i = 0; i < end - first; ++i)
    make_row(source, made, i, first + i);
  tacit_batch_init(&made->view);
  made->view.n_rows = end - first;
  made->view.n_features = FEATURES;
  if (source->shape == DENSE || source->shape == SPARSE)
    made->view.raw_values = made->values;
  else
    made->view.raw_values32 = made->values32;
  if (source->shape == SPARSE || source->shape == SPARSE32) {
    made->view.raw_row_start = made->starts;
    made->view.raw_indices = made->indices;
  }
  made->view.raw_labels = made->labels;
  if (source->weighted) made->view.raw_weights = made->weights;
  *reached = first;
  *out = (tacit_cursor_rows){&made->view, made->places};
  return TACIT_OK;
}

static void source_free(tacit_cursor *base) { tacit_raw_free(base); }

static const struct tacit_cursor_ops source_ops = {
    .range = source_range, .next = source_next, .free = source_free};

static struct source *source_new(enum shape shape, int weighted) {
  struct source *source = tacit_raw_new(1, sizeof *source);
  tacit_error err;
  assert_non_null(source);
  source->shape = shape;
  source->weighted = weighted;
  CHECK_OK(tacit_cursor_init(&source->base, &source_ops, THREADS, &err), err);
  return source;
}

/* How often each place was dealt in a reading, and whether all rows were right. */
struct reading {
  tacit_cursor *cursor;
  int weighted;
  int64_t first, end, shift;
  _Atomic int dealt[ROWS];
  _Atomic int wrong;
};

static int is_right(const struct reading *reading, const tacit_batch *batch, int64_t i,
                    int64_t place) {
  int64_t number = place + reading->shift;
  tacit_row row = tacit_row_of(batch, i);
  int right = place >= reading->first && place < reading->end;
  if (row.raw_indices != NULL) right &= row.count == entries_of(number);
  for (size_t j = 0; right && j < row.count; ++j)
    right &= tacit_row_value(&row, j) == (double)(number * FEATURES + (int64_t)j) / 8 &&
             (row.raw_indices == NULL || row.raw_indices[j] == j);
  return right && batch->raw_labels[i] == (double)number &&
         tacit_batch_weight(batch, i) ==
             (reading->weighted ? 1 / (1 + (double)number) : 1);
}

static void take(void *context, size_t task, size_t thread) {
  struct reading *reading = context;
  tacit_cursor_rows rows;
  (void)task;
  do {
    if (tacit_cursor_next(reading->cursor, thread, &rows, NULL) != TACIT_OK) return;
    for (int64_t i = 0; i < rows.batch->n_rows; ++i)
      if (!is_right(reading, rows.batch, i, rows.places[i]))
        atomic_store(&reading->wrong, 1);
      else
        atomic_fetch_add(&reading->dealt[rows.places[i]], 1);
    if (rows.batch->n_rows > 0 &&
        tacit_cursor_reached(reading->cursor, thread) > rows.places[0])
      atomic_store(&reading->wrong, 1);
  } while (rows.batch->n_rows > 0);
}

/* Reads all places in ranges of `step`; they must come from places + shift. */
static void read_all(tacit_cursor *cursor, tacit_pool *pool, int64_t step, int weighted,
                     int64_t shift) {
  static struct reading reading;
  tacit_error err;
  memset(&reading, 0, sizeof reading);
  reading.cursor = cursor;
  reading.weighted = weighted;
  reading.shift = shift;
  for (int64_t first = 0; first < ROWS; first += step) {
    reading.first = first;
    reading.end = first + step < ROWS ? first + step : ROWS;
    CHECK_OK(tacit_cursor_range(cursor, first, reading.end, &err), err);
    tacit_pool_run(pool, THREADS, take, &reading);
  }
  assert_int_equal(reading.wrong, 0);
  for (int64_t i = 0; i < ROWS; ++i)
    assert_int_equal(reading.dealt[i], 1);
}

static tacit_pool *pool_new(void) {
  tacit_pool *pool;
  tacit_error err;
  CHECK_OK(tacit_pool_new(THREADS, &pool, &err), err);
  return pool;
}

static tacit_cursor *keep_new(struct source *source, int64_t rows, int64_t max_bytes) {
  tacit_cursor *keep;
  tacit_error err;
  CHECK_OK(tacit_keep_new(&source->base, THREADS, rows, max_bytes, &keep, &err), err);
  return keep;
}

static void later_readings_are_the_first_one(void **state) {
  (void)state;
  static const int64_t steps[] = {1, 37, 100, 1000, ROWS};
  tacit_pool *pool = pool_new();
  for (int shape = 0; shape < SHAPES; ++shape) {
    for (int weighted = 0; weighted < 2; ++weighted) {
      struct source *source = source_new((enum shape)shape, weighted);
      tacit_cursor *keep = keep_new(source, ROWS, MOST);
      tacit_keep_begin(keep);
      assert_false(tacit_keep_is_whole(keep));
      read_all(keep, pool, 500, weighted, 0);
      tacit_keep_end(keep);
      assert_true(tacit_keep_is_whole(keep));
      source->shift = 1; /* what is read now is not what was read */
      for (size_t i = 0; i < sizeof steps / sizeof steps[0]; ++i) {
        tacit_keep_begin(keep);
        read_all(keep, pool, steps[i], weighted, 0);
        tacit_keep_end(keep);
      }
      assert_int_equal(source->readings, 1);
      tacit_cursor_free(keep);
    }
  }
  tacit_pool_free(pool);
}

static void an_empty_range_has_no_rows(void **state) {
  (void)state;
  tacit_pool *pool = pool_new();
  tacit_cursor *keep = keep_new(source_new(SPARSE, 0), ROWS, MOST);
  tacit_cursor_rows rows;
  tacit_error err;
  tacit_keep_begin(keep);
  read_all(keep, pool, ROWS, 0, 0);
  tacit_keep_end(keep);
  CHECK_OK(tacit_cursor_range(keep, 40, 40, &err), err);
  CHECK_OK(tacit_cursor_next(keep, 0, &rows, &err), err);
  assert_int_equal(rows.batch->n_rows, 0);
  tacit_cursor_free(keep);
  tacit_pool_free(pool);
}

/* The first rows say that it will be too much; or, as so few rows are announced, that
   it will not, and it turns out later. */
static void too_many_bytes_are_not_kept(void **state) {
  (void)state;
  static const int64_t limits[] = {1, 1000, 1 << 18, 1 << 18};
  static const int64_t announced[] = {ROWS, ROWS, ROWS, 37};
  tacit_pool *pool = pool_new();
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; ++i) {
    struct source *source = source_new(DENSE, 0);
    tacit_cursor *keep = keep_new(source, announced[i], limits[i]);
    for (int reading = 0; reading < 3; ++reading) {
      source->shift = reading; /* each reading is its own */
      tacit_keep_begin(keep);
      read_all(keep, pool, 700, 0, reading);
      tacit_keep_end(keep);
      assert_false(tacit_keep_is_whole(keep));
    }
    assert_int_equal(source->readings, 3);
    tacit_cursor_free(keep);
  }
  tacit_pool_free(pool);
}

/* A reading that began anew is not mixed with the one that was left. */
static void half_a_reading_is_forgotten(void **state) {
  (void)state;
  tacit_pool *pool = pool_new();
  struct source *source = source_new(SPARSE32, 1);
  tacit_cursor *keep = keep_new(source, ROWS, MOST);
  static struct reading half;
  tacit_error err;
  half.cursor = keep;
  half.weighted = 1;
  half.end = ROWS / 2;
  tacit_keep_begin(keep);
  CHECK_OK(tacit_cursor_range(keep, 0, ROWS / 2, &err), err);
  tacit_pool_run(pool, THREADS, take, &half);
  source->shift = 2;
  tacit_keep_begin(keep);
  read_all(keep, pool, 1000, 1, 2);
  tacit_keep_end(keep);
  source->shift = 0;
  read_all(keep, pool, 999, 1, 2);
  tacit_cursor_free(keep);
  tacit_pool_free(pool);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(later_readings_are_the_first_one),
      cmocka_unit_test(an_empty_range_has_no_rows),
      cmocka_unit_test(too_many_bytes_are_not_kept),
      cmocka_unit_test(half_a_reading_is_forgotten),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
