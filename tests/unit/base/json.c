/* SPDX-License-Identifier: MIT */
/* base/json_read: takes what jansson's own reader takes and refuses what it refuses,
   gives the same values, and fails cleanly when memory ends. */
#include "check.h"

#include <jansson.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/json.h"
#include "vault/words.h"

static const char *const texts[] = {
    "{}",
    "[]",
    " \t\r\n[ ] \n",
    "{\"a\": 1, \"b\": [true, false, null], \"c\": {\"d\": \"e\"}}",
    "[0, -0, -1, 12, 9223372036854775807, -9223372036854775808]",
    "[9223372036854775808]",
    "[-9223372036854775809]",
    "[0.0, -0.0, 1.5, 1e3, 1E+3, 1e-3, 0.1e1, 123456789012345678901234567890.5]",
    "[1e308, 5e-324, 1e-400, 2.2250738585072011e-308, 0.1, 1.7976931348623157e308]",
    "[1e309]",
    "[01]",
    "[-00.5e1]",
    "[1.]",
    "[.5]",
    "[+1]",
    "[1e]",
    "[1e+]",
    "[-]",
    "[- 1]",
    "[0x10]",
    "[1",
    "[1,",
    "[1,]",
    "[,1]",
    "[1 2]",
    "[NaN]",
    "[Infinity]",
    "[tru]",
    "[truer]",
    "[nullnull]",
    "[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\u20AC\\ud83d\\ude00\"]",
    "[\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"]",
    "[\"\\ud83d\"]",
    "[\"\\ude00\"]",
    "[\"\\ud83d\\u0041\"]",
    "[\"\\u0000\"]",
    "[\"\\u00g0\"]",
    "[\"\\x41\"]",
    "[\"\xc0\x80\"]",
    "[\"\xe0\x80\x80\"]",
    "[\"\xed\xa0\x80\"]",
    "[\"\xf4\x90\x80\x80\"]",
    "[\"\xff\"]",
    "[\"\xc3\"]",
    "[\"tab\there\"]",
    "[\"line\nhere\"]",
    "[\"open]",
    "{\"a\": 1, \"a\": 2}",
    "{\"a\": 1, \"\\u0061\": 2}",
    "{\"a\"}",
    "{\"a\": }",
    "{\"a\" 1}",
    "{a: 1}",
    "{\"a\": 1,}",
    "{\"\": \"\"}",
    "{} x",
    "{}{}",
    "[]]",
    "",
    "   ",
    "1",
    "\"text\"",
    "null",
    "\xef\xbb\xbf{}",
    "// comment\n{}",
};
enum { TEXTS = sizeof texts / sizeof texts[0] };

/* A copy that ends where readable memory ends, so that a read past it is a fault. It
   lasts until the next one. */
static char *copy_to_the_edge(const char *bytes, size_t size) {
  static char *pages = NULL;
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  if (pages == NULL) {
    pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                 -1, 0);
    assert_true(pages != MAP_FAILED);
    assert_int_equal(mprotect(pages + page, page, PROT_NONE), 0);
  }
  assert_true(size <= page);
  return memcpy(pages + page - size, bytes, size);
}

/* Both readers on the same bytes. */
static void compare(const char *bytes, size_t size) {
  char *text = copy_to_the_edge(bytes, size);
  json_t *ours = NULL;
  tacit_error err = {TACIT_OK, ""};
  tacit_status status = tacit_json_parse(text, size, "text", &ours, &err);
  json_t *theirs = NULL; /* it passes over zeros behind numbers: we do not */
  if (memchr(text, '\0', size) == NULL)
    theirs = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);
  if ((status == TACIT_OK) != (theirs != NULL))
    fail_msg("%s by jansson only: %.*s", theirs != NULL ? "taken" : "refused",
             (int)size, text);
  if (status == TACIT_OK) {
    assert_true(json_equal(ours, theirs));
    char *of_ours = json_dumps(ours, JSON_REAL_PRECISION(17));
    char *of_theirs = json_dumps(theirs, JSON_REAL_PRECISION(17));
    assert_string_equal(of_ours, of_theirs); /* -0.0, order, kinds of numbers */
    free(of_ours);
    free(of_theirs);
  } else {
    assert_int_equal(status, TACIT_EDATA);
    assert_non_null(strstr(err.message, "text: not JSON: line "));
    assert_null(ours);
  }
  json_decref(ours);
  json_decref(theirs);
}

