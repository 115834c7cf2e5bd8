/* SPDX-License-Identifier: MIT */
/* The digest of a model covers every value of its file, but not how it is written;
   files without a digest are recognised. */
#include "check.h"

#include <jansson.h>
#include <stdlib.h>
#include <tacit/tacit.h>

#include "base/json.h"

enum { ROWS = 64, FEATURES = 3 };

static tacit_model *model;
static json_t *file; /* as the model is written */

static tacit_status trained(tacit_model **out, tacit_error *err) {
  static const double raw_values[ROWS * FEATURES] = {1, .5, -.5, .25, 1, 0};
  double raw_labels[ROWS];
  for (int i = 0; i < ROWS; ++i)
    raw_labels[i] = i % 3 == 0 ? 1 : -1;
  tacit_config config;
  tacit_config_init(&config);
  config.rows = ROWS;
  config.epsilon = 1;
  config.loss = "hinge";
  config.threads = 1;
  tacit_batch batch;
  tacit_batch_init(&batch);
  batch.n_rows = ROWS;
  batch.n_features = FEATURES;
  batch.raw_values = raw_values;
  batch.raw_labels = raw_labels;
  tacit_schema *schema = NULL;
  tacit_train *train = NULL;
  tacit_status status = tacit_schema_memory(FEATURES, 2, 0, 0, &schema, err);
  config.schema = schema;
  if (status == TACIT_OK) status = tacit_train_new(&config, &train, err);
  if (status == TACIT_OK) status = tacit_train_feed(train, &batch, err);
  if (status == TACIT_OK) status = tacit_train_finish(train, out, err);
  tacit_train_free(train);
  tacit_schema_free(schema);
  return status;
}

static int make_model(void **state) {
  (void)state;
  tacit_error err;
  char *text = NULL;
  CHECK_OK(trained(&model, &err), err);
  CHECK_OK(tacit_model_text(model, &text, &err), err);
  file = json_loads(text, 0, NULL);
  tacit_string_free(text);
  return file == NULL;
}

static int free_model(void **state) {
  (void)state;
  tacit_model_free(model);
  json_decref(file);
  return 0;
}

static tacit_status parsed(const json_t *json, size_t flags, tacit_model **out,
                           tacit_error *err) {
  char *text = json_dumps(json, flags | JSON_REAL_PRECISION(17));
  assert_non_null(text);
  tacit_status status = tacit_model_parse(text, strlen(text), out, err);
  free(text);
  return status;
}

static void check_edited(const json_t *json, const char *word) {
  tacit_model *edited = NULL;
  tacit_error err = {TACIT_OK, ""};
  assert_int_equal(parsed(json, JSON_INDENT(1), &edited, &err), TACIT_EDATA);
  if (strstr(err.message, word) == NULL) fail_msg("%s: %s", word, err.message);
  assert_null(edited);
}

static void a_new_model_has_a_digest(void **state) {
  (void)state;
  const char *digest = tacit_model_digest(model);
  assert_int_equal(strlen(digest), 64);
  assert_int_equal(strspn(digest, "0123456789abcdef"), 64);
  const json_t *statement = json_object_get(file, "statement");
  assert_string_equal(json_string_value(json_object_get(statement, "digest")), digest);
  assert_non_null(strstr(tacit_model_statement_json(model), digest));
}

/* The members of every object the other way round. */
static json_t *reversed(json_t *json) {
  if (!json_is_object(json)) return json_incref(json);
  size_t count = json_object_size(json), i = count;
  const char *keys[64];
  const char *key;
  json_t *value, *result = json_object();
  assert_in_range(count, 0, 64);
  json_object_foreach(json, key, value) keys[--i] = key;
  for (i = 0; i < count; ++i) {
    json_t *member = json_object_get(json, keys[i]);
    assert_int_equal(json_object_set_new(result, keys[i], reversed(member)), 0);
  }
  return result;
}

static void spaces_and_the_order_of_keys_do_not_matter(void **state) {
  (void)state;
  json_t *turned = reversed(file);
  tacit_model *again = NULL;
  tacit_error err;
  CHECK_OK(parsed(turned, JSON_COMPACT, &again, &err), err);
  assert_string_equal(tacit_model_digest(again), tacit_model_digest(model));
  tacit_model_free(again);
  again = NULL;
  CHECK_OK(parsed(turned, JSON_INDENT(7) | JSON_ENSURE_ASCII, &again, &err), err);
  tacit_model_free(again);
  json_decref(turned);
}

