/* SPDX-License-Identifier: MIT */
/* The SIMD, the fast and the strict parser read the same numbers, of all shapes and at
   all places of a line. */
#include "unit/data/text/parse_ways.h"

/* Values that every parser takes, that only one parser takes, and that none takes. */
static const char *const odd_values[] = {"0",
                                         "-0",
                                         "0.0",
                                         "-0.000",
                                         "1.",
                                         ".5",
                                         "-.5",
                                         "-5.",
                                         ".",
                                         "-",
                                         "-.",
                                         "",
                                         "1234567",
                                         "12345678",
                                         "123456789",
                                         "-12345678",
                                         "1234.5678",
                                         "12345.6789",
                                         ".1234567",
                                         ".12345678",
                                         ".123456789",
                                         "0.1234567",
                                         "00.123456",
                                         "-0.12345678",
                                         "1..5",
                                         "1.2.3",
                                         "--1",
                                         "1-2",
                                         "-1-",
                                         "+1.5",
                                         "+-1",
                                         "1e2",
                                         "1E-3",
                                         "1e",
                                         "0.5e400",
                                         "nan",
                                         "0x1",
                                         "1:2",
                                         "00000001",
                                         "000000001",
                                         "9999",
                                         "10000",
                                         "0.30000000000000004",
                                         "123456789012345678901234567890.5",
                                         "1\x80",
                                         "1234567890123456",
                                         "12345678901234567",
                                         "0.12345678901234",
                                         "/",
                                         ";",
                                         "1,5"};

static size_t put_value(uint64_t *word, int odds, char *out) {
  uint64_t kind = number_word(word) % 16;
  if (odds && number_word(word) % 24 == 0)
    return (size_t)sprintf(out, "%s", PICK(word, odd_values));
  if (kind < 6) return number_plain(word, 8, 0, out);
  if (kind < 7) return number_plain(word, 18, 0, out);
  if (kind < 11)
    return (size_t)sprintf(out, "%s0.%06d", kind & 1 ? "-" : "",
                           (int)(number_word(word) % 1000000));
  return (size_t)sprintf(out, "%d", (int)(number_word(word) % (kind < 13 ? 2 : 20000)));
}

static void check_libsvm(struct parser *parser, char *line, int size, const char *end,
                         int *n_good) {
  struct outcome fast, strict;
  (void)sprintf(line + size, "%s", end);
  parse_both_ways(parser, line, &fast);
  (void)sprintf(line + size, " #\n");
  parse_text(parser, line, &strict);
  check_equal(&fast, &strict, line, "fast, strict");
  *n_good += fast.status == TACIT_OK;
}

/* Rows of one kind, as in files, with a few entries of other kinds. */
static void libsvm_rows(void **state) {
  (void)state;
  static const char *const gaps[] = {"  ", "\t", " \t", "\r", "", ":", " 7 ", " 7: "};
  static const char *const ends[] = {"\n", " \n", "\r\n", " \r\n", "\t\n", "  \n"};
  static const unsigned steps[] = {3, 30, 40000, 3000000, 80000000};
  uint64_t word = 7046029254386353131u;
  struct parser parser;
  tacit_schema *schema;
  tacit_error err;
  int n_good = 0;
  CHECK_OK(tacit_schema_libsvm(INT32_MAX, 0, -9, 9, &schema, &err), err);
  open_parser(&parser, schema, 1, NULL);
  for (int i = 0; i < 60000; ++i) {
    char line[4000];
    unsigned step = steps[number_word(&word) % 5];
    uint64_t index = 0, form = number_word(&word) % 4, odds = number_word(&word) % 3;
    int size = sprintf(line, "%d", (int)(number_word(&word) % 19) - 9);
    for (uint64_t n = number_word(&word) % 30; n > 0; --n) {
      int odd = odds == 0 && number_word(&word) % 40 == 0;
      size += sprintf(line + size, "%s", odd ? PICK(&word, gaps) : " ");
      index += 1 + number_word(&word) % step;
      if (odds == 0 && number_word(&word) % 60 == 0) index /= 2;
      size +=
          sprintf(line + size,
                  odds == 0 && number_word(&word) % 30 == 0 ? "%0*llu:" : "%.0d%llu:",
                  odds == 0 ? 9 : 0, (unsigned long long)index);
      if (form == 0)
        size += sprintf(line + size, "1");
      else if (form == 1)
        size += sprintf(line + size, "%.6f", (double)number_word(&word) * 0x1p-64 - .5);
      else
        size += (int)put_value(&word, odds == 0, line + size);
    }
    check_libsvm(&parser, line, size, PICK(&word, ends), &n_good);
  }
  close_parser(&parser);
  assert_true(n_good > 20000 && n_good < 59000);
}

