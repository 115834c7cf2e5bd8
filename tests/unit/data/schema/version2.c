/* SPDX-License-Identifier: MIT */
/* data/: version 2 of the schema: its JSON, terms and names, derived labels, refusals.
 */
#include "unit/data_files.h"

#define HEAD "{\"tacit_schema\": 2, "
#define LABEL "\"label\": {\"column\": \"y\", \"classes\": [\"no\", \"yes\"]}"
#define AGE "{\"name\": \"age\", \"type\": \"numeric\", \"min\": 0, \"max\": 110"

static tacit_schema *parse(const char *json) {
  tacit_schema *schema = NULL;
  tacit_error err;
  CHECK_OK(tacit_schema_from_text(json, strlen(json), "s", &schema, &err), err);
  return schema;
}

static void refused(const char *json, const char *message) {
  tacit_schema *schema = NULL;
  tacit_error err;
  assert_int_equal(tacit_schema_from_text(json, strlen(json), "s", &schema, &err),
                   TACIT_EDATA);
  assert_null(schema);
  assert_string_equal(err.message, message);
}

static void column_refused(const char *column, const char *message) {
  char json[1000], whole[400];
  (void)snprintf(json, sizeof json, HEAD LABEL ", \"columns\": [%s]}", column);
  (void)snprintf(whole, sizeof whole, "s: column 'x': %s", message);
  refused(json, whole);
}

static const char everything[] = HEAD
    "\"format\":\"csv\",\"delimiter\":\",\",\"na\":[\"NA\",\".\"],"
    "\"quoted_newlines\":true,"
    "\"label\":{\"column\":\"delay\",\"above\":15,\"classes\":[\"on time\",\"late\"]},"
    "\"columns\":["
    "{\"name\":\"a\",\"type\":\"numeric\",\"min\":0,\"max\":4,\"map\":[-1,1]},"
    "{\"name\":\"b\",\"type\":\"numeric\",\"min\":0,\"max\":4,\"curve\":2,"
    "\"missing\":\"own\"},"
    "{\"name\":\"c\",\"type\":\"numeric\",\"min\":0,\"max\":4,\"curve\":{\"kind\":"
    "\"linear\",\"knots\":3},\"missing\":2.5},"
    "{\"name\":\"d\",\"type\":\"numeric\",\"min\":1,\"max\":1000,\"map\":\"log\","
    "\"edges\":[10.5],\"monotone\":\"down\"},"
    "{\"name\":\"e\",\"type\":\"numeric\",\"min\":0,\"max\":9,\"map\":\"sqrt\","
    "\"curve\":{\"kind\":\"linear\",\"line\":true},\"edges\":[1],\"atoms\":[0,8.5]},"
    "{\"name\":\"f\",\"type\":\"bool\",\"missing\":false},"
    "{\"name\":\"g\",\"type\":\"ordinal\",\"values\":[\"u\",\"v\",\"w\"],\"missing\":"
    "\"v\"},"
    "{\"name\":\"h\",\"type\":\"date\",\"format\":\"%Y-%m-%d\",\"min\":\"2020-01-01\","
    "\"max\":\"2021-06-30\",\"parts\":[\"year\",\"days\"],\"curve\":2,\"missing\":"
    "\"2020-02-29\"},"
    "{\"name\":\"i\",\"type\":\"text\",\"slots\":2},"
    "{\"name\":\"j\",\"type\":\"category\",\"values\":[\"k\"]},"
    "{\"name\":\"l\",\"type\":\"ignore\"}],"
    "\"crosses\":[[\"f\",\"j\"],{\"columns\":[\"b\",\"g\"],\"slots\":3}]}";

static void json_gives_the_same_schema_back(void **state) {
  (void)state;
  tacit_schema *schema = parse(everything);
  json_t *json, *read = json_loads(everything, 0, NULL);
  tacit_error err;
  CHECK_OK(tacit_schema_to_json(schema, &json, &err), err);
  if (!json_equal(json, read)) fail_msg("%s", json_dumps(json, JSON_COMPACT));
  char *text = NULL;
  CHECK_OK(tacit_schema_to_text(schema, &text, &err), err);
  tacit_schema *again = parse(text);
  assert_int_equal(tacit_schema_features(again), tacit_schema_features(schema));
  tacit_string_free(text);
  json_decref(json);
  json_decref(read);
  tacit_schema_free(again);
  tacit_schema_free(schema);
}

