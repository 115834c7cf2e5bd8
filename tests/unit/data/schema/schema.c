/* SPDX-License-Identifier: MIT */
/* data/: schema files, their JSON, the template. */
#include "unit/data_files.h"

#include <tacit/extra/draft.h>

#define LABEL "\"label\": {\"column\": \"y\", \"classes\": [\"no\", \"yes\"]}"
#define COLUMN "{\"name\": \"age\", \"type\": \"numeric\", \"min\": 0, \"max\": 110}"
#define HEAD "{\"tacit_schema\": 1, "

static tacit_schema *load(const char *json) {
  tacit_schema *schema;
  tacit_error err;
  CHECK_OK(tacit_schema_load(file_of("s.json", json), 0, &schema, &err), err);
  return schema;
}

static void refused(const char *json, const char *message) {
  const char *path = file_of("s.json", json);
  tacit_schema *schema = NULL;
  tacit_error err;
  assert_int_equal(tacit_schema_load(path, 0, &schema, &err), TACIT_EDATA);
  assert_null(schema);
  assert_int_equal(strncmp(err.message, path, strlen(path)), 0);
  assert_string_equal(err.message + strlen(path), message);
  assert_int_equal(tacit_schema_load(path, 0, &schema, NULL), TACIT_EDATA);
}

static void column_refused(const char *column, const char *message) {
  char json[600];
  (void)snprintf(json, sizeof json, HEAD LABEL ", \"columns\": [" COLUMN ", %s]}",
                 column);
  refused(json, message);
}

static void label_refused(const char *label, const char *message) {
  char json[600];
  (void)snprintf(json, sizeof json, HEAD "\"label\": %s, \"columns\": [" COLUMN "]}",
                 label);
  refused(json, message);
}

static const char whole[] =
    "\xef\xbb\xbf" HEAD "\"format\": \"csv\", \"note\": \"n\", \"delimiter\": \";\", "
    "\"label\": {\"column\": \"sick\", \"classes\": [\"no\", \"yes\"], \"note\": "
    "\"\"}, "
    "\"columns\": ["
    "{\"name\": \"age\", \"type\": \"numeric\", \"min\": 0, \"max\": 110, \"note\": "
    "\"years\"},"
    "{\"name\": \"bmi\", \"type\": \"numeric\", \"min\": 10.5, \"max\": 1e300, "
    "\"map\": "
    "[0, 1.0], \"missing\": 25},"
    "{\"name\": \"sex\", \"type\": \"category\", \"values\": [\"m\", \"f\", \"\"]},"
    "{\"name\": \"zip\", \"type\": \"hashed\", \"slots\": 3},"
    "{\"name\": \"id\", \"type\": \"ignore\", \"min\": null, \"max\": null}]}";

static void a_whole_schema(void **state) {
  (void)state;
  static const char *const names[] = {
      "age", "bmi", "sex=m", "sex=f", "sex=", "sex=other", "zip#0", "zip#1", "zip#2"};
  tacit_schema *schema = load(whole);
  assert_int_equal(tacit_schema_features(schema), 9);
  assert_int_equal(tacit_schema_is_csv(schema), 1);
  double min = 7, max = 7;
  assert_int_equal(tacit_schema_label(schema, &min, &max), TACIT_LABEL_CLASSES);
  assert_true(min == 7 && max == 7);
  assert_string_equal(tacit_schema_class(schema, 0), "no");
  assert_string_equal(tacit_schema_class(schema, 1), "yes");
  assert_null(tacit_schema_class(schema, 2));
  assert_null(tacit_schema_class(schema, -1));
  assert_int_equal(tacit_schema_classes(schema), 2);
  for (size_t i = 0; i < 9; ++i)
    assert_string_equal(tacit_schema_feature_name(schema, i), names[i]);
  assert_null(tacit_schema_feature_name(schema, 9));
  tacit_schema_free(schema);
  tacit_schema_free(NULL);
}

