/* SPDX-License-Identifier: MIT */
/* Parsers take many lines at a time, never write to the text, and give the same rows
   and messages whether the fast or the strict parser read a line. */
#include "check.h"

#include "base/memory.h"
#include "data/schema/lookup.h"
#include "unit/data/text/parse_ways.h"

static tacit_schema *libsvm(size_t features) {
  tacit_schema *schema;
  tacit_error err;
  CHECK_OK(tacit_schema_libsvm(features, 2, 0, 0, &schema, &err), err);
  return schema;
}

static const char header[] = "age,bmi,sex,zip,id,y";
static tacit_schema *csv(void) {
  static const char json[] =
      "{\"tacit_schema\": 1, \"label\": {\"column\": \"y\", \"classes\": [\"no\", "
      "\"yes\"]}, \"columns\": ["
      "{\"name\": \"age\", \"type\": \"numeric\", \"min\": 0, \"max\": 110},"
      "{\"name\": \"bmi\", \"type\": \"numeric\", \"min\": 10, \"max\": 60, \"map\": "
      "[0, 1], \"missing\": 25},"
      "{\"name\": \"sex\", \"type\": \"category\", \"values\": [\"f\", \"m\", "
      "\"rather not say\", \"something else altogether\"]},"
      "{\"name\": \"zip\", \"type\": \"hashed\", \"slots\": 64},"
      "{\"name\": \"id\", \"type\": \"ignore\"}]}";
  tacit_schema *schema;
  tacit_error err;
  CHECK_OK(tacit_schema_parse(json, sizeof json - 1, "t", &schema, &err), err);
  return schema;
}

static void lines_are_taken_up_to_a_number(void **state) {
  (void)state;
  static const char text[] = "# a\n\n1 1:1\r\n-1 2:1 # b\n \t\n#\n1\n1 3:4 \n\n";
  struct parser parser;
  struct copy copy = copy_of(text);
  tacit_text at = {copy.bytes, copy.bytes + copy.size, 7};
  tacit_error err;
  int64_t taken = -1;
  open_parser(&parser, libsvm(4), 1, NULL);
  CHECK_OK(parser.format->parse(&parser.parse, &at, 0, &parser.rows, &taken, &err),
           err);
  assert_int_equal(taken, 0);
  assert_int_equal(at.line, 9);
  CHECK_OK(parser.format->parse(&parser.parse, &at, 2, &parser.rows, &taken, &err),
           err);
  assert_int_equal(taken, 2);
  assert_int_equal(at.line, 13); /* lines after them that are not records are skipped */
  assert_int_equal(at.at - copy.bytes, strstr(text, "1\n1 3") - text);
  CHECK_OK(parser.format->parse(&parser.parse, &at, 99, &parser.rows, &taken, &err),
           err);
  assert_int_equal(taken, 2);
  assert_int_equal(at.line, 16);
  assert_true(at.at == at.end);
  CHECK_OK(parser.format->parse(&parser.parse, &at, 99, &parser.rows, &taken, &err),
           err);
  assert_int_equal(taken, 0);
  const tacit_batch *batch = tacit_rows_view(&parser.rows);
  assert_int_equal(batch->n_rows, 4);
  assert_int_equal(batch->raw_row_start[4], 3);
  assert_memory_equal(copy.bytes, text, copy.size);
  free(copy.bytes);
  close_parser(&parser);
}