static void inputs_have_names(void **state) {
  (void)state;
  static const char *const names[] = {"a",
                                      "b[0,2)",
                                      "b[2,4]",
                                      "b=missing",
                                      "c@0",
                                      "c@2",
                                      "c@4",
                                      "d[1,10.5)",
                                      "d[10.5,1000]",
                                      "e@0",
                                      "e@1",
                                      "e@9",
                                      "e",
                                      "e=0",
                                      "e=8.5",
                                      "f",
                                      "g>=v",
                                      "g>=w",
                                      "h.year=2020",
                                      "h.year=2021",
                                      "h.days[18262,18535)",
                                      "h.days[18535,18808]",
                                      "i#0",
                                      "i#1",
                                      "j=k",
                                      "j=other",
                                      "f=false*j=k",
                                      "f=false*j=other",
                                      "f=true*j=k",
                                      "f=true*j=other",
                                      "b*g#0",
                                      "b*g#1",
                                      "b*g#2"};
  tacit_schema *schema = parse(everything);
  size_t count = sizeof names / sizeof names[0];
  assert_int_equal(tacit_schema_features(schema), count);
  for (size_t i = 0; i < count; ++i)
    assert_string_equal(tacit_schema_feature_name(schema, i), names[i]);
  tacit_schema_free(schema);
}

static void terms_cover_all_inputs(void **state) {
  (void)state;
  static const struct {
    const char *name, *column;
    tacit_term_kind kind;
    size_t count, n_points, n_values;
  } terms[] = {{"a", "a", TACIT_TERM_LINE, 1, 0, 0},
               {"b", "b", TACIT_TERM_STEPS, 2, 3, 0},
               {"b=missing", "b", TACIT_TERM_FLAG, 1, 0, 0},
               {"c", "c", TACIT_TERM_HATS, 3, 3, 0},
               {"d", "d", TACIT_TERM_STEPS, 2, 3, 0},
               {"e", "e", TACIT_TERM_HATS, 6, 3, 0},
               {"f", "f", TACIT_TERM_FLAG, 1, 0, 0},
               {"g", "g", TACIT_TERM_LEVELS, 2, 0, 3},
               {"h.year", "h", TACIT_TERM_VALUES, 2, 0, 0},
               {"h.days", "h", TACIT_TERM_STEPS, 2, 3, 0},
               {"i", "i", TACIT_TERM_WORDS, 2, 0, 0},
               {"j", "j", TACIT_TERM_VALUES, 2, 0, 1},
               {"f*j", NULL, TACIT_TERM_CROSS, 4, 0, 0},
               {"b*g", NULL, TACIT_TERM_CROSS, 3, 0, 0}};
  tacit_schema *schema = parse(everything);
  size_t count = sizeof terms / sizeof terms[0], first = 0;
  tacit_error err;
  assert_int_equal(tacit_schema_terms(schema), count);
  for (size_t i = 0; i < count; ++i) {
    tacit_term term = {.struct_size = sizeof term};
    CHECK_OK(tacit_schema_term(schema, i, &term, &err), err);
    assert_string_equal(term.name, terms[i].name);
    if (terms[i].column == NULL)
      assert_null(term.column);
    else
      assert_string_equal(term.column, terms[i].column);
    assert_int_equal(term.kind, terms[i].kind);
    assert_int_equal(term.first, first);
    assert_int_equal(term.count, terms[i].count);
    assert_int_equal(term.n_points, terms[i].n_points);
    assert_int_equal(term.n_values, terms[i].n_values);
    first += term.count;
  }
  assert_int_equal(first, tacit_schema_features(schema));
  tacit_term term = {.struct_size = sizeof term};
  assert_int_equal(tacit_schema_term(schema, count, &term, &err), TACIT_EINVAL);
  const double weights[] = {10, 20, 40, 3, 5, 7};
  assert_true(tacit_schema_term_score(schema, 0, weights, 3) == 5);
  assert_true(tacit_schema_term_score(schema, 1, weights, 3) == 20);
  assert_true(tacit_schema_term_score(schema, 3, weights, 3) == 30);
  assert_true(tacit_schema_term_score(schema, 3, weights, 99) == 40);
  assert_true(tacit_schema_term_score(schema, 5, weights, 4) == 62);
  assert_true(tacit_schema_term_score(schema, 5, weights, -1) == 5);
  assert_true(tacit_schema_term_score(schema, 5, weights, 8.5) == 7);
  assert_true(isnan(tacit_schema_term_score(schema, 6, weights, 1)));
  assert_true(isnan(tacit_schema_term_score(schema, count, weights, 1)));
  tacit_schema_free(schema);
}

