/* SPDX-License-Identifier: MIT */
/* Four numbers at a time become lines, steps or hats, with lines beside them, by the
   operations of data/schema/curve.h in their order, so the bits are equal. The map must
   be linear, and points must have equal distances. Each function writes four lanes into
   the arrays; lanes that are not used are overwritten by what comes next. */
#ifndef TACIT_DATA_TEXT_SIMD_CURVES_H
#define TACIT_DATA_TEXT_SIMD_CURVES_H

#include "data/text/csv.h"
#include "data/text/simd_vectors.h"

#if defined(__AVX2__)

/* Returns the numbers, cut to their bounds. NAN becomes the lower bound. */
TACIT_SIMD_INLINE __m256d tacit_four_clamp(const double *numbers,
                                           const tacit_csv_four *four) {
  __m256d value = _mm256_max_pd(_mm256_loadu_pd(numbers), _mm256_loadu_pd(four->min));
  return _mm256_min_pd(value, _mm256_loadu_pd(four->max));
}

TACIT_SIMD_INLINE __m256d tacit_four_share(__m256d value, const tacit_csv_four *four) {
  return _mm256_div_pd(_mm256_sub_pd(value, _mm256_loadu_pd(four->min)),
                       _mm256_loadu_pd(four->width));
}

TACIT_SIMD_INLINE __m256d tacit_four_nan(const double *numbers) {
  __m256d value = _mm256_loadu_pd(numbers);
  return _mm256_cmp_pd(value, value, _CMP_UNORD_Q);
}

/* Writes the lines of four numbers. Bit i of the result is set if number i is NAN or
   becomes 0. */
TACIT_SIMD_INLINE unsigned tacit_four_lines(const double *numbers,
                                            const tacit_csv_four *four, double *values,
                                            uint32_t *indices) {
  __m256d share = tacit_four_share(tacit_four_clamp(numbers, four), four);
  __m256d value = _mm256_add_pd(_mm256_mul_pd(_mm256_loadu_pd(four->scale), share),
                                _mm256_loadu_pd(four->low));
  _mm256_storeu_pd(values, value);
  memcpy(indices, four->input, sizeof four->input);
  __m256d zero = _mm256_cmp_pd(value, _mm256_setzero_pd(), _CMP_EQ_OQ);
  return (unsigned)_mm256_movemask_pd(_mm256_or_pd(tacit_four_nan(numbers), zero));
}

/* Four numbers, the points around them, and the numbers of the left points. */
typedef struct tacit_four_places {
  __m256d value, left, right;
  __m128i place;
} tacit_four_places;

/* Finds the points around four numbers by the guess of tacit_curve_find. Bit i of the
   result is set if number i is NAN or the guess is not right. */
TACIT_SIMD_INLINE unsigned tacit_four_find_places(const double *numbers,
                                                  const tacit_csv_four *four,
                                                  tacit_four_places *out) {
  __m256d value = tacit_four_clamp(numbers, four);
  __m256d count = _mm256_loadu_pd(four->scale);
  __m256d guess = _mm256_min_pd(_mm256_mul_pd(tacit_four_share(value, four), count),
                                _mm256_loadu_pd(four->low));
  __m128i place = _mm256_cvttpd_epi32(guess);
  uint64_t ab = (uint64_t)_mm_cvtsi128_si64(place);
  uint64_t cd = (uint64_t)_mm_extract_epi64(place, 1);
  __m256d even = _mm256_set_m128d(_mm_loadu_pd(four->at[2] + (uint32_t)cd),
                                  _mm_loadu_pd(four->at[0] + (uint32_t)ab));
  __m256d odd = _mm256_set_m128d(_mm_loadu_pd(four->at[3] + (cd >> 32)),
                                 _mm_loadu_pd(four->at[1] + (ab >> 32)));
  *out = (tacit_four_places){value, _mm256_unpacklo_pd(even, odd),
                             _mm256_unpackhi_pd(even, odd), place};
  /* the last interval contains its right point, the maximum */
  __m256d after =
      _mm256_and_pd(_mm256_cmp_pd(value, out->right, _CMP_GE_OQ),
                    _mm256_cmp_pd(value, _mm256_loadu_pd(four->max), _CMP_LT_OQ));
  __m256d wrong = _mm256_or_pd(_mm256_cmp_pd(value, out->left, _CMP_LT_OQ), after);
  return (unsigned)_mm256_movemask_pd(_mm256_or_pd(wrong, tacit_four_nan(numbers)));
}

