/* SPDX-License-Identifier: MIT */
/* What the SIMD parser asks of a processor: which of 64 characters are of a kind, and
   the numbers that four times sixteen digits make. */
#ifndef TACIT_DATA_TEXT_SIMD_VECTORS_H
#define TACIT_DATA_TEXT_SIMD_VECTORS_H

#include <stdint.h>
#include <string.h>

#define TACIT_SIMD_INLINE static inline __attribute__((always_inline))

/* Adding the bits of 2^52 turns exact integers up to 2^52 into doubles. */
#define TACIT_SIMD_2_52 UINT64_C(0x4330000000000000)

/* Headers of the SIMD parser are empty for any other processor. */
#if defined(__AVX2__) || defined(__ARM_NEON)
#define TACIT_SIMD_VECTORS
#endif

#if defined(__AVX2__)
#include <immintrin.h>

/* Returns the place of the lowest bit; any number if no bit is set. */
TACIT_SIMD_INLINE uint32_t tacit_low_bit(uint64_t word) {
  return (uint32_t)_tzcnt_u64(word);
}

/* A place eight times, for tacit_eight_put. */
typedef __m256i tacit_eight;

TACIT_SIMD_INLINE tacit_eight tacit_eight_of(uint32_t at) {
  return _mm256_set1_epi32((int)at);
}

/* Writes the eight bytes of a word, the lowest first, each plus the place, and adds 8
   to the place. */
TACIT_SIMD_INLINE void tacit_eight_put(uint32_t *out, const uint64_t *word,
                                       tacit_eight *place) {
  __m256i eight =
      _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)word));
  _mm256_storeu_si256((__m256i *)(void *)out, _mm256_add_epi32(eight, *place));
  *place = _mm256_add_epi32(*place, _mm256_set1_epi32(8));
}

/* 64 characters. */
typedef struct tacit_block {
  __m256i low, high;
} tacit_block;

TACIT_SIMD_INLINE tacit_block tacit_block_load(const char *at) {
  tacit_block block = {_mm256_loadu_si256((const __m256i *)(const void *)at),
                       _mm256_loadu_si256((const __m256i *)(const void *)(at + 32))};
  return block;
}

TACIT_SIMD_INLINE uint64_t tacit_block_word(__m256i low, __m256i high) {
  return (uint64_t)(uint32_t)_mm256_movemask_epi8(low) |
         (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}

/* Returns a word whose bit i is set if character i is c. */
TACIT_SIMD_INLINE uint64_t tacit_block_is(const tacit_block *block, char c) {
  const __m256i wanted = _mm256_set1_epi8(c);
  return tacit_block_word(_mm256_cmpeq_epi8(block->low, wanted),
                          _mm256_cmpeq_epi8(block->high, wanted));
}

/* Returns a word whose bit i is set if character i is c, or is at most ' '. */
TACIT_SIMD_INLINE uint64_t tacit_block_is_blank_or(const tacit_block *block, char c) {
  const __m256i blank = _mm256_set1_epi8(' '), wanted = _mm256_set1_epi8(c);
  __m256i low = _mm256_cmpeq_epi8(_mm256_min_epu8(block->low, blank), block->low);
  __m256i high = _mm256_cmpeq_epi8(_mm256_min_epu8(block->high, blank), block->high);
  return tacit_block_word(
      _mm256_or_si256(low, _mm256_cmpeq_epi8(block->low, wanted)),
      _mm256_or_si256(high, _mm256_cmpeq_epi8(block->high, wanted)));
}

/* The first sixteen characters of a text, with zeros after its end. */
typedef struct tacit_head {
  uint64_t first, second;
} tacit_head;

/* Returns the first characters of a text. `size` must be at most 16, and sixteen
   characters must be readable. */
TACIT_SIMD_INLINE tacit_head tacit_head_load(const char *text, size_t size) {
  static const uint8_t masks[32] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
  __m128i head = _mm_and_si128(
      _mm_loadu_si128((const __m128i *)(const void *)text),
      _mm_loadu_si128((const __m128i *)(const void *)(masks + 16 - size)));
  tacit_head words = {(uint64_t)_mm_cvtsi128_si64(head),
                      (uint64_t)_mm_extract_epi64(head, 1)};
  return words;
}

/* Four times sixteen characters, in an order that suits the functions below. */
typedef struct tacit_four {
  __m256i even, odd; /* texts 0 and 2, texts 1 and 3 */
} tacit_four;

TACIT_SIMD_INLINE __m256i tacit_two_load(const void *first, const void *second) {
  return _mm256_inserti128_si256(
      _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)first)),
      _mm_loadu_si128((const __m128i *)second), 1);
}