/* Each unusual value at each position of a row of simple entries. */
static void each_odd_value_at_each_place(void **state) {
  (void)state;
  enum { ENTRIES = 11 };
  static const char *const usual[] = {"1", "-0.25", "12345678"};
  struct parser parser;
  tacit_schema *schema;
  tacit_error err;
  int n_good = 0;
  CHECK_OK(tacit_schema_libsvm(123, 2, 0, 0, &schema, &err), err);
  open_parser(&parser, schema, 1, NULL);
  for (size_t v = 0; v < sizeof odd_values / sizeof odd_values[0]; ++v) {
    for (int place = 0; place < ENTRIES; ++place) {
      for (size_t u = 0; u < 3; ++u) {
        char line[400];
        int size = sprintf(line, "+1");
        for (int j = 0; j < ENTRIES; ++j)
          size += sprintf(line + size, " %d:%s", 7 * j + 1,
                          j == place ? odd_values[v] : usual[u]);
        check_libsvm(&parser, line, size, "\n", &n_good);
        check_libsvm(&parser, line, size, " \n", &n_good);
      }
    }
  }
  close_parser(&parser);
  assert_true(n_good > 500);
}

/* Indices that are too long, too large, too small, repeated, or not numbers. */
static void each_odd_index_at_each_place(void **state) {
  (void)state;
  enum { ENTRIES = 11 };
  static const char *const indices[] = {
      "0",         "00", "124",      "123",       "9999",  "10000", "2147483648",
      "1",         "",   "-1",       "+5",        "1.5",   ".",     "00000051",
      "000000051", "5x", "99999999", "100000000", "51 51", "5:1 6"};
  struct parser parser;
  int n_good = 0;
  for (int kind = 0; kind < 2; ++kind) {
    tacit_schema *schema;
    tacit_error err;
    CHECK_OK(tacit_schema_libsvm(123, 2, 0, 0, &schema, &err), err);
    open_parser(&parser, schema, 1, NULL);
    for (size_t v = 0; v < sizeof indices / sizeof indices[0]; ++v) {
      for (int place = 0; place < ENTRIES; ++place) {
        char line[400];
        int size = sprintf(line, "-1");
        for (int j = 0; j < ENTRIES; ++j) {
          char index[16];
          (void)sprintf(index, "%d", 10 * j + 1);
          size += sprintf(line + size, " %s:%s", j == place ? indices[v] : index,
                          kind == 0 ? "1" : "0.5");
        }
        check_libsvm(&parser, line, size, "\n", &n_good);
      }
    }
    close_parser(&parser);
  }
  assert_true(n_good > 5);
}

/* Good rows with a few characters replaced. */
static void rows_with_slips(void **state) {
  (void)state;
  static const char slips[] = "0123456789:. -+eE#\t\x80/;,x";
  uint64_t word = 4768777513237032717u;
  struct parser parser;
  tacit_schema *schema;
  tacit_error err;
  int n_good = 0;
  CHECK_OK(tacit_schema_libsvm(99999, 2, 0, 0, &schema, &err), err);
  open_parser(&parser, schema, 1, NULL);
  for (int i = 0; i < 100000; ++i) {
    char line[400];
    int size = sprintf(line, "1");
    unsigned kind = (unsigned)i % 3, index = 0;
    for (int j = 0; j < 12; ++j) {
      index += 1 + (unsigned)(number_word(&word) % (kind == 0 ? 20 : 2000));
      size += sprintf(line + size, " %u:", index);
      size += sprintf(line + size, kind < 2 ? "%.0f" : "%.6f",
                      (double)number_word(&word) * 0x1p-62 - (kind == 2 ? 2 : 0));
    }
    for (uint64_t n = 1 + number_word(&word) % 2; n > 0; --n)
      line[1 + number_word(&word) % (uint64_t)(size - 1)] =
          slips[number_word(&word) % (sizeof slips - 1)];
    check_libsvm(&parser, line, size, "\n", &n_good);
  }
  close_parser(&parser);
  assert_true(n_good > 10000 && n_good < 90000);
}

