/* SPDX-License-Identifier: MIT */
/* Tables with columns of all types, and long lines, by the SIMD parser and by the
   others: the same rows and the same messages. The tests of shapes.c and parse.c go
   through the SIMD parser as well. */
#include "data/text/line_ends.h"
#include "unit/data/text/parse_ways.h"

static const char *const columns[] = {
    "{\"name\": \"line\", \"type\": \"numeric\", \"min\": -5, \"max\": 50}",
    "{\"name\": \"zero\", \"type\": \"numeric\", \"min\": 0, \"max\": 9, \"map\": [0, "
    "1]}",
    "{\"name\": \"own\", \"type\": \"numeric\", \"min\": 0, \"max\": 99, \"missing\": "
    "\"own\"}",
    "{\"name\": \"steps\", \"type\": \"numeric\", \"min\": 0, \"max\": 64, \"curve\": "
    "16, \"missing\": 3}",
    "{\"name\": \"hats\", \"type\": \"numeric\", \"min\": 0, \"max\": 10, \"curve\": "
    "{\"kind\": \"linear\", \"line\": true}, \"edges\": [1, 2.5, 7]}",
    "{\"name\": \"log\", \"type\": \"numeric\", \"min\": 1, \"max\": 1000, \"map\": "
    "\"log\"}",
    "{\"name\": \"tent\", \"type\": \"numeric\", \"min\": 0, \"max\": 10, \"curve\": "
    "{\"knots\": 5}}",
    "{\"name\": \"both\", \"type\": \"numeric\", \"min\": -4, \"max\": 12, \"curve\": "
    "{\"knots\": 6, \"line\": true}, \"missing\": \"own\"}",
    "{\"name\": \"atoms\", \"type\": \"numeric\", \"min\": 0, \"max\": 9, \"curve\": "
    "{\"knots\": 6, \"line\": true}, \"atoms\": [0, 2.5, 9], \"missing\": \"own\"}",
    "{\"name\": \"kind\", \"type\": \"category\", \"values\": [\"a\", \"bb\", \"\", "
    "\"sixteen letters.\", \"a value of more than sixteen\", \"q, r\"]}",
    "{\"name\": \"sex\", \"type\": \"category\", \"values\": [\"Female\", \"Male\"]}",
    "{\"name\": \"zip\", \"type\": \"hashed\", \"slots\": 64}",
    "{\"name\": \"flag\", \"type\": \"bool\", \"missing\": \"own\"}",
    "{\"name\": \"level\", \"type\": \"ordinal\", \"values\": [\"low\", \"mid\", "
    "\"high\"]}",
    "{\"name\": \"day\", \"type\": \"date\", \"format\": \"%Y-%m-%d\", \"min\": "
    "\"2020-01-01\", \"max\": "
    "\"2024-12-31\", \"parts\": [\"month\", \"days\"]}",
    "{\"name\": \"note\", \"type\": \"ignore\"}",
    "{\"name\": \"says\", \"type\": \"text\", \"slots\": 32}",
    "{\"name\": \"code\", \"type\": \"category\", \"values\": [\"1\", \"2\", \"10\", "
    "\"2.0\"]}"};
enum { N_COLUMNS = sizeof columns / sizeof columns[0], N_NUMBERS = 9 };

static const char *const labels[] = {
    "{\"column\": \"y\", \"classes\": [\"no\", \"yes\"]}",
    "{\"column\": \"y\", \"min\": -3, \"max\": 3}",
    "{\"column\": \"y\", \"above\": 2.5}", "{\"column\": \"y\", \"is\": [\"yes\"]}"};

/* Cells of each column, and of all columns, and what may be around them. */
static const char *const numbers[] = {
    "0",    "1",      "-3", "7.25",  "2.5", "49", "100000",
    "-0.0", "12.125", ".5", "0.375", "9",   "64", "3.14159265358979"};
