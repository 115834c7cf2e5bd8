/* SPDX-License-Identifier: MIT */
/* Parses 64 characters of a text at a time. The positions of one kind of character are
   the bits of a word, bit 0 for the first character. So syntax checks are arithmetic on
   words, without a branch on the lengths of numbers. A stop is a character that ends a
   number. All digits move into eight fields of eight bytes, one number per field with
   zeros in front; then neighbours are joined into pairs, fours and eights as in
   digits.h, in all fields at once.

   The speed depends on how many steps the processor overlaps, so on the number of
   instructions per step. Hence the checks that cost nothing extra, and the macros HOLD
   and KEEP, which keep words and constants in registers: without them compilers move
   them to memory and back. */
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
  uint64_t word = _cvtmask64_u64(mask);
  TACIT_BULK_HOLD(word);
  return word;
}

TACIT_BULK_INLINE uint64_t tacit_bulk_find(__m512i text, __m512i wanted) {
  return tacit_bulk_word(_mm512_cmpeq_epi8_mask(text, wanted));
}

/* The numbers of a window. How many of them are used is computed at the same time;
   after the last of these, anything may follow. */
typedef struct tacit_bulk_numbers {
  uint64_t stops;
  uint64_t digits, points, minuses;
  uint64_t zeros;     /* digits that are left out */
  uint64_t fractions; /* from each point to the stop after it; other stops too */
  uint64_t starts;    /* where the numbers begin */
  __m512i values;     /* of the digits, one per byte */
} tacit_bulk_numbers;

TACIT_BULK_INLINE tacit_bulk_numbers tacit_bulk_look(const tacit_bulk_constants *c,
                                                     __m512i text, uint64_t stops) {
  tacit_bulk_numbers n;
  n.stops = stops;
  n.starts = stops << 1 | 1;
  n.values = _mm512_sub_epi8(text, c->zero);
  n.points = tacit_bulk_find(text, c->point);
  n.minuses = tacit_bulk_find(text, c->minus);
  /* the borrow extends from the point to the stop */
  n.fractions = stops - n.points;
  /* a single 0 before a point is left out, which allows one more digit after the point;
     the sum moves the start of a number past its minus */
  n.zeros = tacit_bulk_word(_mm512_testn_epi8_mask(n.values, n.values)) &
            (n.points >> 1) & (n.starts + n.minuses);
  n.digits = tacit_bulk_word(_mm512_cmplt_epu8_mask(n.values, c->ten)) & ~n.zeros;
  return n;
}

/* Characters that do not belong to a number. */
TACIT_BULK_INLINE uint64_t tacit_bulk_unknown(const tacit_bulk_numbers *n) {
  return ~(n->digits | n->zeros | n->points | n->minuses | n->stops);
}

/* For each stop, the number of characters of one kind since the stop before it; one
   byte each. */
TACIT_BULK_INLINE __m128i tacit_bulk_lengths(const tacit_bulk_constants *c,
                                             uint64_t kind, uint64_t stops) {
  const __m128i ones = _mm_set1_epi8(-1);
  uint64_t close = _pext_u64(stops, kind | stops);
  __m128i stop = _mm512_castsi512_si128(
      _mm512_maskz_compress_epi8(_cvtu64_mask64(close), c->places));
  __m128i before = _mm_alignr_epi8(stop, ones, 15);
  return _mm_sub_epi8(_mm_add_epi8(stop, ones), before);
}

/* Moves the digits to the bytes that `fields` marks. */
TACIT_BULK_INLINE __m512i tacit_bulk_expand(__m512i values, uint64_t digits,
                                            uint64_t fields) {
  return _mm512_maskz_expand_epi8(
      _cvtu64_mask64(fields),
      _mm512_maskz_compress_epi8(_cvtu64_mask64(digits), values));
}

/* The first `number` numbers, which end within `range`, as integers; 0 in the other
   fields. *bad is not 0 if one of them has no digit or more than eight. */