TACIT_SIMD_INLINE tacit_four tacit_four_load(const void *a, const void *b,
                                             const void *c, const void *d) {
  tacit_four four = {tacit_two_load(a, c), tacit_two_load(b, d)};
  return four;
}

TACIT_SIMD_INLINE __m128i tacit_halves_load(const void *low, const void *high) {
  long long words[2];
  memcpy(&words[0], low, sizeof words[0]);
  memcpy(&words[1], high, sizeof words[1]);
  return _mm_insert_epi64(_mm_cvtsi64_si128(words[0]), words[1], 1);
}

/* Loads eight characters each from two places, four times. */
TACIT_SIMD_INLINE tacit_four tacit_four_load_halves(const void *a, const void *a_high,
                                                    const void *b, const void *b_high,
                                                    const void *c, const void *c_high,
                                                    const void *d, const void *d_high) {
  tacit_four four = {
      _mm256_set_m128i(tacit_halves_load(c, c_high), tacit_halves_load(a, a_high)),
      _mm256_set_m128i(tacit_halves_load(d, d_high), tacit_halves_load(b, b_high))};
  return four;
}

/* Returns 1 if one of the four texts begins with this character. */
TACIT_SIMD_INLINE int tacit_four_any_begins(const tacit_four *four, char wanted) {
  const __m256i all = _mm256_set1_epi8(wanted);
  __m256i is = _mm256_or_si256(_mm256_cmpeq_epi8(four->even, all),
                               _mm256_cmpeq_epi8(four->odd, all));
  return (_mm256_movemask_epi8(is) & 0x00010001) != 0;
}

/* Writes where four neighbouring cells begin, and their sizes. after[-1] must be where
   the first begins. */
TACIT_SIMD_INLINE void tacit_four_spans(const uint32_t *after, uint32_t *begins,
                                        uint32_t *sizes) {
  __m128i begin = _mm_loadu_si128((const __m128i *)(const void *)(after - 1));
  __m128i end = _mm_add_epi32(_mm_loadu_si128((const __m128i *)(const void *)after),
                              _mm_set1_epi32(-1));
  _mm_storeu_si128((__m128i *)(void *)begins, begin);
  _mm_storeu_si128((__m128i *)(void *)sizes, _mm_sub_epi32(end, begin));
}

/* A place in each of the four texts. */
typedef struct tacit_four_points {
  uint32_t a, b, c, d;
} tacit_four_points;

/* Returns the first place of a character in each text, or its size, at most 16, if the
   character is not before it. */
TACIT_SIMD_INLINE tacit_four_points tacit_four_find(const tacit_four *four, char wanted,
                                                    tacit_four_points sizes) {
  const __m256i all = _mm256_set1_epi8(wanted);
  uint32_t even = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(four->even, all));
  uint32_t odd = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(four->odd, all));
  tacit_four_points points = {
      _tzcnt_u32(even | 1u << sizes.a), _tzcnt_u32(odd | 1u << sizes.b),
      _tzcnt_u32(even >> 16 | 1u << sizes.c), _tzcnt_u32(odd >> 16 | 1u << sizes.d)};
  return points;
}

/* Returns the first place of a character in the second half of each text, or its size,
   at most 8, if the character is not before it. */
