/* SPDX-License-Identifier: MIT */
/* data/: decimal numbers are the nearest double, in every locale. */
#include "check.h"

#include <locale.h>
#include <stdlib.h>

#include "data/number.h"

static locale_t c_locale;

static int setup(void **state) {
  (void)state;
  c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  return c_locale != (locale_t)0 ? 0 : -1;
}

static int teardown(void **state) {
  (void)state;
  freelocale(c_locale);
  return 0;
}

static int parse(const char *text, double *out) {
  return tacit_number_parse(text, text + strlen(text), c_locale, out);
}

static void check_same(const char *text) {
  double value = 0, expected = strtod_l(text, NULL, c_locale);
  int is_finite = isfinite(expected);
  if (parse(text, &value) != is_finite) fail_msg("%s: accepted or refused", text);
  if (is_finite && memcmp(&value, &expected, sizeof value) != 0)
    fail_msg("%s: %a, expected %a", text, value, expected);
}

static uint64_t random_word(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

static void numbers_are_the_nearest_double(void **state) {
  (void)state;
  static const char *const texts[] = {
      "0",
      "-0",
      "+0.0",
      "0e999999999999",
      "1",
      "-1",
      "+1",
      "1.",
      ".5",
      "-.5e-3",
      "9007199254740992",
      "9007199254740993",
      "9007199254740991e22",
      "1e22",
      "1e23",
      "1e-22",
      "1e-23",
      "123456789012345678",
      "0.1",
      "0.30000000000000004",
      "1.7976931348623157e308",
      "4.9e-324",
      "2.4703282292062328e-324",
      "2.2250738585072011e-308",
      "1e-400",
      "1e-99999999999999999999",
      "000000000000000000001.5",
      "0.000000000000000000000000000001",
      "1E5",
      "1e+5",
      "8.5e15",
      "1797693134862315700000000000000000000000000000000000000000000000000000000"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i)
    check_same(texts[i]);
}

static void random_numbers_agree_with_strtod(void **state) {
  (void)state;
  uint64_t word = 88172645463325252u;
  char text[80];
  for (int i = 0; i < 100000; ++i) {
    uint64_t shape = random_word(&word);
    int digits = 1 + (int)(shape % 20), size = 0;
    int point = (int)(shape >> 8) % 24;
    if (shape >> 16 & 1) text[size++] = shape >> 17 & 1 ? '-' : '+';
    for (int j = 0; j < digits; ++j) {
      if (j == point) text[size++] = '.';
      text[size++] = (char)('0' + random_word(&word) % 10);
    }
    if (shape >> 20 & 1) {
      int range = shape >> 21 & 1 ? 50 : 700;
      size += sprintf(text + size, "e%d",
                      (int)(random_word(&word) % (uint64_t)range) - range / 2);
    }
    text[size] = '\0';
    check_same(text);
  }
  /* Every double survives 17 digits. */
  for (int i = 0; i < 20000; ++i) {
    uint64_t bits = random_word(&word);
    double value, back;
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value)) continue;
    (void)snprintf(text, sizeof text, "%.17g", value);
    assert_int_equal(parse(text, &back), 1);
    assert_memory_equal(&back, &value, sizeof value);
  }
}

static void what_is_no_finite_number_is_refused(void **state) {
  (void)state;
  static const char *const texts[] = {
      "",     "+",       "-",     ".",      "-.",
      "e5",   ".e5",     "1e",    "1e+",    "1e-",
      "nan",  "NaN",     "inf",   "-inf",   "infinity",
      "0x10", "0x1p3",   "1e400", "-1e400", "1e99999999999999999999",
      " 1",   "1 ",      "1,5",   "1_000",  "1e5.5",
      "--1",  "1-",      "1f",    "1e5e5",  "..1",
      "1..",  "\xd9\xa1"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
    double value = 7;
    if (parse(texts[i], &value)) fail_msg("accepted: %s", texts[i]);
    assert_true(value == 7);
  }
}

static void long_numbers(void **state) {
  (void)state;
  char text[TACIT_NUMBER_MOST + 2];
  double value;
  memset(text, '9', sizeof text);
  memcpy(text, "0.", 2);
  assert_int_equal(tacit_number_parse(text, text + TACIT_NUMBER_MOST, c_locale, &value),
                   1);
  assert_true(value == 1);
  assert_int_equal(
      tacit_number_parse(text, text + TACIT_NUMBER_MOST + 1, c_locale, &value), 0);
  /* The decimal expansion of the smallest double, exactly. */
  char exact[1200];
  (void)snprintf(exact, sizeof exact, "%.1074f", 4.9406564584124654e-324);
  assert_int_equal(parse(exact, &value), 1);
  assert_true(value == 4.9406564584124654e-324);
}

/* A comma locale where the system has one; the point is a point in any case. */
static void the_locale_of_the_program_does_not_matter(void **state) {
  (void)state;
  static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8",
                                        "de_DE", "C.UTF-8"};
  for (size_t i = 0; i < sizeof locales / sizeof locales[0]; ++i) {
    (void)setlocale(LC_ALL, locales[i]);
    double value;
    assert_int_equal(parse("1.5", &value), 1);
    assert_true(value == 1.5);
    assert_int_equal(parse("3.14159265358979323846", &value), 1); /* the slow path */
    assert_true(value == 3.14159265358979323846);
    assert_int_equal(parse("1,5", &value), 0);
    (void)setlocale(LC_ALL, "C");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_are_the_nearest_double),
      cmocka_unit_test(random_numbers_agree_with_strtod),
      cmocka_unit_test(what_is_no_finite_number_is_refused),
      cmocka_unit_test(long_numbers),
      cmocka_unit_test(the_locale_of_the_program_does_not_matter),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