/* Writes the steps of four numbers. Bit i of the result is set if number i is NAN or
   its interval was not found; its step then means nothing. */
TACIT_SIMD_INLINE unsigned tacit_four_steps(const double *numbers,
                                            const tacit_csv_four *four, double *values,
                                            uint32_t *indices) {
  tacit_four_places places;
  unsigned odd = tacit_four_find_places(numbers, four, &places);
  __m128i input = _mm_loadu_si128((const __m128i *)(const void *)four->input);
  _mm256_storeu_pd(values, _mm256_set1_pd(1));
  _mm_storeu_si128((__m128i *)(void *)indices, _mm_add_epi32(input, places.place));
  return odd;
}

/* Returns the low halves of four words. */
TACIT_SIMD_INLINE __m128i tacit_four_halves(__m256d words) {
  return _mm_castps_si128(_mm_shuffle_ps(
      _mm256_castps256_ps128(_mm256_castpd_ps(words)),
      _mm256_extractf128_ps(_mm256_castpd_ps(words), 1), _MM_SHUFFLE(2, 0, 2, 0)));
}

/* Writes a pair of entries per number: the two hats around it. If only one of them is
   not 0, the pair begins with that one, the next number's pair follows it directly, and
   the number's bit in *single is set. Bit i of the result is set if number i is NAN or
   its interval was not found. */
TACIT_SIMD_INLINE unsigned tacit_four_hats(const double *numbers,
                                           const tacit_csv_four *four, double *values,
                                           uint32_t *indices, unsigned *single) {
  tacit_four_places at;
  unsigned odd = tacit_four_find_places(numbers, four, &at);
  __m256d right =
      _mm256_div_pd(_mm256_sub_pd(at.value, at.left), _mm256_sub_pd(at.right, at.left));
  __m256d first = _mm256_sub_pd(_mm256_set1_pd(1), right);
  __m256d none = _mm256_cmp_pd(first, _mm256_setzero_pd(), _CMP_EQ_OQ);
  __m256d last = _mm256_cmp_pd(right, _mm256_setzero_pd(), _CMP_EQ_OQ);
  first = _mm256_or_pd(first, _mm256_and_pd(none, right));
  __m128i input = _mm_loadu_si128((const __m128i *)(const void *)four->input);
  __m128i index = _mm_add_epi32(input, at.place);
  __m128i next = _mm_sub_epi32(index, _mm_set1_epi32(-1));
  index = _mm_sub_epi32(index, tacit_four_halves(none));
  unsigned alone = (unsigned)_mm256_movemask_pd(_mm256_or_pd(none, last));
  size_t b = 2 - (alone & 1), c = 4 - (size_t)__builtin_popcount(alone & 3),
         d = 6 - (size_t)__builtin_popcount(alone & 7);
  __m256d even = _mm256_unpacklo_pd(first, right);
  __m256d others = _mm256_unpackhi_pd(first, right);
  _mm_storeu_pd(values, _mm256_castpd256_pd128(even));
  _mm_storeu_pd(values + b, _mm256_castpd256_pd128(others));
  _mm_storeu_pd(values + c, _mm256_extractf128_pd(even, 1));
  _mm_storeu_pd(values + d, _mm256_extractf128_pd(others, 1));
  __m128i ab = _mm_unpacklo_epi32(index, next), cd = _mm_unpackhi_epi32(index, next);
  _mm_storel_epi64((__m128i *)(void *)indices, ab);
  _mm_storel_epi64((__m128i *)(void *)(indices + b), _mm_unpackhi_epi64(ab, ab));
  _mm_storel_epi64((__m128i *)(void *)(indices + c), cd);
  _mm_storel_epi64((__m128i *)(void *)(indices + d), _mm_unpackhi_epi64(cd, cd));
  *single = alone;
  return odd;
}