static void full_rows_end_a_call(void **state) {
  (void)state;
  enum { LINES = 10000 };
  char *text = malloc(6 * LINES + 1);
  assert_non_null(text);
  for (int i = 0; i < LINES; ++i)
    memcpy(text + 6 * i, "1 1:2\n", 7);
  struct copy copy = copy_of(text);
  struct parser parser;
  tacit_text at = {copy.bytes, copy.bytes + copy.size, 1};
  tacit_error err;
  int64_t total = 0, calls = 0;
  open_parser(&parser, libsvm(4), 1, NULL);
  for (; at.at < at.end; ++calls) {
    int64_t taken;
    tacit_rows_clear(&parser.rows);
    CHECK_OK(
        parser.format->parse(&parser.parse, &at, INT64_MAX, &parser.rows, &taken, &err),
        err);
    assert_int_equal(taken, tacit_rows_view(&parser.rows)->n_rows);
    assert_true(tacit_rows_full(&parser.rows) || at.at == at.end);
    total += taken;
    assert_int_equal(at.line, 1 + total);
  }
  assert_int_equal(total, LINES);
  assert_true(calls > 1);
  free(copy.bytes);
  free(text);
  close_parser(&parser);
}

static void a_text_without_end_is_refused(void **state) {
  (void)state;
  struct parser parser;
  struct copy copy = copy_of("1 1:1");
  tacit_text at = {copy.bytes, copy.bytes + copy.size, 1};
  tacit_error err;
  int64_t taken = -1;
  open_parser(&parser, libsvm(4), 1, NULL);
  assert_int_equal(
      parser.format->parse(&parser.parse, &at, 9, &parser.rows, &taken, &err),
      TACIT_EINVAL);
  assert_string_equal(err.message, "parser: the last line has no end");
  assert_int_equal(taken, -1);
  free(copy.bytes);
  close_parser(&parser);
}

/* A comment sends a line to the strict parser and changes nothing else. */
static void both_ways_agree_on_libsvm(void **state) {
  (void)state;
  static const char *const labels[] = {"1",   "+1",  "-1",  "0",  "1.0", "1e0", "+-1",
                                       "-+1", "2",   "3",   "-0", "",    "yes", "1:1",
                                       ".5",  "0.5", "++1", "1e", "nan", "6",   "+.1"};
  static const char *const indices[] = {
      "1", "2",  "7",        "12",        "99",         "123",         "124",
      "0", "03", "12345678", "123456789", "1234567890", "99999999999", "-3",
      "",  "x",  "5",        "45",        "100",        "0000000007"};
  static const char *const values[] = {"1",
                                       "0",
                                       "3",
                                       "-1",
                                       "0.5",
                                       "-0.25",
                                       "1e3",
                                       "1e400",
                                       "nan",
                                       "12345678",
                                       "123456789.5",
                                       "-0",
                                       "+2",
                                       ".5",
                                       "5.",
                                       "0.1234567",
                                       "0.12345678901234567",
                                       "",
                                       "1:2",
                                       "--1",
                                       "1e-400"};
  static const char *const gaps[] = {" ",  " ",  " ",    " ",  " ",
                                     "\t", "  ", " \t ", "\r", ""};
  static const char *const ends[] = {"\n", " \n", "\r\n", "\t\r\n", "\r\r\n"};
  uint64_t word = 99194853094755497u;
  int n_good = 0;
  for (int labelled = 0; labelled < 2; ++labelled) {
    for (int kind = 0; kind < 3; ++kind) {
      struct parser parser;
      tacit_schema *schema = NULL;
      tacit_error err;
      if (kind == 0) schema = libsvm(123);
      if (kind == 1) CHECK_OK(tacit_schema_libsvm(123, 0, -5, 5, &schema, &err), err);
      if (kind == 2) CHECK_OK(tacit_schema_libsvm(123, 7, 0, 0, &schema, &err), err);
      open_parser(&parser, schema, labelled, NULL);
      for (int i = 0; i < 20000; ++i) {
        char line[400], commented[400];
        int size = sprintf(line, "%s", PICK(&word, labels));
        unsigned index = 0;
        for (uint64_t n = number_word(&word) % 6; n > 0; --n) {
          size += sprintf(line + size, "%s", PICK(&word, gaps));
          index += 1 + (unsigned)(number_word(&word) % 30);
          if (number_word(&word) % 8 > 0)
            size += sprintf(line + size, "%u", index);
          else
            size += sprintf(line + size, "%s", PICK(&word, indices));
          size += sprintf(line + size, ":%s",
                          number_word(&word) % 4 > 0 ? "1.5" : PICK(&word, values));
        }
        memcpy(commented, line, (size_t)size);
        (void)sprintf(commented + size, " #%s", "\n");
        (void)sprintf(line + size, "%s", PICK(&word, ends));
        if (strstr(line, "\r\r\n") != NULL)
          continue; /* the first belongs to the text */
        struct outcome fast, strict;
        parse_both_ways(&parser, line, &fast);
        parse_text(&parser, commented, &strict);
        check_equal(&fast, &strict, line, "fast, strict");
        n_good += fast.status == TACIT_OK;
      }
      close_parser(&parser);
    }
  }
  assert_true(n_good > 10000 && n_good < 110000);
}