static const char *const odd[] = {"NA",  "?",      "",     "nan",  "1e1",  "+4",
                                  "0x1", "inf",    "1.5.", "--1",  "-",    ".",
                                  "-.",  "1,5",    "\"",   "\"\"", "a\"b", "\"5\"",
                                  "\"a", "\"a\"b", "1 2",  "007",  "1e999"};
static const char *const kinds[] = {"a",
                                    "bb",
                                    "\"bb\"",
                                    "sixteen letters.",
                                    "a value of more than sixteen",
                                    "\"q, r\"",
                                    "a value of more than sixteeN",
                                    "sixteen letters!",
                                    "",
                                    "other"};
static const char *const sexes[] = {"Female", "Male", "Other", "\"Male\"", "female"};
static const char *const flags[] = {"true", "no", "1", "F", "NA"};
static const char *const levels[] = {"low", "mid", "high", "\"mid\""};
static const char *const days[] = {"2020-02-29", "2023-07-01", "1999-01-01"};
static const char *const codes[] = {"1",    "2",       "2.0", "10.0", "10.00",
                                    "-1.0", "\"1.0\"", "3.0", ".0",   "a.0"};
static const char *const notes[] = {"", "anything", "\"quoted, with\"", "x y z",
                                    "\"\"\"\""};
static const char *const classes[] = {"yes", "no"};
static const char *const blanks[] = {" ", "  ", "\t", " \t"};

static const char *cell_of(uint64_t *word, size_t column, int label, int odds) {
  if (odds && number_word(word) % 30 == 0) return PICK(word, odd);
  if (column == N_COLUMNS)
    return label == 1 || label == 2 ? PICK(word, numbers) : PICK(word, classes);
  if (column < N_NUMBERS) return PICK(word, numbers);
  switch (column - N_NUMBERS) {
  case 0: return PICK(word, kinds);
  case 1: return PICK(word, sexes);
  case 3: return PICK(word, flags);
  case 4: return PICK(word, levels);
  case 5: return PICK(word, days);
  case 8: return PICK(word, codes);
  default: return PICK(word, notes);
  }
}

/* A table of some of the columns in any order, the label (N_COLUMNS) among them. */
struct table {
  size_t fields[N_COLUMNS + 1], n_fields;
  int label;
  char delimiter, header[400];
};

static tacit_schema *make_table(uint64_t *word, struct table *table) {
  char json[8000];
  tacit_schema *schema;
  tacit_error err;
  table->label = (int)(number_word(word) % 4);
  table->delimiter = ",;\t|"[number_word(word) % 4];
  table->n_fields = 0;
  int size = sprintf(json,
                     "{\"tacit_schema\": 2, \"na\": [\"NA\", \"?\"%s], "
                     "\"quoted_newlines\": %s, \"delimiter\": \"%s%c\"%s, \"label\": "
                     "%s, \"columns\": [",
                     number_word(word) % 4 == 0 ? ", \"9\"" : "",
                     number_word(word) % 2 ? "true" : "false",
                     table->delimiter == '\t' ? "\\" : "",
                     table->delimiter == '\t' ? 't' : table->delimiter,
                     number_word(word) % 2 ? ", \"missing_label\": \"skip\"" : "",
                     labels[table->label]);
  size_t only = number_word(word) % 3; /* 1: numbers, 2: categories */
  for (size_t i = 0; i < N_COLUMNS; ++i) {
    if (number_word(word) % 4 == 0 || (only == 1 && i > 2) ||
        (only == 2 && i < N_NUMBERS))
      continue;
    size += sprintf(json + size, "%s%s", table->n_fields > 0 ? ", " : "", columns[i]);
    table->fields[table->n_fields++] = i;
  }
  if (table->n_fields == 0) {
    size += sprintf(json + size, "%s", columns[0]);
    table->fields[table->n_fields++] = 0;
  }
  (void)sprintf(json + size, "]}");
  CHECK_OK(tacit_schema_parse(json, strlen(json), "t", &schema, &err), err);
  table->fields[table->n_fields++] = N_COLUMNS;
  for (size_t i = table->n_fields; number_word(word) % 2 && i-- > 1;) {
    size_t j = (size_t)(number_word(word) % (i + 1)), kept = table->fields[i];
    table->fields[i] = table->fields[j];
    table->fields[j] = kept;
  }
  size = 0;
  for (size_t i = 0; i < table->n_fields; ++i) {
    const char *json_name =
        table->fields[i] == N_COLUMNS ? "{\"name\": \"y\"" : columns[table->fields[i]];
    char name[16];
    assert_int_equal(sscanf(json_name, "{\"name\": \"%15[a-z]", name), 1);
    size += sprintf(table->header + size, "%s%s",
                    i > 0 ? (char[]){table->delimiter, 0} : "", name);
  }
  return schema;
}

