/* SPDX-License-Identifier: MIT */
/* Reads four numbers at a time: [-] digits [. digits], at most 15 characters, at least
   one digit. The digits make an integer below 10^15 and the power of ten is below
   10^15. Both are exact doubles, so their quotient is the nearest double to the number,
   as in tacit_number_take. A minus counts as a digit 0 until the end. */
#ifndef TACIT_DATA_TEXT_SIMD_NUMBERS_H
#define TACIT_DATA_TEXT_SIMD_NUMBERS_H

#include "data/text/simd.h"
#include "data/text/simd_vectors.h"

#if defined(TACIT_SIMD_VECTORS)

/* The order of digits for a number of SIZE characters whose point is at POINT, or at
   SIZE without a point. The digits end at the last of WIDTH bytes, the point is left
   out, and zeros come before. FROM is the byte with the first character. If there is no
   digit, the first character is taken, which is the point or the stop, and so not a
   digit. */
#define TACIT_ORDER_COUNT(size, point)                                                 \
  ((size) - ((point) < (size)) > 0 ? (size) - ((point) < (size)) : 1)
#define TACIT_ORDER_DIGIT(j, width, size, point)                                       \
  ((j) + TACIT_ORDER_COUNT(size, point) - (width))
#define TACIT_ORDER(j, width, size, point, from)                                       \
  (TACIT_ORDER_DIGIT(j, width, size, point) < 0                                        \
       ? 0x80                                                                          \
       : TACIT_ORDER_DIGIT(j, width, size, point) +                                    \
             ((size) - ((point) < (size)) > 0 &&                                       \
              TACIT_ORDER_DIGIT(j, width, size, point) >= (point)) +                   \
             (from))
#define TACIT_ORDER_8(w, s, p, f)                                                      \
  TACIT_ORDER(0, w, s, p, f), TACIT_ORDER(1, w, s, p, f), TACIT_ORDER(2, w, s, p, f),  \
      TACIT_ORDER(3, w, s, p, f), TACIT_ORDER(4, w, s, p, f),                          \
      TACIT_ORDER(5, w, s, p, f), TACIT_ORDER(6, w, s, p, f),                          \
      TACIT_ORDER(7, w, s, p, f)
#define TACIT_ORDER_16(s, p)                                                           \
  {                                                                                    \
    TACIT_ORDER_8(16, s, p, 0), TACIT_ORDER(8, 16, s, p, 0),                           \
        TACIT_ORDER(9, 16, s, p, 0), TACIT_ORDER(10, 16, s, p, 0),                     \
        TACIT_ORDER(11, 16, s, p, 0), TACIT_ORDER(12, 16, s, p, 0),                    \
        TACIT_ORDER(13, 16, s, p, 0), TACIT_ORDER(14, 16, s, p, 0),                    \
        TACIT_ORDER(15, 16, s, p, 0)                                                   \
  }
#define TACIT_ORDERS_8(s, f)                                                           \
  {                                                                                    \
    {TACIT_ORDER_8(8, s, 0, f)}, {TACIT_ORDER_8(8, s, 1, f)},                          \
        {TACIT_ORDER_8(8, s, 2, f)}, {TACIT_ORDER_8(8, s, 3, f)},                      \
        {TACIT_ORDER_8(8, s, 4, f)}, {TACIT_ORDER_8(8, s, 5, f)},                      \
        {TACIT_ORDER_8(8, s, 6, f)}, {TACIT_ORDER_8(8, s, 7, f)}, {                    \
      TACIT_ORDER_8(8, s, 8, f)                                                        \
    }                                                                                  \
  }
