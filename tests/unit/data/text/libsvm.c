/* SPDX-License-Identifier: MIT */
/* data/: the LIBSVM reader, values and every refusal. */
#include "unit/data_files.h"

static void refused(const char *text, const char *message, const char *secret) {
  tacit_schema *schema = libsvm_schema(123);
  check_refused(file_of("a", text), schema, TACIT_EDATA, message, secret);
  tacit_schema_free(schema);
}

static void accepted(const char *text, const char *rows) {
  tacit_schema *schema = libsvm_schema(123);
  check_rows(file_of("a", text), schema, rows);
  tacit_schema_free(schema);
}

static void rows_are_read_as_written(void **state) {
  (void)state;
  accepted("0 3:1 11:0.5 123:-2e-3\n1 1:1\n-1\n+1 7:1e2 8:.25 9:3.\n",
           "-1 3:1 11:0.5 123:-0.002\n1 1:1\n-1\n1 7:100 8:0.25 9:3\n");
}

static void labels_of_two_classes_in_all_spellings(void **state) {
  (void)state;
  accepted("0 1:1\n1 1:1\n-1 1:1\n+1 1:1\n1.0 1:1\n-1.0 1:1\n0.0 1:1\n1e0 1:1\n",
           "-1 1:1\n1 1:1\n-1 1:1\n1 1:1\n1 1:1\n-1 1:1\n-1 1:1\n1 1:1\n");
}

static void line_ends_marks_blanks_and_comments(void **state) {
  (void)state;
  accepted("\xef\xbb\xbf"
           "1 1:1\r\n\r\n \t \n# a comment\n0\t2:1  \t3:1 # 4:1\n  # more\n1 1:2",
           "1 1:1\n-1 2:1 3:1\n1 1:2\n");
}

static void zeros_are_left_out(void **state) {
  (void)state;
  accepted("1 1:0 2:5 3:-0 4:0e9\n", "1 2:5\n");
}

static void bad_labels_are_refused(void **state) {
  (void)state;
  static const char *const labels[] = {"2",     "-1.5", "nan", "yes",
                                       "1e400", "0x1",  "1,0"};
  for (size_t i = 0; i < sizeof labels / sizeof labels[0]; ++i) {
    char text[64];
    (void)snprintf(text, sizeof text, "1 1:1\n%s 7:1\n", labels[i]);
    refused(text,
            ": line 2: label is not a declared class (0/1 or -1/+1); for more classes "
            "give --classes, for numbers --labels",
            NULL);
  }
  refused("1 1:1\n3:1 7:1\n", ": line 2: no label; a row is `label index:value ...`",
          "3");
}

static void bad_indices_are_refused(void **state) {
  (void)state;
  refused("1 0:1\n", ": line 1, entry 1: index below the first: indices start at 1",
          NULL);
  refused("# c\n\n1 1:1 124:1\n",
          ": line 3, entry 2: index out of range: the features are 1 to 123 "
          "(--features)",
          "124");
  refused("1 99999999999999999999999:1\n",
          ": line 1, entry 1: index out of range: the features are 1 to 123 "
          "(--features)",
          "9999");
  refused("1 77:1 66:1\n",
          ": line 1, entry 2: indices descend; sort the entries of each row by index",
          "66");
  refused("1 5:1 77:1 77:1\n",
          ": line 1, entry 3: the same index twice; drop one of the entries", "77");
  refused("1 88\n", ": line 1, entry 1: no ':'; an entry is `index:value`", "88");
  refused("1 2:1 garbage\n", ": line 1, entry 2: no ':'; an entry is `index:value`",
          "garbage");
  refused("1 :1\n", ": line 1, entry 1: index is missing before ':'", NULL);
  refused("1 qid:1\n", ": line 1, entry 1: index is not a whole number", "qid");
  refused("1 -3:1\n", ": line 1, entry 1: index is not a whole number", "3");
  refused("1 +3:1\n", ": line 1, entry 1: index is not a whole number", "3");
}

static void bad_values_are_refused(void **state) {
  (void)state;
  static const char *const values[] = {"nan",   "inf", "-inf", "1e400", "-1e400",
                                       "0x1p3", "1x",  "1:2",  "1.2.3", "--1",
                                       "1e",    "e5",  ".",    "+",     "1,5"};
  for (size_t i = 0; i < sizeof values / sizeof values[0]; ++i) {
    char text[64];
    (void)snprintf(text, sizeof text, "1 1:1 2:%s\n", values[i]);
    refused(text, ": line 1, entry 2: value is not a finite number", NULL);
  }
  refused("1 5:\n", ": line 1, entry 1: value is missing after ':'", NULL);
  refused("1 5: 3\n", ": line 1, entry 1: value is missing after ':'", NULL);
}

