/* SPDX-License-Identifier: MIT */
/* data/: the CSV reader, values and every refusal. */
#include "unit/data_files.h"

#include <sodium.h>

#include "base/numbers.h"

/* age 1, bmi 2, sex f 3 m 4 other 5, zip 6 ... 13 */
static const char patients[] =
    "{\"tacit_schema\": 1, \"label\": {\"column\": \"sick\", \"classes\": [\"no\", "
    "\"yes\"]}, \"columns\": ["
    "{\"name\": \"age\", \"type\": \"numeric\", \"min\": 0, \"max\": 100},"
    "{\"name\": \"bmi\", \"type\": \"numeric\", \"min\": 10, \"max\": 60, \"map\": "
    "[0, 1], \"missing\": 35},"
    "{\"name\": \"sex\", \"type\": \"category\", \"values\": [\"f\", \"m\"]},"
    "{\"name\": \"zip\", \"type\": \"hashed\", \"slots\": 8},"
    "{\"name\": \"id\", \"type\": \"ignore\"}]}";

static tacit_schema *schema_of(const char *json) {
  tacit_schema *schema;
  tacit_error err;
  CHECK_OK(tacit_schema_load(file_of("schema.json", json), 0, &schema, &err), err);
  return schema;
}

static int zip_slot(const char *value) {
  unsigned char text[64], hash[8];
  memcpy(text, "zip", 4);
  memcpy(text + 4, value, strlen(value));
  (void)crypto_shorthash(hash, text, 4 + strlen(value),
                         (const unsigned char *)"tacit hashed col");
  return 6 + (int)(tacit_load_le64(hash) % 8);
}

static void accepted(const char *text, const char *rows) {
  tacit_schema *schema = schema_of(patients);
  check_rows(file_of("p.csv", text), schema, rows);
  tacit_schema_free(schema);
}

static void refused(const char *text, const char *message, const char *secret) {
  tacit_schema *schema = schema_of(patients);
  check_refused(file_of("p.csv", text), schema, TACIT_EDATA, message, secret);
  tacit_schema_free(schema);
}

static void cells_become_inputs(void **state) {
  (void)state;
  char expected[400];
  (void)snprintf(expected, sizeof expected,
                 "-1 1:-1 3:1 %d:1\n1 1:1 2:1 4:1 %d:1\n1 1:-0.5 2:0.5 5:1 %d:1\n"
                 "-1 2:0.25 5:1 %d:1\n",
                 zip_slot("12345"), zip_slot(""), zip_slot("a,b"), zip_slot("12345"));
  accepted("age,bmi,sex,zip,id,sick\n"
           "-5,1,f,12345,9,no\n"    /* clamped from below */
           "1e3,61,m,,9,yes\n"      /* clamped from above, empty hashed */
           "25,,x,\"a,b\",9,yes\n"  /* missing, undeclared category, quoted comma */
           "50,22.5,,12345,9,no\n", /* middle of [-1,1] is 0, empty category */
           expected);
}

static void columns_may_stand_in_any_order(void **state) {
  (void)state;
  char expected[100];
  (void)snprintf(expected, sizeof expected, "1 1:-0.5 2:0.5 3:1 %d:1\n", zip_slot("7"));
  accepted("sick,zip,id,sex,bmi,age\nyes,7,1,f,35,25\n", expected);
}

static void quotes_blanks_and_line_ends(void **state) {
  (void)state;
  char expected[200];
  (void)snprintf(expected, sizeof expected,
                 "1 1:-0.5 2:0.5 3:1 %d:1\n-1 1:-0.5 2:0.5 4:1 %d:1\n",
                 zip_slot("say \"hi\""), zip_slot("b\"c"));
  accepted("\xef\xbb\xbf"
           "age, \"bmi\" ,sex,zip,id,sick\r\n\r\n"
           " \"25\" , 35 ,\tf ,\"say \"\"hi\"\"\", , yes \r\n"
           "25,35,m,b\"c,\"x,y\",no",
           expected);
}

