/* SPDX-License-Identifier: MIT */
/*
 * Decimal text to the nearest double, independent of the locale of the program. A
 * number is w·10^q, where w is made of its first 19 digits. Three ways, in this order:
 *
 * 1. If w <= 2^53 and |q| <= 22 (Clinger 1990), w and 10^|q| are exact doubles, and one
 *    correctly rounded operation gives the nearest double.
 * 2. Multiply w by the first 128 bits of 10^q (after Lemire 2021). The exact product is
 *    at most two units of the last bit larger than the computed one. So both round to
 *    one double, unless a tie of two doubles is within those two units. Digits after
 *    the 19th matter only if w and w + 1 round to different doubles.
 * 3. What is undecided (ties, near ties, subnormal numbers, the largest numbers) goes
 *    through strtod in the "C" locale.
 */
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
  uint64_t digits;  /* at most the first 19 significant digits */
  int64_t exponent; /* the value is digits * 10^exponent, plus what was dropped */
  int64_t n_dropped;
  int is_more; /* 1 if a dropped digit is not 0 */
};

static int is_digit(char c) { return c >= '0' && c <= '9'; }

/* Reads digits up to the first other character, eight at a time while they fit. */
static const char *scan_digits(const char *at, struct decimal *decimal) {
  static const uint32_t tens[8] = {1,      10,      100,      1000,
                                   10000u, 100000u, 1000000u, 10000000u};
  while (decimal->digits < UINT64_C(100000000000)) {
    uint64_t word = tacit_chars(at), stops = tacit_no_digits(word);
    if (stops != 0) {
      unsigned count = tacit_chars_before(stops);
      decimal->digits = decimal->digits * tens[count] + tacit_digits_value(word, count);
      return at + count;
    }
    decimal->digits = decimal->digits * 100000000 + tacit_digits_eight(word);
    at += 8;
  }
  for (; is_digit(*at); ++at) {
    if (decimal->digits < UINT64_C(1000000000000000000)) {
      decimal->digits = 10 * decimal->digits + (uint64_t)(*at - '0');
    } else {
      ++decimal->n_dropped;
      decimal->is_more |= *at != '0';
    }
  }
  return at;
}

/* Reads [e [+-] digits]. Returns NULL for an exponent without digits. */
static const char *scan_exponent(const char *at, struct decimal *decimal) {
  if ((*at | 0x20) != 'e') return at;
  ++at;
  int negative = *at == '-';
  if (*at == '-' || *at == '+') ++at;
  if (!is_digit(*at)) return NULL;
  int64_t exponent = 0;
  for (; is_digit(*at); ++at)
    if (exponent < EXPONENT_CAP) exponent = 10 * exponent + (*at - '0');
  decimal->exponent += negative ? -exponent : exponent;
  return at;
}

/* Reads a number; `at` must be after its sign. Returns the character after it, or NULL
   if it is not a number. */
static const char *scan(const char *at, struct decimal *decimal) {
  const char *whole = at;
  if (is_digit(at[0]) && at[1] == '.')
    decimal->digits = (uint64_t)(*at++ - '0'); /* most fractions */
  else
    at = scan_digits(at, decimal);
  int64_t n_digits = at - whole;
  decimal->exponent = decimal->n_dropped;
  if (*at == '.') {
    const char *fraction = ++at;
    at = scan_digits(at, decimal);
    n_digits += at - fraction;
    decimal->exponent = decimal->n_dropped - (at - fraction);
  }
  return n_digits > 0 ? scan_exponent(at, decimal) : NULL;
}

/* Returns the bits of the nearest double to digits * 10^exponent, without a sign, or 0
   if it is undecided. `digits` must not be 0. */
static uint64_t round_product(uint64_t digits, int64_t exponent) {
  if (exponent < POWER_FIRST || exponent > POWER_LAST) return 0;
  const uint64_t *power = power_table[exponent - POWER_FIRST];
  int shift = __builtin_clzll(digits);
  digits <<= shift;
  tacit_u128 product =
      (tacit_u128)digits * power[0] + (uint64_t)((tacit_u128)digits * power[1] >> 64);
  uint64_t high = (uint64_t)(product >> 64), low = (uint64_t)product;
  /* 2^126 <= product < 2^128: uses 53 bits of it; 10 or 11 more are in the high
     word. */
  int top = (int)(high >> 63), n_rest = 10 + top;
  uint64_t half = UINT64_C(1) << (n_rest - 1);
  uint64_t rest = high & (2 * half - 1);
  if ((low == 0 && rest == half) || (low == UINT64_MAX && rest == half - 1)) return 0;
  uint64_t mantissa = (high >> n_rest) + (rest >= half);
  int biased = n_rest + 1 - shift + POWER_EXPONENT((int)exponent) + EXPONENT_BIAS;
  if (biased < 1 || biased > 2045) return 0;
  /* Adding the mantissa adds its first bit to the exponent, and perhaps a carry. */
  return ((uint64_t)(biased - 1) << MANTISSA_BITS) + mantissa;
}

static int round_decimal(const struct decimal *decimal, double *out) {
  uint64_t digits = decimal->digits;
  int64_t exponent = decimal->exponent;
  if (FLT_EVAL_METHOD == 0 && !decimal->is_more &&
      digits <= UINT64_C(1) << (MANTISSA_BITS + 1) && exponent <= TACIT_EXACT_POWER &&
      exponent >= -TACIT_EXACT_POWER) {
    double value = (double)(int64_t)digits;
    *out = exponent < 0 ? value / tacit_number_powers[-exponent]
                        : value * tacit_number_powers[exponent];
    return 1;
  }
  uint64_t bits = round_product(digits, exponent);
  if (bits == 0) return 0;
  if (decimal->is_more && round_product(digits + 1, exponent) != bits) return 0;
  memcpy(out, &bits, sizeof bits);
  return 1;
}

static int parse_slowly(const char *begin, size_t size, locale_t c_locale,
                        double *out) {
  char text[TACIT_NUMBER_MAX + 1];
  memcpy(text, begin, size);
  text[size] = '\0';
  char *stop;
  double value = strtod_l(text, &stop, c_locale);
  int whole = stop == text + size;
  sodium_memzero(text, size);
  if (!whole || !isfinite(value)) return 0;
  *out = value;
  return 1;
}

const char *tacit_number_take(const char *at, locale_t c_locale, double *out) {
  struct decimal decimal = {0};
  uint64_t negative = *at == '-';
  const char *begin = at + (negative | (*at == '+'));
  const char *end = scan(begin, &decimal);
  if (end == NULL || end - at > TACIT_NUMBER_MAX) return NULL;
  double value = 0;
  if (decimal.digits != 0 && !round_decimal(&decimal, &value) &&
      !parse_slowly(begin, (size_t)(end - begin), c_locale, &value))
    return NULL;
  *out = tacit_number_signed(value, negative);
  return end;
}

int tacit_number_parse(const char *begin, const char *end, locale_t c_locale,
                       double *out) {
  char text[TACIT_NUMBER_MAX + 9];
  size_t size = (size_t)(end - begin);
  if (size > TACIT_NUMBER_MAX) return 0;
  memcpy(text, begin, size);
  memset(text + size, 0, 9);
  double value;
  const char *stop = tacit_number_take(text, c_locale, &value);
  sodium_memzero(text, size);
  if (stop != text + size) return 0;
  *out = value;
  return 1;
}
