/* SPDX-License-Identifier: MIT */
/* data/array/store.c: rows of arrays equal the rows of a file, for any layout. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tacit/tacit.h>

#include "data/reader/reader.h"

enum { ROWS = 9001, FEATURES = 5, WIDTH = FEATURES + 2 };

static double value_at(int64_t i, size_t j) {
  return (i + (int64_t)j) % 3 == 0 ? 0
                                   : (double)(float)(sin((double)i) + (double)j / 7);
}

static double label_at(int64_t i) { return i % 2 == 0 ? 1 : -1; }

struct source {
  double values[ROWS * FEATURES];
  float columns[ROWS * FEATURES]; /* column by column */
  float rows[ROWS * FEATURES];    /* row by row */
  float gaps[ROWS * WIDTH];       /* the last row first, NaN between rows */
  double mirror[ROWS * FEATURES]; /* the last number first */
  double entries[ROWS * FEATURES];
  int32_t starts[ROWS + 1];
  int64_t indices[ROWS * FEATURES];
  double labels[ROWS];
};

static struct source *make_source(void) {
  struct source *source = calloc(1, sizeof *source);
  assert_non_null(source);
  int32_t count = 0;
  for (int64_t i = 0; i < ROWS; ++i) {
    source->labels[i] = label_at(i);
    for (size_t j = 0; j < FEATURES; ++j) {
      double value = value_at(i, j);
      source->values[(size_t)i * FEATURES + j] = value;
      source->columns[j * ROWS + (size_t)i] = (float)value;
      source->rows[(size_t)i * FEATURES + j] = (float)value;
      source->gaps[(ROWS - 1 - (size_t)i) * WIDTH + j] = (float)value;
      source->mirror[ROWS * FEATURES - 1 - ((size_t)i * FEATURES + j)] = value;
      if (value == 0 && i % 2 == 0) continue; /* every other zero is stored */
      source->entries[count] = value;
      source->indices[count++] = (int64_t)j;
    }
    source->starts[i + 1] = count;
    for (size_t j = FEATURES; j < WIDTH; ++j)
      source->gaps[(size_t)i * WIDTH + j] = (float)NAN;
  }
  return source;
}

static tacit_arrays dense(const struct source *source) {
  tacit_arrays arrays;
  tacit_arrays_init(&arrays);
  arrays.n_rows = ROWS;
  arrays.n_features = FEATURES;
  arrays.raw_values = source->values;
  arrays.row_stride = FEATURES * (int64_t)sizeof(double);
  arrays.column_stride = sizeof(double);
  arrays.raw_labels = source->labels;
  return arrays;
}

static tacit_arrays by_column(const struct source *source) {
  tacit_arrays arrays = dense(source);
  arrays.raw_values = source->columns;
  arrays.values_type = TACIT_FLOAT32;
  arrays.row_stride = sizeof(float);
  arrays.column_stride = ROWS * (int64_t)sizeof(float);
  return arrays;
}

static tacit_arrays by_row(const struct source *source) {
  tacit_arrays arrays = by_column(source);
  arrays.raw_values = source->rows;
  arrays.row_stride = FEATURES * (int64_t)sizeof(float);
  arrays.column_stride = sizeof(float);
  return arrays;
}

static tacit_arrays with_gaps(const struct source *source) {
  tacit_arrays arrays = by_row(source);
  arrays.raw_values = source->gaps + (size_t)(ROWS - 1) * WIDTH;
  arrays.row_stride = -WIDTH * (int64_t)sizeof(float);
  return arrays;
}

static tacit_arrays mirrored(const struct source *source) {
  tacit_arrays arrays = dense(source);
  arrays.raw_values = source->mirror + ROWS * FEATURES - 1;
  arrays.row_stride = -arrays.row_stride;
  arrays.column_stride = -arrays.column_stride;
  return arrays;
}

static tacit_arrays sparse(const struct source *source) {
  tacit_arrays arrays = dense(source);
  arrays.raw_values = source->entries;
  arrays.raw_row_start = source->starts;
  arrays.starts_type = TACIT_INT32;
  arrays.raw_indices = source->indices;
  arrays.indices_type = TACIT_INT64;
  arrays.n_entries = source->starts[ROWS];
  return arrays;
}

static tacit_status open_arrays(const tacit_arrays *arrays, int shuffle,
                                const tacit_schema *schema, tacit_reader **out,
                                tacit_error *err) {
  tacit_reader_options options;
  tacit_reader_options_init(&options);
  options.schema = schema;
  options.shuffle = shuffle;
  return tacit_reader_open_arrays(arrays, &options, out, err);
}

static tacit_schema *two_classes(size_t features) {
  tacit_schema *schema = NULL;
  tacit_error err;
  CHECK_OK(tacit_schema_memory(features, 2, 0, 0, &schema, &err), err);
  return schema;
}