static void put_row(uint64_t *word, const struct table *table, int odds, char *out) {
  static const char *const ends[] = {"\n", "\r\n", " \n", "\n\n", "\r\r\n"};
  size_t extra = odds && number_word(word) % 40 == 0 ? 1 : 0;
  for (size_t i = 0; i < table->n_fields + extra; ++i) {
    const char *around = odds && number_word(word) % 20 == 0 ? PICK(word, blanks) : "";
    size_t column = table->fields[i < table->n_fields ? i : 0];
    if (i > 0) out += sprintf(out, "%c", table->delimiter);
    out += sprintf(out, "%s%s", around, cell_of(word, column, table->label, odds));
    if (odds && number_word(word) % 20 == 0) out += sprintf(out, "%s", around);
  }
  (void)sprintf(out, "%s",
                odds || number_word(word) % 8 == 0 ? PICK(word, ends) : "\n");
}

static void tables_of_all_types(void **state) {
  (void)state;
  uint64_t word = 6364136223846793005u;
  int n_good = 0, n_texts = 0;
  for (int i = 0; i < 400; ++i) {
    struct table table;
    struct parser parser;
    tacit_error err;
    tacit_schema *schema = make_table(&word, &table);
    open_parser(&parser, schema, number_word(&word) % 8 != 0, table.header);
    if (number_word(&word) % 2) CHECK_OK(tacit_rows_weigh(&parser.rows, &err), err);
    for (int j = 0; j < 60; ++j) {
      char text[8 * 1200];
      int odds = number_word(&word) % 3 == 0;
      *text = '\0';
      for (uint64_t n = 1 + number_word(&word) % 5; n > 0; --n)
        put_row(&word, &table, odds, text + strlen(text));
      n_good += csv_is_good_all_ways(&parser, text);
      ++n_texts;
    }
    close_parser(&parser);
  }
  assert_true(n_good > n_texts / 4 && n_good < n_texts * 9 / 10);
}

/* Every cell at every place of a block of 64 characters. */
static void rows_at_every_offset(void **state) {
  (void)state;
  static const char *const rows[] = {
      "12,3.5,NA,\"bb\",Male,yes\n", "-3, 0,7,\"q, r\", Female ,no\r\n",
      "1e1,.5,8,a\"b,Male,yes\n",    "4,5,6,\"a\"\"b\",Male,no\n",
      "4,5,6,\"a\nb\",Male,no\n",    "4,5,6,x,Male,maybe\n"};
  char json[2000];
  tacit_schema *schema;
  struct parser parser;
  tacit_error err;
  (void)sprintf(json,
                "{\"tacit_schema\": 2, \"na\": [\"NA\"], \"label\": %s, \"columns\": "
                "[%s, %s, %s, %s, %s]}",
                labels[0], columns[0], columns[1], columns[2], columns[N_NUMBERS],
                columns[N_NUMBERS + 1]);
  CHECK_OK(tacit_schema_parse(json, strlen(json), "t", &schema, &err), err);
  open_parser(&parser, schema, 1, "line,zero,own,kind,sex,y");
  int n_good = 0;
  for (int offset = 0; offset < 140; ++offset) {
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
      char text[600];
      int size = sprintf(text, "1,2,3,%0*d,Male,yes\n", offset, 0);
      size += sprintf(text + size, "%s", rows[i]);
      (void)sprintf(text + size, "%s", rows[0]);
      n_good += csv_is_good_all_ways(&parser, text);
    }
  }
  close_parser(&parser);
  assert_int_equal(n_good, 4 * 140);
}

