/* SPDX-License-Identifier: MIT */
/* data/: schemas from headers, data dictionaries, public samples and answers. */
#include "unit/data_files.h"

#include "extra/draft/draft.h"

static char *draft(const tacit_draft_options *options) {
  char *text = NULL;
  tacit_error err;
  CHECK_OK(tacit_schema_draft(options, &text, &err), err);
  return text;
}

static void refused(const tacit_draft_options *options, const char *path,
                    const char *message) {
  char *text = NULL;
  tacit_error err;
  assert_int_equal(tacit_schema_draft(options, &text, &err), TACIT_EDATA);
  assert_null(text);
  assert_int_equal(strncmp(err.message, path, strlen(path)), 0);
  assert_string_equal(err.message + strlen(path), message);
}

static void has(const char *text, const char *line) {
  if (strstr(text, line) == NULL) fail_msg("no %s in:\n%s", line, text);
}

static void reads(const char *schema_text, const char *csv, const char *rows) {
  tacit_schema *schema = NULL;
  tacit_error err;
  CHECK_OK(tacit_schema_from_text(schema_text, strlen(schema_text), "d", &schema, &err),
           err);
  check_rows(file_of("read.csv", csv), schema, rows);
  tacit_schema_free(schema);
}

static void a_dictionary_proposes_an_atom(void **state) {
  (void)state;
  tacit_draft_options options;
  tacit_draft_options_init(&options);
  options.header = file_of("h.csv", "a,b,c,y\n");
  options.dictionary =
      file_of("d.csv", "name,type,min,max,Description\na,number,0,9,Gains (0 IF none)\n"
                       "b,number,0,9,0 or more\nc,bool,,,0 if none\ny,category,,,\n");
  char *text = draft(&options);
  has(text, "{\"name\": \"a\", \"type\": \"numeric\", \"min\": 0, \"max\": 9, "
            "\"curve\": {\"knots\": 8, \"kind\": \"linear\", \"line\": true}, "
            "\"note\": \"0 if none: if most rows have 0, add \\\"atoms\\\": [0]\"}");
  assert_null(strstr(text, "0 or more"));
  assert_null(strstr(text, "\"c\", \"type\": \"bool\", "));
  tacit_string_free(text);
}

static void curves_need_rows_for_every_column(void **state) {
  (void)state;
  assert_int_equal(tacit_draft_curves(0, 1, 0, 100), 1);
  assert_int_equal(tacit_draft_curves(100, 0, 0, 100), 1);
  assert_int_equal(tacit_draft_curves(32561, 0.1, 0, 14), 1);
  assert_int_equal(tacit_draft_curves(2000, 0.1, 0, 6), 0);
  assert_int_equal(tacit_draft_curves(2000, 0.5, 0, 6), 1);
  assert_int_equal(tacit_draft_curves(20000, 0.1, 0, 40), 0);
  assert_int_equal(tacit_draft_curves(20000, 0.5, 0, 40), 1);
  assert_int_equal(tacit_draft_curves(20000, 0.5, 1e-300, 40), 0);
  tacit_draft_options options;
  tacit_draft_options_init(&options);
  options.header = file_of("h.csv", "a,b,y\nsecret,secret,secret\n");
  char *text = draft(&options);
  has(text, "\"curve\": {\"knots\": 8, \"kind\": \"linear\", \"line\": true}");
  tacit_string_free(text);
  options.rows = 1000;
  options.epsilon = 0.01;
  text = draft(&options);
  assert_null(strstr(text, "curve"));
  assert_null(strstr(text, "secret"));
  tacit_string_free(text);
}