static void both_ways_agree_on_csv(void **state) {
  (void)state;
  static const char *const cells[] = {"1",
                                      "30",
                                      "-5",
                                      "500",
                                      "22.5",
                                      "1e1",
                                      "0.12345678901",
                                      "",
                                      "x",
                                      "\"4\"",
                                      "nan",
                                      "1e400",
                                      "f",
                                      "m",
                                      "\"f\"",
                                      "other",
                                      "yes",
                                      "no",
                                      "\"yes\"",
                                      "ab\"c",
                                      "\"a\"\"b\"",
                                      "\"a,b\"",
                                      "\"open",
                                      "\"a\"b",
                                      "f ",
                                      "rather not say",
                                      "something else altogether",
                                      "something else altogetheR",
                                      "12345-6789"};
  static const char *const usual[6][3] = {
      {"30", "41", "0.5"},  {"22.5", "", "31"},    {"f", "m", "rather not say"},
      {"12345", "x", "z9"}, {"1", "", "anything"}, {"yes", "no", "\"no\""}};
  static const char *const blanks[] = {"", "", "", "", " ", "\t", "  "};
  static const char *const ends[] = {"\n", "\n", "\r\n", " \n", ",\n"};
  uint64_t word = 2862933555777941757u;
  int n_good = 0;
  for (int labelled = 0; labelled < 2; ++labelled) {
    struct parser parser;
    open_parser(&parser, csv(), labelled, header);
    assert_int_equal(parser.layout->in_order, 1);
    for (int i = 0; i < 60000; ++i) {
      char line[400] = "";
      int size = 0;
      int n_cells = number_word(&word) % 16 > 0 ? 6 : 5;
      for (int j = 0; j < n_cells; ++j)
        size += sprintf(line + size, "%s%s%s%s", j > 0 ? "," : "", PICK(&word, blanks),
                        number_word(&word) % 16 > 0 ? PICK(&word, usual[j])
                                                    : PICK(&word, cells),
                        PICK(&word, blanks));
      (void)sprintf(line + size, "%s",
                    number_word(&word) % 8 > 0 ? "\n" : PICK(&word, ends));
      n_good += csv_is_good_all_ways(&parser, line);
    }
    close_parser(&parser);
  }
  assert_true(n_good > 20000 && n_good < 110000);
}

static void a_fault_names_its_line_among_many(void **state) {
  (void)state;
  struct parser parser;
  struct outcome outcome;
  open_parser(&parser, csv(), 1, header);
  parse_text(&parser, "\n30,22,f,1,,yes\r\n \n31,,m,1,,no\n32,22,m,1,no\n", &outcome);
  assert_int_equal(outcome.status, TACIT_EDATA);
  assert_string_equal(outcome.err.message,
                      "t: line 9: too few fields; the header has 6");
  parse_text(&parser, "30,22,f,1,,yes\n,22,\"f\",1,,yes\n", &outcome);
  assert_string_equal(outcome.err.message,
                      "t: line 6, column 'age': the cell is empty; give \"missing\" in "
                      "the schema to allow it");
  close_parser(&parser);
  open_parser(&parser, libsvm(9), 1, NULL);
  parse_text(&parser, "1 1:1\n# 2:x\n\r\n1 1:1 2:1\n-1 3:1 2:1\n", &outcome);
  assert_int_equal(outcome.status, TACIT_EDATA);
  assert_string_equal(outcome.err.message,
                      "t: line 9, entry 2: indices descend; sort the entries of each "
                      "row by index");
  close_parser(&parser);
}

