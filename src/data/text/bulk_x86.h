/* SPDX-License-Identifier: MIT */
/* 64 characters of a text at a time. Where characters of a kind stand are the bits of a
   word, bit 0 the first; so what a shape allows is arithmetic on words, without a
   branch on the lengths of numbers. A stop is a character that ends a number. All
   digits move into eight fields of eight bytes, a number each, zeros in front, and
   neighbours are joined to pairs, fours and eights as in digits.h, in all fields at
   once.

   The time goes by how many steps are under way at once, so by how many instructions
   one has: hence the checks that come free, and the words and constants that are held
   where they are (HOLD, KEEP): compilers else move them to and fro. */
#ifndef TACIT_DATA_TEXT_BULK_X86_H
#define TACIT_DATA_TEXT_BULK_X86_H

#include <immintrin.h>
#include <stdint.h>

#include "data/text/bulk.h"

#define TACIT_BULK                                                                     \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2,"   \
                        "bmi,bmi2,popcnt,lzcnt")))
#define TACIT_BULK_INLINE TACIT_BULK static inline __attribute__((always_inline))
#define TACIT_BULK_HOLD(word) __asm__("" : "+r"(word))
#define TACIT_BULK_KEEP(vector) __asm__("" : "+v"(vector))

typedef struct tacit_bulk_constants {
  __m512i point, minus, zero, ten, places, tens, hundreds, tenthousands;
} tacit_bulk_constants;

TACIT_BULK_INLINE __m512i tacit_bulk_all(char byte) {
  __m512i vector = _mm512_set1_epi8(byte);
  TACIT_BULK_KEEP(vector);
  return vector;
}

TACIT_BULK_INLINE tacit_bulk_constants tacit_bulk_prepare(void) {
  tacit_bulk_constants constants = {
      .point = tacit_bulk_all('.'),
      .minus = tacit_bulk_all('-'),
      .zero = tacit_bulk_all('0'),
      .ten = tacit_bulk_all(10),
      .places = _mm512_set_epi8(63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50,
                                49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36,
                                35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22,
                                21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7,
                                6, 5, 4, 3, 2, 1, 0),
      .tens = _mm512_set1_epi16(10 | 1 << 8),
      .hundreds = _mm512_set1_epi32(100 | 1 << 16),
      .tenthousands = _mm512_set1_epi64(10000),
  };
  return constants;
}

TACIT_BULK_INLINE uint64_t tacit_bulk_word(__mmask64 mask) {
  uint64_t raw_word = _cvtmask64_u64(mask);
  TACIT_BULK_HOLD(raw_word);
  return raw_word;
}

TACIT_BULK_INLINE uint64_t tacit_bulk_find(__m512i raw_text, __m512i wanted) {
  return tacit_bulk_word(_mm512_cmpeq_epi8_mask(raw_text, wanted));
}

/* The numbers of a window. How many of them count is found at the same time: up to
   there all must be right, behind it anything may stand. */
typedef struct tacit_bulk_numbers {
  uint64_t raw_stops;
  uint64_t raw_digits, raw_points, raw_minuses;
  uint64_t raw_zeros;     /* digits that are left out */
  uint64_t raw_fractions; /* from each point to the stop behind it; other stops too */
  uint64_t raw_starts;    /* where the numbers begin */
  __m512i raw_values;     /* of digits */
} tacit_bulk_numbers;

TACIT_BULK_INLINE tacit_bulk_numbers tacit_bulk_look(const tacit_bulk_constants *c,
                                                     __m512i raw_text,
                                                     uint64_t raw_stops) {
  tacit_bulk_numbers n;
  n.raw_stops = raw_stops;
  n.raw_starts = raw_stops << 1 | 1;
  n.raw_values = _mm512_sub_epi8(raw_text, c->zero);
  n.raw_points = tacit_bulk_find(raw_text, c->point);
  n.raw_minuses = tacit_bulk_find(raw_text, c->minus);
  /* the borrow runs from the point to the stop */
  n.raw_fractions = raw_stops - n.raw_points;
  /* a 0 that is all there is before a point is left out, for one digit more behind it;
     the sum puts the start of a number behind its minus */
  n.raw_zeros = tacit_bulk_word(_mm512_testn_epi8_mask(n.raw_values, n.raw_values)) &
                (n.raw_points >> 1) & (n.raw_starts + n.raw_minuses);
  n.raw_digits =
      tacit_bulk_word(_mm512_cmplt_epu8_mask(n.raw_values, c->ten)) & ~n.raw_zeros;
  return n;
}

/* Characters that are part of no number. */
TACIT_BULK_INLINE uint64_t tacit_bulk_unknown(const tacit_bulk_numbers *n) {
  return ~(n->raw_digits | n->raw_zeros | n->raw_points | n->raw_minuses |
           n->raw_stops);
}

/* Characters of one kind before each stop and behind the one before, a byte each. */
TACIT_BULK_INLINE __m128i tacit_bulk_lengths(const tacit_bulk_constants *c,
                                             uint64_t raw_kind, uint64_t raw_stops) {
  const __m128i ones = _mm_set1_epi8(-1);
  uint64_t raw_close = _pext_u64(raw_stops, raw_kind | raw_stops);
  __m128i raw_stop = _mm512_castsi512_si128(
      _mm512_maskz_compress_epi8(_cvtu64_mask64(raw_close), c->places));
  __m128i raw_before = _mm_alignr_epi8(raw_stop, ones, 15);
  return _mm_sub_epi8(_mm_add_epi8(raw_stop, ones), raw_before);
}