static void other_delimiters(void **state) {
  (void)state;
  tacit_schema *schema = schema_of(
      "{\"tacit_schema\": 1, \"delimiter\": \"\\t\", \"label\": {\"column\": \"y\", "
      "\"min\": 0, \"max\": 9}, \"columns\": [{\"name\": \"a b\", \"type\": "
      "\"category\", \"values\": [\"\", \"x\"]}, {\"name\": \"c\", \"type\": "
      "\"numeric\", \"min\": -1, \"max\": 1, \"missing\": 1}]}");
  /* A line of delimiters is a record, not a blank line. */
  check_rows(file_of("t.tsv", "a b\tc\ty\nx\t0.5\t3.5\n\t\t4\n\n"), schema,
             "3.5 2:1 4:0.5\n4 1:1 4:1\n");
  check_refused(file_of("t.tsv", "a b\tc\ty\n\t\t\n"), schema, TACIT_EDATA,
                ": line 2, column 'y': label: the cell is empty; \"missing_label\": "
                "\"skip\" in the schema leaves the row out",
                NULL);
  tacit_schema_free(schema);
}

static void headers_must_match_the_schema(void **state) {
  (void)state;
  refused("age,bmi,sex,zip,sick\n1,1,f,1,no\n",
          ": line 1: the header lacks 1 of 6 names of the schema: 'id'", NULL);
  refused("age,bmi,sex,zip,id\n1,1,f,1,1\n",
          ": line 1: the header lacks 1 of 6 names of the schema: 'sick'", NULL);
  refused("age\n1\n",
          ": line 1: the header lacks 5 of 6 names of the schema: 'bmi', 'sex', 'zip' "
          "and 2 more",
          NULL);
  refused("age,bmi,gender,zip,id,sick\n1,1,f,1,1,no\n",
          ": line 1: the header does not match the schema: missing 'sex'; unknown "
          "'gender' (declare it; \"ignore\" leaves it out, and so does --extra ignore "
          "of eval)",
          NULL);
  refused("age,bmi,sex,zip,id,sick,more\n1,1,f,1,1,no,1\n",
          ": line 1: the header does not match the schema: missing none; unknown "
          "'more' (declare it; \"ignore\" leaves it out, and so does --extra ignore of "
          "eval)",
          NULL);
  refused("age;bmi;sex;zip;id;sick\n1;1;f;1;1;no\n",
          ": line 1: the header is one undeclared column, and the schema has 6: is its "
          "\"delimiter\" that of the file?",
          NULL);
  refused("\nage,bmi,sex,zip,id,age\n1,1,f,1,1,no\n",
          ": line 2: column 'age' is in the header twice", NULL);
}

/* The first line of a file without a header is a record. */
static void records_are_not_quoted_as_headers(void **state) {
  (void)state;
  refused("39,22,f,1,1,no\n39,22,f,1,1,no\n",
          ": line 1: this is not the header of the schema: 6 of its 6 columns are not "
          "declared; missing: 'age', 'bmi', 'sex' and 3 more",
          "39");
}