/* Columns x0, x1, … of one kind after another, each with `rule`, and the label y. */
static void open_columns(struct parser *parser, const char *const *rules, int count) {
  char json[8000], header[200];
  tacit_schema *schema;
  tacit_error err;
  int size =
      sprintf(json, "{\"tacit_schema\": 2, \"label\": %s, \"columns\": [", labels[0]);
  int named = 0;
  for (int i = 0; i < count; ++i) {
    size += sprintf(json + size, "%s{\"name\": \"x%d\", %s}", i > 0 ? "," : "", i,
                    rules[i]);
    named += sprintf(header + named, "x%d,", i);
  }
  (void)sprintf(json + size, "]}");
  (void)sprintf(header + named, "y");
  CHECK_OK(tacit_schema_parse(json, strlen(json), "t", &schema, &err), err);
  open_parser(parser, schema, 1, header);
}

/* Groups of any number of curves, with numbers on points and between them, one bit
   beside them, at the bounds, outside of them, and missing. */
static void neighbouring_curves(void **state) {
  (void)state;
  static const char *const kinds_of[] = {
      "\"type\": \"numeric\", \"min\": 0, \"max\": 1, \"curve\": {\"knots\": 11}, "
      "\"missing\": \"own\"",
      "\"type\": \"numeric\", \"min\": 0, \"max\": 1, \"curve\": {\"knots\": 11, "
      "\"line\": true}, \"missing\": \"own\"",
      "\"type\": \"numeric\", \"min\": -0.7, \"max\": 0.6, \"curve\": 13, "
      "\"missing\": 0.1",
      "\"type\": \"numeric\", \"min\": 0, \"max\": 1, \"curve\": 5, \"atoms\": [0, "
      "0.3], \"missing\": 0.3",
      "\"type\": \"numeric\", \"min\": 0, \"max\": 1, \"missing\": \"own\""};
  static const char *const cells[] = {
      "0",   "1",   "0.1", "0.2", "0.3",  "0.6", "0.7",           "0.15",
      "-3",  "7",   "-0",  "-.7", "0.09", "",    "0.3000000001",  "0.2999999999999",
      "0.5", "0.9", "0.8", "-.1", "-.6",  "0.4", "0.69999999999", "1e-1"};
  uint64_t word = 11;
  for (int i = 0; i < 300; ++i) {
    const char *rules[12];
    int count = 1 + (int)(number_word(&word) % 12), changes = i % 3;
    const char *rule = PICK(&word, kinds_of);
    for (int j = 0; j < count; ++j) {
      if (changes > 0 && number_word(&word) % 4 == 0) rule = PICK(&word, kinds_of);
      rules[j] = rule;
    }
    struct parser parser;
    open_columns(&parser, rules, count);
    for (int j = 0; j < 40; ++j) {
      char text[400], *at = text;
      for (int k = 0; k < count; ++k)
        at += sprintf(at, "%s,", PICK(&word, cells));
      (void)sprintf(at, "yes\n");
      assert_true(csv_is_good_all_ways(&parser, text));
    }
    close_parser(&parser);
  }
}

/* Declared texts with blanks and quotes at their ends are found only where a cell says
   so. */
