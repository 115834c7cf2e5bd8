/* SPDX-License-Identifier: MIT */
/* Reads entries of LIBSVM by the SIMD parser, four at a time: sixteen bytes hold the
   digits of an index and the digits of its value. Compiled for the level of the
   processor. */
#include "data/text/format.h"
#include "data/text/number.h"
#include "data/text/simd_numbers.h"
#include "data/text/simd_stops.h"
#include "data/text/simd_tails.h"

enum { FOUR = 4, HALF = 8 };

void tacit_simd_find_entries(tacit_stops *stops, const char *end, char delimiter) {
  tacit_stops_find(stops, end, delimiter, 0);
}

/* Orders of the digits of an index, by the distance of its value from it: the colon
   comes first, then up to seven digits. */
#define INDEX_ORDER(size)                                                              \
  {                                                                                    \
    size, TACIT_ORDER(1, 8, size, size, 0), TACIT_ORDER(2, 8, size, size, 0),          \
        TACIT_ORDER(3, 8, size, size, 0), TACIT_ORDER(4, 8, size, size, 0),            \
        TACIT_ORDER(5, 8, size, size, 0), TACIT_ORDER(6, 8, size, size, 0),            \
        TACIT_ORDER(7, 8, size, size, 0)                                               \
  }
static const uint8_t index_orders[9][8] = {
    INDEX_ORDER(0), INDEX_ORDER(0), INDEX_ORDER(1), INDEX_ORDER(2), INDEX_ORDER(3),
    INDEX_ORDER(4), INDEX_ORDER(5), INDEX_ORDER(6), INDEX_ORDER(7)};
/* Orders of the digits of an index whose value has one digit: this digit is the last
   byte of the second half, which begins with the colon and the character after the
   value. */
#define DIGIT_ORDER(size)                                                              \
  {                                                                                    \
    TACIT_ORDER_8(8, size, size, 0), size, (size) + 2, 0x80, 0x80, 0x80, 0x80, 0x80,   \
        (size) + 1                                                                     \
  }
static const uint8_t digit_orders[9][16] = {
    DIGIT_ORDER(0), DIGIT_ORDER(0), DIGIT_ORDER(1), DIGIT_ORDER(2), DIGIT_ORDER(3),
    DIGIT_ORDER(4), DIGIT_ORDER(5), DIGIT_ORDER(6), DIGIT_ORDER(7)};
#define EIGHT_NINES UINT64_C(0x0909090909090909)
#define DIGIT_FORM(last)                                                               \
  {                                                                                    \
    {EIGHT_NINES, EIGHT_NINES << 16}, {                                                \
      0, (':' - '0') | (uint64_t)(uint8_t)((last) - '0') << 8                          \
    }                                                                                  \
  }
/* Orders of the digits of a value in the second half, by its size and the place of its
   point. */
static const uint8_t value_orders[9][9][8] = {
    TACIT_ORDERS_8(0, 8), TACIT_ORDERS_8(1, 8), TACIT_ORDERS_8(2, 8),
    TACIT_ORDERS_8(3, 8), TACIT_ORDERS_8(4, 8), TACIT_ORDERS_8(5, 8),
    TACIT_ORDERS_8(6, 8), TACIT_ORDERS_8(7, 8), TACIT_ORDERS_8(8, 8)};

/* The numbers of tacit_divisors, and their negatives from place 16 on. */
static const double signed_divisors[32] = {
    1e0, 1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  0,    0,    0,   0,
    0,   0,   0,   -1e0, -1e0, -1e1, -1e2, -1e3, -1e4, -1e5, -1e6, -1e7};

/* Where the entries of a row go, and what was found so far. */
struct place {
  uint32_t *indices; /* counted from 0 */
  double *values;
  tacit_ascent ascent; /* whether the indices ascend */
  int has_zeros;
};

/* Takes four entries with values of one digit, as in rows of zeros and ones. `last` is
   the character after the last of them. Returns 0 if they are not such entries. */
TACIT_SIMD_INLINE int take_digits(const char *base, const uint32_t *after, char last,
                                  struct place *place) {
  tacit_four chars = tacit_four_load(base + after[0], base + after[2], base + after[4],
                                     base + after[6]);
  tacit_four order = tacit_four_load(
      digit_orders[after[1] - after[0]], digit_orders[after[3] - after[2]],
      digit_orders[after[5] - after[4]], digit_orders[after[7] - after[6]]);
  const tacit_form form = DIGIT_FORM(' '), last_form = DIGIT_FORM(last);
  if (!tacit_four_take_form(&chars, &order, &form, &last_form)) return 0;
  place->has_zeros |=
      tacit_four_ones(&chars, &place->ascent, place->indices, place->values);
  return 1;
}

