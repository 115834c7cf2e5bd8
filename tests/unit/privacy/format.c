/* SPDX-License-Identifier: MIT */
/* privacy/: numbers as text that never cross the value. */
#include "check.h"

#include "privacy/format.h"
#include "vault/words.h"

#include <float.h>
#include <stdlib.h>

/*
 * The source once more, compiled against a printf and a strtod of a locale with a
 * decimal comma: such a locale need not be installed.
 */
static int comma_snprintf(char *out, size_t size, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int length = vsnprintf(out, size, format, args);
  va_end(args);
  /* only what a conversion of a real wrote, not a point that stands in the format */
  for (char *at = out; strncmp(format, "%.", 2) == 0 && *at != '\0'; ++at)
    if (*at == '.') *at = ',';
  return length;
}

static double comma_strtod(const char *text, char **end) {
  char copy[80];
  assert_null(end);
  (void)snprintf(copy, sizeof copy, "%s", text);
  copy[strcspn(copy, ".")] = '\0'; /* a point ends the number */
  for (char *at = copy; *at != '\0'; ++at)
    if (*at == ',') *at = '.';
  return strtod(copy, NULL);
}

void comma_format_up(double value, int digits, char *out);
void comma_format_down(double value, int digits, char *out);
void comma_format_shortest(double value, char *out);
#undef snprintf /* a macro where the headers check formats */
#define snprintf comma_snprintf
#define strtod comma_strtod
#define tacit_format_up comma_format_up
#define tacit_format_down comma_format_down
#define tacit_format_shortest comma_format_shortest
#include "privacy/format.c"
#undef snprintf
#undef strtod
#undef tacit_format_up
#undef tacit_format_down
#undef tacit_format_shortest

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void numbers_are_written_as_expected(void **state) {
  (void)state;
  static const struct {
    double value;
    int digits;
    const char *up, *down;
  } rows[] = {
      {0, 6, "0", "0"},
      {-0.0, 3, "0", "0"},
      {1, 6, "1", "1"},
      {.1, 6, "0.1", "0.1"},
      {1e-5, 6, "1e-05", "1e-05"},
      {4.3771780956812, 6, "4.37718", "4.37717"},
      {4.3771780956812, 3, "4.38", "4.37"},
      {999.9999, 6, "1000", "999.999"},
      {1.0000000001, 6, "1.00001", "1"},
      {.99999999, 6, "1", "0.999999"},
      {123456789, 6, "1.23457e+08", "1.23456e+08"},
      {120, 6, "120", "120"},
      {.00012345678, 4, "0.0001235", "0.0001234"},
      {-2.00001, 3, "-2", "-2.01"},
      {1e-300, 6, "1e-300", "1e-300"},
      {INFINITY, 6, "inf", "inf"},
      {-INFINITY, 6, "-inf", "-inf"},
      {DBL_MAX, 3, "1.8e+308", "1.79e+308"},
  };
  for (size_t i = 0; i < COUNT(rows); ++i) {
    char text[TACIT_NUMBER_TEXT];
    tacit_format_up(rows[i].value, rows[i].digits, text);
    assert_string_equal(text, rows[i].up);
    tacit_format_down(rows[i].value, rows[i].digits, text);
    assert_string_equal(text, rows[i].down);
  }
}

static void texts_never_cross_the_value(void **state) {
  (void)state;
  static const unsigned char key[TACIT_KEY_BYTES] = {42};
  tacit_words words;
  tacit_words_init(&words, key);
  for (int i = 0; i < 60000; ++i) {
    uint64_t bits = tacit_words_next(&words);
    double value;
    memcpy(&value, &bits, sizeof value);
    /* every other one of everyday size */
    if (i % 2 == 0) value = ldexp((double)(bits >> 11), -53 + (int)(bits % 40) - 20);
    if (!isfinite(value)) continue;
    int digits = 1 + (int)(tacit_words_next(&words) % 17);
    char up[TACIT_NUMBER_TEXT], down[TACIT_NUMBER_TEXT], shortest[TACIT_NUMBER_TEXT];
    tacit_format_up(value, digits, up);
    tacit_format_down(value, digits, down);
    tacit_format_shortest(value, shortest);
    assert_true(strtod(up, NULL) >= value);
    assert_true(strtod(down, NULL) <= value);
    assert_true(strtod(shortest, NULL) == value);
    /* and one of the two is what %g writes: nothing is given away */
    char nearest[40];
    (void)snprintf(nearest, sizeof nearest, "%.*g", digits, value);
    if (strcmp(nearest, up) != 0) assert_string_equal(nearest, down);
  }
  tacit_words_wipe(&words);
}

static void texts_do_not_depend_on_the_locale(void **state) {
  (void)state;
  char up[TACIT_NUMBER_TEXT], down[TACIT_NUMBER_TEXT];
  (void)comma_snprintf(up, sizeof up, "%.2f", 1.25);
  assert_string_equal(up, "1,25"); /* the stand-in does write commas */
  assert_true(comma_strtod("1.5", NULL) == 1);
  comma_format_up(4.3771780956812, 6, up);
  assert_string_equal(up, "4.37718");
  comma_format_down(4.3771780956812e-9, 6, down);
  assert_string_equal(down, "4.37717e-09");
  comma_format_shortest(0.1, up);
  assert_string_equal(up, "0.1");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_are_written_as_expected),
      cmocka_unit_test(texts_never_cross_the_value),
      cmocka_unit_test(texts_do_not_depend_on_the_locale),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
