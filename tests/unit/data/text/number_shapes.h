/* SPDX-License-Identifier: MIT */
/* Random decimal texts that matter: numbers as in files, and numbers that are hard to
   round. For the tests of data/text/number.c and for bench/speed/parse.c. */
#ifndef TACIT_TESTS_NUMBER_SHAPES_H
#define TACIT_TESTS_NUMBER_SHAPES_H

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { NUMBER_SHAPE_ROOM = 1300 };

static inline uint64_t number_word(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

static inline char *number_digits(uint64_t *state, int count, char *at) {
  for (int i = 0; i < count; ++i)
    *at++ = (char)('0' + number_word(state) % 10);
  return at;
}

/* A finite double with random bits. */
static inline double number_any(uint64_t *state) {
  double value;
  do {
    uint64_t bits = number_word(state);
    memcpy(&value, &bits, sizeof value);
  } while (!isfinite(value));
  return value;
}

/* Digits, perhaps with a point, perhaps with an exponent. */
static inline size_t number_plain(uint64_t *state, int max_digits, int exponents,
                                  char *out) {
  char *at = out;
  uint64_t shape = number_word(state);
  int n_digits = 1 + (int)(shape % (unsigned)max_digits);
  int n_whole = (int)(shape >> 16 & 0xffff) % (n_digits + 1);
  if (shape >> 32 & 1) *at++ = shape >> 33 & 1 ? '-' : '+';
  for (uint64_t n = shape >> 34 & 7; n > 6 && n < 12; ++n)
    *at++ = '0';
  at = number_digits(state, n_whole, at);
  if (n_whole < n_digits || (shape >> 40 & 1)) *at++ = '.';
  if (shape >> 41 & 1)
    for (uint64_t n = number_word(state) % 24; n > 0 && n_whole == 0; --n)
      *at++ = '0';
  at = number_digits(state, n_digits - n_whole, at);
  for (uint64_t n = shape >> 42 & 7; n > 5 && n < 14 && n_whole < n_digits; ++n)
    *at++ = '0';
  if (exponents > 0)
    at += sprintf(at, "%c%d", shape >> 50 & 1 ? 'e' : 'E',
                  (int)(number_word(state) % (2u * (unsigned)exponents)) - exponents);
  *at = '\0';
  return (size_t)(at - out);
}

/* The midpoint of a double and the next one, to its last digit; then unchanged, a
   little more, a little less, or cut off. */
static inline size_t number_tie(uint64_t *state, char *out) {
  double low = fabs(number_any(state));
  if (number_word(state) & 3)
    low = ldexp((double)(number_word(state) >> 11),
                (int)(number_word(state) % 200) - 150);
  long double high = nextafter(low, INFINITY);
  long double middle = isinf(high) ? (long double)low : low + (high - low) / 2;
  int size = snprintf(out, NUMBER_SHAPE_ROOM, "%.770Le", middle);
  char *exponent = strchr(out, 'e'), *last = exponent;
  char tail[16];
  (void)snprintf(tail, sizeof tail, "%s", exponent);
  while (last[-1] == '0')
    --last;
  switch (number_word(state) % 5) {
  case 0: *last++ = (char)('0' + number_word(state) % 10); break;
  case 1:
    if (last[-1] != '.') --last[-1];
    break;
  case 2:
    for (int n = (int)(number_word(state) % 300); n > 0; --n)
      *last++ = '0';
    *last++ = '1';
    break;
  case 3:
    if (last - out > 20) last = out + 17 + number_word(state) % 4;
    break;
  default: break;
  }
  size = (int)(last - out);
  size += sprintf(last, "%s", tail);
  return (size_t)size;
}

/* Writes one text, ended by NUL, and returns its length. */
static inline size_t number_shape(uint64_t *state, char *out) {
  uint64_t kind = number_word(state) % 32;
  if (kind < 8) return number_plain(state, 9, 0, out);
  if (kind < 12) return number_plain(state, 20, 0, out);
  if (kind < 15) return number_plain(state, 20, 30, out);
  if (kind < 18) return number_plain(state, 22, 340, out);
  if (kind < 22)
    return (size_t)sprintf(out, "%.17g", 2 * (double)number_word(state) * 0x1p-64 - 1);
  if (kind < 25)
    return (size_t)sprintf(out, "%.*g", 15 + (int)(number_word(state) % 6),
                           number_any(state));
  if (kind < 26) /* subnormal or close to it */
    return (size_t)sprintf(out, "%.*g", 1 + (int)(number_word(state) % 20),
                           ldexp((double)(number_word(state) >> 11), -1074 - 40));
  if (kind < 27) /* close to the largest double */
    return (size_t)sprintf(out, "%d.%06d%llue%d", 1 + (int)(number_word(state) % 2),
                           (int)(number_word(state) % 1000000),
                           (unsigned long long)number_word(state),
                           307 + (int)(number_word(state) % 3));
  if (kind < 28) return number_plain(state, 1000, 0, out);
  if (kind < 29) /* integers about 2^53 and beyond */
    return (size_t)sprintf(
        out, "%llu",
        (unsigned long long)(number_word(state) >> number_word(state) % 12));
  return number_tie(state, out);
}

#endif
