/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_BYTES_DIGITS_H
#define TACIT_DATA_BYTES_DIGITS_H

#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/numbers.h"

/* Returns eight characters of a text as one word, whose lowest byte is the first
   character. Callers must provide eight readable bytes after the end of a text. Uses
   memcpy, because every compiler makes it one load. */
static inline uint64_t tacit_chars(const char *at) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  uint64_t word;
  memcpy(&word, at, sizeof word);
  return word;
#else
  return tacit_load_le64((const unsigned char *)at);
#endif
}

#define TACIT_EACH_BYTE(byte) ((uint64_t)(byte)*UINT64_C(0x0101010101010101))

/* Returns a word with the high bit of each byte that is not a digit set (a mark).
   Carries can set wrong marks above the lowest mark, so only the lowest is exact. */
static inline uint64_t tacit_no_digits(uint64_t word) {
  uint64_t digits = word ^ TACIT_EACH_BYTE('0');
  return (digits | (digits + TACIT_EACH_BYTE(0x80 - 10))) & TACIT_EACH_BYTE(0x80);
}

/* Marks the high bit of bytes that equal `byte`. Only the lowest mark is exact. */
static inline uint64_t tacit_bytes_equal(uint64_t word, unsigned char byte) {
  uint64_t zero = word ^ TACIT_EACH_BYTE(byte);
  return (zero - TACIT_EACH_BYTE(1)) & ~zero & TACIT_EACH_BYTE(0x80);
}

/* Marks the high bit of bytes that are at most ' '. Only the lowest mark is exact. */
static inline uint64_t tacit_bytes_blank(uint64_t word) {
  return (word - TACIT_EACH_BYTE(' ' + 1)) & ~word & TACIT_EACH_BYTE(0x80);
}

/* Returns the number of characters before the lowest mark. `marks` must not be 0. */
static inline unsigned tacit_chars_before(uint64_t marks) {
  return (unsigned)__builtin_ctzll(marks) / 8;
}

/* Returns the first character that is at most ' ', or at + TACIT_AHEAD if no such
   character comes before it. So the processor knows where the next number begins before
   it has parsed the current number, and works on both at once. */
enum { TACIT_AHEAD = 32 };
static inline const char *tacit_ahead_plain(const char *at) {
  for (const char *end = at + TACIT_AHEAD; at < end; at += 8) {
    uint64_t marks = tacit_bytes_blank(tacit_chars(at));
    if (marks != 0) return at + tacit_chars_before(marks);
  }
  return at;
}

/* Does what tacit_ahead_plain does, without a branch if SSE2 is available. */
static inline const char *tacit_ahead_blank(const char *at) {
#if defined(__SSE2__)
  const __m128i blank = _mm_set1_epi8(' ');
  __m128i low = _mm_loadu_si128((const __m128i *)(const void *)at);
  __m128i high = _mm_loadu_si128((const __m128i *)(const void *)(at + 16));
  low = _mm_cmpeq_epi8(_mm_min_epu8(low, blank), low);
  high = _mm_cmpeq_epi8(_mm_min_epu8(high, blank), high);
  uint64_t marks = (uint64_t)_mm_movemask_epi8(low) |
                   (uint64_t)_mm_movemask_epi8(high) << 16 | UINT64_C(1) << TACIT_AHEAD;
  at += __builtin_ctzll(marks);
  /* keeps compilers from replacing this pointer by the end of the parsed number when
     the two are equal, which would make the processor wait for the parser */
  __asm__("" : "+r"(at));
  return at;
#else
  return tacit_ahead_plain(at);
#endif
}

/* Returns the number made of eight digits, whose values 0 … 9 are the bytes of the
   word. Joins neighbours into pairs, pairs into fours and fours into eight. */
static inline uint64_t tacit_digits_join(uint64_t digits) {
  uint64_t pairs = 10 * digits + (digits >> 8);
  uint64_t even =
      (pairs & UINT64_C(0x000000ff000000ff)) * (100 + (UINT64_C(1000000) << 32));
  uint64_t odd =
      (pairs >> 16 & UINT64_C(0x000000ff000000ff)) * (1 + (UINT64_C(10000) << 32));
  return (even + odd) >> 32;
}

/* Returns the number made of eight characters, which must all be digits. */
static inline uint64_t tacit_digits_eight(uint64_t word) {
  return tacit_digits_join(word ^ TACIT_EACH_BYTE('0'));
}

/* Returns the number made of the first `count` < 8 characters. Shifts them up, so that
   zeros come before them. */
static inline uint64_t tacit_digits_value(uint64_t word, unsigned count) {
  return tacit_digits_join((word ^ TACIT_EACH_BYTE('0')) << 8 << (56 - 8 * count));
}

#endif
