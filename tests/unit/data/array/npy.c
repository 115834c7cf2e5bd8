/* SPDX-License-Identifier: MIT */
/* NumPy arrays: the same rows as text, and headers that must not be trusted. */
#include "unit/data_files.h"

#include "batch/row.h"
#include "data/array/npy.h"

/* The dictionaries below are those of a little-endian machine; on others "<" and ">"
   are swapped. */
static void own_order(unsigned char *text, size_t size) {
  const uint16_t one = 1;
  if (*(const unsigned char *)&one == 1) return;
  for (size_t i = 0; i < size; ++i)
    text[i] = text[i] == '<' ? '>' : text[i] == '>' ? '<' : text[i];
}

/* A .npy file of version `major` with this dictionary and these bytes. */
static const char *npy_file(const char *name, int major, const char *dictionary,
                            const void *numbers, size_t size) {
  static unsigned char bytes[4096];
  size_t length = strlen(dictionary), start = major == 1 ? 10 : 12;
  memcpy(bytes, "\x93NUMPY", 6);
  bytes[6] = (unsigned char)major;
  bytes[7] = 0;
  size_t padded = length + 1 + 5; /* some blanks, then the end of the line */
  bytes[8] = (unsigned char)(padded & 255);
  bytes[9] = (unsigned char)(padded >> 8);
  if (major > 1) bytes[10] = bytes[11] = 0;
  memcpy(bytes + start, dictionary, length);
  own_order(bytes + start, length);
  memset(bytes + start + length, ' ', 5);
  bytes[start + length + 5] = '\n';
  memcpy(bytes + start + padded, numbers, size);
  return file_of_bytes(name, bytes, start + padded + size);
}

#define DICTIONARY(type, fortran, shape)                                               \
  "{'descr': '" type "', 'fortran_order': " fortran ", 'shape': " shape ", }"

static const float floats[6] = {0.5f, 0, -2, 1, 1, 3.25f}; /* 3 rows of 2 */
static const double doubles[6] = {0.5, -2, 1, 0, 1, 3.25}; /* column by column */

static char *rows_of_npy(const char *rows, const char *labels,
                         const tacit_schema *schema, int shuffle, tacit_error *err) {
  tacit_reader_options options;
  tacit_reader *reader = NULL;
  tacit_reader_options_init(&options);
  options.schema = schema;
  options.shuffle = shuffle;
  options.labels = labels != NULL;
  options.label_path = labels;
  memset(err, 0, sizeof *err);
  if (tacit_reader_open(&rows, 1, &options, &reader, err) != TACIT_OK) {
    assert_null(reader);
    return NULL;
  }
  char *text = calloc(1, 4096);
  assert_non_null(text);
  for (size_t size = 0;;) {
    const tacit_batch *batch;
    if (tacit_reader_next(reader, &batch, err) != TACIT_OK) {
      free(text);
      text = NULL;
      break;
    }
    if (batch->n_rows == 0) break;
    assert_null(batch->raw_row_start);
    for (int64_t i = 0; i < batch->n_rows; ++i) {
      if (batch->raw_labels != NULL)
        size += (size_t)sprintf(text + size, "%g", batch->raw_labels[i]);
      tacit_row row = tacit_row_of(batch, i);
      for (size_t j = 0; j < batch->n_features; ++j)
        size += (size_t)sprintf(text + size, " %g", tacit_row_value(&row, j));
      size += (size_t)sprintf(text + size, "\n");
    }
  }
  tacit_reader_free(reader);
  return text;
}

static void check_npy(const char *rows, const char *labels, const tacit_schema *schema,
                      const char *expected) {
  tacit_error err;
  char *text = rows_of_npy(rows, labels, schema, 0, &err);
  if (text == NULL) fail_msg("%s", err.message);
  assert_string_equal(text, expected);
  free(text);
}

static void versions_types_and_orders(void **state) {
  (void)state;
  tacit_schema *schema = libsvm_schema(2);
  static const int8_t labels[3] = {1, 0, -1};
  const char *y = npy_file("y.npy", 1, DICTIONARY("|i1", "False", "(3,)"), labels, 3);
  const char *expected = "1 0.5 0\n-1 -2 1\n-1 1 3.25\n";
  for (int major = 1; major <= 3; ++major)
    check_npy(npy_file("x.npy", major, DICTIONARY("<f4", "False", "(3, 2)"), floats,
                       sizeof floats),
              y, schema, expected);
  check_npy(npy_file("x.npy", 1, DICTIONARY("<f8", "True", "(3, 2)"), doubles,
                     sizeof doubles),
            y, schema, expected);
  /* Another order of keys, other quotes, no last comma, no blanks. */
  check_npy(npy_file("x.npy", 1,
                     "{\"shape\":(3,2,),\"descr\":\"<f4\",\"fortran_order\":False}",
                     floats, sizeof floats),
            y, schema, expected);
  check_npy(
      npy_file("x.npy", 1, DICTIONARY("<f4", "False", "(3, 2)"), floats, sizeof floats),
      NULL, schema, " 0.5 0\n -2 1\n 1 3.25\n");
  tacit_schema_free(schema);
}