static void texts_with_blanks_and_quotes(void **state) {
  (void)state;
  static const char *const rules[] = {
      "\"type\": \"category\", \"values\": [\"a\", \" a\", \"a \", \"\\\"a\", "
      "\"a\\\"\", \"\", \" \", \"sixteen letters.\", \" sixteen letters.\"]",
      "\"type\": \"category\", \"values\": [\"b\", \"a\"]"};
  static const char *const cells[] = {"a",
                                      " a",
                                      "  a",
                                      "a ",
                                      "\"a\"",
                                      " \"a\"",
                                      "\" a\"",
                                      "\"a \"",
                                      "\ta",
                                      "\"\ta\"",
                                      "",
                                      " ",
                                      "\"\"",
                                      "\" \"",
                                      "b",
                                      "c",
                                      "\"\"\"a\"",
                                      "sixteen letters.",
                                      "\"sixteen letters.\"",
                                      "\" sixteen letters.\"",
                                      " sixteen letters.",
                                      "seventeen letters"};
  static const char *const ends[] = {"yes\n",       "yes\r\n", " yes\n",
                                     "\"yes\"\r\n", "yes \n",  " \"no\"\n"};
  uint64_t word = 5;
  struct parser parser;
  open_columns(&parser, rules, 2);
  int n_good = 0;
  for (int i = 0; i < 3000; ++i) {
    char text[200];
    (void)sprintf(text, "%s,%s,%s", PICK(&word, cells), PICK(&word, cells),
                  PICK(&word, ends));
    n_good += csv_is_good_all_ways(&parser, text);
  }
  close_parser(&parser);
  assert_int_equal(n_good, 3000);
}

/* Lines longer than the window, and longer than the largest one. */
static void long_lines(void **state) {
  (void)state;
  static const size_t entries[] = {5, 1000, 3000, 20000, 90000};
  struct parser parser;
  tacit_schema *schema;
  tacit_error err;
  CHECK_OK(tacit_schema_libsvm(INT32_MAX, 2, 0, 0, &schema, &err), err);
  open_parser(&parser, schema, 1, NULL);
  for (size_t i = 0; i < sizeof entries / sizeof entries[0]; ++i) {
    for (int fault = 0; fault < 3; ++fault) {
      struct outcome out;
      char *text = malloc(16 * entries[i] + 100), *at = text;
      assert_non_null(text);
      at += sprintf(at, "1 1:5\n");
      at += sprintf(at, "-1");
      for (size_t j = 1; j <= entries[i]; ++j)
        at += sprintf(at, " %zu:%s", j, j % (entries[i] / 4) == 0 ? "1.5" : "0");
      at += sprintf(at, "%s", fault == 1 ? " 2:1" : fault == 2 ? " x\n1 1:x" : " ");
      (void)sprintf(at, "\n1 2:1 3:1 4:1 5:-0.25\n");
      parse_both_ways(&parser, text, &out);
      assert_int_equal(out.status, fault > 0 ? TACIT_EDATA : TACIT_OK);
      free(text);
    }
  }
  close_parser(&parser);
}

/* Rows of zeros and ones, whose entries are read with the characters before them: at
   every place of a text, with indices of all lengths, and with one entry that is odd.
 */
static void rows_of_ones(void **state) {
  (void)state;
  static const char *const entries[] = {":1",  ":9",  ":0", ":",   ":-1",  ":11",
                                        ":1.", ";1",  "1:", "::1", ":1:",  ":/",
                                        "::",  ":1 ", " 1", ":1",  ":1\t", ":1#"};
  static const char *const ends[] = {"\n", " \n", "\r\n", "\t\n", "  \n", "x\n"};
  struct parser parser;
  tacit_schema *schema;
  tacit_error err;
  uint64_t word = 11;
  int n_good = 0, n_bad = 0;
  CHECK_OK(tacit_schema_libsvm(INT32_MAX, 0, -9, 9, &schema, &err), err);
  open_parser(&parser, schema, 1, NULL);
  for (int i = 0; i < 20000; ++i) {
    char text[2000], *at = text;
    for (uint64_t line = 0, lines = 1 + number_word(&word) % 3; line < lines; ++line) {
      uint64_t count = number_word(&word) % 14, which = number_word(&word) % 40;
      uint64_t index = 0;
      at += sprintf(at, "%s", number_word(&word) % 2 == 0 ? "1" : "-1");
      for (uint64_t j = 0; j < count; ++j) {
        uint64_t size = 1 + number_word(&word) % 7, step = 1;
        while (number_word(&word) % 3 == 0 && --size > 0)
          step *= 10;
        index += number_word(&word) % 200 == 0 ? 0 : step;
        at += sprintf(at, " %llu%s", (unsigned long long)index,
                      j == which ? PICK(&word, entries) : ":1");
      }
      at += sprintf(at, "%s", number_word(&word) % 4 == 0 ? PICK(&word, ends) : "\n");
    }
    struct outcome out;
    parse_both_ways(&parser, text, &out);
    n_good += out.status == TACIT_OK;
    n_bad += out.status != TACIT_OK;
  }
  close_parser(&parser);
  assert_true(n_good > 5000 && n_bad > 2000);
}

