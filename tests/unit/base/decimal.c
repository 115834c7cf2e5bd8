/* SPDX-License-Identifier: MIT */
/* Doubles as text, against printf and strtod. */
#include "check.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "vault/words.h"

static const unsigned char test_key[32] = "decimal tests";

/* "%.17g", marked as a real, its exponent as short as can be. */
static void slow_text(double value, char *out) {
  (void)sprintf(out, "%.17g", value);
  if (strpbrk(out, ".e") == NULL) strcat(out, ".0");
  char *digits = strchr(out, 'e');
  if (digits == NULL) return;
  int exponent = atoi(digits + 1);
  (void)sprintf(digits + 1, "%d", exponent);
}

/* 1 when it was written, and then as printf writes it. */
static int check_one(double value) {
  char text[TACIT_DECIMAL_SIZE + 1], expected[64];
  memset(text, '#', sizeof text);
  size_t size = tacit_decimal_write(value, text);
  if (size == 0) {
    assert_true(text[0] == '#');
    return 0;
  }
  assert_true(size < TACIT_DECIMAL_SIZE && text[TACIT_DECIMAL_SIZE] == '#');
  text[size] = '\0';
  slow_text(value, expected);
  assert_string_equal(text, expected);
  double back = strtod(text, NULL);
  assert_memory_equal(&back, &value, sizeof value);
  return 1;
}

static double from_bits(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static void all_magnitudes_are_written_as_printf_does(void **state) {
  (void)state;
  tacit_words words;
  tacit_words_init(&words, test_key);
  int written = 0;
  for (int i = 0; i < 200000; ++i) {
    uint64_t word = tacit_words_next(&words);
    written += check_one(from_bits(word)); /* any double at all */
    /* The magnitudes of weights: 2^-127 to 2^50. */
    uint64_t exponent = 1023 - 126 + (word >> 52 & 0x7ff) % 175;
    check_one(from_bits((word & ~(UINT64_C(0x7ff) << 52)) | exponent << 52));
    check_one(
        ldexp((double)(word & 0xffff), -(int)(word >> 59))); /* few digits, ties */
    check_one((double)(int64_t)(word >> 14) / 1000);
  }
  assert_true(written > 10000); /* 170 of 2048 exponents */
}

static void borders_are_right(void **state) {
  (void)state;
  for (int k = -38; k <= 15; ++k) {
    double power =
        strtod((char[]){'1', 'e', k < 0 ? '-' : '+', (char)('0' + abs(k) / 10),
                        (char)('0' + abs(k) % 10), '\0'},
               NULL);
    assert_true(check_one(power) && check_one(-power));
    double below = power, above = power;
    for (int i = 0; i < 20; ++i) { /* 9.99… and 1.00… */
      below = nextafter(below, 0);
      above = nextafter(above, INFINITY);
      if (k > -38) assert_true(check_one(below));
      if (k < 15) assert_true(check_one(above));
    }
  }
  for (int e = -126; e <= 49; ++e)
    assert_true(check_one(ldexp(1, e)) && check_one(-nextafter(ldexp(1, e), 0)));
  assert_true(check_one(0.0) && check_one(-0.0) && check_one(0.1) && check_one(123456));
}

static void the_rest_is_left_alone(void **state) {
  (void)state;
  const double values[] = {NAN,     INFINITY, -INFINITY, DBL_MAX,
                           DBL_MIN, 1.1e15,   9e-39,     DBL_TRUE_MIN};
  for (size_t i = 0; i < sizeof values / sizeof *values; ++i)
    assert_false(check_one(values[i]));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_magnitudes_are_written_as_printf_does),
      cmocka_unit_test(borders_are_right),
      cmocka_unit_test(the_rest_is_left_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