static void labels_of_every_type(void **state) {
  (void)state;
  tacit_schema *two = libsvm_schema(2), *numbers, *classes;
  tacit_error err;
  CHECK_OK(tacit_schema_libsvm(2, 0, 0, 9, &numbers, &err), err);
  CHECK_OK(tacit_schema_libsvm(2, 4, 0, 0, &classes, &err), err);
  static const int32_t i4[3] = {3, 0, 1};
  static const int64_t i8[3] = {3, 0, 1};
  static const uint8_t u1[3] = {3, 0, 1}, b1[3] = {1, 0, 1};
  static const float f4[3] = {3, 0, 1};
  static const double f8[3] = {3, 0, 1};
  static const struct {
    const char *dictionary;
    const void *labels;
    size_t size;
  } cases[] = {{DICTIONARY("<i4", "False", "(3,)"), i4, sizeof i4},
               {DICTIONARY("<i8", "False", "(3,)"), i8, sizeof i8},
               {DICTIONARY("|u1", "False", "(3,)"), u1, sizeof u1},
               {DICTIONARY("<f4", "True", "(3,)"), f4, sizeof f4},
               {DICTIONARY("<f8", "False", "(3,)"), f8, sizeof f8}};
  const char *x =
      npy_file("x.npy", 1, DICTIONARY("<f4", "False", "(3, 2)"), floats, sizeof floats);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const char *y =
        npy_file("y.npy", 1, cases[i].dictionary, cases[i].labels, cases[i].size);
    check_npy(x, y, classes, "3 0.5 0\n0 -2 1\n1 1 3.25\n");
    check_npy(x, y, numbers, "3 0.5 0\n0 -2 1\n1 1 3.25\n");
    char *text = rows_of_npy(x, y, two, 1, &err);
    assert_null(text);
    assert_int_equal(err.status, TACIT_EDATA);
    assert_non_null(strstr(err.message, "y.npy: row 1: label is not a declared class"));
  }
  check_npy(x, npy_file("y.npy", 1, DICTIONARY("|b1", "False", "(3,)"), b1, sizeof b1),
            two, "1 0.5 0\n-1 -2 1\n1 1 3.25\n");
  static const double bad[3] = {1, NAN, 1};
  const char *y =
      npy_file("y.npy", 1, DICTIONARY("<f8", "False", "(3,)"), bad, sizeof bad);
  const tacit_schema *schemas[] = {two, numbers, classes};
  for (size_t i = 0; i < 3; ++i) {
    assert_null(rows_of_npy(x, y, schemas[i], 1, &err));
    assert_int_equal(err.status, TACIT_EDATA);
    assert_non_null(strstr(err.message, "y.npy: row 2: label is not a"));
  }
  tacit_schema_free(two);
  tacit_schema_free(numbers);
  tacit_schema_free(classes);
}

static void check_bad(const char *x, const char *y, const tacit_schema *schema,
                      const char *fault) {
  tacit_error err;
  char *text = rows_of_npy(x, y, schema, 1, &err);
  if (text != NULL) fail_msg("accepted, expected: %s", fault);
  assert_int_equal(err.status, TACIT_EDATA);
  if (strstr(err.message, fault) == NULL) fail_msg("%s, not: %s", err.message, fault);
}

static void bad_files_are_refused(void **state) {
  (void)state;
  tacit_schema *schema = libsvm_schema(2), *three = libsvm_schema(3);
  static const struct {
    const char *dictionary, *fault;
  } cases[] = {
      {DICTIONARY(">f4", "False", "(3, 2)"), "-endian"},
      {DICTIONARY("<f2", "False", "(3, 2)"), "type that is not read"},
      {DICTIONARY("|O", "False", "(3, 2)"), "type that is not read"},
      {DICTIONARY("<i4", "False", "(3, 2)"), "float32 or float64"},
      {DICTIONARY("<f4", "False", "(6,)"), "two dimensions"},
      {DICTIONARY("<f4", "False", "()"), "0 dimensions"},
      {DICTIONARY("<f4", "False", "(3, 2, 1)"), "3 dimensions"},
      {DICTIONARY("<f4", "False", "(4, 2)"), "cut off"},
      {DICTIONARY("<f4", "False", "(2, 2)"), "longer than its shape"},
      {DICTIONARY("<f8", "False", "(3, 2)"), "cut off"},
      {DICTIONARY("<f4", "False", "(0, 2)"), "no rows"},
      {DICTIONARY("<f4", "False", "(3, 0)"), "number of columns"},
      {DICTIONARY("<f4", "False", "(3, 4294967296)"), "number of columns"},
      {DICTIONARY("<f4", "False", "(4611686018427387904, 2)"), "cut off"},
      {DICTIONARY("<f4", "False", "(99999999999999999999, 2)"), "header"},
      {DICTIONARY("<f4", "False", "(-3, 2)"), "header"},
      {DICTIONARY("<f4", "False", "(3; 2)"), "header"},
      {DICTIONARY("<f4", "False", "(3)"), "header"},
      {DICTIONARY("<f4", "False", "(3, 2"), "header"},
      {DICTIONARY("<f4", "0", "(3, 2)"), "header"},
      {"{'descr': '<f4', 'fortran_order': False}", "header"},
      {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (3, 2)}",
       "header"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), 'x': 1}", "header"},
      {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3, 2)}", "header"},
      {"{'descr': '<f4\\'', 'fortran_order': False, 'shape': (3, 2)}", "header"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2)} x", "header"},
      {"", "header"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    check_bad(npy_file("x.npy", 1, cases[i].dictionary, floats, sizeof floats), NULL,
              schema, cases[i].fault);
  const char *x =
      npy_file("x.npy", 4, DICTIONARY("<f4", "False", "(3, 2)"), floats, sizeof floats);
  check_bad(x, NULL, schema, "version 4.0");
  x = npy_file("x.npy", 1, DICTIONARY("<f4", "False", "(3, 2)"), floats, sizeof floats);
  check_bad(x, NULL, three, "has 2 columns, 3 features expected");
  static const double two_labels[2] = {1, 0};
  check_bad(x, npy_file("y.npy", 1, DICTIONARY("<f8", "False", "(2,)"), two_labels, 16),
            schema, "2 labels for 3 rows");
  check_bad(x, x, schema, "labels need one dimension");
  check_bad(x, file_of("y.txt", "1\n"), schema, "not a .npy file");
  float bad[6];
  memcpy(bad, floats, sizeof bad);
  bad[3] = INFINITY;
  check_bad(npy_file("x.npy", 1, DICTIONARY("<f4", "False", "(3, 2)"), bad, sizeof bad),
            NULL, schema, "row 2, column 2: NaN or infinity");
  tacit_schema_free(schema);
  tacit_schema_free(three);
}

