/* SPDX-License-Identifier: MIT */
/* Decimal text to the nearest double, whatever the program's locale is. A number is w
   times 10^q, w the first 19 of its digits. In this order:
   1. w <= 2^53 and |q| <= 22 (Clinger 1990): both are doubles exactly, one correctly
      rounded operation gives the nearest double.
   2. w times the first 128 bits of 10^q, cut off (after Lemire 2021). The exact product
      is at most two units of the last bit above what we compute, so that it rounds as
      this does unless a tie of two doubles lies within those two units. Digits behind
      the 19th matter only if w and w + 1 round apart.
   3. What is undecided (ties, nearly ties, subnormal numbers, the largest ones) goes
      through strtod in the "C" locale. */
#include "data/text/number.h"

#include <math.h>
#include <sodium.h>
#include <stdlib.h>

#include "data/text/power_table.h"

enum { EXPONENT_CAP = 1000000, MANTISSA_BITS = 52, EXPONENT_BIAS = 1075 };

const double tacit_number_powers[TACIT_EXACT_POWER + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

struct decimal {
  uint64_t raw_digits; /* the first 19 significant digits at most */
  int64_t exponent;    /* value = digits * 10^exponent, and what was dropped */
  int64_t n_dropped;
  int is_more; /* a digit that was dropped is not 0 */
};

static int is_digit(char c) { return c >= '0' && c <= '9'; }

/* Digits to the first character that is none, eight at a time while they fit. */
static const char *scan_digits(const char *raw_at, struct decimal *decimal) {
  static const uint32_t tens[8] = {1,      10,      100,      1000,
                                   10000u, 100000u, 1000000u, 10000000u};
  while (decimal->raw_digits < UINT64_C(100000000000)) {
    uint64_t raw_word = tacit_chars(raw_at), raw_stops = tacit_no_digits(raw_word);
    if (raw_stops != 0) {
      unsigned count = tacit_chars_before(raw_stops);
      decimal->raw_digits =
          decimal->raw_digits * tens[count] + tacit_digits_value(raw_word, count);
      return raw_at + count;
    }
    decimal->raw_digits =
        decimal->raw_digits * 100000000 + tacit_digits_eight(raw_word);
    raw_at += 8;
  }
  for (; is_digit(*raw_at); ++raw_at) {
    if (decimal->raw_digits < UINT64_C(1000000000000000000)) {
      decimal->raw_digits = 10 * decimal->raw_digits + (uint64_t)(*raw_at - '0');
    } else {
      ++decimal->n_dropped;
      decimal->is_more |= *raw_at != '0';
    }
  }
  return raw_at;
}

/* [e [+-] digits]; NULL: an exponent without digits. */
static const char *scan_exponent(const char *raw_at, struct decimal *decimal) {
  if ((*raw_at | 0x20) != 'e') return raw_at;
  ++raw_at;
  int negative = *raw_at == '-';
  if (*raw_at == '-' || *raw_at == '+') ++raw_at;
  if (!is_digit(*raw_at)) return NULL;
  int64_t exponent = 0;
  for (; is_digit(*raw_at); ++raw_at) {
    if (exponent < EXPONENT_CAP) exponent = 10 * exponent + (*raw_at - '0');
  }
  decimal->exponent += negative ? -exponent : exponent;
  return raw_at;
}

/* From behind the sign. */
static const char *scan(const char *raw_at, struct decimal *decimal) {
  const char *raw_whole = raw_at;
  if (is_digit(raw_at[0]) && raw_at[1] == '.') {
    decimal->raw_digits = (uint64_t)(*raw_at++ - '0'); /* most fractions */
  } else {
    raw_at = scan_digits(raw_at, decimal);
  }
  int64_t n_digits = raw_at - raw_whole;
  decimal->exponent = decimal->n_dropped;
  if (*raw_at == '.') {
    const char *raw_fraction = ++raw_at;
    raw_at = scan_digits(raw_at, decimal);
    n_digits += raw_at - raw_fraction;
    decimal->exponent = decimal->n_dropped - (raw_at - raw_fraction);
  }
  return n_digits > 0 ? scan_exponent(raw_at, decimal) : NULL;
}

/* The nearest double to digits * 10^exponent, as its bits without a sign; 0: undecided.
   Never for digits that are 0. */
static uint64_t round_product(uint64_t raw_digits, int64_t exponent) {
  if (exponent < POWER_FIRST || exponent > POWER_LAST) return 0;
  const uint64_t *power = power_table[exponent - POWER_FIRST];
  int shift = __builtin_clzll(raw_digits);
  raw_digits <<= shift;
  tacit_u128 raw_product = (tacit_u128)raw_digits * power[0] +
                           (uint64_t)((tacit_u128)raw_digits * power[1] >> 64);
  uint64_t raw_high = (uint64_t)(raw_product >> 64), raw_low = (uint64_t)raw_product;
  /* 2^126 <= product < 2^128: 53 bits of it, and 10 or 11 more of the high word. */
  int top = (int)(raw_high >> 63), n_rest = 10 + top;
  uint64_t half = UINT64_C(1) << (n_rest - 1);
  uint64_t raw_rest = raw_high & (2 * half - 1);
  if ((raw_low == 0 && raw_rest == half) ||
      (raw_low == UINT64_MAX && raw_rest == half - 1))
    return 0;
  uint64_t raw_mantissa = (raw_high >> n_rest) + (raw_rest >= half);
  int biased = n_rest + 1 - shift + POWER_EXPONENT((int)exponent) + EXPONENT_BIAS;
  if (biased < 1 || biased > 2045) return 0;
  /* The first bit of the mantissa, and a carry into one more, add to the exponent. */
  return ((uint64_t)(biased - 1) << MANTISSA_BITS) + raw_mantissa;
}

static int round_decimal(const struct decimal *decimal, double *raw_out) {
  uint64_t raw_digits = decimal->raw_digits;
  int64_t exponent = decimal->exponent;
  if (FLT_EVAL_METHOD == 0 && !decimal->is_more &&
      raw_digits <= UINT64_C(1) << (MANTISSA_BITS + 1) &&
      exponent <= TACIT_EXACT_POWER && exponent >= -TACIT_EXACT_POWER) {
    double raw_value = (double)(int64_t)raw_digits;
    *raw_out = exponent < 0 ? raw_value / tacit_number_powers[-exponent]
                            : raw_value * tacit_number_powers[exponent];
    return 1;
  }
  uint64_t raw_bits = round_product(raw_digits, exponent);
  if (raw_bits == 0) return 0;
  if (decimal->is_more && round_product(raw_digits + 1, exponent) != raw_bits) return 0;
  memcpy(raw_out, &raw_bits, sizeof raw_bits);
  return 1;
}

static int parse_slowly(const char *raw_begin, size_t size, locale_t c_locale,
                        double *raw_out) {
  char raw_text[TACIT_NUMBER_MAX + 1];
  memcpy(raw_text, raw_begin, size);
  raw_text[size] = '\0';
  char *raw_stop;
  double raw_value = strtod_l(raw_text, &raw_stop, c_locale);
  int whole = raw_stop == raw_text + size;
  sodium_memzero(raw_text, size);
  if (!whole || !isfinite(raw_value)) return 0;
  *raw_out = raw_value;
  return 1;
}

const char *tacit_number_take(const char *raw_at, locale_t c_locale, double *raw_out) {
  struct decimal decimal = {0};
  uint64_t raw_negative = *raw_at == '-';
  const char *raw_begin = raw_at + (raw_negative | (*raw_at == '+'));
  const char *raw_end = scan(raw_begin, &decimal);
  if (raw_end == NULL || raw_end - raw_at > TACIT_NUMBER_MAX) return NULL;
  double raw_value = 0;
  if (decimal.raw_digits != 0 && !round_decimal(&decimal, &raw_value) &&
      !parse_slowly(raw_begin, (size_t)(raw_end - raw_begin), c_locale, &raw_value))
    return NULL;
  *raw_out = tacit_number_signed(raw_value, raw_negative);
  return raw_end;
}

int tacit_number_parse(const char *raw_begin, const char *raw_end, locale_t c_locale,
                       double *raw_out) {
  char raw_text[TACIT_NUMBER_MAX + 9];
  size_t size = (size_t)(raw_end - raw_begin);
  if (size > TACIT_NUMBER_MAX) return 0;
  memcpy(raw_text, raw_begin, size);
  memset(raw_text + size, 0, 9);
  double raw_value;
  const char *raw_stop = tacit_number_take(raw_text, c_locale, &raw_value);
  sodium_memzero(raw_text, size);
  if (raw_stop != raw_text + size) return 0;
  *raw_out = raw_value;
  return 1;
}