static void plain_schemas(void **state) {
  (void)state;
  tacit_schema *schema = NULL;
  tacit_error err;
  CHECK_OK(tacit_schema_libsvm(123, 2, 0, 0, &schema, &err), err);
  assert_int_equal(tacit_schema_features(schema), 123);
  assert_int_equal(tacit_schema_is_csv(schema), 0);
  assert_string_equal(tacit_schema_feature_name(schema, 0), "f1");
  assert_string_equal(tacit_schema_feature_name(schema, 122), "f123");
  assert_null(tacit_schema_feature_name(schema, 123));
  assert_string_equal(tacit_schema_class(schema, 0), "-1");
  assert_string_equal(tacit_schema_class(schema, 1), "+1");
  assert_int_equal(tacit_schema_classes(schema), 2);
  tacit_schema_free(schema);
  CHECK_OK(tacit_schema_memory(2, 0, -1.5, 3, &schema, &err), err);
  double min, max;
  assert_int_equal(tacit_schema_label(schema, &min, &max), TACIT_LABEL_NUMBER);
  assert_true(min == -1.5 && max == 3);
  assert_int_equal(tacit_schema_label(schema, NULL, NULL), TACIT_LABEL_NUMBER);
  assert_null(tacit_schema_class(schema, 0));
  assert_int_equal(tacit_schema_classes(schema), 0);
  assert_int_equal(tacit_schema_classes(NULL), 0);
  tacit_schema_free(schema);
  /* Too many to keep a name for each. */
  CHECK_OK(tacit_schema_libsvm(INT32_MAX, 2, 0, 0, &schema, &err), err);
  assert_null(tacit_schema_feature_name(schema, 0));
  tacit_schema_free(schema);

  schema = NULL;
  assert_int_equal(tacit_schema_libsvm(0, 2, 0, 0, &schema, &err), TACIT_EINVAL);
  assert_int_equal(tacit_schema_libsvm((size_t)INT32_MAX + 1, 2, 0, 0, &schema, &err),
                   TACIT_EINVAL);
  assert_int_equal(tacit_schema_libsvm(5, 0, 1, 1, &schema, &err), TACIT_EINVAL);
  assert_int_equal(tacit_schema_libsvm(5, 0, 0, NAN, &schema, &err), TACIT_EINVAL);
  assert_int_equal(tacit_schema_memory(5, 0, 0, INFINITY, &schema, &err), TACIT_EINVAL);
  assert_int_equal(tacit_schema_memory(5, 0, -1e308, 1e308, &schema, &err),
                   TACIT_EINVAL);
  assert_int_equal(tacit_schema_memory(5, 0, 0, 1, NULL, &err), TACIT_EINVAL);
  assert_null(schema);
}

static const char three_classes[] =
    HEAD "\"label\": {\"column\": \"y\", \"classes\": [\"red\", \"green\", \"blue\"]}, "
         "\"columns\": [" COLUMN "]}";

static void more_than_two_classes(void **state) {
  (void)state;
  tacit_schema *schema = load(three_classes);
  assert_int_equal(tacit_schema_classes(schema), 3);
  assert_int_equal(tacit_schema_label(schema, NULL, NULL), TACIT_LABEL_CLASSES);
  assert_string_equal(tacit_schema_class(schema, 0), "red");
  assert_string_equal(tacit_schema_class(schema, 2), "blue");
  assert_null(tacit_schema_class(schema, 3));
  assert_true(tacit_schema_class_label(schema, 0) == 0);
  assert_true(tacit_schema_class_label(schema, 2) == 2);
  tacit_schema_free(schema);

  static tacit_status (*const make[])(size_t, size_t, double, double, tacit_schema **,
                                      tacit_error *) = {tacit_schema_libsvm,
                                                        tacit_schema_memory};
  for (size_t i = 0; i < 2; ++i) {
    tacit_error err;
    CHECK_OK(make[i](7, 100000, 0, 0, &schema, &err), err);
    assert_int_equal(tacit_schema_features(schema), 7);
    assert_int_equal(tacit_schema_classes(schema), 100000);
    assert_string_equal(tacit_schema_class(schema, 0), "0");
    assert_string_equal(tacit_schema_class(schema, 10), "10");
    assert_string_equal(tacit_schema_class(schema, 99999), "99999");
    assert_null(tacit_schema_class(schema, 100000));
    tacit_schema_free(schema);
    schema = NULL;
    assert_int_equal(make[i](7, 1, 0, 0, &schema, &err), TACIT_EINVAL);
    assert_string_equal(err.message, "the number of classes must be from 2 to 100000");
    assert_int_equal(make[i](7, 100001, 0, 0, &schema, &err), TACIT_EINVAL);
    assert_int_equal(make[i](0, 3, 0, 0, &schema, &err), TACIT_EINVAL);
    assert_int_equal(make[i](7, 3, 0, 0, NULL, &err), TACIT_EINVAL);
    assert_null(schema);
  }
}