/* Writes the lines beside the hats of four numbers, as tacit_curve_beside does. */
TACIT_SIMD_INLINE void tacit_four_beside(const double *numbers,
                                         const tacit_csv_four *four, double *values) {
  __m256d share = tacit_four_share(tacit_four_clamp(numbers, four), four);
  __m256d line =
      _mm256_add_pd(_mm256_mul_pd(_mm256_set1_pd(2), share), _mm256_set1_pd(-1));
  _mm256_storeu_pd(values, _mm256_mul_pd(_mm256_set1_pd(TACIT_CURVE_LINE), line));
}

#else

TACIT_SIMD_INLINE double tacit_one_clamp(double number, const tacit_csv_four *four,
                                         size_t i) {
  double value = number > four->min[i] ? number : four->min[i];
  return value < four->max[i] ? value : four->max[i];
}

TACIT_SIMD_INLINE unsigned tacit_four_lines(const double *numbers,
                                            const tacit_csv_four *four, double *values,
                                            uint32_t *indices) {
  unsigned odd = 0;
  for (size_t i = 0; i < 4; ++i) {
    double value = tacit_one_clamp(numbers[i], four, i);
    double share = (value - four->min[i]) / four->width[i];
    values[i] = four->scale[i] * share + four->low[i];
    indices[i] = four->input[i];
    odd |= (unsigned)(numbers[i] != numbers[i] || values[i] == 0) << i;
  }
  return odd;
}

/* Cuts number i to its bounds and finds the interval that it is in. Returns 1 if it is
   NAN or the interval is not right. */
TACIT_SIMD_INLINE unsigned tacit_one_place(const double *numbers,
                                           const tacit_csv_four *four, size_t i,
                                           double *value, uint32_t *place) {
  *value = tacit_one_clamp(numbers[i], four, i);
  double guess = (*value - four->min[i]) / four->width[i] * four->scale[i];
  *place = (uint32_t)(guess < four->low[i] ? guess : four->low[i]);
  const double *at = four->at[i] + *place;
  return numbers[i] != numbers[i] || *value < at[0] ||
         (*value >= at[1] && *value < four->max[i]);
}

TACIT_SIMD_INLINE unsigned tacit_four_steps(const double *numbers,
                                            const tacit_csv_four *four, double *values,
                                            uint32_t *indices) {
  unsigned odd = 0;
  for (size_t i = 0; i < 4; ++i) {
    double value;
    uint32_t place;
    odd |= tacit_one_place(numbers, four, i, &value, &place) << i;
    values[i] = 1;
    indices[i] = four->input[i] + place;
  }
  return odd;
}

TACIT_SIMD_INLINE unsigned tacit_four_hats(const double *numbers,
                                           const tacit_csv_four *four, double *values,
                                           uint32_t *indices, unsigned *single) {
  unsigned odd = 0, alone = 0;
  size_t count = 0;
  for (size_t i = 0; i < 4; ++i) {
    double value;
    uint32_t place;
    odd |= tacit_one_place(numbers, four, i, &value, &place) << i;
    const double *at = four->at[i] + place;
    double right = (value - at[0]) / (at[1] - at[0]);
    double first = 1 - right;
    unsigned none = first == 0, is_one = none | (unsigned)(right == 0);
    values[count] = none ? right : first;
    values[count + 1] = right;
    indices[count] = four->input[i] + place + none;
    indices[count + 1] = four->input[i] + place + 1;
    count += 2 - is_one;
    alone |= is_one << i;
  }
  *single = alone;
  return odd;
}

TACIT_SIMD_INLINE void tacit_four_beside(const double *numbers,
                                         const tacit_csv_four *four, double *values) {
  for (size_t i = 0; i < 4; ++i) {
    double value = tacit_one_clamp(numbers[i], four, i);
    double share = (value - four->min[i]) / four->width[i];
    values[i] = TACIT_CURVE_LINE * (2 * share + -1);
  }
}

#endif

#endif