static void check_ends(const char *bytes, size_t size) {
  tacit_line_ends plain, simd;
  assert_true(tacit_line_ends_init(&plain) && tacit_line_ends_init(&simd));
  tacit_line_ends_find(&plain, bytes, size, 0, 0);
  tacit_line_ends_find(&simd, bytes, size, 0, tacit_simd_allowed());
  /* With too many lines each stops where it likes to: the lines up to there count. */
  size_t count = plain.count < simd.count ? plain.count : simd.count;
  assert_memory_equal(plain.after, simd.after, count * sizeof *plain.after);
  if (plain.size == size && simd.size == size) {
    assert_int_equal(plain.count, simd.count);
    assert_int_equal(plain.has_nul, simd.has_nul);
    assert_int_equal(plain.has_nul, size > 0 && memchr(bytes, 0, size) != NULL);
  } else {
    assert_true(count > TACIT_LINE_ENDS - 64);
  }
  tacit_line_ends_fini(&plain);
  tacit_line_ends_fini(&simd);
}

/* The text ends where its memory does: the search reads nothing behind it. */
static void line_ends_at_every_offset(void **state) {
  (void)state;
  static const uint64_t rates[] = {1, 2, 20, 90};
  uint64_t word = 12;
  for (size_t size = 1; size < 400; ++size) {
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; ++i) {
      char *bytes = malloc(size);
      assert_non_null(bytes);
      for (size_t j = 0; j < size; ++j)
        bytes[j] = number_word(&word) % rates[i] == 0 ? '\n' : 'x';
      check_ends(bytes, size);
      bytes[number_word(&word) % size] = '\0';
      check_ends(bytes, size);
      free(bytes);
    }
  }
  enum { MANY = 3 * TACIT_LINE_ENDS };
  char *lines = malloc(MANY);
  assert_non_null(lines);
  memset(lines, '\n', MANY);
  check_ends(lines, MANY);
  memset(lines, 'x', MANY / 2 + 7);
  check_ends(lines, MANY);
  free(lines);
}

/* The tests above would compare nothing if the SIMD parser took nothing. */
static void the_simd_parser_takes_what_is_ordinary(void **state) {
  (void)state;
  if (!tacit_simd_allowed())
    LEAVE_OUT("the processor has no AVX2 or NEON, or TACIT_DISPATCH forbids it");
  uint64_t word = 3;
  int n_taken = 0, n_tried = 0;
  for (int i = 0; i < 200; ++i) {
    struct table table;
    struct parser parser;
    char text[2000];
    tacit_schema *schema = make_table(&word, &table);
    open_parser(&parser, schema, 1, table.header);
    put_row(&word, &table, 0, text);
    struct copy copy = copy_of(text);
    tacit_text at = {copy.bytes, copy.bytes + copy.size, 1};
    if (parser.layout->plan.is_used) {
      n_taken += tacit_simd_csv(&parser.parse, &at, 1, &parser.rows) == 1;
      ++n_tried;
    }
    free(copy.bytes);
    close_parser(&parser);
  }
  assert_true(n_tried > 100 && n_taken > n_tried * 2 / 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_simd_parser_takes_what_is_ordinary),
      cmocka_unit_test(tables_of_all_types),
      cmocka_unit_test(rows_at_every_offset),
      cmocka_unit_test(neighbouring_curves),
      cmocka_unit_test(texts_with_blanks_and_quotes),
      cmocka_unit_test(long_lines),
      cmocka_unit_test(rows_of_ones),
      cmocka_unit_test(line_ends_at_every_offset),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