static void classes_follow_from_a_rule(void **state) {
  (void)state;
  static const struct {
    const char *label, *classes[2], *rows;
  } cases[] = {
      {"{\"column\": \"y\", \"above\": 15}", {"<=15", ">15"}, "-1\n1\n-1\n1\n"},
      {"{\"column\": \"y\", \"below\": 15.5}", {">=15.5", "<15.5"}, "1\n-1\n1\n-1\n"},
      {"{\"column\": \"y\", \"is\": [\"15\", \"99\"]}",
       {"no", "yes"},
       "1\n-1\n-1\n1\n"},
      {"{\"column\": \"y\", \"is\": [\"16\"], \"classes\": [\"a\", \"b\"]}",
       {"a", "b"},
       "-1\n1\n-1\n-1\n"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    char json[600];
    (void)snprintf(json, sizeof json, HEAD "\"label\": %s, \"columns\": [" AGE "}]}",
                   cases[i].label);
    tacit_schema *schema = parse(json);
    for (int j = 0; j < 2; ++j)
      assert_string_equal(tacit_schema_class(schema, j), cases[i].classes[j]);
    check_rows(file_of("r.csv", "age,y\n55,15\n55,16\n55,1e1\n55,99\n"), schema,
               cases[i].rows);
    tacit_schema_free(schema);
  }
}

static void labels_of_a_rule_may_be_missing(void **state) {
  (void)state;
  static const char *const labels[] = {"\"above\": 15", "\"is\": [\"1\"]"};
  static const char *const messages[] = {
      ": line 2, column 'y': label is not a finite number",
      ": line 2, column 'y': label is missing"};
  for (size_t i = 0; i < 2; ++i) {
    char json[600];
    (void)snprintf(json, sizeof json,
                   HEAD "\"na\": [\"NA\"], \"label\": {\"column\": \"y\", %s}, "
                        "\"columns\": [" AGE "}]}",
                   labels[i]);
    tacit_schema *schema = parse(json);
    check_refused(file_of("r.csv", "age,y\n55,NA\n"), schema, TACIT_EDATA, messages[i],
                  NULL);
    tacit_schema_free(schema);
    (void)snprintf(json, sizeof json,
                   HEAD "\"na\": [\"NA\"], \"missing_label\": \"skip\", \"label\": "
                        "{\"column\": \"y\", %s}, \"columns\": [" AGE "}]}",
                   labels[i]);
    schema = parse(json);
    check_rows(file_of("r.csv", "age,y\n55,NA\n55,\n"), schema, "-1\n-1\n");
    tacit_schema_free(schema);
  }
}

#define NUMERIC "{\"name\": \"x\", \"type\": \"numeric\", \"min\": 0, \"max\": 1, "
#define DATE                                                                           \
  "{\"name\": \"x\", \"type\": \"date\", \"min\": \"2020-01-01\", \"max\": "           \
  "\"2021-01-01\", "

static void bad_curves_are_refused(void **state) {
  (void)state;
  static const char curve[] = "\"curve\" must be a number of steps from 2 to 4096, or "
                              "{\"knots\": 8, \"kind\": \"linear\"}";
  column_refused(NUMERIC "\"curve\": 1}", curve);
  column_refused(NUMERIC "\"curve\": 4097}", curve);
  column_refused(NUMERIC "\"curve\": 2.5}", curve);
  column_refused(NUMERIC "\"curve\": {}}", curve);
  column_refused(NUMERIC "\"curve\": {\"knots\": 1}}", curve);
  column_refused(NUMERIC "\"curve\": {\"knots\": 8, \"kind\": \"cubic\"}}",
                 "\"kind\" must be \"linear\"; a number alone, \"curve\": 16, means "
                 "steps");
  column_refused(NUMERIC "\"curve\": {\"knots\": 8, \"line\": 1}}",
                 "\"line\" must be true or false");
  column_refused(NUMERIC "\"curve\": {\"knots\": 8, \"degree\": 3}}",
                 "unknown key \"degree\"");
  column_refused(NUMERIC "\"curve\": 4, \"edges\": [0.5]}",
                 "\"edges\" say how many steps or knots there are; leave the number "
                 "out");
  static const char edges[] = "\"edges\" must be ascending numbers between min and max";
  column_refused(NUMERIC "\"edges\": [0]}", edges);
  column_refused(NUMERIC "\"edges\": [1]}", edges);
  column_refused(NUMERIC "\"edges\": [0.5, 0.5]}", edges);
  column_refused(NUMERIC "\"edges\": [0.5, null]}", edges);
  column_refused(NUMERIC "\"edges\": []}",
                 "\"edges\" must be a list of 1 to 4094 numbers");
  column_refused(NUMERIC "\"edges\": \"even\"}",
                 "\"edges\" must be a list of 1 to 4094 numbers");
  column_refused(NUMERIC "\"edges\": \"private\"}",
                 "\"edges\" must be numbers; private ones come from \"tacit describe "
                 "--bins 256 --json\" and \"tacit schema --counts\"");
  static const char atoms[] =
      "\"atoms\" must be 1 to 64 ascending numbers from min to max";
  column_refused(NUMERIC "\"atoms\": []}", atoms);
  column_refused(NUMERIC "\"atoms\": 0}", atoms);
  column_refused(NUMERIC "\"atoms\": [0, 0]}", atoms);
  column_refused(NUMERIC "\"atoms\": [\"0\"]}", atoms);
  column_refused(NUMERIC "\"atoms\": [-1]}", atoms);
  column_refused(NUMERIC "\"atoms\": [0, 1.5]}", atoms);
  column_refused(DATE "\"format\": \"%Y-%m-%d\", \"parts\": [\"days\"], \"atoms\": "
                      "[0]}",
                 "unknown key \"atoms\"");
  column_refused(NUMERIC "\"map\": \"log\"}",
                 "\"map\": \"log\" needs a min above 0; \"log1p\" goes from 0 on");
  column_refused("{\"name\": \"x\", \"type\": \"numeric\", \"min\": -1, \"max\": 1, "
                 "\"map\": \"sqrt\"}",
                 "\"map\": \"sqrt\" needs a min of 0 or more");
  column_refused("{\"name\": \"x\", \"type\": \"numeric\", \"min\": 1, \"max\": "
                 "1.0000000000000002, \"curve\": 4}",
                 "min and max are too close for so many steps or knots");
}

static void bad_columns_are_refused(void **state) {
  (void)state;
  column_refused("{\"name\": \"x\", \"type\": \"bool\", \"missing\": 1}",
                 "\"missing\" must be true, false or \"own\"");
  column_refused("{\"name\": \"x\", \"type\": \"ordinal\", \"values\": [\"a\"]}",
                 "\"values\" must be a list of 2 to 1000 values, the lowest first");
  column_refused("{\"name\": \"x\", \"type\": \"ordinal\", \"values\": [\"a\", \"b\"], "
                 "\"missing\": \"c\"}",
                 "\"missing\" must be one of the values or \"own\"");
  column_refused("{\"name\": \"x\", \"type\": \"category\", \"values\": null}",
                 "values are not filled in: give those you know without looking at the "
                 "data");
  column_refused("{\"name\": \"x\", \"type\": \"text\", \"slots\": 0}",
                 "\"slots\" must be a whole number from 1 to 2147483647");
  column_refused(DATE "\"format\": \"%Y-%m-%d\"}",
                 "\"parts\" must be a list of at least one");
  column_refused(DATE "\"format\": \"%Y-%m\", \"parts\": [\"year\"]}",
                 "\"format\" must have a year, a month and a day, each once");
  column_refused(DATE "\"format\": \"%Y-%m-%d %p\", \"parts\": [\"year\"]}",
                 "\"format\" may have %Y, %y, %m, %b, %B, %d, %H, %M, %S and %%");
  column_refused(DATE "\"format\": \"%Y-%m-%d\", \"parts\": [\"year\", \"year\"]}",
                 "\"parts\" must be different ones of \"year\", \"month\", "
                 "\"weekday\", \"yearday\" and \"days\"");
  column_refused(
      "{\"name\": \"x\", \"type\": \"date\", \"format\": \"%Y-%m-%d\", "
      "\"min\": null, \"max\": null, \"parts\": [\"year\"]}",
      "min and max are not filled in: give dates you know without looking at "
      "the data");
  column_refused("{\"name\": \"x\", \"type\": \"date\", \"format\": \"%d.%m.%Y\", "
                 "\"min\": \"1.1.2020\", \"max\": \"2021-01-01\", \"parts\": "
                 "[\"year\"]}",
                 "\"min\" must be a date written 2024-12-31");
  column_refused("{\"name\": \"x\", \"type\": \"date\", \"format\": \"%d.%m.%Y\", "
                 "\"min\": \"2020-01-01\", \"max\": \"2020-01-01\", \"parts\": "
                 "[\"year\"]}",
                 "\"min\" must be before \"max\"");
}

static void bad_files_are_refused(void **state) {
  (void)state;
#define REST                                                                           \
  LABEL ", \"columns\": [" AGE ", \"curve\": 4}, {\"name\": \"s\", \"type\": "         \
        "\"bool\"}, {\"name\": \"t\", \"type\": \"text\", \"slots\": 2}]"
  refused("{\"tacit_schema\": 1, " REST "}",
          "s: has keys of version 2: write \"tacit_schema\": 2");
  refused("{\"tacit_schema\": 1, " LABEL ", \"columns\": [" AGE ", \"atoms\": [1]}]}",
          "s: has keys of version 2: write \"tacit_schema\": 2");
  refused(HEAD REST ", \"na\": \"NA\"}",
          "s: \"na\" must be a list of at most 100 texts");
  refused(HEAD REST ", \"na\": [1]}", "s: a text of \"na\" must be a string");
  refused(HEAD REST ", \"quoted_newlines\": 1}",
          "s: \"quoted_newlines\" must be true or false");
  refused(HEAD REST ", \"crosses\": {}}", "s: \"crosses\" must be a list");
  refused(HEAD REST ", \"crosses\": [[\"age\"]]}",
          "s: crosses[0]: must be a list of 2 to 4 names of columns, or {\"columns\": "
          "[…], \"slots\": N}");
  static const char names[] =
      "s: crosses[0]: each must be the name of a column of type category, hashed, bool "
      "or ordinal, or of a numeric one with a curve";
  refused(HEAD REST ", \"crosses\": [[\"age\", \"t\"]]}", names);
  refused(HEAD REST ", \"crosses\": [[\"age\", \"y\"]]}", names);
  refused(HEAD REST ", \"crosses\": [[\"age\", 3]]}", names);
  refused(HEAD REST ", \"crosses\": [[\"age\", \"age\"]]}",
          "s: crosses[0]: a column is in it twice");
  refused(HEAD REST ", \"crosses\": [{\"columns\": [\"age\", \"s\"]}]}",
          "s: crosses[0]: \"slots\" must be a whole number from 1 to 2147483647");
  refused(HEAD LABEL
          ", \"columns\": [{\"name\": \"a\", \"type\": \"hashed\", \"slots\": "
          "2000}, {\"name\": \"b\", \"type\": \"hashed\", \"slots\": 2000}], "
          "\"crosses\": [[\"a\", \"b\"]]}",
          "s: cross 'a*b': more than 1048576 combinations: write {\"columns\": […], "
          "\"slots\": N} to hash them");
  refused(HEAD
          "\"label\": {\"column\": \"y\", \"above\": 1, \"below\": 2}, \"columns\": "
          "[" AGE "}]}",
          "s: label: give one of \"above\", \"below\" and \"is\"");
  refused(HEAD "\"label\": {\"column\": \"y\", \"above\": \"1\"}, \"columns\": [" AGE
               "}]}",
          "s: label: \"above\" must be a number");
  refused(HEAD "\"label\": {\"column\": \"y\", \"is\": []}, \"columns\": [" AGE "}]}",
          "s: label: \"is\" must be a list of at least one value");
  refused(HEAD "\"label\": {\"column\": \"y\", \"above\": 1, \"classes\": [\"a\", "
               "\"b\", \"c\"]}, \"columns\": [" AGE "}]}",
          "s: label: \"classes\" must be two names: of the rows for which the rule is "
          "not true, then of the others");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(json_gives_the_same_schema_back),
      cmocka_unit_test(inputs_have_names),
      cmocka_unit_test(terms_cover_all_inputs),
      cmocka_unit_test(classes_follow_from_a_rule),
      cmocka_unit_test(labels_of_a_rule_may_be_missing),
      cmocka_unit_test(bad_curves_are_refused),
      cmocka_unit_test(bad_columns_are_refused),
      cmocka_unit_test(bad_files_are_refused),
  };
  return cmocka_run_group_tests(tests, folder_setup, folder_teardown);
}