/* Rows that are longer than the arrays at first. */
static void arrays_grow_with_long_rows(void **state) {
  (void)state;
  enum { COUNT = 50000 };
  char *text = malloc((size_t)COUNT * 16);
  assert_non_null(text);
  size_t size = 0;
  for (int row = 0; row < 2; ++row) {
    size += (size_t)sprintf(text + size, "1");
    for (int j = 1; j <= COUNT / 2; ++j)
      size += (size_t)sprintf(text + size, " %d:%d", 2 * j, 1 + j % 9);
    size += (size_t)sprintf(text + size, "\n");
  }
  struct copy copy = copy_of(text);
  struct parser parser;
  tacit_text at = {copy.bytes, copy.bytes + copy.size, 1};
  tacit_error err;
  int64_t taken;
  open_parser(&parser, libsvm(COUNT), 1, NULL);
  CHECK_OK(parser.format->parse(&parser.parse, &at, 9, &parser.rows, &taken, &err),
           err);
  assert_int_equal(taken, 2);
  const tacit_batch *batch = tacit_rows_view(&parser.rows);
  assert_int_equal(batch->raw_row_start[2], COUNT);
  for (int64_t i = 0; i < COUNT; ++i) {
    int64_t j = 1 + i % (COUNT / 2);
    assert_int_equal(batch->raw_indices[i], 2 * j - 1);
    assert_true(batch->raw_values[i] == (double)(1 + j % 9));
  }
  free(copy.bytes);
  free(text);
  close_parser(&parser);
}

/* Texts with common beginnings and ends; what follows them in a line does not
   matter. */
static void declared_texts_are_found(void **state) {
  (void)state;
  enum { COUNT = 2000 };
  static char texts[COUNT][48];
  static tacit_entry entries[COUNT];
  for (size_t i = 0; i < COUNT; ++i) {
    static const char *const forms[] = {"%zu", "number %zu",
                                        "a long beginning, %zu, end", "%zu and more"};
    (void)snprintf(texts[i], sizeof texts[i], forms[i % 4], i);
    entries[i] = (tacit_entry){texts[i], 7 * i};
  }
  tacit_lookup *lookup = tacit_lookup_new(entries, COUNT, SIZE_MAX);
  assert_non_null(lookup);
  for (size_t i = 0; i < COUNT; ++i) {
    char line[80];
    memset(line, ',', sizeof line);
    size_t size = strlen(texts[i]);
    memcpy(line, texts[i], size);
    const tacit_lookup_slot *slot = tacit_lookup_find(lookup, line, size);
    assert_non_null(slot);
    assert_int_equal(slot->number, 7 * i);
    assert_null(tacit_lookup_find(lookup, line, size + 1));
    line[size - 1] ^= 1; /* perhaps declared too, but not as this text */
    slot = tacit_lookup_find(lookup, line, size);
    assert_true(slot == NULL || slot->number != 7 * i);
    line[size - 1] = 'x';
    assert_null(tacit_lookup_find(lookup, line, size));
  }
  assert_null(tacit_lookup_find(lookup, "0123456789abcdef", 0));
  tacit_array_free(lookup);
}

/* A cell of every column in turn; the other cells stay as they are. */
static void read_cell(struct parser *parser, size_t field, const char *cell,
                      struct outcome *out) {
  const char *cells[] = {"x", "0", "x", "no", "8", "1"};
  char line[200] = "";
  cells[field] = cell;
  for (size_t i = 0; i < 6; ++i)
    (void)sprintf(line + strlen(line), "%s%s", i > 0 ? "," : "", cells[i]);
  (void)strcat(line, "\n");
  parse_text(parser, line, out);
  assert_int_equal(csv_is_good_all_ways(parser, line), out->status == TACIT_OK);
}