TACIT_SIMD_INLINE tacit_four_points tacit_four_find_high(const tacit_four *four,
                                                         char wanted,
                                                         tacit_four_points sizes) {
  const __m256i all = _mm256_set1_epi8(wanted);
  uint32_t even = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(four->even, all));
  uint32_t odd = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(four->odd, all));
  tacit_four_points points = {(uint32_t)__builtin_ctz(even >> 8 | 1u << sizes.a),
                              (uint32_t)__builtin_ctz(odd >> 8 | 1u << sizes.b),
                              (uint32_t)__builtin_ctz(even >> 24 | 1u << sizes.c),
                              (uint32_t)__builtin_ctz(odd >> 24 | 1u << sizes.d)};
  return points;
}

/* Returns all bits of the first byte of each text that begins with `minus`. */
TACIT_SIMD_INLINE tacit_four tacit_four_signs(const tacit_four *four, char minus) {
  const __m256i all = _mm256_set1_epi8(minus);
  const __m256i place = _mm256_set_epi64x(0, 0xff, 0, 0xff);
  tacit_four signs = {_mm256_and_si256(_mm256_cmpeq_epi8(four->even, all), place),
                      _mm256_and_si256(_mm256_cmpeq_epi8(four->odd, all), place)};
  return signs;
}

/* Moves the characters: byte j of the result is the value of digit order[j], or 0 if
   order[j] is 0x80. Signs count as digits 0 unless `signs` is NULL. Bit i of the result
   is set if text i has anything else. */
TACIT_SIMD_INLINE unsigned tacit_four_digits(tacit_four *four, const tacit_four *signs,
                                             const tacit_four *order) {
  const __m256i zero = _mm256_set1_epi8('0'), nine = _mm256_set1_epi8(9);
  __m256i even = _mm256_sub_epi8(four->even, zero);
  __m256i odd = _mm256_sub_epi8(four->odd, zero);
  if (signs != NULL) {
    even = _mm256_andnot_si256(signs->even, even);
    odd = _mm256_andnot_si256(signs->odd, odd);
  }
  even = _mm256_shuffle_epi8(even, order->even);
  odd = _mm256_shuffle_epi8(odd, order->odd);
  four->even = even;
  four->odd = odd;
  __m256i good_even = _mm256_cmpeq_epi8(_mm256_min_epu8(even, nine), even);
  __m256i good_odd = _mm256_cmpeq_epi8(_mm256_min_epu8(odd, nine), odd);
  uint32_t good = (uint32_t)_mm256_movemask_epi8(_mm256_and_si256(good_even, good_odd));
  if (__builtin_expect(good == UINT32_MAX, 1)) return 0;
  uint32_t bad_even = ~(uint32_t)_mm256_movemask_epi8(good_even);
  uint32_t bad_odd = ~(uint32_t)_mm256_movemask_epi8(good_odd);
  return (unsigned)((bad_even & 0xffff) != 0) |
         (unsigned)((bad_odd & 0xffff) != 0) << 1 |
         (unsigned)(bad_even >> 16 != 0) << 2 | (unsigned)(bad_odd >> 16 != 0) << 3;
}

/* What must be in sixteen bytes, the first in the lowest byte: `digits` has a 9 where a
   digit must be, and `chars` has the character less '0' elsewhere. */
typedef struct tacit_form {
  uint64_t digits[2], chars[2];
} tacit_form;

TACIT_SIMD_INLINE __m256i tacit_form_vector(const uint64_t *low, const uint64_t *high) {
  return _mm256_setr_epi64x((long long)low[0], (long long)low[1], (long long)high[0],
                            (long long)high[1]);
}

/* Moves the characters like tacit_four_digits, without signs; other characters become
   0. The last of the four texts has the form `last`, with digits at the places of
   `form`. Returns 0 if anything is wrong. */
