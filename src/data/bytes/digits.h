/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_BYTES_DIGITS_H
#define TACIT_DATA_BYTES_DIGITS_H

#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/numbers.h"

/* Eight characters of a text at a time, as one word whose lowest byte is the first
   character. Reading stays within eight characters of where a text is read, so callers
   leave that room behind the end. A copy is one load to every compiler, bytes put
   together by hand are not: some of them were read before, and stay single. */
static inline uint64_t tacit_chars(const char *raw_at) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  uint64_t raw_word;
  memcpy(&raw_word, raw_at, sizeof raw_word);
  return raw_word;
#else
  return tacit_load_le64((const unsigned char *)raw_at);
#endif
}

#define TACIT_EACH_BYTE(byte) ((uint64_t)(byte)*UINT64_C(0x0101010101010101))

/* The high bit of each byte that is no digit. Bytes above the lowest such one may be
   told wrongly (carries move up), so look at the lowest only. */
static inline uint64_t tacit_no_digits(uint64_t raw_word) {
  uint64_t raw_digits = raw_word ^ TACIT_EACH_BYTE('0');
  return (raw_digits | (raw_digits + TACIT_EACH_BYTE(0x80 - 10))) &
         TACIT_EACH_BYTE(0x80);
}

/* The same for bytes that are `byte`: exact for the lowest. */
static inline uint64_t tacit_bytes_equal(uint64_t raw_word, unsigned char byte) {
  uint64_t raw_zero = raw_word ^ TACIT_EACH_BYTE(byte);
  return (raw_zero - TACIT_EACH_BYTE(1)) & ~raw_zero & TACIT_EACH_BYTE(0x80);
}

/* The same for bytes up to ' '. */
static inline uint64_t tacit_bytes_blank(uint64_t raw_word) {
  return (raw_word - TACIT_EACH_BYTE(' ' + 1)) & ~raw_word & TACIT_EACH_BYTE(0x80);
}

/* Characters before the lowest marked one; marks are not 0. */
static inline unsigned tacit_chars_before(uint64_t raw_marks) {
  return (unsigned)__builtin_ctzll(raw_marks) / 8;
}

/* Where the first character is that is not above ' '; TACIT_AHEAD on: none before is.
   So it is known where the next number begins before the one at hand is read, and the
   processor begins with it: else it would wait for the end of this one. */
enum { TACIT_AHEAD = 32 };
static inline const char *tacit_ahead_plain(const char *raw_at) {
  for (const char *raw_end = raw_at + TACIT_AHEAD; raw_at < raw_end; raw_at += 8) {
    uint64_t raw_marks = tacit_bytes_blank(tacit_chars(raw_at));
    if (raw_marks != 0) return raw_at + tacit_chars_before(raw_marks);
  }
  return raw_at;
}

/* The same without a branch where that is cheap. */
static inline const char *tacit_ahead_blank(const char *raw_at) {
#if defined(__SSE2__)
  const __m128i blank = _mm_set1_epi8(' ');
  __m128i raw_low = _mm_loadu_si128((const __m128i *)(const void *)raw_at);
  __m128i raw_high = _mm_loadu_si128((const __m128i *)(const void *)(raw_at + 16));
  raw_low = _mm_cmpeq_epi8(_mm_min_epu8(raw_low, blank), raw_low);
  raw_high = _mm_cmpeq_epi8(_mm_min_epu8(raw_high, blank), raw_high);
  uint64_t raw_marks = (uint64_t)_mm_movemask_epi8(raw_low) |
                       (uint64_t)_mm_movemask_epi8(raw_high) << 16 |
                       UINT64_C(1) << TACIT_AHEAD;
  raw_at += __builtin_ctzll(raw_marks);
  /* else compilers take the end of the number instead, once both are found equal */
  __asm__("" : "+r"(raw_at));
  return raw_at;
#else
  return tacit_ahead_plain(raw_at);
#endif
}

/* The number that eight digits make, each the value of its byte: neighbours are joined
   to pairs, fours and eight. */
static inline uint64_t tacit_digits_join(uint64_t raw_digits) {
  uint64_t raw_pairs = 10 * raw_digits + (raw_digits >> 8);
  uint64_t raw_even =
      (raw_pairs & UINT64_C(0x000000ff000000ff)) * (100 + (UINT64_C(1000000) << 32));
  uint64_t raw_odd =
      (raw_pairs >> 16 & UINT64_C(0x000000ff000000ff)) * (1 + (UINT64_C(10000) << 32));
  return (raw_even + raw_odd) >> 32;
}

/* The number that eight characters make, digits all. */
static inline uint64_t tacit_digits_eight(uint64_t raw_word) {
  return tacit_digits_join(raw_word ^ TACIT_EACH_BYTE('0'));
}

/* The number that the first `count` < 8 characters make: moved up, zeros in front. */
static inline uint64_t tacit_digits_value(uint64_t raw_word, unsigned count) {
  return tacit_digits_join((raw_word ^ TACIT_EACH_BYTE('0')) << 8 << (56 - 8 * count));
}

#endif