static void a_dictionary_fills_in(void **state) {
  (void)state;
  tacit_draft_options options;
  tacit_draft_options_init(&options);
  options.header = file_of("h.csv", "id,age,sex,edu,seen,ok,note,y\n");
  options.dictionary = file_of("d.csv", "Variable;Type;Minimum;Maximum;Levels;Format\n"
                                        "age;continuous;0;110;;\n"
                                        "sex;factor;;;f|m;\n"
                                        "edu;ordered;;;\"low, medium, high\";\n"
                                        "seen;;2020-01-01;2024-12-31;;%d.%m.%Y\n"
                                        "ok;logical;;;;\n"
                                        "id;id;;;;\n"
                                        "note;text;;;;\n"
                                        "elsewhere;numeric;0;1;;\n"
                                        "y;;;;no|yes;\n");
  char *text = draft(&options);
  has(text, "\"label\": {\"column\": \"y\", \"classes\": [\"no\", \"yes\"]}");
  has(text, "{\"name\": \"id\", \"type\": \"ignore\"}");
  has(text, "{\"name\": \"age\", \"type\": \"numeric\", \"min\": 0, \"max\": 110, ");
  has(text, "{\"name\": \"edu\", \"type\": \"ordinal\", \"values\": [\"low\", "
            "\"medium\", \"high\"]}");
  has(text, "{\"name\": \"seen\", \"type\": \"date\", \"format\": \"%d.%m.%Y\", "
            "\"min\": \"2020-01-01\", \"max\": \"2024-12-31\", ");
  assert_null(strstr(text, "null,"));
  /* age 1…8 and its line 9, sex 10…12, edu 13 14, month 15…26, weekday 27…33, days
     34…41 and their line 42, ok 43 */
  reads(text, "id,age,sex,edu,seen,ok,note,y\n1,110,m,low,01.01.2020,TRUE,,yes\n",
        "1 8:1 9:1 11:1 15:1 29:1 34:1 42:-1 43:1\n");
  tacit_string_free(text);
}

static void bad_dictionaries_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"a,b\n",
       ": a data dictionary is a CSV file whose header has \"name\" and any of "
       "type, min, max, values, format, note"},
      {"", ": the file has no header line"},
      {"name,type\nx,thing\n",
       ": line 2, column 'x': the type is not numeric, category, ordinal, bool, date, "
       "text, hashed or ignore"},
      {"name,min,max\nx,5,5\n",
       ": line 2, column 'x': the smallest is not below the largest"},
      {"name,min,max\ny,,\nx,low,5\n", ": line 3, column 'x': a bound is not a number"},
      {"name,min,max\nx,,5\n", ": line 2, column 'x': one of min and max is missing"},
      {"name,type,min,max\nx,date,1,5\n",
       ": line 2, column 'x': a bound is not a date written 2024-12-31"},
      {"name,type,min,max\nx,numeric,2020-01-01,5\n",
       ": line 2, column 'x': a bound is a date, but the type is not"},
      {"name,values\nx,a|\xff\n", ": line 2, column 'x': a value is not UTF-8"},
      {"name,values\nx,\" | \"\n", ": line 2, column 'x': no value"},
      {"name,format\nx,%Y\n",
       ": line 2, column 'x': \"format\" must have a year, a month "
       "and a day, each once"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    tacit_draft_options options;
    tacit_draft_options_init(&options);
    options.header = file_of("h.csv", "x,y\n");
    options.dictionary = file_of("d.csv", cases[i].text);
    refused(&options, options.dictionary, cases[i].message);
  }
}

static void a_public_sample_is_looked_at(void **state) {
  (void)state;
  tacit_draft_options options;
  tacit_draft_options_init(&options);
  options.sample = file_of("s.csv", "age,sex,day,ok,note,y\n"
                                    "20,f,2020-01-31,TRUE,\"two\nlines\",b\n"
                                    "NA,m,2020-02-01,FALSE,a,a\n"
                                    "40.5,f,,TRUE,\"a very long story\",b\n");
  char *text = draft(&options);
  has(text, "\"quoted_newlines\": true");
  has(text, "\"na\": [");
  has(text, "\"classes\": [\"a\", \"b\"]");
  has(text,
      "{\"name\": \"age\", \"type\": \"numeric\", \"min\": 20, \"max\": 40.5, "
      "\"curve\": {\"knots\": 8, \"kind\": \"linear\", \"line\": true}, \"missing\": "
      "\"own\"}");
  has(text, "{\"name\": \"sex\", \"type\": \"category\", \"values\": [\"f\", \"m\"]}");
  has(text, "{\"name\": \"ok\", \"type\": \"bool\"}");
  has(text, "\"format\": \"%Y-%m-%d\", \"min\": \"2020-01-31\", \"max\": "
            "\"2020-02-01\"");
  /* age 1…8 line 9 missing 10, sex 11…13, month 14…25, weekday 26…32, days 33…40
     line 41 missing 42, ok 43 */
  char *rows = NULL;
  tacit_schema *schema = NULL;
  tacit_error err;
  CHECK_OK(tacit_schema_from_text(text, strlen(text), "d", &schema, &err), err);
  rows = read_rows(options.sample, schema, 0, 1, &err);
  if (rows == NULL) fail_msg("%s", err.message);
  static const char first[] = "1 1:1 9:-1 11:1 14:1 30:1 33:1 41:-1 43:1 ";
  assert_int_equal(strncmp(rows, first, strlen(first)), 0);
  free(rows);
  tacit_schema_free(schema);
  tacit_string_free(text);
}

