/* SPDX-License-Identifier: MIT */
/* data/: decimal numbers are the nearest double, in every locale. */
#include "check.h"

#include <locale.h>
#include <stdlib.h>

#include "data/text/number.h"
#include "unit/data/text/number_shapes.h"

/* Compiles the source again, with a strtod that counts its calls. */
static int n_slow;
static double counted_strtod(const char *text, char **end, locale_t locale) {
  ++n_slow;
  return strtod_l(text, end, locale);
}
extern const double counted_powers[TACIT_EXACT_POWER + 1];
const char *counted_take(const char *at, locale_t locale, double *out);
int counted_parse(const char *begin, const char *end, locale_t locale, double *out);
#define strtod_l counted_strtod
#define tacit_number_powers counted_powers
#define tacit_number_take counted_take
#define tacit_number_parse counted_parse
#include "data/text/number.c"
#undef strtod_l
#undef tacit_number_powers
#undef tacit_number_take
#undef tacit_number_parse

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

static int same_bits(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

/* Alone, and at the start of a longer text. */
static void check_same(const char *text) {
  double value = 0, taken = 0, expected = strtod_l(text, NULL, c_locale);
  int is_finite = isfinite(expected);
  size_t size = strlen(text);
  if (parse(text, &value) != is_finite) fail_msg("%s: accepted or refused", text);
  if (is_finite && !same_bits(value, expected))
    fail_msg("%s: %a, expected %a", text, value, expected);
  for (const char *behind = " ,:\n#x"; *behind != '\0'; ++behind) {
    char longer[NUMBER_SHAPE_ROOM + 10];
    memcpy(longer, text, size);
    memset(longer + size, '7', 10);
    longer[size] = *behind;
    const char *stop = tacit_number_take(longer, c_locale, &taken);
    if (stop != (is_finite ? longer + size : NULL)) fail_msg("%s: where it ends", text);
    if (is_finite && !same_bits(taken, expected)) fail_msg("%s: before more", text);
    const char *fast = tacit_number_fast(longer, &taken);
    if (fast != NULL && (fast != longer + size || !same_bits(taken, expected)))
      fail_msg("%s: the fast parser", text);
  }
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
  char text[NUMBER_SHAPE_ROOM];
  for (int i = 0; i < 100000; ++i) {
    (void)number_shape(&word, text);
    check_same(text);
  }
}

/* Which way is used depends on the number of digits and the position of the point. */
static void every_count_of_digits_and_places(void **state) {
  (void)state;
  uint64_t word = 1442695040888963407u;
  for (int whole = 0; whole <= 26; ++whole) {
    for (int places = 0; places <= 26; ++places) {
      if (whole + places == 0) continue;
      for (int zeros = 0; zeros < 3; ++zeros) {
        char text[64], *at = text;
        if (zeros == 2) *at++ = '-';
        at = number_digits(&word, whole, at);
        *at++ = '.';
        at = number_digits(&word, places, at);
        *at = '\0';
        if (zeros == 1) memset(text, '0', (size_t)whole);
        check_same(text);
        if (places == 0) {
          at[-1] = '\0';
          check_same(text);
        }
      }
    }
  }
}

/* Doubles as programs print them do not need strtod. */
static void every_double_survives_17_digits_without_strtod(void **state) {
  (void)state;
  uint64_t word = 6364136223846793005u;
  char text[NUMBER_SHAPE_ROOM];
  double back;
  n_slow = 0;
  for (int i = 0; i < 40000; ++i) {
    double value = number_any(&word);
    if (i % 2 == 0) value = ldexp((double)(number_word(&word) >> 11), -53);
    if (fabs(value) < DBL_MIN || fabs(value) > DBL_MAX / 4) continue;
    size_t size = (size_t)snprintf(text, sizeof text, "%.17g", value);
    assert_int_equal(counted_parse(text, text + size, c_locale, &back), 1);
    assert_true(same_bits(back, value));
  }
  assert_int_equal(n_slow, 0);
  /* ties do need it: the count works */
  static const char tie[] = "9007199254740993";
  assert_int_equal(counted_parse(tie, tie + sizeof tie - 1, c_locale, &back), 1);
  assert_true(back == 9007199254740992);
  assert_int_equal(n_slow, 1);
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
  char text[TACIT_NUMBER_MAX + 2];
  double value;
  memset(text, '9', sizeof text);
  memcpy(text, "0.", 2);
  assert_int_equal(tacit_number_parse(text, text + TACIT_NUMBER_MAX, c_locale, &value),
                   1);
  assert_true(value == 1);
  assert_int_equal(
      tacit_number_parse(text, text + TACIT_NUMBER_MAX + 1, c_locale, &value), 0);
  /* The decimal expansion of the smallest double, exactly. */
  char exact[1200];
  (void)snprintf(exact, sizeof exact, "%.1074f", 4.9406564584124654e-324);
  assert_int_equal(parse(exact, &value), 1);
  assert_true(value == 4.9406564584124654e-324);
}

/* Any bytes: both ways find the first character up to ' ' within the next 32. */
static void blanks_ahead(void **state) {
  (void)state;
  uint64_t word = 1181783497276652981u;
  for (int i = 0; i < 20000; ++i) {
    char text[TACIT_AHEAD];
    size_t expected = 0;
    for (size_t j = 0; j < sizeof text; ++j) {
      uint64_t kind = number_word(&word) % 40;
      text[j] = (char)(kind == 0   ? number_word(&word) % 33
                       : kind < 10 ? 33 + number_word(&word) % 223
                                   : '0' + number_word(&word) % 10);
    }
    while (expected < sizeof text && (unsigned char)text[expected] > ' ')
      ++expected;
    assert_ptr_equal(tacit_ahead_blank(text), text + expected);
    assert_ptr_equal(tacit_ahead_plain(text), text + expected);
  }
}

/* A locale with a decimal comma, if the system has one: numbers still have a point. */
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
      cmocka_unit_test(every_count_of_digits_and_places),
      cmocka_unit_test(every_double_survives_17_digits_without_strtod),
      cmocka_unit_test(what_is_no_finite_number_is_refused),
      cmocka_unit_test(long_numbers),
      cmocka_unit_test(blanks_ahead),
      cmocka_unit_test(the_locale_of_the_program_does_not_matter),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