/* Another value of the same kind, where the file's rules allow one. */
static json_t *other(const json_t *value) {
  switch (json_typeof(value)) {
  case JSON_REAL: return json_real(nextafter(json_real_value(value), INFINITY));
  case JSON_INTEGER: return json_integer(json_integer_value(value) + 1);
  case JSON_STRING: return json_sprintf("%s'", json_string_value(value));
  case JSON_TRUE: return json_false();
  case JSON_FALSE: return json_true();
  default: return json_real(1.5);
  }
}

/* Changes each value under `json`, one at a time; returns how many there were. */
static int edit_all(json_t *json) {
  int tried = 0;
  const char *key;
  json_t *value;
  void *next;
  for (size_t i = 0; i < json_array_size(json); ++i) {
    value = json_incref(json_array_get(json, i));
    tried += edit_all(value);
    if (!json_is_array(value) && !json_is_object(value)) {
      assert_int_equal(json_array_set_new(json, i, other(value)), 0);
      check_edited(file, "");
      assert_int_equal(json_array_set(json, i, value), 0);
      ++tried;
    }
    json_decref(value);
  }
  json_object_foreach_safe(json, next, key, value) {
    json_incref(value);
    tried += edit_all(value);
    if (!json_is_array(value) && !json_is_object(value)) {
      assert_int_equal(json_object_set_new(json, key, other(value)), 0);
      check_edited(file, "");
      assert_int_equal(json_object_set(json, key, value), 0);
      ++tried;
    }
    json_decref(value);
  }
  return tried;
}

static void any_edited_value_is_refused(void **state) {
  (void)state;
  assert_in_range(edit_all(file), 60, 90);
  tacit_model *again = NULL;
  tacit_error err;
  CHECK_OK(parsed(file, 0, &again, &err), err); /* all is as it was */
  tacit_model_free(again);
}

/* What a cheat would try first: a better epsilon whose mu and delta agree with it. */
static void a_smaller_epsilon_is_refused(void **state) {
  (void)state;
  json_t *edited = json_deep_copy(file);
  json_t *statement = json_object_get(edited, "statement");
  json_object_set_new(statement, "epsilon", json_real(0.5));
  json_object_set_new(statement, "mu", json_real(0.1));
  check_edited(edited, "digest does not fit");
  json_object_set_new(statement, "digest", json_string(""));
  check_edited(edited, "digest");
  json_object_set_new(statement, "digest", json_null());
  check_edited(edited, "have a digest");
  json_object_del(statement, "digest");
  check_edited(edited, "have a digest");
  json_decref(edited);
}

static void nothing_is_added_beside_the_digest(void **state) {
  (void)state;
  json_t *edited = json_deep_copy(file);
  json_object_set_new(edited, "epsilon", json_real(0.1));
  check_edited(edited, "fields");
  json_object_del(edited, "epsilon");
  json_object_set_new(json_object_get(edited, "training"), "x", json_real(0.1));
  check_edited(edited, "digest does not fit");
  json_object_del(json_object_get(edited, "training"), "x");
  json_object_set_new(json_object_get(edited, "schema"), "note", json_string("x"));
  check_edited(edited, "the file was edited");
  json_object_del(json_object_get(edited, "schema"), "note");
  json_object_set_new(json_object_get(edited, "loss"), "epsilon", json_real(0.1));
  check_edited(edited, "the file was edited");
  json_decref(edited);
}

/* Version 1 is known by its number: it is read, says so, and stays what it is. */
static void files_of_version_1_are_told_apart(void **state) {
  (void)state;
  json_t *old = json_deep_copy(file);
  json_object_set_new(old, "format_version", json_integer(1));
  check_edited(old, "have no digest");
  json_object_del(json_object_get(old, "statement"), "digest");
  tacit_model *read = NULL, *again = NULL;
  tacit_error err;
  char *text = NULL;
  CHECK_OK(parsed(old, 0, &read, &err), err);
  assert_null(tacit_model_digest(read));
  CHECK_OK(tacit_model_text(read, &text, &err), err);
  assert_non_null(strstr(text, "\"format_version\": 1,"));
  CHECK_OK(tacit_model_parse(text, strlen(text), &again, &err), err);
  assert_null(tacit_model_digest(again));
  tacit_string_free(text);
  tacit_model_free(read);
  tacit_model_free(again);
  json_decref(old);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_new_model_has_a_digest),
      cmocka_unit_test(spaces_and_the_order_of_keys_do_not_matter),
      cmocka_unit_test(any_edited_value_is_refused),
      cmocka_unit_test(a_smaller_epsilon_is_refused),
      cmocka_unit_test(nothing_is_added_beside_the_digest),
      cmocka_unit_test(files_of_version_1_are_told_apart),
  };
  return cmocka_run_group_tests(tests, make_model, free_model);
}