/* The digits moved to where raw_fields has its bits. */
TACIT_BULK_INLINE __m512i tacit_bulk_spread(__m512i raw_values, uint64_t raw_digits,
                                            uint64_t raw_fields) {
  return _mm512_maskz_expand_epi8(
      _cvtu64_mask64(raw_fields),
      _mm512_maskz_compress_epi8(_cvtu64_mask64(raw_digits), raw_values));
}

/* The digits of each of the first `raw_number` numbers, up to raw_range, as an integer,
   0 behind them. *raw_bad is not 0 when one has no digit or more than eight. */
TACIT_BULK_INLINE __m512i tacit_bulk_integers(const tacit_bulk_constants *c,
                                              const tacit_bulk_numbers *n,
                                              unsigned raw_number, uint64_t raw_range,
                                              uint64_t *raw_bad) {
  /* as many of the highest bits of a byte as a number has digits; where that is none
     one bit, and where it is more than eight far fewer, so that the sum tells: all of
     the others together cannot make up for one that is too long */
  const __m128i tops = _mm_set_epi64x(0xff, (long long)0xfefcf8f0e0c08080);
  __m128i raw_lengths = tacit_bulk_lengths(c, n->raw_digits, n->raw_stops);
  uint64_t raw_fields = _bzhi_u64(
      (uint64_t)_mm_cvtsi128_si64(_mm_shuffle_epi8(tops, raw_lengths)), 8 * raw_number);
  *raw_bad = (uint64_t)(_mm_popcnt_u64(raw_fields) ^
                        _mm_popcnt_u64(n->raw_digits & raw_range));
  __m512i raw_chars = tacit_bulk_spread(n->raw_values, n->raw_digits, raw_fields);
  __m512i raw_pairs = _mm512_maddubs_epi16(raw_chars, c->tens);
  __m512i raw_fours = _mm512_madd_epi16(raw_pairs, c->hundreds);
  return _mm512_add_epi64(_mm512_mul_epu32(raw_fours, c->tenthousands),
                          _mm512_srli_epi64(raw_fours, 32));
}

/* The same for up to 16 numbers of up to four digits: integers of 32 bits. */
TACIT_BULK_INLINE __m512i tacit_bulk_small(const tacit_bulk_constants *c,
                                           __m512i raw_values, uint64_t raw_digits,
                                           uint64_t raw_stops, unsigned raw_number,
                                           uint64_t raw_range, uint64_t *raw_bad) {
  const __m128i tops = _mm_set_epi64x(0, 0xf0e0c0800);
  __m128i raw_lengths = tacit_bulk_lengths(c, raw_digits, raw_stops);
  __m128i raw_halves = _mm_shuffle_epi8(tops, raw_lengths);
  /* two fields of four bits a byte */
  __m128i raw_both = _mm_maddubs_epi16(raw_halves, _mm_set1_epi16(1 | 16 << 8));
  uint64_t raw_fields =
      _bzhi_u64((uint64_t)_mm_cvtsi128_si64(_mm_packus_epi16(raw_both, raw_both)),
                4 * raw_number);
  *raw_bad =
      (uint64_t)(_mm_popcnt_u64(raw_fields) ^ _mm_popcnt_u64(raw_digits & raw_range)) |
      _bzhi_u32(_cvtmask16_u32(_mm_testn_epi8_mask(raw_lengths, raw_lengths)),
                raw_number);
  __m512i raw_chars = tacit_bulk_spread(raw_values, raw_digits, raw_fields);
  return _mm512_madd_epi16(_mm512_maddubs_epi16(raw_chars, c->tens), c->hundreds);
}

/* The integers with their points and signs: the nearest doubles, since integer and
   power of ten are doubles exactly. */
TACIT_BULK_INLINE __m512d tacit_bulk_doubles(const tacit_bulk_constants *c,
                                             const tacit_bulk_numbers *n,
                                             __m512i raw_integers) {
  __m128i raw_places =
      tacit_bulk_lengths(c, n->raw_fractions & n->raw_digits, n->raw_stops);
  __m512d raw_powers =
      _mm512_permutex2var_pd(_mm512_setr_pd(1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7),
                             _mm512_cvtepu8_epi64(raw_places), _mm512_set1_pd(1e8));
  __m512d raw_sizes = _mm512_div_pd(_mm512_cvtepi64_pd(raw_integers), raw_powers);
  __mmask8 raw_signs = (__mmask8)_pext_u64(n->raw_minuses, n->raw_starts);
  return _mm512_mask_xor_pd(raw_sizes, raw_signs, raw_sizes, _mm512_set1_pd(-0.0));
}

/* Entries from some of the lanes; TACIT_BULK_ROOM is there. */
TACIT_BULK_INLINE void tacit_bulk_put(tacit_rows *rows, size_t *raw_count,
                                      __mmask8 raw_values_kept, __m512d raw_values,
                                      __mmask8 raw_indices_kept, __m512i raw_indices) {
  _mm512_storeu_pd(rows->raw_values + *raw_count,
                   _mm512_maskz_compress_pd(raw_values_kept, raw_values));
  _mm256_storeu_si256((__m256i *)(void *)(rows->raw_indices + *raw_count),
                      _mm512_cvtepi64_epi32(
                          _mm512_maskz_compress_epi64(raw_indices_kept, raw_indices)));
  *raw_count += (size_t)_mm_popcnt_u32(raw_values_kept);
}

#endif
