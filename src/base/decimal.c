/* SPDX-License-Identifier: MIT */
/*
 * Doubles as decimal text. A double is m 2^e with m < 2^53. For 10^k <= value <
 * 10^(k+1) the 17 digits are the integer nearest to value 10^s, s = 16 - k, which is
 *
 *   m 5^s / 2^h,  h = -(e + s).
 *
 * For 0 <= s <= 55 the power of five fits 128 bits and the product 192, so that the
 * quotient and its remainder are exact and the rounding, half to even, is decided by
 * comparing integers.
 */
#include "base/decimal.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/numbers.h"

enum { DIGITS = 17 };
static const uint64_t ten_16 = UINT64_C(10000000000000000);

/* The product m 5^s = high 2^64 + low, which is then divided by 2^shift. */
struct product {
  tacit_u128 high;
  uint64_t low;
  int shift; /* h at the head of this file */
};

/* Returns 5^s; s must be 0 … 55. */
static tacit_u128 power_of_five(int s) {
  static const uint64_t small[] = {
      UINT64_C(1),         UINT64_C(5),         UINT64_C(25),      UINT64_C(125),
      UINT64_C(625),       UINT64_C(3125),      UINT64_C(15625),   UINT64_C(78125),
      UINT64_C(390625),    UINT64_C(1953125),   UINT64_C(9765625), UINT64_C(48828125),
      UINT64_C(244140625), UINT64_C(1220703125)};
  tacit_u128 power = small[s % 14];
  for (int i = s / 14; i > 0; --i)
    power *= UINT64_C(6103515625); /* 5^14 */
  return power;
}

static struct product multiply(uint64_t mantissa, int exponent, int s) {
  tacit_u128 power = power_of_five(s);
  tacit_u128 low = (tacit_u128)mantissa * (uint64_t)power;
  tacit_u128 high = (tacit_u128)mantissa * (uint64_t)(power >> 64) + (low >> 64);
  return (struct product){high, (uint64_t)low, -(exponent + s)};
}

/* Returns the whole part of the quotient, which is below 2^64. */
static uint64_t whole_of(const struct product *product) {
  int h = product->shift;
  if (h <= 0) return product->low << -h;
  if (h >= 64) return (uint64_t)(product->high >> (h - 64));
  return (uint64_t)(product->high << (64 - h)) | product->low >> h;
}

/* Returns 1 if the whole part must be rounded up. */
static int rounds_up(const struct product *product, uint64_t whole) {
  int h = product->shift;
  if (h <= 0) return 0;
  tacit_u128 rest, half;
  uint64_t more = 0; /* lower bits, which `rest` does not hold */
  if (h <= 64) {
    half = (tacit_u128)1 << (h - 1);
    rest = product->low & (uint64_t)(2 * half - 1);
  } else {
    half = (tacit_u128)1 << (h - 65);
    rest = product->high & (2 * half - 1);
    more = product->low;
  }
  if (rest != half) return rest > half;
  return more > 0 || (whole & 1);
}

/* Writes eight digits, with leading zeros, two at a time. */
static void put_eight(uint32_t value, char *out) {
  static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                              "25262728293031323334353637383940414243444546474849"
                              "50515253545556575859606162636465666768697071727374"
                              "75767778798081828384858687888990919293949596979899";
  uint32_t high = value / 10000, low = value % 10000;
  memcpy(out, pairs + 2 * (high / 100), 2);
  memcpy(out + 2, pairs + 2 * (high % 100), 2);
  memcpy(out + 4, pairs + 2 * (low / 100), 2);
  memcpy(out + 6, pairs + 2 * (low % 100), 2);
}

/* Writes a number in [10^k, 10^(k+1)), -4 <= k <= 16, without an exponent. */
static char *put_plain(const char *digits, int n, int k, char *out) {
  if (k < 0) {
    memcpy(out, "0.000", 5);
    out += 1 - k;
    memcpy(out, digits, (size_t)n);
    return out + n;
  }
  int whole = k + 1;
  for (int i = 0; i < whole; ++i)
    *out++ = i < n ? digits[i] : '0';
  *out++ = '.';
  if (n <= whole) {
    *out++ = '0';
    return out;
  }
  memcpy(out, digits + whole, (size_t)(n - whole));
  return out + (n - whole);
}

/* Writes a number with k < -4, with an exponent of one or two digits. */
static char *put_small(const char *digits, int n, int k, char *out) {
  *out++ = digits[0];
  if (n > 1) {
    *out++ = '.';
    memcpy(out, digits + 1, (size_t)(n - 1));
    out += n - 1;
  }
  *out++ = 'e';
  *out++ = '-';
  if (-k >= 10) *out++ = (char)('0' + -k / 10);
  *out++ = (char)('0' + -k % 10);
  return out;
}

size_t tacit_decimal_write(double value, char *out) {
  char *at = out;
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  double size = fabs(value);
  if (!(size == 0 || (size >= 1e-38 && size <= 1e15))) return 0;
  if (bits >> 63) *at++ = '-';
  if (size == 0) {
    memcpy(at, "0.0", 3);
    return (size_t)(at + 3 - out);
  }
  uint64_t mantissa = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
  int exponent = (int)(bits >> 52 & 0x7ff) - 1075;
  /* floor(log10 2^(exponent + 52)), which is k or k - 1 */
  int k = (int)floor((exponent + 52) * 0.30102999566398120);
  struct product product = multiply(mantissa, exponent, 16 - k);
  uint64_t whole = whole_of(&product);
  if (whole >= 10 * ten_16) {
    ++k;
    product = multiply(mantissa, exponent, 16 - k);
    whole = whole_of(&product);
  }
  whole += (uint64_t)rounds_up(&product, whole);
  if (whole == 10 * ten_16) { /* 9.99… was rounded to 10 */
    ++k;
    whole = ten_16;
  }
  char digits[DIGITS];
  digits[0] = (char)('0' + whole / ten_16);
  put_eight((uint32_t)(whole % ten_16 / 100000000), digits + 1);
  put_eight((uint32_t)(whole % 100000000), digits + 9);
  int n = DIGITS;
  while (n > 1 && digits[n - 1] == '0')
    --n;
  at = k >= -4 ? put_plain(digits, n, k, at) : put_small(digits, n, k, at);
  return (size_t)(at - out);
}
