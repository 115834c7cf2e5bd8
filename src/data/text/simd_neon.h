/* SPDX-License-Identifier: MIT */
/* The functions of simd_vectors.h for NEON, with equal results. */
#ifndef TACIT_DATA_TEXT_SIMD_NEON_H
#define TACIT_DATA_TEXT_SIMD_NEON_H

#if defined(__ARM_NEON)
#include <arm_neon.h>
#include <stddef.h>

#include "data/text/simd_vectors.h"

TACIT_SIMD_INLINE uint32_t tacit_low_bit(uint64_t word) {
  return (uint32_t)__builtin_ctzll(word | UINT64_C(1) << 63);
}

typedef uint32_t tacit_eight;

TACIT_SIMD_INLINE tacit_eight tacit_eight_of(uint32_t at) { return at; }

TACIT_SIMD_INLINE void tacit_eight_put(uint32_t *out, const uint64_t *word,
                                       tacit_eight *place) {
  uint16x8_t eight = vmovl_u8(vcreate_u8(*word));
  vst1q_u32(out, vaddw_u16(vdupq_n_u32(*place), vget_low_u16(eight)));
  vst1q_u32(out + 4, vaddw_u16(vdupq_n_u32(*place), vget_high_u16(eight)));
  *place += 8;
}

typedef struct tacit_block {
  uint8x16_t part[4];
} tacit_block;

TACIT_SIMD_INLINE tacit_block tacit_block_load(const char *at) {
  const uint8_t *from = (const uint8_t *)at;
  tacit_block block = {
      {vld1q_u8(from), vld1q_u8(from + 16), vld1q_u8(from + 32), vld1q_u8(from + 48)}};
  return block;
}

/* Returns one bit per byte of four times sixteen bytes, which must be all ones or all
   zeros. */
TACIT_SIMD_INLINE uint64_t tacit_block_word(uint8x16_t a, uint8x16_t b, uint8x16_t c,
                                            uint8x16_t d) {
  const uint8x16_t bits =
      vreinterpretq_u8_u64(vdupq_n_u64(UINT64_C(0x8040201008040201)));
  uint8x16_t low = vpaddq_u8(vandq_u8(a, bits), vandq_u8(b, bits));
  uint8x16_t high = vpaddq_u8(vandq_u8(c, bits), vandq_u8(d, bits));
  uint8x16_t sums = vpaddq_u8(low, high);
  sums = vpaddq_u8(sums, sums);
  return vgetq_lane_u64(vreinterpretq_u64_u8(sums), 0);
}

TACIT_SIMD_INLINE uint64_t tacit_block_is(const tacit_block *block, char c) {
  const uint8x16_t wanted = vdupq_n_u8((uint8_t)c);
  return tacit_block_word(
      vceqq_u8(block->part[0], wanted), vceqq_u8(block->part[1], wanted),
      vceqq_u8(block->part[2], wanted), vceqq_u8(block->part[3], wanted));
}

TACIT_SIMD_INLINE uint64_t tacit_block_is_blank_or(const tacit_block *block, char c) {
  const uint8x16_t wanted = vdupq_n_u8((uint8_t)c), blank = vdupq_n_u8(' ');
  uint8x16_t is[4];
  for (int i = 0; i < 4; ++i)
    is[i] = vorrq_u8(vceqq_u8(block->part[i], wanted), vcleq_u8(block->part[i], blank));
  return tacit_block_word(is[0], is[1], is[2], is[3]);
}

typedef struct tacit_head {
  uint64_t first, second;
} tacit_head;

TACIT_SIMD_INLINE tacit_head tacit_head_load(const char *text, size_t size) {
  static const uint8_t masks[32] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
  uint64x2_t head = vreinterpretq_u64_u8(
      vandq_u8(vld1q_u8((const uint8_t *)text), vld1q_u8(masks + 16 - size)));
  tacit_head words = {vgetq_lane_u64(head, 0), vgetq_lane_u64(head, 1)};
  return words;
}

typedef struct tacit_four {
  uint8x16_t part[4];
} tacit_four;

TACIT_SIMD_INLINE tacit_four tacit_four_load(const void *a, const void *b,
                                             const void *c, const void *d) {
  tacit_four four = {{vld1q_u8(a), vld1q_u8(b), vld1q_u8(c), vld1q_u8(d)}};
  return four;
}

TACIT_SIMD_INLINE uint8x16_t tacit_halves_load(const void *low, const void *high) {
  return vcombine_u8(vld1_u8(low), vld1_u8(high));
}

