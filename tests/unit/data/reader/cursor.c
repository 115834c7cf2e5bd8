/* SPDX-License-Identifier: MIT */
/* A cursor deals each place of a range to exactly one thread, from a store and from a
   stream, and the fault it reports does not depend on the number of threads. */
#include "unit/data_files.h"

#include "base/threads.h"

enum { ROWS = 10007, BLOCK = 64, THREADS = 5 };
static tacit_schema *schema;

/* Row i has the label i; row `bad` (-1: none) has a label that cannot be read. */
static const char *rows_file(const char *name, int bad, int compressed) {
  char *text = malloc((size_t)ROWS * 20);
  size_t size = 0;
  assert_non_null(text);
  for (int i = 0; i < ROWS; ++i)
    size += (size_t)sprintf(text + size, i == bad ? "bad 1:1\n" : "%d 1:1\n", i);
  unsigned char *packed = compressed ? gzip_of(text, size, &size) : NULL;
  const char *path = file_of_bytes(name, compressed ? (void *)packed : text, size);
  free(packed);
  free(text);
  return path;
}

static tacit_reader *open_rows(const char *path, int shuffle) {
  tacit_reader_options options;
  tacit_reader *reader;
  tacit_error err;
  tacit_reader_options_init(&options);
  options.schema = schema;
  options.shuffle = shuffle;
  CHECK_OK(tacit_reader_open(&path, 1, &options, &reader, &err), err);
  return reader;
}

/* What the threads find. Each writes only the places it was dealt, so a place that two
   threads get is a label that was there before. */
struct found {
  tacit_cursor *cursor;
  int64_t labels[ROWS]; /* by place; -1: not dealt */
  int twice[THREADS];
  tacit_error errors[THREADS];
};

static void take_rows(void *context, size_t task, size_t thread) {
  struct found *found = context;
  (void)task;
  while (found->errors[thread].status == TACIT_OK) {
    tacit_cursor_rows rows;
    if (tacit_cursor_next(found->cursor, thread, &rows, &found->errors[thread]) !=
        TACIT_OK)
      return;
    if (rows.batch->n_rows == 0) return;
    for (int64_t i = 0; i < rows.batch->n_rows; ++i) {
      found->twice[thread] |= found->labels[rows.places[i]] != -1;
      found->labels[rows.places[i]] = (int64_t)rows.batch->raw_labels[i];
    }
  }
}

static struct found *found_new(tacit_reader *reader, const tacit_order *order,
                               size_t threads) {
  struct found *found = calloc(1, sizeof *found);
  tacit_error err;
  assert_non_null(found);
  for (int i = 0; i < ROWS; ++i)
    found->labels[i] = -1;
  CHECK_OK(tacit_reader_cursor(reader, order, threads, BLOCK, &found->cursor, &err),
           err);
  return found;
}

static void found_free(struct found *found) {
  tacit_cursor_free(found->cursor);
  free(found);
}

static void check_pass(tacit_reader *reader, const tacit_order *order, unsigned threads,
                       const int64_t *expected) {
  tacit_pool *pool;
  tacit_error err;
  CHECK_OK(tacit_pool_new(threads, &pool, &err), err);
  size_t n_threads = tacit_pool_workers(pool);
  struct found *found = found_new(reader, order, n_threads);
  for (int64_t first = 0; first < ROWS; first += 1000) {
    int64_t end = first + 1000 < ROWS ? first + 1000 : ROWS;
    CHECK_OK(tacit_cursor_range(found->cursor, first, end, &err), err);
    tacit_pool_run(pool, n_threads, take_rows, found);
    for (int64_t i = 0; i < ROWS; ++i)
      assert_int_equal(found->labels[i], i < end ? expected[i] : -1);
  }
  for (size_t i = 0; i < n_threads; ++i) {
    assert_int_equal(found->errors[i].status, TACIT_OK);
    assert_int_equal(found->twice[i], 0);
  }
  found_free(found);
  tacit_pool_free(pool);
}

static void each_place_is_dealt_once(void **state) {
  (void)state;
  static int64_t expected[2][ROWS];
  tacit_order *order;
  tacit_error err;
  const unsigned char key[TACIT_ORDER_KEY_BYTES] = {1};
  CHECK_OK(tacit_order_new(ROWS, 5, key, NULL, &order, &err), err);
  for (int i = 0; i < ROWS; ++i)
    expected[0][i] = i;
  CHECK_OK(tacit_order_rows(order, 0, ROWS, expected[1], &err), err);
  const char *paths[2] = {rows_file("plain", -1, 0), rows_file("packed", -1, 1)};
  for (int compressed = 0; compressed < 2; ++compressed) {
    for (int shuffle = 0; shuffle < 2; ++shuffle) { /* packed in order: a stream */
      tacit_reader *reader = open_rows(paths[compressed], shuffle);
      for (unsigned threads = 1; threads <= THREADS; threads += 2) {
        check_pass(reader, shuffle ? order : NULL, threads, expected[shuffle]);
        CHECK_OK(tacit_reader_rewind(reader, &err), err);
      }
      tacit_reader_free(reader);
    }
  }
  tacit_order_free(order);
}

/* Threads stop at faults, and the fault at the lowest place is known. */
static void the_lowest_fault_is_the_same_for_any_number_of_threads(void **state) {
  (void)state;
  const char *paths[2] = {rows_file("bad", 3000, 0), rows_file("bad-packed", 3000, 1)};
  for (int i = 0; i < 6; ++i) {
    tacit_reader *reader = open_rows(paths[i % 2], 0);
    tacit_pool *pool;
    tacit_error err;
    CHECK_OK(tacit_pool_new(1 + (unsigned)(i / 2) * 2, &pool, &err), err);
    size_t n_threads = tacit_pool_workers(pool);
    struct found *found = found_new(reader, NULL, n_threads);
    CHECK_OK(tacit_cursor_range(found->cursor, 0, ROWS, &err), err);
    tacit_pool_run(pool, n_threads, take_rows, found);
    int64_t lowest = ROWS;
    for (size_t k = 0; k < n_threads; ++k) {
      if (found->errors[k].status == TACIT_OK) continue;
      int64_t reached = tacit_cursor_reached(found->cursor, k);
      if (reached >= lowest) continue;
      lowest = reached;
      assert_non_null(strstr(found->errors[k].message, ": line 3001: "));
    }
    assert_int_equal(lowest, 3000 / BLOCK * BLOCK);
    for (int64_t k = 0; k < lowest; ++k)
      assert_int_equal(found->labels[k], k);
    found_free(found);
    tacit_pool_free(pool);
    tacit_reader_free(reader);
  }
}

static void a_stream_is_read_from_front_to_back(void **state) {
  (void)state;
  tacit_reader *reader = open_rows(rows_file("stream", -1, 1), 0);
  struct found *found = found_new(reader, NULL, 1);
  tacit_cursor_rows rows;
  tacit_error err;
  CHECK_OK(tacit_cursor_range(found->cursor, 5, 10, &err), err);
  assert_int_equal(tacit_cursor_next(found->cursor, 0, &rows, &err), TACIT_ESTATE);
  found_free(found);
  tacit_reader_free(reader);
}

static int setup(void **state) {
  return folder_setup(state) != 0 ||
         tacit_schema_libsvm(3, 0, 0, 1e6, &schema, NULL) != TACIT_OK;
}

static int teardown(void **state) {
  tacit_schema_free(schema);
  return folder_teardown(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_place_is_dealt_once),
      cmocka_unit_test(the_lowest_fault_is_the_same_for_any_number_of_threads),
      cmocka_unit_test(a_stream_is_read_from_front_to_back),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