/* "classes": ["c0", "c1", …], `count` of them; the caller frees it. */
static char *many_classes(size_t count) {
  char *json = malloc(16 * count + 400);
  if (json == NULL) abort();
  size_t size =
      (size_t)sprintf(json, HEAD "\"columns\": [" COLUMN
                                 "], \"label\": {\"column\": \"y\", \"classes\": [");
  for (size_t i = 0; i < count; ++i)
    size += (size_t)sprintf(json + size, "%s\"c%zu\"", i > 0 ? ", " : "", i);
  (void)strcpy(json + size, "]}}");
  return json;
}

static void as_many_classes_as_are_allowed(void **state) {
  (void)state;
  char *json = many_classes(100000);
  tacit_schema *schema = load(json);
  assert_int_equal(tacit_schema_classes(schema), 100000);
  check_rows(file_of("y.csv", "age,y\n55,c99999\n55,c0\n55,c31\n"), schema,
             "99999\n0\n31\n");
  tacit_schema_free(schema);
  free(json);
  json = many_classes(100001);
  refused(json,
          ": label: \"classes\" must be a list of 2 to 100000 values; of two, the "
          "negative class comes first");
  free(json);
}

static void check_round_trip(const tacit_schema *schema) {
  json_t *first, *second;
  tacit_schema *again;
  tacit_error err;
  CHECK_OK(tacit_schema_to_json(schema, &first, &err), err);
  /* Through text, as in a model file. */
  char *text = json_dumps(first, JSON_REAL_PRECISION(17));
  json_t *parsed = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
  assert_non_null(parsed);
  CHECK_OK(tacit_schema_from_json(parsed, "m.json: schema", &again, &err), err);
  CHECK_OK(tacit_schema_to_json(again, &second, &err), err);
  assert_int_equal(json_equal(first, second), 1);
  assert_int_equal(tacit_schema_features(again), tacit_schema_features(schema));
  for (size_t i = 0; i < tacit_schema_features(schema); ++i)
    assert_string_equal(tacit_schema_feature_name(again, i),
                        tacit_schema_feature_name(schema, i));
  assert_int_equal(tacit_schema_classes(again), tacit_schema_classes(schema));
  for (int i = 0; i < (int)tacit_schema_classes(schema); ++i)
    assert_string_equal(tacit_schema_class(again, i), tacit_schema_class(schema, i));
  json_decref(first);
  json_decref(second);
  json_decref(parsed);
  free(text);
  tacit_schema_free(again);
}

static void json_gives_the_same_schema_back(void **state) {
  (void)state;
  tacit_error err;
  tacit_schema *schema = load(whole);
  check_round_trip(schema);
  json_t *json;
  CHECK_OK(tacit_schema_to_json(schema, &json, &err), err);
  char *text = json_dumps(json, JSON_COMPACT);
  assert_string_equal(
      text,
      "{\"tacit_schema\":1,\"format\":\"csv\",\"delimiter\":\";\",\"label\":{"
      "\"column\":\"sick\",\"classes\":[\"no\",\"yes\"]},\"columns\":[{\"name\":"
      "\"age\",\"type\":\"numeric\",\"min\":0,\"max\":110,\"map\":[-1,1]},{\"name\":"
      "\"bmi\",\"type\":\"numeric\",\"min\":10.5,\"max\":1.0000000000000001e300,"
      "\"map\":[0,1],\"missing\":25},{\"name\":\"sex\",\"type\":\"category\","
      "\"values\":[\"m\",\"f\",\"\"]},{\"name\":\"zip\",\"type\":\"hashed\",\"slots\":"
      "3}"
      ",{\"name\":\"id\",\"type\":\"ignore\"}]}");
  free(text);
  json_decref(json);
  tacit_schema_free(schema);
  CHECK_OK(tacit_schema_libsvm(12, 2, 0, 0, &schema, &err), err);
  check_round_trip(schema);
  tacit_schema_free(schema);
  CHECK_OK(tacit_schema_memory(3, 0, -0.1, 1e22, &schema, &err), err);
  check_round_trip(schema);
  tacit_schema_free(schema);
}