TACIT_SIMD_INLINE tacit_four tacit_four_load_halves(const void *a, const void *a_high,
                                                    const void *b, const void *b_high,
                                                    const void *c, const void *c_high,
                                                    const void *d, const void *d_high) {
  tacit_four four = {{tacit_halves_load(a, a_high), tacit_halves_load(b, b_high),
                      tacit_halves_load(c, c_high), tacit_halves_load(d, d_high)}};
  return four;
}

TACIT_SIMD_INLINE int tacit_four_any_begins(const tacit_four *four, char wanted) {
  int any = 0;
  for (int i = 0; i < 4; ++i)
    any |= vgetq_lane_u8(four->part[i], 0) == (uint8_t)wanted;
  return any;
}

TACIT_SIMD_INLINE void tacit_four_spans(const uint32_t *after, uint32_t *begins,
                                        uint32_t *sizes) {
  uint32x4_t begin = vld1q_u32(after - 1);
  uint32x4_t end = vsubq_u32(vld1q_u32(after), vdupq_n_u32(1));
  vst1q_u32(begins, begin);
  vst1q_u32(sizes, vsubq_u32(end, begin));
}

typedef struct tacit_four_points {
  uint32_t a, b, c, d;
} tacit_four_points;

/* Returns the first place of a character, counted from byte `from`, or `size` if it is
   not before that. */
TACIT_SIMD_INLINE uint32_t tacit_find_one(uint8x16_t chars, char wanted, int from,
                                          uint32_t size) {
  uint8x16_t is = vceqq_u8(chars, vdupq_n_u8((uint8_t)wanted));
  /* four bits per character */
  uint64_t marks =
      vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(is), 4)), 0);
  marks >>= 4 * from;
  uint32_t place = marks != 0 ? (uint32_t)__builtin_ctzll(marks) / 4 : 16;
  return place < size ? place : size;
}

TACIT_SIMD_INLINE tacit_four_points tacit_four_find_from(const tacit_four *four,
                                                         char wanted, int from,
                                                         tacit_four_points sizes) {
  tacit_four_points points = {tacit_find_one(four->part[0], wanted, from, sizes.a),
                              tacit_find_one(four->part[1], wanted, from, sizes.b),
                              tacit_find_one(four->part[2], wanted, from, sizes.c),
                              tacit_find_one(four->part[3], wanted, from, sizes.d)};
  return points;
}

TACIT_SIMD_INLINE tacit_four_points tacit_four_find(const tacit_four *four, char wanted,
                                                    tacit_four_points sizes) {
  return tacit_four_find_from(four, wanted, 0, sizes);
}

TACIT_SIMD_INLINE tacit_four_points tacit_four_find_high(const tacit_four *four,
                                                         char wanted,
                                                         tacit_four_points sizes) {
  return tacit_four_find_from(four, wanted, 8, sizes);
}

TACIT_SIMD_INLINE tacit_four tacit_four_signs(const tacit_four *four, char minus) {
  const uint8x16_t all = vdupq_n_u8((uint8_t)minus);
  const uint8x16_t place = vsetq_lane_u8(0xff, vdupq_n_u8(0), 0);
  tacit_four signs;
  for (int i = 0; i < 4; ++i)
    signs.part[i] = vandq_u8(vceqq_u8(four->part[i], all), place);
  return signs;
}

TACIT_SIMD_INLINE unsigned tacit_four_digits(tacit_four *four, const tacit_four *signs,
                                             const tacit_four *order) {
  unsigned wrong = 0;
  for (int i = 0; i < 4; ++i) {
    uint8x16_t digits = vsubq_u8(four->part[i], vdupq_n_u8('0'));
    if (signs != NULL) digits = vbicq_u8(digits, signs->part[i]);
    four->part[i] = vqtbl1q_u8(digits, order->part[i]);
    wrong |= (unsigned)(vmaxvq_u8(four->part[i]) > 9) << i;
  }
  return wrong;
}

typedef struct tacit_form {
  uint64_t digits[2], chars[2];
} tacit_form;

TACIT_SIMD_INLINE int tacit_four_take_form(tacit_four *four, const tacit_four *order,
                                           const tacit_form *form,
                                           const tacit_form *last) {
  const uint8x16_t most = vreinterpretq_u8_u64(vld1q_u64(form->digits));
  uint8x16_t good = vdupq_n_u8(0xff);
  for (int i = 0; i < 4; ++i) {
    const uint64_t *chars = i < 3 ? form->chars : last->chars;
    uint8x16_t digits =
        vqtbl1q_u8(vsubq_u8(four->part[i], vdupq_n_u8('0')), order->part[i]);
    digits = veorq_u8(digits, vreinterpretq_u8_u64(vld1q_u64(chars)));
    four->part[i] = digits;
    good = vandq_u8(good, vcleq_u8(digits, most));
  }
  return vminvq_u8(good) == 0xff;
}