enum { COLUMNS = 40 };
static tacit_schema *numbers(int label_at, char delimiter, char *header) {
  static char json[COLUMNS * 120];
  tacit_schema *schema;
  tacit_error err;
  int size = sprintf(json,
                     "{\"tacit_schema\": 1, \"delimiter\": \"%c\", \"label\": "
                     "{\"column\": \"y\", \"min\": -9, \"max\": 9}, \"columns\": [",
                     delimiter);
  *header = '\0';
  for (int j = 0; j <= COLUMNS; ++j) {
    if (j == label_at) (void)sprintf(header + strlen(header), "y%c", delimiter);
    if (j == COLUMNS) break;
    size += sprintf(json + size, "%s{\"name\": \"x%d\", \"type\": \"%s\"",
                    j > 0 ? "," : "", j, j == 20 ? "ignore" : "numeric");
    if (j != 20)
      size += sprintf(json + size, ", \"min\": %d, \"max\": %d, \"map\": [%d, 1]%s", -j,
                      j + 1, -(j % 2), j % 5 == 0 ? ", \"missing\": 1" : "");
    size += sprintf(json + size, "}");
    (void)sprintf(header + strlen(header), "x%d%c", j, delimiter);
  }
  header[strlen(header) - 1] = '\0';
  size += sprintf(json + size, "]}");
  CHECK_OK(tacit_schema_parse(json, (size_t)size, "t", &schema, &err), err);
  return schema;
}

static void csv_rows(void **state) {
  (void)state;
  static const char *const ends[] = {"\n", "\r\n", " \n"};
  static const char *const blanks[] = {" ", "\t", "\"", "x", "  "};
  static const int label_at[] = {0, 17, COLUMNS};
  uint64_t word = 3202034522624059733u;
  int n_good = 0;
  for (int kind = 0; kind < 3; ++kind) {
    struct parser parser;
    char header[COLUMNS * 8], delimiter = ",;:"[kind];
    tacit_schema *schema = numbers(label_at[kind], delimiter, header);
    open_parser(&parser, schema, 1, header);
    assert_int_equal(parser.layout->in_order, 1);
    for (int i = 0; i < 15000; ++i) {
      char line[4000];
      int size = 0, odds = number_word(&word) % 3 == 0;
      int n_cells =
          COLUMNS + 1 - (number_word(&word) % 32 == 0) + (number_word(&word) % 32 == 0);
      for (int j = 0; j < n_cells; ++j) {
        if (odds && number_word(&word) % 60 == 0)
          size += sprintf(line + size, "%s", PICK(&word, blanks));
        if (j == label_at[kind])
          size += sprintf(line + size, "%d", (int)(number_word(&word) % 19) - 9);
        else if (number_word(&word) % 2)
          size +=
              sprintf(line + size, "%.6f", (double)number_word(&word) * 0x1p-58 - 32);
        else
          size += (int)put_value(&word, odds, line + size);
        if (odds && number_word(&word) % 60 == 0)
          size += sprintf(line + size, "%s", PICK(&word, blanks));
        line[size++] = delimiter;
      }
      (void)sprintf(line + size - 1, "%s", PICK(&word, ends));
      n_good += csv_is_good_all_ways(&parser, line);
    }
    close_parser(&parser);
  }
  assert_true(n_good > 20000 && n_good < 44000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(libsvm_rows),
      cmocka_unit_test(each_odd_value_at_each_place),
      cmocka_unit_test(each_odd_index_at_each_place),
      cmocka_unit_test(rows_with_slips),
      cmocka_unit_test(csv_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