TACIT_SIMD_INLINE int tacit_four_take_form(tacit_four *four, const tacit_four *order,
                                           const tacit_form *form,
                                           const tacit_form *last) {
  const __m256i zero = _mm256_set1_epi8('0');
  const __m256i most = tacit_form_vector(form->digits, form->digits);
  __m256i even = _mm256_shuffle_epi8(_mm256_sub_epi8(four->even, zero), order->even);
  __m256i odd = _mm256_shuffle_epi8(_mm256_sub_epi8(four->odd, zero), order->odd);
  four->even = _mm256_xor_si256(even, tacit_form_vector(form->chars, form->chars));
  four->odd = _mm256_xor_si256(odd, tacit_form_vector(form->chars, last->chars));
  __m256i good =
      _mm256_and_si256(_mm256_cmpeq_epi8(_mm256_min_epu8(four->even, most), four->even),
                       _mm256_cmpeq_epi8(_mm256_min_epu8(four->odd, most), four->odd));
  return _mm256_movemask_epi8(good) == -1;
}

/* Returns the numbers made of digits: of the first eight in the low half of each 64
   bits, of the last eight in the high half. */
TACIT_SIMD_INLINE __m256i tacit_four_eights(const tacit_four *four) {
  const __m256i tens = _mm256_set1_epi16(10 | 1 << 8);
  const __m256i hundreds = _mm256_set1_epi32(100 | 1 << 16);
  const __m256i tenthousands = _mm256_set1_epi32(10000 | 1 << 16);
  __m256i even = _mm256_madd_epi16(_mm256_maddubs_epi16(four->even, tens), hundreds);
  __m256i odd = _mm256_madd_epi16(_mm256_maddubs_epi16(four->odd, tens), hundreds);
  return _mm256_madd_epi16(_mm256_packus_epi32(even, odd), tenthousands);
}

TACIT_SIMD_INLINE __m256d tacit_four_real(__m256i integers) {
  const __m256i magic = _mm256_set1_epi64x((long long)TACIT_SIMD_2_52);
  return _mm256_sub_pd(_mm256_castsi256_pd(_mm256_or_si256(integers, magic)),
                       _mm256_castsi256_pd(magic));
}

TACIT_SIMD_INLINE __m256d tacit_four_doubles(const double *a, const double *b,
                                             const double *c, const double *d) {
  return _mm256_set_m128d(_mm_loadh_pd(_mm_load_sd(c), d),
                          _mm_loadh_pd(_mm_load_sd(a), b));
}

/* Writes four numbers of up to 15 digits each, divided by *a … *d and with their signs.
   Returns a mask whose bit i is set if number i is 0 and has a sign, because it may
   then have no digit. */
TACIT_SIMD_INLINE unsigned
tacit_four_quotients(const tacit_four *digits, const tacit_four *signs, const double *a,
                     const double *b, const double *c, const double *d, double *out) {
  __m256i eights = tacit_four_eights(digits);
  __m256i whole =
      _mm256_add_epi64(_mm256_mul_epu32(eights, _mm256_set1_epi64x(100000000)),
                       _mm256_srli_epi64(eights, 32));
  __m256d sign = _mm256_castsi256_pd(_mm256_unpacklo_epi64(
      _mm256_slli_epi64(signs->even, 63), _mm256_slli_epi64(signs->odd, 63)));
  __m256d size = _mm256_div_pd(tacit_four_real(whole), tacit_four_doubles(a, b, c, d));
  _mm256_storeu_pd(out, _mm256_xor_pd(size, sign));
  __m256d zero = _mm256_cmp_pd(size, _mm256_setzero_pd(), _CMP_EQ_OQ);
  return (unsigned)_mm256_movemask_pd(_mm256_and_pd(zero, sign));
}

/* Whether indices ascend, four at a time, from 0 on. */
typedef struct tacit_ascent {
  __m128i previous, good;
} tacit_ascent;

TACIT_SIMD_INLINE tacit_ascent tacit_ascent_begin(void) {
  tacit_ascent ascent = {_mm_set1_epi32(-1), _mm_set1_epi32(-1)};
  return ascent;
}

/* Forgets the previous index. Call before a group of four that repeats indices of the
   last group. */
TACIT_SIMD_INLINE void tacit_ascent_again(tacit_ascent *ascent) {
  ascent->previous = _mm_set1_epi32(-1);
}

