/* SPDX-License-Identifier: MIT */
/* 64 characters of a text at a time. Where characters of a kind stand are the bits of a
   word, bit 0 the first; so what a shape allows is arithmetic on words, without a
   branch on the lengths of numbers. Then all digits move into fields of eight bytes, a
   number each, filled up with zeros in front, and neighbours are joined to pairs, fours
   and eights as in digits.h, in all fields at once. */
#ifndef TACIT_DATA_BULK_X86_H
#define TACIT_DATA_BULK_X86_H

#include <immintrin.h>
#include <stdint.h>

#define TACIT_BULK                                                                     \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2,"   \
                        "bmi,bmi2,popcnt,lzcnt")))

/* Where the digits, points and minuses of the window are, and their values. */
typedef struct tacit_bulk_chars {
  __m512i raw_text, raw_values;
  uint64_t raw_digits, raw_points, raw_minuses;
} tacit_bulk_chars;

TACIT_BULK static inline uint64_t tacit_bulk_find(__m512i raw_text, char wanted) {
  return _cvtmask64_u64(_mm512_cmpeq_epi8_mask(raw_text, _mm512_set1_epi8(wanted)));
}

TACIT_BULK static inline tacit_bulk_chars tacit_bulk_look(const char *raw_at) {
  tacit_bulk_chars chars;
  chars.raw_text = _mm512_loadu_si512(raw_at);
  chars.raw_values = _mm512_sub_epi8(chars.raw_text, _mm512_set1_epi8('0'));
  chars.raw_digits = _cvtmask64_u64(
      _mm512_cmplt_epu8_mask(chars.raw_values, _mm512_set1_epi8(10)));
  chars.raw_points = tacit_bulk_find(chars.raw_text, '.');
  chars.raw_minuses = tacit_bulk_find(chars.raw_text, '-');
  return chars;
}

/* Characters of one kind before each of up to 16 stops and behind the one before, a
   byte each; of no meaning beyond the last stop. */
TACIT_BULK static inline __m128i tacit_bulk_lengths(uint64_t raw_kind,
                                                    uint64_t raw_stops) {
  const __m512i places = _mm512_set_epi8(
      63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44,
      43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24,
      23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1,
      0);
  const __m128i ones = _mm_set1_epi8(-1);
  uint64_t raw_close = _pext_u64(raw_stops, raw_kind | raw_stops);
  __m128i raw_stop = _mm512_castsi512_si128(
      _mm512_maskz_compress_epi8(_cvtu64_mask64(raw_close), places));
  __m128i raw_before = _mm_alignr_epi8(raw_stop, ones, 15);
  return _mm_add_epi8(_mm_sub_epi8(raw_stop, raw_before), ones);
}

/* The digits of eight numbers, of the given lengths up to 8, as eight integers. */
TACIT_BULK static inline __m512i
tacit_bulk_integers(const tacit_bulk_chars *chars, uint64_t raw_digits,
                    __m128i raw_lengths) {
  /* as many of the highest bits of a byte as a number has digits */
  const __m128i tops = _mm_set_epi64x(0xff, (long long)0xfefcf8f0e0c08000);
  uint64_t raw_fields =
      (uint64_t)_mm_cvtsi128_si64(_mm_shuffle_epi8(tops, raw_lengths));
  __m512i raw_dense =
      _mm512_maskz_compress_epi8(_cvtu64_mask64(raw_digits), chars->raw_values);
  __m512i raw_chars = _mm512_maskz_expand_epi8(_cvtu64_mask64(raw_fields), raw_dense);
  __m512i raw_pairs = _mm512_maddubs_epi16(raw_chars, _mm512_set1_epi16(10 | 1 << 8));
  __m512i raw_fours = _mm512_madd_epi16(raw_pairs, _mm512_set1_epi32(100 | 1 << 16));
  return _mm512_add_epi64(_mm512_mul_epu32(raw_fours, _mm512_set1_epi64(10000)),
                          _mm512_srli_epi64(raw_fours, 32));
}

/* 10^places, places up to 15 in the low bytes. Exact. */
TACIT_BULK static inline __m512d tacit_bulk_powers(__m128i raw_places) {
  return _mm512_permutex2var_pd(_mm512_setr_pd(1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7),
                                _mm512_cvtepu8_epi64(raw_places),
                                _mm512_setr_pd(1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14,
                                               1e15));
}

#endif