/* Every cut of a file, and every length its header could claim. */
static void cuts_and_lengths(void **state) {
  (void)state;
  static unsigned char bytes[4096];
  const char *x =
      npy_file("x.npy", 2, DICTIONARY("<f4", "False", "(3, 2)"), floats, sizeof floats);
  FILE *file = fopen(x, "rb");
  assert_non_null(file);
  size_t size = fread(bytes, 1, sizeof bytes, file);
  (void)fclose(file);
  tacit_npy_head head;
  tacit_error err;
  for (size_t cut = 0; cut < size; ++cut)
    assert_int_equal(
        tacit_npy_head_read(bytes, cut, (int64_t)cut, "x.npy", &head, &err),
        TACIT_EDATA);
  CHECK_OK(tacit_npy_head_read(bytes, size, (int64_t)size, "x.npy", &head, &err), err);
  unsigned char right = bytes[8];
  for (unsigned length = 0; length < 256; ++length) {
    bytes[8] = (unsigned char)length;
    tacit_status status =
        tacit_npy_head_read(bytes, size, (int64_t)size, "x.npy", &head, &err);
    assert_int_equal(status == TACIT_OK, length == right);
  }
  bytes[8] = right;
  bytes[11] = 0xff;
  assert_int_equal(
      tacit_npy_head_read(bytes, size, (int64_t)size, "x.npy", &head, &err),
      TACIT_EDATA);
  int64_t rows;
  size_t columns;
  CHECK_OK(tacit_npy_shape(x, &rows, &columns, &err), err);
  assert_int_equal(rows, 3);
  assert_int_equal(columns, 2);
  assert_int_equal(tacit_npy_shape(test_folder, &rows, &columns, &err), TACIT_EDATA);
  assert_int_equal(tacit_npy_shape("/nowhere/x.npy", &rows, &columns, &err), TACIT_EIO);
}

static void misuse_is_told(void **state) {
  (void)state;
  tacit_schema *schema = libsvm_schema(2);
  tacit_error err;
  const char *x =
      npy_file("x.npy", 1, DICTIONARY("<f4", "False", "(3, 2)"), floats, sizeof floats);
  tacit_reader_options options;
  tacit_reader *reader = NULL;
  tacit_reader_options_init(&options);
  options.schema = schema;
  assert_int_equal(tacit_reader_open(&x, 1, &options, &reader, &err), TACIT_EINVAL);
  assert_non_null(strstr(err.message, "--label-file"));
  options.labels = 0;
  options.rows = 4;
  assert_int_equal(tacit_reader_open(&x, 1, &options, &reader, &err), TACIT_EDATA);
  assert_non_null(strstr(err.message, "declared 4 rows, found 3"));
  const char *both[2] = {file_of("a.svm", "1 1:1\n"), x};
  assert_int_equal(tacit_reader_open(both, 2, &options, &reader, &err), TACIT_EINVAL);
  assert_non_null(strstr(err.message, "alone"));
  assert_null(reader);
  tacit_schema_free(schema);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(versions_types_and_orders),
      cmocka_unit_test(labels_of_every_type),
      cmocka_unit_test(bad_files_are_refused),
      cmocka_unit_test(cuts_and_lengths),
      cmocka_unit_test(misuse_is_told),
  };
  return cmocka_run_group_tests(tests, folder_setup, folder_teardown);
}