/* Value j of row i of a batch. */
static double entry_of(const tacit_batch *batch, int64_t i, size_t j) {
  if (batch->raw_values32 != NULL)
    return (double)batch->raw_values32[(size_t)i * batch->n_features + j];
  if (batch->raw_row_start == NULL)
    return batch->raw_values[(size_t)i * batch->n_features + j];
  for (int64_t k = batch->raw_row_start[i]; k < batch->raw_row_start[i + 1]; ++k) {
    assert_true(batch->raw_values[k] != 0);
    if (batch->raw_indices[k] == j) return batch->raw_values[k];
  }
  return 0;
}

static void check_rows(const tacit_batch *batch, const int64_t *rows) {
  for (int64_t i = 0; i < batch->n_rows; ++i) {
    assert_true(batch->raw_labels[i] == label_at(rows[i]));
    for (size_t j = 0; j < FEATURES; ++j)
      assert_true(entry_of(batch, i, j) == value_at(rows[i], j));
  }
}

/* One pass through a cursor, in an order or (NULL) as the rows are. */
static void check_pass(tacit_reader *reader, const tacit_order *order) {
  static int64_t expected[ROWS];
  int64_t position = 0;
  tacit_error err;
  tacit_cursor *cursor = NULL;
  for (int64_t i = 0; i < ROWS; ++i)
    expected[i] = i;
  if (order != NULL) CHECK_OK(tacit_order_rows(order, 0, ROWS, expected, &err), err);
  CHECK_OK(tacit_reader_cursor(reader, order, 1, 1000, &cursor, &err), err);
  CHECK_OK(tacit_cursor_range(cursor, 0, ROWS, &err), err);
  for (;;) {
    tacit_cursor_rows rows;
    CHECK_OK(tacit_cursor_next(cursor, 0, &rows, &err), err);
    if (rows.batch->n_rows == 0) break;
    assert_int_equal(rows.places[0], position);
    check_rows(rows.batch, expected + position);
    position += rows.batch->n_rows;
  }
  assert_int_equal(position, ROWS);
  tacit_cursor_free(cursor);
}

static void every_layout_gives_the_same_rows(void **state) {
  (void)state;
  struct source *source = make_source();
  tacit_arrays layouts[] = {dense(source),     by_column(source), by_row(source),
                            with_gaps(source), mirrored(source),  sparse(source)};
  tacit_schema *schema = two_classes(FEATURES);
  tacit_order *order = NULL;
  tacit_error err;
  const unsigned char key[TACIT_ORDER_KEY_BYTES] = {1};
  CHECK_OK(tacit_order_new(ROWS, 7, key, NULL, &order, &err), err);
  for (size_t k = 0; k < sizeof layouts / sizeof layouts[0]; ++k) {
    for (int shuffle = 0; shuffle < 2; ++shuffle) {
      tacit_reader *reader = NULL;
      CHECK_OK(open_arrays(&layouts[k], shuffle, schema, &reader, &err), err);
      assert_int_equal(tacit_reader_rows(reader), ROWS);
      assert_int_equal(tacit_reader_shuffled(reader), shuffle);
      assert_int_equal(tacit_reader_rewinds(reader), 1);
      check_pass(reader, shuffle ? order : NULL);
      CHECK_OK(tacit_reader_rewind(reader, &err), err);
      check_pass(reader, shuffle ? order : NULL);
      tacit_reader_free(reader);
    }
  }
  tacit_order_free(order);
  tacit_schema_free(schema);
  free(source);
}

/* Reads to the end or the first error. */
static tacit_status read_all(const tacit_arrays *arrays, tacit_error *err) {
  tacit_schema *schema = two_classes(FEATURES);
  tacit_reader *reader = NULL;
  tacit_status status = open_arrays(arrays, 1, schema, &reader, err);
  int dead = status != TACIT_OK;
  while (status == TACIT_OK) {
    const tacit_batch *batch = NULL;
    status = tacit_reader_next(reader, &batch, err);
    if (status == TACIT_OK && batch->n_rows == 0) break;
  }
  if (status != TACIT_OK && !dead) { /* it stays dead */
    const tacit_batch *batch = NULL;
    assert_int_equal(tacit_reader_next(reader, &batch, NULL), TACIT_ESTATE);
    assert_int_equal(tacit_reader_rewind(reader, NULL), TACIT_ESTATE);
  }
  tacit_reader_free(reader);
  tacit_schema_free(schema);
  return status;
}

static void what_is_not_finite_is_refused(void **state) {
  (void)state;
  struct source *source = make_source();
  const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
  tacit_error err;
  for (size_t k = 0; k < 3; ++k) {
    tacit_arrays arrays = dense(source);
    source->values[7 * FEATURES + 3] = bad[k];
    assert_int_equal(read_all(&arrays, &err), TACIT_EDATA);
    assert_string_equal(err.message, "row 8, column 4: NaN or infinity");
    source->values[7 * FEATURES + 3] = value_at(7, 3);
    arrays = sparse(source);
    int32_t place = source->starts[7];
    double kept = source->entries[place];
    source->entries[place] = bad[k];
    assert_int_equal(read_all(&arrays, &err), TACIT_EDATA);
    assert_non_null(strstr(err.message, "row 8, column 1: NaN"));
    source->entries[place] = kept;
    assert_int_equal(read_all(&arrays, &err), TACIT_OK);
  }
  free(source);
}