static void bad_rows_are_refused(void **state) {
  (void)state;
#define HEADER "age,bmi,sex,zip,id,sick\n"
  refused(HEADER "42,1,f,1,1,no\n42,1,f,1,no\n",
          ": line 3: too few fields; the header has 6", "42");
  refused(HEADER "42,1,f,1,1,no,\n", ": line 2: too many fields; the header has 6",
          "42");
  refused(HEADER "42,1,f,1,1,maybe\n",
          ": line 2, column 'sick': label is not a declared class; the schema declares "
          "2",
          "maybe");
  refused(HEADER "42,1,f,1,1,\n",
          ": line 2, column 'sick': label is not a declared class; the schema declares "
          "2",
          NULL);
  refused(
      HEADER ",1,f,1,1,no\n",
      ": line 2, column 'age': the cell is empty; give \"missing\" in the schema to "
      "allow it",
      NULL);
  static const struct {
    const char *cell, *rule;
  } numbers[] = {
      {"Inf", "not a finite number"},
      {"1e400", "not a finite number"},
      {"0x12", "not a finite number"},
      {"12y", "not a finite number"},
      {"1 2", "not a finite number"},
      {"-1-2", "not a finite number"},
      {"nan", "a mark for a missing value, not a number; list it in \"na\" and give "
              "\"missing\""},
      {"N/A", "a mark for a missing value, not a number; list it in \"na\" and give "
              "\"missing\""},
      {"-", "a mark for a missing value, not a number; list it in \"na\" and give "
            "\"missing\""},
      {"1,5", "a comma in a number; write a decimal point, and no mark for thousands"},
      {"-12,75",
       "a comma in a number; write a decimal point, and no mark for thousands"},
      {"31.12.2024", "a date, not a number; declare the type \"date\""},
      {"2024-01-31", "a date, not a number; declare the type \"date\""},
      {"2024-01-31T10:00", "a date, not a number; declare the type \"date\""},
      {"1/31/24", "a date, not a number; declare the type \"date\""},
      {"TRUE", "true or false, not a number; declare the type \"bool\""},
      {"no", "true or false, not a number; declare the type \"bool\""},
      {"15.5%", "a percentage, not a number; write it without the % sign"},
  };
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
    char text[100], message[160];
    (void)snprintf(text, sizeof text, HEADER "\"%s\",1,f,1,1,no\n", numbers[i].cell);
    (void)snprintf(message, sizeof message, ": line 2, column 'age': %s",
                   numbers[i].rule);
    refused(text, message, strlen(numbers[i].cell) > 2 ? numbers[i].cell : NULL);
  }
  refused(HEADER "42,1,f,\"secret,1,no\n1,1,f,1,1,no\n",
          ": line 2, field 4: a quote is not closed (a field with line breaks needs "
          "\"quoted_newlines\": true in the schema)",
          "secret");
  refused(HEADER "42,1,\"f\"x,1,1,no\n",
          ": line 2, field 3: text after a closing quote; write a quote inside quotes "
          "twice",
          "x,");
  refused(HEADER, ": no rows", NULL);
  refused("", ": no rows: the file has no header line", NULL);
  refused("\n\n", ": no rows: the file has no header line", NULL);
}

static void classes_count_from_zero_when_there_are_more_than_two(void **state) {
  (void)state;
  tacit_schema *schema = schema_of(
      "{\"tacit_schema\": 1, \"label\": {\"column\": \"y\", \"classes\": [\"red\", "
      "\"green\", \"blue\", \"a \\\"b\\\"\"]}, \"columns\": [{\"name\": \"a\", "
      "\"type\": "
      "\"numeric\", \"min\": 0, \"max\": 8, \"map\": [0, 1]}]}");
  check_rows(
      file_of("k.csv", "y,a\nblue,8\nred,4\n green ,2\n\"a \"\"b\"\"\",1\nred,0\n"),
      schema, "2 1:1\n0 1:0.5\n1 1:0.25\n3 1:0.125\n0\n");
  static const char *const labels[] = {"", "gree", "greenish", "Red", "0", "\"bl ue\""};
  for (size_t i = 0; i < sizeof labels / sizeof labels[0]; ++i) {
    char text[100];
    (void)snprintf(text, sizeof text, "y,a\nred,1\n%s,1\n", labels[i]);
    check_refused(file_of("k.csv", text), schema, TACIT_EDATA,
                  ": line 3, column 'y': label is not a declared class; the schema "
                  "declares 4",
                  strlen(labels[i]) > 1 ? labels[i] : NULL);
  }
  tacit_schema_free(schema);
}

static void the_label_may_be_absent_for_prediction(void **state) {
  (void)state;
  tacit_schema *schema = schema_of(patients);
  tacit_error err;
  const char *path = file_of("q.csv", "zip,age,bmi,sex,id\n1,50,35,f,1\n");
  char expected[100];
  (void)snprintf(expected, sizeof expected, "? 2:0.5 3:1 %d:1\n", zip_slot("1"));
  char *rows = read_rows(path, schema, 0, 0, &err);
  assert_non_null(rows);
  assert_string_equal(rows, expected);
  free(rows);
  assert_null(read_rows(path, schema, 0, 1, &err));
  /* If present, it is not checked. */
  rows = read_rows(file_of("q.csv", "zip,age,bmi,sick,sex,id\n1,50,35,?,f,1\n"), schema,
                   0, 0, &err);
  assert_non_null(rows);
  assert_string_equal(rows, expected);
  free(rows);
  tacit_schema_free(schema);
}