TACIT_SIMD_INLINE void tacit_ascent_next(tacit_ascent *ascent, __m128i indices) {
  __m128i before = _mm_alignr_epi8(indices, ascent->previous, 12);
  ascent->good = _mm_and_si128(ascent->good, _mm_cmpgt_epi32(indices, before));
  ascent->previous = indices;
}

TACIT_SIMD_INLINE void tacit_ascent_add(tacit_ascent *ascent, const uint32_t *indices) {
  tacit_ascent_next(ascent, _mm_loadu_si128((const __m128i *)(const void *)indices));
}

TACIT_SIMD_INLINE int tacit_ascent_is(const tacit_ascent *ascent) {
  return _mm_movemask_epi8(ascent->good) == 0xffff;
}

/* Returns the values of entries, of eight digits each, as integers. Writes their
   indices. */
TACIT_SIMD_INLINE __m256i tacit_four_values(const tacit_four *digits,
                                            tacit_ascent *ascent, uint32_t *indices) {
  const __m256i first = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
  __m256i eights = tacit_four_eights(digits);
  __m128i index =
      _mm_add_epi32(_mm256_castsi256_si128(_mm256_permutevar8x32_epi32(eights, first)),
                    _mm_set1_epi32(-1));
  tacit_ascent_next(ascent, index);
  _mm_storeu_si128((__m128i *)(void *)indices, index);
  return _mm256_srli_epi64(eights, 32);
}

TACIT_SIMD_INLINE int tacit_four_has_zero(__m256i integers) {
  __m256i zeros = _mm256_cmpeq_epi64(integers, _mm256_setzero_si256());
  return _mm256_movemask_epi8(zeros) != 0;
}

/* Writes entries: the first eight digits, less 1, are an index, the last eight a value.
   Returns 1 if a value is 0. */
TACIT_SIMD_INLINE int tacit_four_ones(const tacit_four *digits, tacit_ascent *ascent,
                                      uint32_t *indices, double *values) {
  __m256i whole = tacit_four_values(digits, ascent, indices);
  _mm256_storeu_pd(values, tacit_four_real(whole));
  return tacit_four_has_zero(whole);
}

/* Writes entries like tacit_four_ones, with values divided by *a … *d. */
TACIT_SIMD_INLINE int tacit_four_entries(const tacit_four *digits, const double *a,
                                         const double *b, const double *c,
                                         const double *d, tacit_ascent *ascent,
                                         uint32_t *indices, double *values) {
  __m256i whole = tacit_four_values(digits, ascent, indices);
  _mm256_storeu_pd(
      values, _mm256_div_pd(tacit_four_real(whole), tacit_four_doubles(a, b, c, d)));
  return tacit_four_has_zero(whole);
}

/* Returns the eight distances after[1] - after[0] … after[8] - after[7]. */
TACIT_SIMD_INLINE __m256i tacit_distances(const uint32_t *after) {
  return _mm256_sub_epi32(
      _mm256_loadu_si256((const __m256i *)(const void *)(after + 1)),
      _mm256_loadu_si256((const __m256i *)(const void *)after));
}

/* Returns 1 if the distances 0, 2, 4, 6 are at most `max` and the others are
   `exact`. */
TACIT_SIMD_INLINE int tacit_distances_are(const uint32_t *after, int max, int exact) {
  __m256i off = _mm256_xor_si256(tacit_distances(after),
                                 _mm256_set1_epi64x((int64_t)exact << 32));
  return _mm256_movemask_epi8(_mm256_cmpgt_epi32(off, _mm256_set1_epi64x(max))) == 0;
}

/* Returns 1 if the distances 0, 2, 4, 6 are at most `max` and the others at most
   `other`. */
TACIT_SIMD_INLINE int tacit_distances_below(const uint32_t *after, int max, int other) {
  const __m256i most = _mm256_set1_epi64x((int64_t)other << 32 | max);
  return _mm256_movemask_epi8(_mm256_cmpgt_epi32(tacit_distances(after), most)) == 0;
}

#elif defined(__ARM_NEON)
#include "data/text/simd_neon.h"
#endif

#endif