TACIT_BULK_INLINE __m512i tacit_bulk_integers(const tacit_bulk_constants *c,
                                              const tacit_bulk_numbers *n,
                                              unsigned number, uint64_t range,
                                              uint64_t *bad) {
  /* Per number, a byte with as many of its highest bits set as the number has digits.
     No digits give one bit, more than eight give far fewer bits. So the total count of
     bits is wrong if any number is too short or too long: the other numbers cannot make
     up for it. */
  const __m128i tops = _mm_set_epi64x(0xff, (long long)0xfefcf8f0e0c08080);
  __m128i lengths = tacit_bulk_lengths(c, n->digits, n->stops);
  uint64_t fields = _bzhi_u64(
      (uint64_t)_mm_cvtsi128_si64(_mm_shuffle_epi8(tops, lengths)), 8 * number);
  *bad = (uint64_t)(_mm_popcnt_u64(fields) ^ _mm_popcnt_u64(n->digits & range));
  __m512i chars = tacit_bulk_expand(n->values, n->digits, fields);
  __m512i pairs = _mm512_maddubs_epi16(chars, c->tens);
  __m512i fours = _mm512_madd_epi16(pairs, c->hundreds);
  return _mm512_add_epi64(_mm512_mul_epu32(fours, c->tenthousands),
                          _mm512_srli_epi64(fours, 32));
}

/* The same for up to 16 numbers of up to four digits, as 32-bit integers. */
TACIT_BULK_INLINE __m512i tacit_bulk_small(const tacit_bulk_constants *c,
                                           __m512i values, uint64_t digits,
                                           uint64_t stops, unsigned number,
                                           uint64_t range, uint64_t *bad) {
  const __m128i tops = _mm_set_epi64x(0, 0xf0e0c0800);
  __m128i lengths = tacit_bulk_lengths(c, digits, stops);
  __m128i halves = _mm_shuffle_epi8(tops, lengths);
  /* two fields of four bits per byte */
  __m128i both = _mm_maddubs_epi16(halves, _mm_set1_epi16(1 | 16 << 8));
  uint64_t fields =
      _bzhi_u64((uint64_t)_mm_cvtsi128_si64(_mm_packus_epi16(both, both)), 4 * number);
  *bad = (uint64_t)(_mm_popcnt_u64(fields) ^ _mm_popcnt_u64(digits & range)) |
         _bzhi_u32(_cvtmask16_u32(_mm_testn_epi8_mask(lengths, lengths)), number);
  __m512i chars = tacit_bulk_expand(values, digits, fields);
  return _mm512_madd_epi16(_mm512_maddubs_epi16(chars, c->tens), c->hundreds);
}

/* Applies points and signs to the integers. The result is the nearest double, because
   the integer and the power of ten are exact doubles. */
TACIT_BULK_INLINE __m512d tacit_bulk_doubles(const tacit_bulk_constants *c,
                                             const tacit_bulk_numbers *n,
                                             __m512i integers) {
  __m128i places = tacit_bulk_lengths(c, n->fractions & n->digits, n->stops);
  __m512d powers =
      _mm512_permutex2var_pd(_mm512_setr_pd(1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7),
                             _mm512_cvtepu8_epi64(places), _mm512_set1_pd(1e8));
  __m512d sizes = _mm512_div_pd(_mm512_cvtepi64_pd(integers), powers);
  __mmask8 signs = (__mmask8)_pext_u64(n->minuses, n->starts);
  return _mm512_mask_xor_pd(sizes, signs, sizes, _mm512_set1_pd(-0.0));
}

/* Writes the entries of some lanes; needs TACIT_BULK_ROOM. */
TACIT_BULK_INLINE void tacit_bulk_put(tacit_rows *rows, size_t *count,
                                      __mmask8 values_kept, __m512d values,
                                      __mmask8 indices_kept, __m512i indices) {
  _mm512_storeu_pd(rows->values + *count,
                   _mm512_maskz_compress_pd(values_kept, values));
  _mm256_storeu_si256(
      (__m256i *)(void *)(rows->indices + *count),
      _mm512_cvtepi64_epi32(_mm512_maskz_compress_epi64(indices_kept, indices)));
  *count += (size_t)_mm_popcnt_u32(values_kept);
}

#endif