static void texts_are_read_as_jansson_reads_them(void **state) {
  (void)state;
  for (int i = 0; i < TEXTS; ++i)
    for (size_t size = 0; size <= strlen(texts[i]); ++size) /* cut off everywhere */
      compare(texts[i], size);
  compare("[\"a\0b\"]", 7);
  compare("[]\0", 3);
}

static void changed_texts_are_read_as_jansson_reads_them(void **state) {
  (void)state;
  static const char likely[] = "{}[],:\"\\u0123456789abcdefE+-. \n\t\xc3\xa9\xed\xf0";
  static const unsigned char key[TACIT_KEY_BYTES] = "json tests";
  tacit_words words;
  tacit_words_init(&words, key);
  char text[160];
  for (int round = 0; round < 60000; ++round) {
    const char *from = texts[tacit_words_next(&words) % TEXTS];
    size_t size = strlen(from);
    memcpy(text, from, size);
    for (uint64_t changes = 1 + tacit_words_next(&words) % 3; changes > 0; --changes) {
      uint64_t word = tacit_words_next(&words);
      if (size == 0) break;
      text[word % size] = (word >> 32 & 3) == 0
                              ? (char)(word >> 40)
                              : likely[(word >> 40) % (sizeof likely - 1)];
    }
    compare(text, size);
  }
}

static void faults_are_placed(void **state) {
  (void)state;
  static const struct {
    const char *text, *place;
  } cases[] = {
      {"{\n \"a\": 1,\n \"b\": x}", "line 3, column 7"},
      {"{\"\xc3\xa9\": 1 2}", "line 1, column 9"},
      {"[1,\n2", "line 2, column 2"},
      {"", "line 1, column 1"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    json_t *json = NULL;
    tacit_error err;
    assert_int_equal(
        tacit_json_parse(cases[i].text, strlen(cases[i].text), "f.json", &json, &err),
        TACIT_EDATA);
    if (strstr(err.message, cases[i].place) == NULL)
      fail_msg("%s: %s", cases[i].place, err.message);
  }
}

static void nesting_ends(void **state) {
  (void)state;
  char text[2002];
  memset(text, '[', 1000);
  memset(text + 1000, ']', 1000);
  json_t *json = NULL;
  assert_int_equal(tacit_json_parse(text, 2000, "text", &json, NULL), TACIT_EDATA);
  CHECK_OK(tacit_json_parse(text + 744, 512, "text", &json, NULL), (tacit_error){0});
  json_decref(json);
}

/* jansson's memory is ours to fail here: request number `left` and all after it. */
static int left;

static void *failing_malloc(size_t size) { return left-- > 0 ? malloc(size) : NULL; }

static void memory_that_ends_is_said(void **state) {
  (void)state;
  static const char text[] = "{\"a\": [1, 2.5, \"text\", {\"b\": null, \"c\": [[]]}], "
                             "\"d\": 1, \"e\": 2, \"f\": 3, \"g\": 4, \"h\": 5, "
                             "\"i\": 6, \"j\": 7, \"k\": 8, \"l\": [9, 9, 9, 9, 9, 9, "
                             "9, 9, 9, 9]}";
  json_set_alloc_funcs(failing_malloc, free);
  int failed = 0;
  for (;; ++failed) {
    json_t *json = NULL;
    tacit_error err = {TACIT_OK, ""};
    left = failed;
    tacit_status status = tacit_json_parse(text, strlen(text), "text", &json, &err);
    json_decref(json);
    if (status == TACIT_OK) break;
    assert_int_equal(status, TACIT_ENOMEM);
    assert_null(strstr(err.message, "line"));
    assert_non_null(strstr(err.message, "memory"));
  }
  json_set_alloc_funcs(malloc, free);
  assert_in_range(failed, 20, 200);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts_are_read_as_jansson_reads_them),
      cmocka_unit_test(changed_texts_are_read_as_jansson_reads_them),
      cmocka_unit_test(faults_are_placed),
      cmocka_unit_test(nesting_ends),
      cmocka_unit_test(memory_that_ends_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