static void a_nul_byte_is_refused(void **state) {
  (void)state;
  tacit_schema *schema = libsvm_schema(9);
  check_refused(file_of_bytes("nul", "1 1:1\n1 2:\0001\n", 13), schema, TACIT_EDATA,
                ": line 2: a NUL byte; this is not a text file", NULL);
  tacit_schema_free(schema);
}

static void number_labels(void **state) {
  (void)state;
  tacit_schema *schema;
  tacit_error err;
  CHECK_OK(tacit_schema_libsvm(4, 0, 0, 10, &schema, &err), err);
  check_rows(file_of("n", "2.5 1:1\n-300 2:1\n1e3\n"), schema,
             "2.5 1:1\n-300 2:1\n1000\n");
  check_refused(file_of("n", "1 1:1\ninf 1:1\n"), schema, TACIT_EDATA,
                ": line 2: label is not a finite number", NULL);
  tacit_schema_free(schema);
}

static void labels_of_many_classes(void **state) {
  (void)state;
  tacit_schema *schema;
  tacit_error err;
  CHECK_OK(tacit_schema_libsvm(4, 11, 0, 0, &schema, &err), err);
  check_rows(file_of("k", "0 1:1\n10 2:1\n+3\n7.0 3:1\n1e1\n-0 4:1\n"), schema,
             "0 1:1\n10 2:1\n3\n7 3:1\n10\n0 4:1\n");
  static const char *const labels[] = {"11",  "-1",  "0.5", "nan",    "inf",
                                       "one", "1e9", "0x1", "9.9999", "10.000001"};
  for (size_t i = 0; i < sizeof labels / sizeof labels[0]; ++i) {
    char text[64];
    (void)snprintf(text, sizeof text, "1 1:1\n%s 4:1\n", labels[i]);
    check_refused(file_of("k", text), schema, TACIT_EDATA,
                  ": line 2: label is not a declared class (0 to 10)", NULL);
  }
  tacit_schema_free(schema);
}

static void labels_can_be_left_unread(void **state) {
  (void)state;
  tacit_schema *schema = libsvm_schema(4);
  tacit_error err;
  char *rows =
      read_rows(file_of("u", "whatever 1:1\n2:1 3:1\n7\n"), schema, 0, 0, &err);
  assert_non_null(rows);
  assert_string_equal(rows, "? 1:1\n? 2:1 3:1\n?\n");
  free(rows);
  tacit_schema_free(schema);
}

static void long_lines(void **state) {
  (void)state;
  enum { COUNT = 100000 };
  tacit_schema *schema = libsvm_schema(COUNT);
  char *text = malloc(COUNT * 9 + 100), *expected = malloc(COUNT * 9 + 100);
  size_t size = (size_t)sprintf(text, "1"), wanted = (size_t)sprintf(expected, "1");
  for (int i = 1; i <= COUNT; ++i) {
    size += (size_t)sprintf(text + size, " %d:1", i);
    wanted += (size_t)sprintf(expected + wanted, " %d:1", i);
  }
  (void)strcpy(text + size, "\n0 5:1");
  (void)strcpy(expected + wanted, "\n-1 5:1\n");
  const char *path = file_of("long", text);
  check_rows(path, schema, expected);

  tacit_reader_options options;
  tacit_reader_options_init(&options);
  options.schema = schema;
  tacit_reader_limits limits = {1 << 20, 300000, 1 << 20, 8, 0, 1 << 30, 64, 0};
  tacit_reader *reader;
  tacit_error err;
  assert_int_equal(
      tacit_reader_open_limited(&path, 1, &options, &limits, &reader, &err),
      TACIT_EDATA);
  assert_string_equal(
      err.message + strlen(path),
      ": line 1: longer than 300000 bytes; is this text with one record per line? Then "
      "raise --max-line");
  free(text);
  free(expected);
  tacit_schema_free(schema);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_read_as_written),
      cmocka_unit_test(labels_of_two_classes_in_all_spellings),
      cmocka_unit_test(line_ends_marks_blanks_and_comments),
      cmocka_unit_test(zeros_are_left_out),
      cmocka_unit_test(bad_labels_are_refused),
      cmocka_unit_test(bad_indices_are_refused),
      cmocka_unit_test(bad_values_are_refused),
      cmocka_unit_test(a_nul_byte_is_refused),
      cmocka_unit_test(number_labels),
      cmocka_unit_test(labels_of_many_classes),
      cmocka_unit_test(labels_can_be_left_unread),
      cmocka_unit_test(long_lines),
  };
  return cmocka_run_group_tests(tests, folder_setup, folder_teardown);
}
