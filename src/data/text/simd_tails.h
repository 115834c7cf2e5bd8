/* SPDX-License-Identifier: MIT */
/* Takes entries of LIBSVM whose values are one digit, as in rows of zeros and ones, on
   processors that can shift each of four words by a number of bits of its own. */
#ifndef TACIT_DATA_TEXT_SIMD_TAILS_H
#define TACIT_DATA_TEXT_SIMD_TAILS_H

#include "data/text/simd_vectors.h"

#if defined(__AVX2__)
#define TACIT_SIMD_TAILS

enum { TACIT_TAIL_BEFORE = 6 }; /* characters before a value that are read */

/* The eight characters that end after a value of one digit: five digits, colon, value
   and blank, each the lowest that is allowed. After the last of four entries another
   character may replace the blank. */
typedef struct tacit_tails {
  __m256i usual, last;
} tacit_tails;

TACIT_SIMD_INLINE tacit_tails tacit_tails_of(char last) {
  const long long word =
      (long long)'1' << 48 | (long long)':' << 40 | 0x3030303030; /* 00000:1 */
  const long long usual = word | (long long)' ' << 56;
  tacit_tails tails = {
      _mm256_set1_epi64x(usual),
      _mm256_setr_epi64x(usual, usual, usual, word | (long long)last << 56)};
  return tails;
}

/* Takes four entries whose indices begin at after[0], after[2], after[4] and after[6].
   The digits of a word are where they are needed; what is before the first digit is cut
   off. Characters from TACIT_TAIL_BEFORE before after[1] on must be readable. Returns 0
   and writes nothing if these are no such entries. */
TACIT_SIMD_INLINE int tacit_tails_take(const char *base, const uint32_t *after,
                                       __m256i tails, tacit_ascent *ascent,
                                       uint32_t *indices, double *values) {
  const char *from = base - TACIT_TAIL_BEFORE;
  __m256i chars = _mm256_set_m128i(tacit_halves_load(from + after[5], from + after[7]),
                                   tacit_halves_load(from + after[1], from + after[3]));
  /* Per word: the size of the index with its colon, if the value has one character. */
  __m256i sizes =
      _mm256_xor_si256(tacit_distances(after), _mm256_set1_epi64x((long long)2 << 32));
  __m256i cut = _mm256_sub_epi64(_mm256_set1_epi64x(48), _mm256_slli_epi64(sizes, 3));
  __m256i digits = _mm256_and_si256(_mm256_sub_epi8(chars, tails),
                                    _mm256_sllv_epi64(_mm256_set1_epi64x(-1), cut));
  const __m256i most = _mm256_set1_epi64x(0x0008000909090909);
  __m256i good = _mm256_cmpeq_epi8(_mm256_min_epu8(digits, most), digits);
  __m256i bad = _mm256_cmpgt_epi32(sizes, _mm256_set1_epi64x(6));
  if (_mm256_movemask_epi8(_mm256_andnot_si256(bad, good)) != -1) return 0;
  __m256i pairs = _mm256_maddubs_epi16(digits, _mm256_set1_epi64x(0x00010001010a010a));
  __m256i parts = _mm256_madd_epi16(pairs, _mm256_set1_epi64x(0x00000001000a03e8));
  __m256i whole = _mm256_add_epi32(parts, _mm256_srli_epi64(parts, 32));
  const __m256i first = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
  __m128i index =
      _mm_add_epi32(_mm256_castsi256_si128(_mm256_permutevar8x32_epi32(whole, first)),
                    _mm_set1_epi32(-1));
  tacit_ascent_next(ascent, index);
  _mm_storeu_si128((__m128i *)(void *)indices, index);
  /* The values less 1 as doubles, by the method of tacit_four_real, plus 1. */
  __m256i less = _mm256_or_si256(_mm256_srli_epi64(pairs, 48),
                                 _mm256_set1_epi64x((long long)TACIT_SIMD_2_52));
  _mm256_storeu_pd(
      values, _mm256_sub_pd(_mm256_castsi256_pd(less), _mm256_set1_pd(0x1p52 - 1)));
  return 1;
}

#endif

#endif