static void every_file_has_its_header(void **state) {
  (void)state;
  tacit_schema *schema = schema_of(
      "{\"tacit_schema\": 1, \"label\": {\"column\": \"y\", \"min\": 0, \"max\": 9}, "
      "\"columns\": [{\"name\": \"a\", \"type\": \"numeric\", \"min\": 0, \"max\": 8, "
      "\"map\": [0, 1]}]}");
  const char *paths[3];
  paths[0] = file_of("1.csv", "a,y\n1,1\n2,2\n3,3");
  paths[1] = file_of("2.csv", "y,a\n");
  paths[2] = file_of("3.csv", "y,a\n\n4,4\n5,5\n");
  tacit_reader_options options;
  tacit_reader_options_init(&options);
  options.schema = schema;
  for (int shuffle = 0; shuffle < 2; ++shuffle) {
    for (int64_t max_blocks = 1; max_blocks <= 5; ++max_blocks) {
      tacit_reader_limits limits = {1 << 20, 1 << 20, 1 + max_blocks, 3, 0, 1 << 30,
                                    64,      0};
      tacit_reader *reader;
      tacit_error err;
      options.shuffle = shuffle;
      CHECK_OK(tacit_reader_open_limited(paths, 3, &options, &limits, &reader, &err),
               err);
      assert_int_equal(tacit_reader_rows(reader), 5);
      char *rows = rows_of(reader, &err);
      if (rows == NULL) fail_msg("%s", err.message);
      static const char *const lines[] = {"1 1:0.125\n", "2 1:0.25\n", "3 1:0.375\n",
                                          "4 1:0.5\n", "5 1:0.625\n"};
      size_t size = 0;
      for (int i = 0; i < 5; ++i) {
        assert_non_null(strstr(rows, lines[i]));
        size += strlen(lines[i]);
      }
      assert_int_equal(strlen(rows), size);
      free(rows);
      tacit_reader_free(reader);
    }
  }
  paths[2] = file_of("3.csv", "y,b\n4,4\n");
  tacit_reader *reader;
  tacit_error err;
  assert_int_equal(tacit_reader_open(paths, 3, &options, &reader, &err), TACIT_EDATA);
  assert_non_null(strstr(err.message, "3.csv: line 1: the header "));
  tacit_schema_free(schema);
}

/* What a row becomes does not depend on other rows: each alone gives the same. */
static void rows_do_not_depend_on_each_other(void **state) {
  (void)state;
  static const char *const rows[] = {"10,20,f,1,1,no\n", "99,50,m,2,2,yes\n",
                                     "55,,z,3,3,no\n", "0,10,f,1,4,yes\n"};
  tacit_schema *schema = schema_of(patients);
  tacit_error err;
  char all[400] = HEADER, joined[1000] = "";
  for (int i = 0; i < 4; ++i) {
    char one[200];
    (void)snprintf(one, sizeof one, HEADER "%s", rows[i]);
    char *text = read_rows(file_of("one.csv", one), schema, 0, 1, &err);
    assert_non_null(text);
    (void)strcat(joined, text);
    (void)strcat(all, rows[i]);
    free(text);
  }
  check_rows(file_of("all.csv", all), schema, joined);
  tacit_schema_free(schema);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cells_become_inputs),
      cmocka_unit_test(columns_may_stand_in_any_order),
      cmocka_unit_test(quotes_blanks_and_line_ends),
      cmocka_unit_test(other_delimiters),
      cmocka_unit_test(headers_must_match_the_schema),
      cmocka_unit_test(records_are_not_quoted_as_headers),
      cmocka_unit_test(bad_rows_are_refused),
      cmocka_unit_test(classes_count_from_zero_when_there_are_more_than_two),
      cmocka_unit_test(the_label_may_be_absent_for_prediction),
      cmocka_unit_test(every_file_has_its_header),
      cmocka_unit_test(rows_do_not_depend_on_each_other),
  };
  return cmocka_run_group_tests(tests, folder_setup, folder_teardown);
}