#define TACIT_ORDERS_16(s)                                                             \
  {                                                                                    \
    TACIT_ORDER_16(s, 0), TACIT_ORDER_16(s, 1), TACIT_ORDER_16(s, 2),                  \
        TACIT_ORDER_16(s, 3), TACIT_ORDER_16(s, 4), TACIT_ORDER_16(s, 5),              \
        TACIT_ORDER_16(s, 6), TACIT_ORDER_16(s, 7), TACIT_ORDER_16(s, 8),              \
        TACIT_ORDER_16(s, 9), TACIT_ORDER_16(s, 10), TACIT_ORDER_16(s, 11),            \
        TACIT_ORDER_16(s, 12), TACIT_ORDER_16(s, 13), TACIT_ORDER_16(s, 14),           \
        TACIT_ORDER_16(s, 15)                                                          \
  }

/* Orders by size and by place of the point. */
static const uint8_t tacit_orders_16[16][16][16] = {
    TACIT_ORDERS_16(0),  TACIT_ORDERS_16(1),  TACIT_ORDERS_16(2),  TACIT_ORDERS_16(3),
    TACIT_ORDERS_16(4),  TACIT_ORDERS_16(5),  TACIT_ORDERS_16(6),  TACIT_ORDERS_16(7),
    TACIT_ORDERS_16(8),  TACIT_ORDERS_16(9),  TACIT_ORDERS_16(10), TACIT_ORDERS_16(11),
    TACIT_ORDERS_16(12), TACIT_ORDERS_16(13), TACIT_ORDERS_16(14), TACIT_ORDERS_16(15)};

/* Divisors by the number of characters from the point on: 0 without a point, 1 for a
   point alone, and so on. */
static const double tacit_divisors[16] = {1e0, 1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,
                                          1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14};

/* Reads four cells, which begin at `begins` and have `sizes`, as numbers; is_whole
   allows only digits. A blank may come before a number. Bit i of the result is set if
   cell i is something else, or might be; out[i] is then undefined. */
TACIT_SIMD_INLINE unsigned tacit_simd_four(const char *base, const uint32_t *begins,
                                           const uint32_t *sizes, int is_whole,
                                           double *out) {
  const char *a = base + begins[0], *b = base + begins[1], *c = base + begins[2],
             *d = base + begins[3];
  tacit_four_points size = {sizes[0], sizes[1], sizes[2], sizes[3]};
  if ((size.a | size.b | size.c | size.d) > 15) return 0xf;
  tacit_four four = tacit_four_load(a, b, c, d);
  if (__builtin_expect(tacit_four_any_begins(&four, ' '), 0)) {
    uint32_t blanks[4] = {*a == ' ', *b == ' ', *c == ' ', *d == ' '};
    size = (tacit_four_points){size.a - blanks[0], size.b - blanks[1],
                               size.c - blanks[2], size.d - blanks[3]};
    if ((size.a | size.b | size.c | size.d) > 15)
      return 0xf; /* a blank alone became a
                     negative size */
    four = tacit_four_load(a + blanks[0], b + blanks[1], c + blanks[2], d + blanks[3]);
  }
  tacit_four_points point = is_whole ? size : tacit_four_find(&four, '.', size);
  tacit_four order = tacit_four_load(
      tacit_orders_16[size.a][point.a], tacit_orders_16[size.b][point.b],
      tacit_orders_16[size.c][point.c], tacit_orders_16[size.d][point.d]);
  tacit_four signs = tacit_four_signs(&four, is_whole ? 0 : '-');
  unsigned wrong = tacit_four_digits(&four, &signs, &order);
  return wrong |
         tacit_four_quotients(&four, &signs, tacit_divisors + (size.a - point.a),
                              tacit_divisors + (size.b - point.b),
                              tacit_divisors + (size.c - point.c),
                              tacit_divisors + (size.d - point.d), out);
}

/* Reads four cells of a line as numbers. */
TACIT_SIMD_INLINE unsigned tacit_simd_cells(const tacit_stops_line *line,
                                            const uint32_t *cells, int is_whole,
                                            double *out) {
  uint32_t begins[4], sizes[4];
  for (int i = 0; i < 4; ++i) {
    const uint32_t *after = line->after + cells[i];
    begins[i] = after[-1];
    sizes[i] = after[0] - after[-1] - 1;
  }
  return tacit_simd_four(line->base, begins, sizes, is_whole, out);
}

#endif

#endif