/* A value without its sign. */
struct value {
  const char *at;
  uint32_t size;
  uint32_t minus; /* 0, or 16 for a minus: added to the place among the divisors */
};

TACIT_SIMD_INLINE struct value value_of(const char *base, const uint32_t *after) {
  uint32_t minus = base[after[0]] == '-';
  struct value value = {base + after[0] + minus, after[1] - after[0] - 1 - minus,
                        16 * minus};
  return value;
}

/* Takes four entries with values of up to eight characters after the sign. Returns 0 if
   they are not such entries. */
TACIT_SIMD_INLINE int take_short(const char *base, const uint32_t *after, char last,
                                 struct place *place) {
  if (base[after[2] - 1] != ' ' || base[after[4] - 1] != ' ' ||
      base[after[6] - 1] != ' ' || base[after[8] - 1] != last)
    return 0;
  const struct value a = value_of(base, after + 1), b = value_of(base, after + 3),
                     c = value_of(base, after + 5), d = value_of(base, after + 7);
  if (a.size > HALF || b.size > HALF || c.size > HALF || d.size > HALF) return 0;
  tacit_four chars =
      tacit_four_load_halves(base + after[0], a.at, base + after[2], b.at,
                             base + after[4], c.at, base + after[6], d.at);
  const tacit_four_points sizes = {a.size, b.size, c.size, d.size};
  const tacit_four_points points = tacit_four_find_high(&chars, '.', sizes);
  tacit_four order = tacit_four_load_halves(
      index_orders[after[1] - after[0]], value_orders[a.size][points.a],
      index_orders[after[3] - after[2]], value_orders[b.size][points.b],
      index_orders[after[5] - after[4]], value_orders[c.size][points.c],
      index_orders[after[7] - after[6]], value_orders[d.size][points.d]);
  const tacit_form form = {{EIGHT_NINES << 8, EIGHT_NINES}, {':' - '0', 0}};
  if (!tacit_four_take_form(&chars, &order, &form, &form)) return 0;
  place->has_zeros |=
      tacit_four_entries(&chars, signed_divisors + a.minus + (a.size - points.a),
                         signed_divisors + b.minus + (b.size - points.b),
                         signed_divisors + c.minus + (c.size - points.c),
                         signed_divisors + d.minus + (d.size - points.d),
                         &place->ascent, place->indices, place->values);
  return 1;
}

/* Takes four entries with any values. Returns 0 if one is not an entry. */
static __attribute__((noinline)) int take_long(const tacit_parse *parse,
                                               const tacit_stops_line *line,
                                               size_t entry, char last,
                                               struct place *place) {
  const uint32_t first = (uint32_t)(2 * entry) + 1;
  const uint32_t index_cells[FOUR] = {first, first + 2, first + 4, first + 6};
  const uint32_t value_cells[FOUR] = {first + 1, first + 3, first + 5, first + 7};
  double indices[FOUR];
  if (tacit_simd_cells(line, index_cells, 1, indices) != 0) return 0;
  unsigned odd = tacit_simd_cells(line, value_cells, 0, place->values);
  for (uint32_t i = 0; i < FOUR; ++i) {
    const uint32_t *after = line->after + index_cells[i];
    if (line->base[after[0] - 1] != ':' ||
        line->base[after[1] - 1] != (i + 1 < FOUR ? ' ' : last))
      return 0;
    if ((odd >> i & 1) != 0 &&
        tacit_number_take(line->base + after[0], parse->c_locale, &place->values[i]) !=
            line->base + after[1] - 1)
      return 0;
    if (!(indices[i] <= INT32_MAX)) return 0;
    place->indices[i] = (uint32_t)indices[i] - 1;
    place->has_zeros |= place->values[i] == 0;
  }
  tacit_ascent_add(&place->ascent, place->indices);
  return 1;
}

/* Takes entries from number `entry` on, of `count`; `last` is the character after the
   last of them, and a blank follows each of the others. Returns the number of the first
   entry that it does not take. If is_small is 1, it takes only values of one digit;
   that loop has registers of its own. */
