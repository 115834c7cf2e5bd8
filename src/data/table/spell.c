/* SPDX-License-Identifier: MIT */
#include "data/table/spell.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/schema/date.h"
#include "data/table/cells.h"
#include "data/text/number.h"

/* Digits of a number, d.ddd times 10^exponent, without zeros at their end. */
struct digits {
  char text[24];
  int count, exponent;
};

enum { DIGITS_MAX = 17, FIXED_MIN = -4, FIXED_MAX = 16 };
static const double whole_max = 1e15;

/* Writes a number with `count` digits. The decimal point of the locale is left out. */
static struct digits digits_of(double value, int count) {
  char text[48];
  struct digits digits = {.count = 0};
  (void)snprintf(text, sizeof text, "%.*e", count - 1, fabs(value));
  const char *at = text;
  for (; *at != 'e' && *at != '\0'; ++at)
    if (*at >= '0' && *at <= '9') digits.text[digits.count++] = *at;
  int sign = at[1] == '-' ? -1 : 1;
  for (at += 2; *at != '\0'; ++at)
    digits.exponent = 10 * digits.exponent + (*at - '0');
  digits.exponent *= sign;
  while (digits.count > 1 && digits.text[digits.count - 1] == '0')
    --digits.count;
  return digits;
}

/* Writes digits with a point: 0.00012, 1200.0, or 1.2e+16 if the exponent is small or
   large. */
static size_t lay_out(const struct digits *digits, int pointed, char *out) {
  int exponent = digits->exponent, count = digits->count;
  char *at = out;
  if (exponent < FIXED_MIN || exponent >= FIXED_MAX) {
    *at++ = digits->text[0];
    if (count > 1) *at++ = '.';
    for (int i = 1; i < count; ++i)
      *at++ = digits->text[i];
    return (size_t)(at - out) + (size_t)sprintf(at, "e%c%02d", exponent < 0 ? '-' : '+',
                                                exponent < 0 ? -exponent : exponent);
  }
  for (int place = exponent < 0 ? 0 : exponent; place > exponent - count || place >= 0;
       --place) {
    int i = exponent - place;
    if (place == -1) *at++ = '.';
    *at++ = i < 0 || i >= count ? '0' : digits->text[i];
  }
  if (pointed && count <= exponent + 1) *at++ = '.', *at++ = '0';
  return (size_t)(at - out);
}

/* Returns the fewest digits that read back as the same number, as a double in
 *out_number. */
static struct digits shortest(double value, int is_single, locale_t c_locale,
                              double *out_number) {
  struct digits digits = {.count = 0};
  char text[TACIT_CELL_BYTES];
  for (int count = is_single ? 6 : 15; count <= DIGITS_MAX; ++count) {
    digits = digits_of(value, count);
    size_t size = lay_out(&digits, 1, text);
    if (!tacit_number_parse(text, text + size, c_locale, out_number)) continue;
    if (is_single ? (float)*out_number == (float)fabs(value)
                  : *out_number == fabs(value))
      break;
  }
  return digits;
}

size_t tacit_spell_float(double value, int is_single, tacit_spelling spelling,
                         locale_t c_locale, char *out) {
  int pointed = spelling == TACIT_SPELLING_PYTHON;
  double number, size = fabs(value);
  if (isnan(value)) return 0;
  if (isinf(value)) return (size_t)sprintf(out, value < 0 ? "-inf" : "inf");
  if (floor(size) == size && size < (is_single ? 1 << 24 : whole_max)) {
    size_t used = tacit_spell_decimal(0, (uint64_t)size, 0, signbit(value) != 0, out);
    if (pointed) memcpy(out + used, ".0", 2);
    return used + (pointed ? 2 : 0);
  }
  *out = '-';
  char *begin = out + (value < 0);
  struct digits digits = shortest(value, is_single, c_locale, &number);
  return (size_t)(begin - out) + lay_out(&digits, pointed, begin);
}

double tacit_spell_single_number(double value, locale_t c_locale) {
  double size = fabs(value), number = size;
  if (isnan(value) || isinf(value) || size == 0) return value;
  /* The text has k digits after the point, for the smallest k that does. Products and
     quotients are of whole numbers below 2^53, so the quotient is the nearest double.
   */
  for (int k = 0; size < 1 << 24 && k <= TACIT_EXACT_POWER; ++k) {
    double scaled = size * tacit_number_powers[k], whole = rint(scaled);
    if (whole > 1e9 || fabs(fabs(scaled - whole) - 0.5) < 1e-6) break;
    number = whole / tacit_number_powers[k];
    if ((float)number == (float)size) return value < 0 ? -number : number;
  }
  (void)shortest(size, 1, c_locale, &number);
  return value < 0 ? -number : number;
}

size_t tacit_spell_decimal(uint64_t high, uint64_t low, int scale, int negative,
                           char *out) {
  char reversed[TACIT_CELL_BYTES];
  size_t count = 0, size = 0;
  tacit_u128 rest = (tacit_u128)high << 64 | low;
  for (int digit = 0; rest > 0 || digit <= scale; ++digit, rest /= 10) {
    if (digit == scale && scale > 0) reversed[count++] = '.';
    reversed[count++] = (char)('0' + (int)(rest % 10));
  }
  if (negative) out[size++] = '-';
  while (count > 0)
    out[size++] = reversed[--count];
  return size;
}

double tacit_spell_decimal_number(uint64_t high, uint64_t low, int scale, int negative,
                                  locale_t c_locale) {
  char text[TACIT_CELL_BYTES];
  double number = 0;
  if (high == 0 && low <= UINT64_C(1) << 53 && scale <= TACIT_EXACT_POWER) {
    number = (double)low / tacit_number_powers[scale]; /* both are exact */
    return negative ? -number : number;
  }
  size_t size = tacit_spell_decimal(high, low, scale, negative, text);
  (void)tacit_number_parse(text, text + size, c_locale, &number);
  return number;
}

size_t tacit_spell_date(double day, const char *format, char *out) {
  if (isnan(day)) return 0;
  if (!tacit_spell_is_date(day)) return (size_t)sprintf(out, "out of range");
  tacit_date date = tacit_date_of((int64_t)day);
  return tacit_date_write(format, &date, out, TACIT_CELL_BYTES);
}