static void many_classes_stay_short_in_json(void **state) {
  (void)state;
  tacit_error err;
  tacit_schema *schema = load(three_classes);
  check_round_trip(schema);
  tacit_schema_free(schema);
  CHECK_OK(tacit_schema_memory(3, 4, 0, 0, &schema, &err), err);
  check_round_trip(schema);
  tacit_schema_free(schema);
  CHECK_OK(tacit_schema_libsvm(12, 100000, 0, 0, &schema, &err), err);
  check_round_trip(schema);
  json_t *json;
  CHECK_OK(tacit_schema_to_json(schema, &json, &err), err);
  char *text = json_dumps(json, JSON_COMPACT);
  assert_string_equal(text, "{\"tacit_schema\":1,\"format\":\"libsvm\",\"features\":12,"
                            "\"label\":{\"classes\":100000}}");
  free(text);
  json_decref(json);
  tacit_schema_free(schema);
}

static void embedded_schemas_are_checked_too(void **state) {
  (void)state;
  static const struct {
    const char *json, *message;
  } cases[] = {
      {"[]", "m: a schema must be a JSON object"},
      {HEAD "\"format\": \"arff\"}",
       "m: \"format\" must be \"csv\", \"libsvm\" or \"memory\""},
      {HEAD
       "\"format\": \"libsvm\", \"features\": 0, \"label\": {\"classes\": [\"-1\", "
       "\"+1\"]}}",
       "m: \"features\" must be a whole number from 1 to 2147483647"},
      {HEAD "\"format\": \"libsvm\", \"features\": 4, \"label\": {\"classes\": [\"a\", "
            "\"b\"]}}",
       "m: label: \"classes\" must be [\"-1\", \"+1\"] or a whole number from 3 to "
       "100000"},
      {HEAD
       "\"format\": \"libsvm\", \"features\": 4, \"label\": {\"classes\": [\"-1\", "
       "\"+1\", \"2\"]}}",
       "m: label: \"classes\" must be [\"-1\", \"+1\"] or a whole number from 3 to "
       "100000"},
      {HEAD "\"format\": \"memory\", \"features\": 4, \"label\": {\"classes\": 2}}",
       "m: label: \"classes\" must be [\"-1\", \"+1\"] or a whole number from 3 to "
       "100000"},
      {HEAD "\"format\": \"memory\", \"features\": 4, \"label\": {\"classes\": 3.5}}",
       "m: label: \"classes\" must be [\"-1\", \"+1\"] or a whole number from 3 to "
       "100000"},
      {HEAD
       "\"format\": \"memory\", \"features\": 4, \"label\": {\"classes\": 100001}}",
       "m: label: \"classes\" must be [\"-1\", \"+1\"] or a whole number from 3 to "
       "100000"},
      {HEAD "\"format\": \"memory\", \"features\": 4, \"label\": {\"classes\": 3, "
            "\"min\": 0, \"max\": 1}}",
       "m: label: give either \"classes\" or \"min\" and \"max\""},
      {HEAD "\"format\": \"memory\", \"features\": 4, \"label\": {\"column\": \"y\", "
            "\"min\": 0, \"max\": 1}}",
       "m: label: unknown key \"column\""},
      {HEAD "\"format\": \"memory\", \"features\": 4}",
       "m: \"label\" must be an object"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    json_t *json = json_loads(cases[i].json, 0, NULL);
    assert_non_null(json);
    tacit_schema *schema = NULL;
    tacit_error err;
    assert_int_equal(tacit_schema_from_json(json, "m", &schema, &err), TACIT_EDATA);
    assert_null(schema);
    assert_string_equal(err.message, cases[i].message);
    json_decref(json);
  }
}

static void bad_files_are_refused(void **state) {
  (void)state;
  refused("", ": line 1, column 1: not valid JSON; `tacit schema` makes a template");
  refused("39,secret\n40,secret",
          ": line 1, column 1: not valid JSON; `tacit schema` makes a template");
  refused("{\"tacit_schema\": 1, \"tacit_schema\": 1}",
          ": line 1: a key is given twice");
  refused("[1]", ": a schema must be a JSON object");
  refused("{}",
          ": \"tacit_schema\": 1 or 2 is missing; this library reads these versions");
  refused(HEAD LABEL ", \"columns\": [" COLUMN "], \"unit\": \"id\"}",
          ": has keys of version 2: write \"tacit_schema\": 2");
  refused("{\"tacit_schema\": 3}",
          ": \"tacit_schema\": 1 or 2 is missing; this library reads these versions");
  refused(HEAD "\"format\": \"libsvm\", \"features\": 4, \"label\": {\"min\": 0, "
               "\"max\": 1}}",
          ": a schema file is for CSV: \"format\": \"csv\"");
  refused(HEAD LABEL "}", ": \"columns\" must be a list of at least one column");
  refused(HEAD LABEL ", \"columns\": []}",
          ": \"columns\" must be a list of at least one column");
  refused(HEAD LABEL ", \"columns\": [" COLUMN "], \"colour\": 1}",
          ": unknown key \"colour\"");
  refused(HEAD LABEL ", \"columns\": [" COLUMN "], \"note\": 1}",
          ": \"note\" must be a string");
  refused(HEAD LABEL ", \"columns\": [" COLUMN "], \"delimiter\": \".\"}",
          ": \"delimiter\" must be one of , ; | : or \\t");
  refused(HEAD LABEL ", \"columns\": [" COLUMN "], \"delimiter\": \",,\"}",
          ": \"delimiter\" must be one of , ; | : or \\t");
  refused(
      HEAD LABEL ", \"columns\": [{\"name\": \"id\", \"type\": \"ignore\"}]}",
      ": no column is a model input; declare one with a type other than \"ignore\"");
  tacit_error err;
  tacit_schema *schema = NULL;
  assert_int_equal(tacit_schema_load("/nonexistent/s.json", 0, &schema, &err),
                   TACIT_EIO);
  assert_string_equal(err.message, "/nonexistent/s.json: No such file or directory");
  assert_int_equal(tacit_schema_load(test_folder, 0, &schema, &err), TACIT_EIO);
  assert_int_equal(tacit_schema_load(NULL, 0, &schema, &err), TACIT_EINVAL);
  assert_null(schema);
}

static void bad_columns_are_refused(void **state) {
  (void)state;
  column_refused("3", ": columns[1]: must be an object");
  column_refused("{\"type\": \"ignore\"}", ": columns[1]: \"name\" must be a string");
  column_refused("{\"name\": \"\", \"type\": \"ignore\"}",
                 ": columns[1]: \"name\" must have 1 to 256 bytes");
  column_refused("{\"name\": \"a\\nb\", \"type\": \"ignore\"}",
                 ": columns[1]: \"name\" holds a control character");
  column_refused("{\"name\": \"b\"}",
                 ": column 'b': \"type\" must be \"numeric\", \"category\", "
                 "\"hashed\", \"bool\", \"ordinal\", \"date\", \"text\" or "
                 "\"ignore\"");
  column_refused(COLUMN, ": column 'age' is declared twice (the label stands in "
                         "\"label\" only)");
  column_refused("{\"name\": \"y\", \"type\": \"ignore\"}",
                 ": column 'y' is declared twice (the label stands in \"label\" only)");
#define NUMERIC "{\"name\": \"b\", \"type\": \"numeric\""
  column_refused(NUMERIC "}", ": column 'b': \"min\" and \"max\" must be numbers");
  column_refused(NUMERIC ", \"min\": 0, \"max\": \"1\"}",
                 ": column 'b': \"min\" and \"max\" must be numbers");
  column_refused(NUMERIC ", \"min\": 0, \"max\": null}",
                 ": column 'b': min and max are not filled in: give bounds you know "
                 "without looking at the data");
  column_refused(NUMERIC ", \"min\": 1, \"max\": 1}",
                 ": column 'b': \"min\" must be below \"max\"");
  column_refused(NUMERIC ", \"min\": -1e308, \"max\": 1e308}",
                 ": column 'b': \"min\" must be below \"max\"");
  column_refused(NUMERIC ", \"min\": 0, \"max\": 1, \"map\": [0, 2]}",
                 ": column 'b': \"map\" must be [-1, 1], [0, 1], \"log\", "
                 "\"log1p\" or \"sqrt\"");
  column_refused(NUMERIC ", \"min\": 0, \"max\": 1, \"map\": [0, 1, 1]}",
                 ": column 'b': \"map\" must be [-1, 1], [0, 1], \"log\", "
                 "\"log1p\" or \"sqrt\"");
  column_refused(NUMERIC ", \"min\": 0, \"max\": 1, \"map\": \"unit\"}",
                 ": column 'b': \"map\" must be [-1, 1], [0, 1], \"log\", "
                 "\"log1p\" or \"sqrt\"");
  column_refused(NUMERIC ", \"min\": 0, \"max\": 1, \"missing\": 2}",
                 ": column 'b': \"missing\" must be a number from min to max, "
                 "or \"own\"");
  column_refused(NUMERIC ", \"min\": 0, \"max\": 1, \"missing\": null}",
                 ": column 'b': \"missing\" must be a number from min to max, "
                 "or \"own\"");
  column_refused(NUMERIC ", \"min\": 0, \"max\": 1, \"slots\": 2}",
                 ": column 'b': unknown key \"slots\"");
#define CATEGORY "{\"name\": \"b\", \"type\": \"category\""
  column_refused(CATEGORY "}",
                 ": column 'b': \"values\" must be a list of at least one value");
  column_refused(CATEGORY ", \"values\": []}",
                 ": column 'b': \"values\" must be a list of at least one value");
  column_refused(CATEGORY ", \"values\": [1]}",
                 ": column 'b': a value must be a string");
  column_refused(CATEGORY ", \"values\": [\"a\", \"b\", \"a\"]}",
                 ": column 'b': \"values\" holds the same value twice");
  column_refused(
      CATEGORY ", \"values\": [\"other\"]}",
      ": column 'b': \"values\" must have a value besides \"other\", which is "
      "there anyway for what is not declared");
#define HASHED "{\"name\": \"b\", \"type\": \"hashed\""
  static const char *const slots[] = {"",
                                      ", \"slots\": 0",
                                      ", \"slots\": -1",
                                      ", \"slots\": 1.5",
                                      ", \"slots\": 2147483648",
                                      ", \"slots\": \"8\""};
  for (size_t i = 0; i < sizeof slots / sizeof slots[0]; ++i) {
    char column[100];
    (void)snprintf(column, sizeof column, HASHED "%s}", slots[i]);
    column_refused(column, ": column 'b': \"slots\" must be a whole number from 1 to "
                           "2147483647");
  }
  column_refused(HASHED ", \"slots\": 2147483647}",
                 ": more than 2147483647 model inputs in all; use fewer slots");
}

static void bad_labels_are_refused(void **state) {
  (void)state;
  label_refused("\"y\"", ": \"label\" must be an object");
  label_refused("{\"classes\": [\"a\", \"b\"]}",
                ": label: \"column\" must be a string");
  label_refused("{\"column\": \"y\"}",
                ": label: give either \"classes\" or \"min\" and \"max\"");
  label_refused("{\"column\": \"y\", \"classes\": [\"a\", \"b\"], \"min\": 0}",
                ": label: give either \"classes\" or \"min\" and \"max\"");
  label_refused(
      "{\"column\": \"y\", \"classes\": [\"a\"]}",
      ": label: \"classes\" must be a list of 2 to 100000 values; of two, the "
      "negative class comes first");
  label_refused(
      "{\"column\": \"y\", \"classes\": 3}",
      ": label: \"classes\" must be a list of 2 to 100000 values; of two, the "
      "negative class comes first");
  label_refused("{\"column\": \"y\", \"classes\": [\"a\", \"a\"]}",
                ": label: class 'a' is declared twice");
  label_refused("{\"column\": \"y\", \"classes\": [\"b\", \"a\", \"c\", \"a\"]}",
                ": label: class 'a' is declared twice");
  label_refused("{\"column\": \"y\", \"classes\": [\"a\", \"b\", \"\"]}",
                ": label: a class must have 1 to 4096 bytes");
  label_refused("{\"column\": \"y\", \"classes\": [0, 1]}",
                ": label: a class must be a string");
  label_refused("{\"column\": \"y\", \"classes\": [\"a\", null]}",
                ": label: the classes are not filled in: give the values of the "
                "label, or min and max for a number");
  label_refused("{\"column\": \"y\", \"classes\": [\"a\", \"b\", null]}",
                ": label: the classes are not filled in: give the values of the "
                "label, or min and max for a number");
  label_refused("{\"column\": \"y\", \"min\": 0}",
                ": label: \"min\" and \"max\" must be numbers");
  label_refused("{\"column\": \"y\", \"min\": 3, \"max\": 2}",
                ": label: \"min\" must be below \"max\"");
}

/* A template of the columns in the header line of a file. */
static tacit_status template_from(const char *path, const char *label, char **out,
                                  tacit_error *err) {
  tacit_draft_options options;
  tacit_draft_options_init(&options);
  options.header = path;
  options.label = label;
  return tacit_schema_draft(&options, out, err);
}

static char *template_of(const char *text, const char *label) {
  char *out = NULL;
  tacit_error err;
  CHECK_OK(template_from(file_of("t.csv", text), label, &out, &err), err);
  return out;
}

/* A filled-in template is a schema that reads the file. */
static void replace(char *text, const char *from, const char *to) {
  char *at = strstr(text, from), rest[4000];
  assert_non_null(at);
  (void)strcpy(rest, at + strlen(from));
  (void)sprintf(at, "%s%s", to, rest);
}

static void a_template_is_to_be_completed(void **state) {
  (void)state;
  char *text = template_of("age;\"the \"\"bmi\"\"\";sick\n1;2;no\n", NULL);
  tacit_schema *schema = NULL;
  tacit_error err;
  const char *path = file_of("s.json", text);
  assert_int_equal(tacit_schema_load(path, 0, &schema, &err), TACIT_EDATA);
  assert_string_equal(err.message + strlen(path),
                      ": label: the classes are not filled in: give the values of "
                      "the label, or min and max for a number");
  char filled[4000];
  (void)strcpy(filled, text);
  tacit_string_free(text);
  replace(filled, "[null, null]", "[\"no\", \"yes\"]");
  path = file_of("s.json", filled);
  assert_int_equal(tacit_schema_load(path, 0, &schema, &err), TACIT_EDATA);
  assert_string_equal(err.message + strlen(path),
                      ": column 'age': min and max are not filled in: give bounds you "
                      "know without looking at the data");
  for (int i = 0; i < 2; ++i) {
    replace(filled, "\"min\": null", "\"min\": 0");
    replace(filled, "\"max\": null", "\"max\": 7");
  }
  schema = load(filled);
  check_rows(file_of("t.csv", "age;\"the \"\"bmi\"\"\";sick\n1;4;no\n"), schema,
             "-1 2:1 9:-0.7142857142857143 14:1 18:0.14285714285714279\n");
  tacit_schema_free(schema);
}

static void a_template_reads_the_header_only(void **state) {
  (void)state;
  char *text = template_of("a,b,c\n\x01\x02,secret", "b");
  assert_null(strstr(text, "secret"));
  assert_non_null(strstr(text, "\"label\": {\"column\": \"b\""));
  assert_non_null(strstr(text, "{\"name\": \"a\""));
  assert_non_null(strstr(text, "{\"name\": \"c\""));
  assert_null(strstr(text, "{\"name\": \"b\""));
  tacit_string_free(text);
  text = template_of("\xc3\xa9,\xe2\x82\xac,\xf0\x9f\x98\x80", NULL);
  assert_non_null(strstr(text, "{\"name\": \"\xe2\x82\xac\""));
  tacit_string_free(text);
  text = template_of("a;b,c,d", NULL);
  assert_non_null(strstr(text, "\"delimiter\": \",\""));
  tacit_string_free(text);
  tacit_string_free(NULL);
}

static void bad_headers_get_no_template(void **state) {
  (void)state;
  static const struct {
    const char *text, *label, *message;
    tacit_status status;
  } cases[] = {
      {"", NULL, ": the file has no header line", TACIT_EDATA},
      {"\n \n", NULL, ": the file has no header line", TACIT_EDATA},
      {"one\n", NULL,
       ": the header has one column; names are separated by , ; | or tab", TACIT_EDATA},
      {"a,,b\n", NULL, ": column 2 of the header must have a name of 1 to 256 bytes",
       TACIT_EDATA},
      {"a,b,a\n", NULL, ": two columns of the header have the same name; rename one",
       TACIT_EDATA},
      {"a,b\xff\n", NULL, ": column 2 of the header is not UTF-8; convert the file",
       TACIT_EDATA},
      {"a,\xed\xa0\x80\n", NULL, /* a surrogate */
       ": column 2 of the header is not UTF-8; convert the file", TACIT_EDATA},
      {"a,\xc0\xaf\n", NULL, /* too long a form of '/' */
       ": column 2 of the header is not UTF-8; convert the file", TACIT_EDATA},
      {"\xe2\x82,b\n", NULL, /* cut short */
       ": column 1 of the header is not UTF-8; convert the file", TACIT_EDATA},
      {"a,b\x01\n", NULL, ": column 2 of the header holds a control character",
       TACIT_EDATA},
      {"a,\"b\n", NULL,
       ": header, field 2: a quote is not closed (a field with line breaks needs "
       "\"quoted_newlines\": true in the schema)",
       TACIT_EDATA},
      {"a,b\n", "z", ": no column 'z' in the header for the label", TACIT_EINVAL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    char *out = NULL;
    tacit_error err;
    const char *path = file_of("t.csv", cases[i].text);
    assert_int_equal(template_from(path, cases[i].label, &out, &err), cases[i].status);
    assert_null(out);
    assert_string_equal(err.message + strlen(path), cases[i].message);
  }
  char *out = NULL;
  assert_int_equal(template_from("/nonexistent", NULL, &out, NULL), TACIT_EIO);
  assert_int_equal(template_from(NULL, NULL, &out, NULL), TACIT_EINVAL);
  assert_null(out);
}

static void long_names_leave_room_for_the_message(void **state) {
  (void)state;
  char json[900], name[300] = "";
  for (int i = 0; i < 100; ++i)
    (void)strcat(name, "\xc3\xa9");
  (void)snprintf(json, sizeof json,
                 HEAD LABEL ", \"columns\": [{\"name\": \"%s\", \"type\": \"numeric\", "
                            "\"min\": null, \"max\": null}]}",
                 name);
  tacit_schema *schema;
  tacit_error err;
  assert_int_equal(tacit_schema_load(file_of("s.json", json), 0, &schema, &err),
                   TACIT_EDATA);
  assert_non_null(strstr(err.message, "column '...\xc3\xa9"));
  assert_non_null(strstr(err.message, "\xc3\xa9': min and max are not filled in"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_whole_schema),
      cmocka_unit_test(plain_schemas),
      cmocka_unit_test(more_than_two_classes),
      cmocka_unit_test(as_many_classes_as_are_allowed),
      cmocka_unit_test(json_gives_the_same_schema_back),
      cmocka_unit_test(many_classes_stay_short_in_json),
      cmocka_unit_test(embedded_schemas_are_checked_too),
      cmocka_unit_test(bad_files_are_refused),
      cmocka_unit_test(bad_columns_are_refused),
      cmocka_unit_test(bad_labels_are_refused),
      cmocka_unit_test(a_template_is_to_be_completed),
      cmocka_unit_test(a_template_reads_the_header_only),
      cmocka_unit_test(bad_headers_get_no_template),
      cmocka_unit_test(long_names_leave_room_for_the_message),
  };
  return cmocka_run_group_tests(tests, folder_setup, folder_teardown);
}