TACIT_SIMD_INLINE size_t take_all(const tacit_parse *parse,
                                  const tacit_stops_line *line, size_t entry,
                                  size_t count, char last, int is_small,
                                  struct place *io_place) {
  const char *base = line->base;
  struct place place = *io_place;
  while (entry < count) {
    size_t next = entry + FOUR;
    struct place here = place;
    if (next > count) {
      /* the last four overlap the four before them */
      next = count;
      tacit_ascent_again(&here.ascent);
    }
    here.indices += next - FOUR;
    here.values += next - FOUR;
    const uint32_t *after = line->after + 2 * (next - FOUR);
    char end = next == count ? last : ' ';
    int taken;
    if (is_small) /* up to seven digits and a colon, then one digit and a blank */
      taken = tacit_distances_are(after, 8, 2) && take_digits(base, after, end, &here);
    else
      taken = (tacit_distances_below(after, 8, HALF + 2) &&
               take_short(base, after, end, &here)) ||
              take_long(parse, line, next - FOUR, end, &here);
    if (!taken) break;
    place.ascent = here.ascent;
    place.has_zeros = here.has_zeros;
    entry = next;
  }
  io_place->ascent = place.ascent;
  io_place->has_zeros = place.has_zeros;
  return entry;
}

/* Takes the first entries of `count`, as many as have an index of up to five digits and
   a value of one digit that is not 0. Returns how many it took. */
TACIT_SIMD_INLINE size_t take_tails(const tacit_stops_line *line, size_t count,
                                    char last, struct place *place) {
  size_t entry = 0;
#if defined(TACIT_SIMD_TAILS)
  const tacit_tails tails = tacit_tails_of(last);
  const uint32_t *after = line->after;
  tacit_ascent ascent = place->ascent;
  if (after[1] < TACIT_TAIL_BEFORE || after[2] - after[1] != 2) return 0;
  for (; entry + FOUR < count; entry += FOUR, place->ascent = ascent)
    if (!tacit_tails_take(line->base, after + 2 * entry, tails.usual, &ascent,
                          place->indices + entry, place->values + entry))
      return entry;
  if (entry + FOUR > count)
    tacit_ascent_again(&ascent); /* overlaps the four before, as
                                    in take_all */
  if (!tacit_tails_take(line->base, after + 2 * (count - FOUR), tails.last, &ascent,
                        place->indices + count - FOUR, place->values + count - FOUR))
    return entry;
  place->ascent = ascent;
  return count;
#else
  (void)line, (void)count, (void)last, (void)place;
  return entry;
#endif
}

/* Returns the number of entries of a line, or 0 if the line is left to other parsers.
   Sets *out_last to the character after the last entry; one blank or CR may follow
   there. */
static size_t count_entries(const tacit_stops_line *line, char *out_last) {
  size_t n_stops = line->count - 1;
  const uint32_t *last = line->after + line->count - 1;
  *out_last = '\n';
  if (n_stops % 2 != 0) {
    *out_last = line->base[last[-1] - 1];
    if (last[0] != last[-1] + 1 ||
        (*out_last != ' ' && *out_last != '\r' && *out_last != '\t'))
      return 0;
  }
  return n_stops / 2;
}

/* Removes zeros. Returns how many entries are left. */
static size_t drop_zeros(tacit_rows *rows, size_t first, size_t count) {
  size_t kept = first;
  for (size_t i = first; i < first + count; ++i)
    kept = tacit_rows_put(rows, kept, rows->indices[i], rows->values[i]);
  return kept;
}

const char *tacit_simd_libsvm(const tacit_parse *parse, const tacit_stops_line *line,
                              tacit_rows *rows) {
  char last;
  size_t first = rows->n_entries, count = count_entries(line, &last);
  if (count < FOUR || count > rows->entry_capacity - first) return NULL;
  struct place place = {.indices = rows->indices + first,
                        .values = rows->values + first,
                        .ascent = tacit_ascent_begin()};
  size_t taken = take_tails(line, count, last, &place);
  if (taken < count) taken = take_all(parse, line, taken, count, last, 1, &place);
  if (taken < count) taken = take_all(parse, line, taken, count, last, 0, &place);
  if (taken < count) return NULL;
  if (!tacit_ascent_is(&place.ascent) ||
      rows->indices[first + count - 1] >= parse->schema->features)
    return NULL;
  rows->n_entries = place.has_zeros ? drop_zeros(rows, first, count) : first + count;
  return line->base + line->after[line->count - 1];
}