/* Floats are checked sixteen at a time: one that is not finite is found and named at
   each position of rows of each length. */
static void floats_are_looked_at_one_and_all(void **state) {
  (void)state;
  enum { MAX = 35, COUNT = 3 };
  static const float bad[] = {(float)NAN, (float)INFINITY, -(float)INFINITY};
  static const double labels[COUNT] = {1, -1, 1};
  for (size_t features = 1; features <= MAX; ++features) {
    tacit_schema *schema = two_classes(features);
    for (size_t place = 0; place <= COUNT * features; ++place) {
      float values[COUNT * MAX];
      for (size_t j = 0; j < COUNT * features; ++j)
        values[j] = j % 2 == 0 ? 3.4028234e38f : -1e-45f;
      if (place < COUNT * features) values[place] = bad[place % 3];
      tacit_arrays arrays;
      tacit_arrays_init(&arrays);
      arrays.n_rows = COUNT;
      arrays.n_features = features;
      arrays.raw_values = values;
      arrays.values_type = TACIT_FLOAT32;
      arrays.row_stride = (int64_t)(features * sizeof(float));
      arrays.column_stride = sizeof(float);
      arrays.raw_labels = labels;
      tacit_reader *reader = NULL;
      const tacit_batch *batch;
      tacit_error err;
      char where[60];
      (void)snprintf(where, sizeof where, "row %zu, column %zu: NaN",
                     place / features + 1, place % features + 1);
      CHECK_OK(open_arrays(&arrays, 0, schema, &reader, &err), err);
      tacit_status status = tacit_reader_next(reader, &batch, &err);
      if (place == COUNT * features) {
        CHECK_OK(status, err);
      } else {
        assert_int_equal(status, TACIT_EDATA);
        assert_non_null(strstr(err.message, where));
      }
      tacit_reader_free(reader);
    }
    tacit_schema_free(schema);
  }
}

static void broken_csr_is_refused(void **state) {
  (void)state;
  struct source *source = make_source();
  tacit_arrays arrays = sparse(source);
  tacit_error err;
  int32_t place = source->starts[1]; /* row 2 stores all its columns */
  const int64_t wrong[] = {1, -1, FEATURES, INT64_MAX};
  for (size_t k = 0; k < 4; ++k) {
    source->indices[place] = wrong[k];
    assert_int_equal(read_all(&arrays, &err), TACIT_EDATA);
    assert_non_null(strstr(err.message, "row 2: column indices must ascend"));
  }
  source->indices[place] = 0;
  int32_t kept = source->starts[1];
  source->starts[1] = -1;
  assert_int_equal(read_all(&arrays, &err), TACIT_EDATA);
  source->starts[1] = kept;
  arrays.n_entries -= 1; /* the last row would reach past the end */
  assert_int_equal(read_all(&arrays, &err), TACIT_EDATA);
  assert_non_null(strstr(err.message, "row 9001: its start and end"));
  free(source);
}

static void wrong_arguments_are_refused(void **state) {
  (void)state;
  struct source *source = make_source();
  tacit_schema *schema = two_classes(FEATURES), *other = two_classes(4);
  tacit_reader *reader = NULL;
  tacit_error err;
  tacit_arrays arrays = dense(source);
  assert_int_equal(open_arrays(&arrays, 1, other, &reader, &err), TACIT_EINVAL);
  arrays.raw_labels = NULL;
  assert_int_equal(open_arrays(&arrays, 1, schema, &reader, &err), TACIT_EINVAL);
  arrays = dense(source);
  arrays.values_type = TACIT_INT32;
  assert_int_equal(open_arrays(&arrays, 1, schema, &reader, &err), TACIT_EINVAL);
  arrays = sparse(source);
  arrays.indices_type = TACIT_FLOAT64;
  assert_int_equal(open_arrays(&arrays, 1, schema, &reader, &err), TACIT_EINVAL);
  arrays = dense(source);
  arrays.n_rows = 0;
  assert_int_equal(open_arrays(&arrays, 1, schema, &reader, &err), TACIT_EDATA);
  assert_null(reader);
  tacit_schema_free(schema);
  tacit_schema_free(other);
  free(source);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_layout_gives_the_same_rows),
      cmocka_unit_test(what_is_not_finite_is_refused),
      cmocka_unit_test(floats_are_looked_at_one_and_all),
      cmocka_unit_test(broken_csr_is_refused),
      cmocka_unit_test(wrong_arguments_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
