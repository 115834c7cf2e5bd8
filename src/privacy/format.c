/* SPDX-License-Identifier: MIT */
/*
 * Numbers as text, rounded in a known direction and the same in every locale. printf
 * computes the digits, and its decimal point is skipped. To compare the text with the
 * number, the digits are read back as an integer with an exponent ("12345e-9"), which
 * needs no decimal point.
 */
#include "privacy/format.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tacit/account.h>

/* MAX_DIGITS is 17 because 17 digits distinguish any two doubles. From 10^PLAIN_PLACES
   on, tacit_format_shortest writes an exponent. */
enum { MAX_DIGITS = 17, PLAIN_PLACES = 7 };

/* The number digit[0].digit[1]digit[2]… times 10^exponent. */
typedef struct decimal {
  char digit[MAX_DIGITS + 1];
  int count;
  int exponent;
} decimal;

/* Returns the decimal with `count` digits that is nearest to a finite magnitude > 0. */
static decimal decimal_nearest(double magnitude, int count) {
  char text[64];
  (void)snprintf(text, sizeof text, "%.*e", count - 1, magnitude);
  decimal result = {.count = 0};
  const char *at = text;
  for (; *at != 'e' && *at != '\0'; ++at)
    if (isdigit((unsigned char)*at) && result.count < count)
      result.digit[result.count++] = *at;
  result.digit[result.count] = '\0';
  if (*at == 'e') result.exponent = atoi(at + 1);
  return result;
}

static double decimal_value(const decimal *number) {
  char text[64];
  (void)snprintf(text, sizeof text, "%se%d", number->digit,
                 number->exponent - number->count + 1);
  return strtod(text, NULL);
}

/* decimal_next_up and decimal_next_down move a decimal by one unit in its last
   digit. */
static void decimal_next_up(decimal *number) {
  int i = number->count - 1;
  while (i >= 0 && number->digit[i] == '9')
    number->digit[i--] = '0';
  if (i >= 0) {
    ++number->digit[i];
    return;
  }
  number->digit[0] = '1'; /* 999 became 000, which stands for 1000: digits 100, exponent
                             one higher */
  ++number->exponent;
}

static void decimal_next_down(decimal *number) {
  int i = number->count - 1;
  while (i >= 0 && number->digit[i] == '0')
    number->digit[i--] = '9';
  if (i >= 0) --number->digit[i];
  if (number->digit[0] == '0') { /* 100 became 099, which is written as 999 with the
                                    exponent one lower */
    memset(number->digit, '9', (size_t)number->count);
    --number->exponent;
  }
}

/* Writes the number like %g with precision `digits`, without trailing zeros. */
static void decimal_write(decimal number, int digits, int negative, char *out) {
  while (number.count > 1 && number.digit[number.count - 1] == '0')
    --number.count;
  if (negative) *out++ = '-';
  if (number.exponent < -4 || number.exponent >= digits) {
    *out++ = number.digit[0];
    if (number.count > 1) *out++ = '.';
    for (int i = 1; i < number.count; ++i)
      *out++ = number.digit[i];
    (void)snprintf(out, 8, "e%c%02d", number.exponent < 0 ? '-' : '+',
                   abs(number.exponent) % 1000);
    return;
  }
  int place = number.exponent; /* power of ten of the digit written next */
  if (place < 0) {
    *out++ = '0';
    *out++ = '.';
    for (int zeros = -1; zeros > place; --zeros)
      *out++ = '0';
  }
  for (int i = 0; i < number.count || place >= 0; ++i, --place) {
    if (place == -1 && i > 0) *out++ = '.';
    *out++ = i < number.count ? number.digit[i] : '0';
  }
  *out = '\0';
}

/* Writes NaN, infinity or 0. Returns 0 and writes nothing for any other value. */
static int format_special(double value, char *out) {
  const char *text = isnan(value)   ? "nan"
                     : isinf(value) ? (value < 0 ? "-inf" : "inf")
                     : value == 0   ? "0"
                                    : NULL;
  if (text != NULL) (void)snprintf(out, TACIT_NUMBER_TEXT, "%s", text);
  return text != NULL;
}

enum direction { DOWN = -1, UP = 1 };

/* Writes a text that is never below the value for UP and never above it for DOWN. */
static void format(double value, int digits, enum direction direction, char *out) {
  if (format_special(value, out)) return;
  if (digits < 1) digits = 1;
  if (digits > MAX_DIGITS) digits = MAX_DIGITS;
  int negative = value < 0;
  int outward = negative ? -(int)direction : (int)direction; /* direction in which the
                                                                magnitude is rounded */
  double magnitude = fabs(value);
  decimal number = decimal_nearest(magnitude, digits);
  if (outward > 0 && decimal_value(&number) < magnitude) decimal_next_up(&number);
  if (outward < 0 && decimal_value(&number) > magnitude) decimal_next_down(&number);
  decimal_write(number, digits, negative, out);
}

/* Proof: docs/proofs/tacit_format_up.md */
void tacit_format_up(double value, int digits, char *out) {
  format(value, digits, UP, out);
}

/* Proof: docs/proofs/tacit_format_up.md */
void tacit_format_down(double value, int digits, char *out) {
  format(value, digits, DOWN, out);
}

void tacit_format_shortest(double value, char *out) {
  if (format_special(value, out)) return;
  double magnitude = fabs(value);
  decimal number = {.count = 0};
  for (int digits = 1; digits <= MAX_DIGITS; ++digits) {
    number = decimal_nearest(magnitude, digits);
    if (decimal_value(&number) == magnitude) break;
  }
  decimal_write(number, PLAIN_PLACES, value < 0, out);
}
