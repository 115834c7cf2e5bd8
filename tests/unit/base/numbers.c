/* SPDX-License-Identifier: MIT */
/* The weights of a model file, written and read by hand, against jansson. */
#include "check.h"

#include <float.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "model/numbers.h"
#include "vault/words.h"

static const unsigned char test_key[32] = "number tests";

static json_t *array_of(const char *text, size_t size) {
  json_t *json = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);
  json_t *array = json_incref(json_object_get(json, "weights"));
  json_decref(json);
  return array;
}

/* What is taken is what jansson reads there, to the bit; returns how many that is. */
static size_t check_text(const char *text) {
  size_t size = strlen(text);
  char *exact = malloc(size); /* so that a tool sees a byte read behind it */
  memcpy(exact, text, size);
  tacit_numbers taken;
  tacit_error err;
  CHECK_OK(tacit_numbers_take(exact, size, &taken, &err), err);
  size_t count = taken.count;
  if (taken.values != NULL) {
    json_t *array = array_of(text, size);
    json_t *rest = array_of(taken.rest, taken.rest_size);
    assert_int_equal(json_array_size(array), count);
    for (size_t i = 0; i < count; ++i) {
      double value = json_number_value(json_array_get(array, i));
      assert_memory_equal(&value, &taken.values[i], sizeof value);
    }
    assert_true(json_is_array(rest) && json_array_size(rest) == 0);
    json_decref(array);
    json_decref(rest);
  }
  tacit_numbers_fini(&taken);
  free(exact);
  return count;
}

static void ordinary_files_are_read_by_hand(void **state) {
  (void)state;
  assert_int_equal(check_text("{\"weights\": [1.5], \"more\": {}}"), 1);
  assert_int_equal(
      check_text(
          "{\"a\":\"weights\",\"b\":{\"weights\":[3.5,4]},\"c\":[\"weights\"],"
          "\"d\\\"weights\":[7],\"weights\" :\t[ -1e-5 ,\r\n 0.25,2],\"e\":12345678}"),
      3);
  assert_int_equal(
      check_text(
          "{\n \"weights\": [\n  0.10000000000000001,\n  5e-324,\n  -0.0,\n  "
          "1.7976931348623157e308,\n  123456789012345678\n ],\n \"x\": 12345678}"),
      5);
}

static void the_rest_is_for_jansson(void **state) {
  (void)state;
  static const char *const tokens[] = {
      "01",  "+1",    "1.",    ".5",    "1.e5", "-",   "--1",
      "1e",  "nan",   "\"1\"", "null",  "[1]",  "1 2", "1,,2",
      "",    "1,",    "1e999", "-0",    "true", "0x1", "{}",
      "1]",  "-01.5", "1e+",   "1.5.5", "1_0",  "inf", "9223372036854775808",
      "1\v", "1e5e5", "- 1",   "1/**/", "1\\n"};
  for (size_t i = 0; i < sizeof tokens / sizeof *tokens; ++i) {
    char text[200];
    (void)snprintf(text, sizeof text, "{\"weights\": [2.5, %s], \"more\": [1, 2, 3]}",
                   tokens[i]);
    if (strcmp(tokens[i], "1]") != 0) assert_int_equal(check_text(text), 0);
  }
  static const char *const texts[] = {
      "",
      "[",
      "{\"weights\": [1.5]}",
      "{\"weights\": [1.5",
      "{\"weights\": [",
      "{\"weights\": [1.5,  ",
      "{\"weights\"",
      "{\"weights\": {}, \"more\": [1, 2, 3]}",
      "{\"weights\": [1111111111111111111111111111111111111111111111",
      "\"weights\": [1]",
      "[\"weights\", [1.5], 1.5, 1.5, 1.5]",
      "{\"weights\": [], \"more\": [1, 2, 3]}"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
    assert_int_equal(check_text(texts[i]), 0);
}

static void what_is_written_reads_back(void **state) {
  (void)state;
  enum { COUNT = 5000 };
  tacit_words words;
  tacit_words_init(&words, test_key);
  double numbers[COUNT] = {0.0,     -0.0,    1,    0.1,  1e300,
                           -5e-324, DBL_MAX, 1e15, 1e16, 1e17};
  for (int i = 10; i < COUNT; ++i) {
    uint64_t word = tacit_words_next(&words);
    memcpy(&numbers[i], &word, sizeof word);
    if (!isfinite(numbers[i])) numbers[i] = (double)i;
  }
  for (size_t count = 1; count <= COUNT; count += count == 1 ? 1 : COUNT - 2) {
    json_t *array = json_array(), *filled = json_array();
    for (size_t i = 0; i < count; ++i)
      json_array_append_new(filled, json_real(numbers[i]));
    json_t *file = json_pack("{s:s, s:o, s:{s:i}}", "a", "\n \"weights\": []",
                             "weights", array, "b", "weights", 1);
    char *text, *expected;
    tacit_error err;
    CHECK_OK(tacit_json_text(file, 1, &text, &err), err);
    CHECK_OK(tacit_numbers_insert(numbers, count, &text, &err), err);
    json_object_set_new(file, "weights", filled);
    CHECK_OK(tacit_json_text(file, 1, &expected, &err), err);
    assert_string_equal(text, expected);
    assert_int_equal(check_text(text), count);
    tacit_array_free(text);
    tacit_array_free(expected);
    json_decref(file);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ordinary_files_are_read_by_hand),
      cmocka_unit_test(the_rest_is_for_jansson),
      cmocka_unit_test(what_is_written_reads_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
