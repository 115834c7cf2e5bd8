/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_TEXT_NUMBER_H
#define TACIT_DATA_TEXT_NUMBER_H

#include <float.h>
#include <locale.h>
#include <string.h>

#include "data/bytes/digits.h"

/* Characters of the longest number: an exact decimal expansion of any double fits. */
enum { TACIT_NUMBER_MAX = 1200 };

/* 10^0 to 10^22: what doubles hold exactly. */
enum { TACIT_EXACT_POWER = 22 };
extern const double tacit_number_powers[TACIT_EXACT_POWER + 1];

/* The decimal number at raw_at, [+-] digits [. digits] [e [+-] digits], as the nearest
   double, up to the first character that cannot go on with it; returns where that is.
   NULL for anything else: nan, inf, "1e", a number that overflows, one longer than
   TACIT_NUMBER_MAX. Some character must end the number, and eight more can be read
   behind it. c_locale is the "C" locale. */
const char *tacit_number_take(const char *raw_at, locale_t c_locale, double *raw_out);

/* The same for a text that the number must fill whole; nothing is read behind it.
   0: it is no number. */
int tacit_number_parse(const char *raw_begin, const char *raw_end, locale_t c_locale,
                       double *raw_out);

/* A value that is not negative with its sign, without a branch: signs of real data are
   hard to foresee. */
static inline double tacit_number_signed(double raw_value, uint64_t raw_negative) {
  uint64_t raw_bits;
  memcpy(&raw_bits, &raw_value, sizeof raw_bits);
  raw_bits |= raw_negative << 63;
  memcpy(&raw_value, &raw_bits, sizeof raw_bits);
  return raw_value;
}

/* tacit_number_take for the numbers that are most common, [-] up to 7 digits [. up to 7
   digits] or [-] digit . 8 to 14 digits; NULL: ask tacit_number_take. The digits make
   an integer below 10^15 and the power of ten is at most 10^14, both doubles exactly,
   so the quotient is the nearest double. */
static inline const char *tacit_number_quick(const char *raw_at, double *raw_out) {
  static const uint32_t tens[8] = {1,      10,      100,      1000,
                                   10000u, 100000u, 1000000u, 10000000u};
  uint64_t raw_negative = *raw_at == '-';
  raw_at += raw_negative;
  uint64_t raw_digits = (uint64_t)(unsigned char)*raw_at - '0', raw_word, raw_stops;
  if (FLT_EVAL_METHOD != 0 || raw_digits > 9) return NULL;
  if (raw_at[1] == '.') {
    ++raw_at; /* most fractions: no need to count */
  } else {
    raw_word = tacit_chars(raw_at);
    raw_stops = tacit_no_digits(raw_word);
    if (raw_stops == 0) return NULL;
    unsigned count = tacit_chars_before(raw_stops);
    raw_digits = tacit_digits_value(raw_word, count);
    raw_at += count;
  }
  double raw_value;
  if (*raw_at == '.') {
    raw_word = tacit_chars(raw_at + 1);
    raw_stops = tacit_no_digits(raw_word);
    ++raw_at;
    unsigned places = 0;
    if (raw_stops == 0) { /* eight places, and perhaps more */
      if (raw_digits > 9) return NULL;
      raw_digits = raw_digits * 100000000 + tacit_digits_eight(raw_word);
      raw_word = tacit_chars(raw_at + 8);
      raw_stops = tacit_no_digits(raw_word);
      places = 8;
      if (raw_stops == 0 || tacit_chars_before(raw_stops) > 6) return NULL;
    }
    unsigned count = tacit_chars_before(raw_stops);
    raw_digits = raw_digits * tens[count] + tacit_digits_value(raw_word, count);
    places += count;
    raw_at += places;
    raw_value = (double)(int64_t)raw_digits / tacit_number_powers[places];
  } else {
    raw_value = (double)(int64_t)raw_digits;
  }
  if ((*raw_at | 0x20) == 'e') return NULL;
  *raw_out = tacit_number_signed(raw_value, raw_negative);
  return raw_at;
}

#endif
