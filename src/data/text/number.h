/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_TEXT_NUMBER_H
#define TACIT_DATA_TEXT_NUMBER_H

#include <float.h>
#include <locale.h>
#include <string.h>

#include "data/bytes/digits.h"

/* The most characters of a number: enough for the exact decimal expansion of any
   double. */
enum { TACIT_NUMBER_MAX = 1200 };

/* The powers of ten that are exact doubles, 10^0 to 10^22. */
enum { TACIT_EXACT_POWER = 22 };
extern const double tacit_number_powers[TACIT_EXACT_POWER + 1];

/* Parses the decimal number at `at`, [+-] digits [. digits] [e [+-] digits], to the
   nearest double. Returns the first character after it. Returns NULL for anything else:
   nan, inf, "1e", overflow, more than TACIT_NUMBER_MAX characters. At least one
   character must follow the number, and eight more must be readable after that.
   c_locale must be the "C" locale. */
const char *tacit_number_take(const char *at, locale_t c_locale, double *out);

/* Parses a text that must be one number as a whole. Reads nothing after it. Returns 0
   if the text is not a number. */
int tacit_number_parse(const char *begin, const char *end, locale_t c_locale,
                       double *out);

/* Returns a value >= 0 with the sign `negative`, without a branch, because the signs of
   real data are hard to predict. */
static inline double tacit_number_signed(double value, uint64_t negative) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  bits |= negative << 63;
  memcpy(&value, &bits, sizeof bits);
  return value;
}

/* Parses the most common numbers like tacit_number_take: [-] up to 7 digits [. up to 7
   digits], or [-] digit . 8 to 14 digits. Returns NULL if tacit_number_take must read
   the text. The digits make an integer below 10^15 and the power of ten is at most
   10^14. Both are exact doubles, so their quotient is the nearest double. */
static inline const char *tacit_number_fast(const char *at, double *out) {
  static const uint32_t tens[8] = {1,      10,      100,      1000,
                                   10000u, 100000u, 1000000u, 10000000u};
  uint64_t negative = *at == '-';
  at += negative;
  uint64_t digits = (uint64_t)(unsigned char)*at - '0', word, stops;
  if (FLT_EVAL_METHOD != 0 || digits > 9) return NULL;
  if (at[1] == '.') {
    ++at; /* most fractions have one digit before the point */
  } else {
    word = tacit_chars(at);
    stops = tacit_no_digits(word);
    if (stops == 0) return NULL;
    unsigned count = tacit_chars_before(stops);
    digits = tacit_digits_value(word, count);
    at += count;
  }
  double value;
  if (*at == '.') {
    word = tacit_chars(at + 1);
    stops = tacit_no_digits(word);
    ++at;
    unsigned places = 0;
    if (stops == 0) { /* eight decimals, perhaps more */
      if (digits > 9) return NULL;
      digits = digits * 100000000 + tacit_digits_eight(word);
      word = tacit_chars(at + 8);
      stops = tacit_no_digits(word);
      places = 8;
      if (stops == 0 || tacit_chars_before(stops) > 6) return NULL;
    }
    unsigned count = tacit_chars_before(stops);
    digits = digits * tens[count] + tacit_digits_value(word, count);
    places += count;
    at += places;
    value = (double)(int64_t)digits / tacit_number_powers[places];
  } else {
    value = (double)(int64_t)digits;
  }
  if ((*at | 0x20) == 'e') return NULL;
  *out = tacit_number_signed(value, negative);
  return at;
}

#endif