/* Returns two numbers, made of the first eight of sixteen digits and of the last
   eight. */
TACIT_SIMD_INLINE uint32x2_t tacit_eights(uint8x16_t digits) {
  const uint8x16_t tens = vreinterpretq_u8_u16(vdupq_n_u16(10 | 1 << 8));
  const uint16x8_t hundreds = vreinterpretq_u16_u32(vdupq_n_u32(100 | 1 << 16));
  const uint16x4_t tenthousands = vreinterpret_u16_u32(vdup_n_u32(10000 | 1 << 16));
  uint16x8_t pairs = vpaddlq_u8(vmulq_u8(digits, tens));
  uint16x4_t fours = vmovn_u32(vpaddlq_u16(vmulq_u16(pairs, hundreds)));
  uint32x4_t parts = vmull_u16(fours, tenthousands);
  return vpadd_u32(vget_low_u32(parts), vget_high_u32(parts));
}

TACIT_SIMD_INLINE unsigned
tacit_four_quotients(const tacit_four *digits, const tacit_four *signs, const double *a,
                     const double *b, const double *c, const double *d, double *out) {
  const double *const divisors[4] = {a, b, c, d};
  unsigned doubtful = 0;
  for (int i = 0; i < 4; ++i) {
    uint32x2_t eights = tacit_eights(digits->part[i]);
    uint64_t whole =
        UINT64_C(100000000) * vget_lane_u32(eights, 0) + vget_lane_u32(eights, 1);
    double size = (double)whole / *divisors[i];
    int minus = vgetq_lane_u8(signs->part[i], 0) != 0;
    out[i] = minus ? -size : size;
    doubtful |= (unsigned)(minus && whole == 0) << i;
  }
  return doubtful;
}

typedef struct tacit_ascent {
  int32_t previous;
  int good;
} tacit_ascent;

TACIT_SIMD_INLINE tacit_ascent tacit_ascent_begin(void) {
  tacit_ascent ascent = {-1, 1};
  return ascent;
}

TACIT_SIMD_INLINE void tacit_ascent_again(tacit_ascent *ascent) {
  ascent->previous = -1;
}

TACIT_SIMD_INLINE void tacit_ascent_add(tacit_ascent *ascent, const uint32_t *indices) {
  for (int i = 0; i < 4; ++i) {
    ascent->good &= (int32_t)indices[i] > ascent->previous;
    ascent->previous = (int32_t)indices[i];
  }
}

TACIT_SIMD_INLINE int tacit_ascent_is(const tacit_ascent *ascent) {
  return ascent->good;
}

TACIT_SIMD_INLINE int tacit_four_entries(const tacit_four *digits, const double *a,
                                         const double *b, const double *c,
                                         const double *d, tacit_ascent *ascent,
                                         uint32_t *indices, double *values) {
  const double *const divisors[4] = {a, b, c, d};
  int has_zero = 0;
  for (int i = 0; i < 4; ++i) {
    uint32x2_t eights = tacit_eights(digits->part[i]);
    indices[i] = vget_lane_u32(eights, 0) - 1;
    values[i] = (double)vget_lane_u32(eights, 1) / *divisors[i];
    has_zero |= vget_lane_u32(eights, 1) == 0;
  }
  tacit_ascent_add(ascent, indices);
  return has_zero;
}

TACIT_SIMD_INLINE int tacit_four_ones(const tacit_four *digits, tacit_ascent *ascent,
                                      uint32_t *indices, double *values) {
  static const double one = 1;
  return tacit_four_entries(digits, &one, &one, &one, &one, ascent, indices, values);
}

TACIT_SIMD_INLINE int tacit_distances_are(const uint32_t *after, int max, int exact) {
  int wrong = 0;
  for (int i = 0; i < 8; i += 2)
    wrong |= (after[i + 1] - after[i] > (uint32_t)max) |
             (after[i + 2] - after[i + 1] != (uint32_t)exact);
  return !wrong;
}

TACIT_SIMD_INLINE int tacit_distances_below(const uint32_t *after, int max, int other) {
  int wrong = 0;
  for (int i = 0; i < 8; i += 2)
    wrong |= (after[i + 1] - after[i] > (uint32_t)max) |
             (after[i + 2] - after[i + 1] > (uint32_t)other);
  return !wrong;
}

#endif

#endif