static void samples_must_fit(void **state) {
  (void)state;
  tacit_draft_options options;
  tacit_draft_options_init(&options);
  options.header = file_of("h.csv", "x,y\n");
  options.sample = file_of("s.csv", "y,x\n");
  refused(&options, options.sample,
          ": a sample must have the header of the data, with the same columns in the "
          "same order");
  options.sample = file_of("s.csv", "x,y\n1,2\n1\n");
  refused(&options, options.sample, ": line 3: too few fields; the header has 2");
  options.sample = file_of("s.csv", "x,y\n1,\xff\n");
  refused(&options, options.sample, ": line 2, column 'y': a value is not UTF-8");
}

/* Labels of a sample: two numbers are classes, more are a number, many texts nothing.
 */
static void samples_tell_the_label(void **state) {
  (void)state;
  tacit_draft_options options;
  tacit_draft_options_init(&options);
  options.sample = file_of("s.csv", "x,y\na,0\nb,1\na,0\n");
  char *text = draft(&options);
  has(text, "\"classes\": [\"0\", \"1\"]");
  tacit_string_free(text);
  options.sample = file_of("s.csv", "x,y\na,0\nb,1\na,2.5\n");
  text = draft(&options);
  has(text, "\"label\": {\"column\": \"y\", \"min\": 0, \"max\": 2.5}");
  tacit_string_free(text);
  char many[2000] = "x,y\n";
  for (int i = 0; i < 30; ++i)
    (void)sprintf(many + strlen(many), "1,name%d\n", i);
  options.sample = file_of("s.csv", many);
  text = draft(&options);
  has(text, "\"classes\": [null, null]");
  tacit_string_free(text);
}

struct answers {
  const char *const *list;
  char heard[4000];
};

static int answer(void *self, const char *question, char *out, size_t room) {
  struct answers *answers = self;
  (void)snprintf(answers->heard + strlen(answers->heard),
                 sizeof answers->heard - strlen(answers->heard), "%s", question);
  if (*answers->list == NULL) return 0;
  (void)snprintf(out, room, "%s", *answers->list++);
  return 1;
}

static void a_person_is_asked_until_the_answer_is_good(void **state) {
  (void)state;
  static const char *const list[] = {
      "",     " 17",    "5",   "90",         "thing",      "category",
      "f, m", "date",   "",    "2020-01-01", "2021-01-01", "ordinal",
      "",     "ignore", "one", "no,yes",     NULL};
  struct answers answers = {.list = list};
  tacit_draft_options options;
  tacit_draft_options_init(&options);
  options.header = file_of("h.csv", "age,sex,seen,edu,id,y\n");
  options.ask = answer;
  options.ask_self = &answers;
  char *text = draft(&options);
  assert_null(*answers.list);
  has(answers.heard, "age: smallest number: age: largest number: the smallest is not "
                     "below the largest\nage: largest number: ");
  has(answers.heard, "the type is not numeric, category");
  has(answers.heard, "at least two classes\n");
  has(text, "\"name\": \"age\", \"type\": \"numeric\", \"min\": 17, \"max\": 90");
  has(text, "\"name\": \"sex\", \"type\": \"category\", \"values\": [\"f\", \"m\"]}");
  has(text, "\"format\": \"%Y-%m-%d\", \"min\": \"2020-01-01\"");
  has(text, "\"name\": \"edu\", \"type\": \"ordinal\", \"values\": null}");
  has(text, "{\"name\": \"id\", \"type\": \"ignore\"}");
  has(text, "\"classes\": [\"no\", \"yes\"]");
  tacit_string_free(text);
  answers.list = list + 15; /* they end too early */
  tacit_error err;
  text = NULL;
  assert_int_equal(tacit_schema_draft(&options, &text, &err), TACIT_EINVAL);
  assert_null(text);
  assert_string_equal(err.message,
                      "the answers ended at column 'age'; nothing was written");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_dictionary_proposes_an_atom),
      cmocka_unit_test(curves_need_rows_for_every_column),
      cmocka_unit_test(a_dictionary_fills_in),
      cmocka_unit_test(bad_dictionaries_are_refused),
      cmocka_unit_test(a_public_sample_is_looked_at),
      cmocka_unit_test(samples_must_fit),
      cmocka_unit_test(samples_tell_the_label),
      cmocka_unit_test(a_person_is_asked_until_the_answer_is_good),
  };
  return cmocka_run_group_tests(tests, folder_setup, folder_teardown);
}
