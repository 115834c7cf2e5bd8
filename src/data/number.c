/* SPDX-License-Identifier: MIT */
/* Decimal text to the nearest double, whatever the program's locale is. When the digits
   make an integer w <= 2^53 and the power of ten is at most 22, both are doubles
   exactly and one correctly rounded operation gives the nearest double; almost all
   numbers in files are of this kind. The rest goes through strtod in the "C" locale. */
#include "data/number.h"

#include <float.h>
#include <math.h>
#include <sodium.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { EXACT_POWER = 22, MOST_DIGITS = 19, EXPONENT_CAP = 1000000 };

static const double powers[EXACT_POWER + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

struct decimal {
  int negative;
  uint64_t raw_digits; /* the significant digits, when they are at most 19 */
  int n_significant;
  int exponent; /* value = digits * 10^exponent */
};

static int is_digit(char c) { return c >= '0' && c <= '9'; }

static const char *scan_digits(const char *raw_at, const char *raw_end, int after_point,
                               struct decimal *decimal) {
  for (; raw_at < raw_end && is_digit(*raw_at); ++raw_at) {
    if (after_point) --decimal->exponent;
    if (decimal->n_significant == 0 && *raw_at == '0') continue;
    if (decimal->n_significant < MOST_DIGITS)
      decimal->raw_digits = 10 * decimal->raw_digits + (uint64_t)(*raw_at - '0');
    ++decimal->n_significant;
  }
  return raw_at;
}

/* [e [+-] digits] up to the end of the text. */
static int scan_exponent(const char *raw_at, const char *raw_end,
                         struct decimal *decimal) {
  if (raw_at == raw_end) return 1;
  if (*raw_at != 'e' && *raw_at != 'E') return 0;
  ++raw_at;
  int negative = raw_at < raw_end && *raw_at == '-';
  if (raw_at < raw_end && (*raw_at == '-' || *raw_at == '+')) ++raw_at;
  if (raw_at == raw_end) return 0;
  int exponent = 0;
  for (; raw_at < raw_end; ++raw_at) {
    if (!is_digit(*raw_at)) return 0;
    if (exponent < EXPONENT_CAP) exponent = 10 * exponent + (*raw_at - '0');
  }
  decimal->exponent += negative ? -exponent : exponent;
  return 1;
}

static int scan(const char *raw_at, const char *raw_end, struct decimal *decimal) {
  if (raw_at < raw_end && (*raw_at == '+' || *raw_at == '-'))
    decimal->negative = *raw_at++ == '-';
  const char *raw_whole = raw_at;
  raw_at = scan_digits(raw_at, raw_end, 0, decimal);
  int any = raw_at > raw_whole;
  if (raw_at < raw_end && *raw_at == '.') {
    const char *raw_fraction = ++raw_at;
    raw_at = scan_digits(raw_at, raw_end, 1, decimal);
    any |= raw_at > raw_fraction;
  }
  return any && scan_exponent(raw_at, raw_end, decimal);
}

static int parse_slowly(const char *raw_begin, size_t size, locale_t c_locale,
                        double *raw_out) {
  char raw_text[TACIT_NUMBER_MOST + 1];
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

int tacit_number_parse(const char *raw_begin, const char *raw_end, locale_t c_locale,
                       double *raw_out) {
  struct decimal decimal = {0};
  size_t size = (size_t)(raw_end - raw_begin);
  if (size > TACIT_NUMBER_MOST || !scan(raw_begin, raw_end, &decimal)) return 0;
  if (decimal.n_significant == 0) {
    *raw_out = decimal.negative ? -0.0 : 0.0;
    return 1;
  }
  if (FLT_EVAL_METHOD != 0 || decimal.n_significant > MOST_DIGITS ||
      decimal.raw_digits > (UINT64_C(1) << 53) || decimal.exponent > EXACT_POWER ||
      decimal.exponent < -EXACT_POWER)
    return parse_slowly(raw_begin, size, c_locale, raw_out);
  double raw_value = (double)decimal.raw_digits;
  if (decimal.exponent < 0) {
    raw_value /= powers[-decimal.exponent];
  } else {
    raw_value *= powers[decimal.exponent];
  }
  *raw_out = decimal.negative ? -raw_value : raw_value;
  return 1;
}