static void whole_numbers_may_end_with_point_zero(void **state) {
  (void)state;
  static const char json[] =
      "{\"tacit_schema\": 2, \"na\": [\"-9\"], \"columns\": ["
      "{\"name\": \"kind\", \"type\": \"category\", \"values\": [\"2\", \"-1\", \"0\", "
      "\"007\", \"12345678901234567\", \"5\", \"5.0\", \"7.0\"]},"
      "{\"name\": \"level\", \"type\": \"ordinal\", \"values\": [\"0\", \"1\", \"2\"]},"
      "{\"name\": \"more\", \"type\": \"category\", \"values\": [\"a\", \"20\"]},"
      "{\"name\": \"flag\", \"type\": \"bool\"},"
      "{\"name\": \"size\", \"type\": \"numeric\", \"min\": 0, \"max\": 9, "
      "\"missing\": "
      "\"own\"}],"
      "\"label\": {\"column\": \"y\", %s}}";
  static const char *const rules[] = {"\"classes\": [\"1\", \"3\"]", "\"is\": [\"3\"]"};
  static const struct {
    size_t field;
    const char *cell, *same; /* NULL: a fault */
  } cases[] = {{0, "2.0", "2"},
               {0, "-1.0", "-1"},
               {0, "0.0", "0"},
               {0, "\"2.0\"", "2"},
               {0, "12345678901234567.0", "12345678901234567"},
               {0, "2.00", "other"},
               {0, "2.", "other"},
               {0, "02.0", "other"},
               {0, "+2.0", "other"},
               {0, "007.0", "other"},
               {0, "7", "other"},
               {0, "7.0.0", "other"},
               {0, ".0", "other"},
               {1, "2.0", "2"},
               {1, "0.0", "0"},
               {1, "3.0", NULL},
               {2, "20.0", "20"},
               {3, "1.0", "yes"},
               {3, "0.0", "no"},
               {3, "2.0", NULL},
               {4, "-9.0", "-9"},
               {5, "3.0", "3"},
               {5, "1.0", "1"}};
  for (int rule = 0; rule < 2; ++rule) {
    char text[1000];
    struct parser parser;
    tacit_schema *schema;
    tacit_error err;
    (void)snprintf(text, sizeof text, json, rules[rule]);
    CHECK_OK(tacit_schema_parse(text, strlen(text), "t", &schema, &err), err);
    open_parser(&parser, schema, 1, "kind,level,more,flag,size,y");
    struct outcome cell, same, five, point;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
      read_cell(&parser, cases[i].field, cases[i].cell, &cell);
      if (cases[i].same == NULL) {
        assert_int_equal(cell.status, TACIT_EDATA);
        continue;
      }
      read_cell(&parser, cases[i].field, cases[i].same, &same);
      assert_int_equal(same.status, TACIT_OK);
      check_equal(&cell, &same, cases[i].cell, cases[i].same);
    }
    read_cell(&parser, 0, "5", &five);
    read_cell(&parser, 0, "5.0", &point);
    assert_int_not_equal(five.indices[0], point.indices[0]);
    close_parser(&parser);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_are_taken_up_to_a_number),
      cmocka_unit_test(full_rows_end_a_call),
      cmocka_unit_test(a_text_without_end_is_refused),
      cmocka_unit_test(both_ways_agree_on_libsvm),
      cmocka_unit_test(both_ways_agree_on_csv),
      cmocka_unit_test(a_fault_names_its_line_among_many),
      cmocka_unit_test(arrays_grow_with_long_rows),
      cmocka_unit_test(declared_texts_are_found),
      cmocka_unit_test(whole_numbers_may_end_with_point_zero),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
