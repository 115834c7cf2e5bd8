/* SPDX-License-Identifier: MIT */
/* LIBSVM entries four at a time, eight where all are small whole numbers: bulk_x86.h
   says how. */
#include "data/text/bulk.h"

#if defined(TACIT_HAVE_BULK)
#include "data/text/bulk_x86.h"

/* A window and its entries. */
struct window {
  __m512i raw_text;
  uint64_t raw_gaps;    /* what separates entries */
  uint64_t raw_closing; /* where it ends one of the first entries of this line */
};

/* What a loop works with, in registers. */
struct steps {
  tacit_bulk_constants c;
  __m512i blank, colon, max;
  tacit_rows *rows;
  const char *raw_at;
  struct window next; /* begins at raw_at */
  size_t raw_count;
  __m512i raw_previous; /* the last index in each 64 bits */
};

TACIT_BULK_INLINE struct steps begin(const tacit_bulk *bulk, size_t features,
                                     tacit_rows *rows) {
  struct steps steps = {
      .c = tacit_bulk_prepare(),
      .blank = tacit_bulk_all(' '),
      .colon = tacit_bulk_all(':'),
      .max = _mm512_set1_epi64((long long)features),
      .rows = rows,
      .raw_at = bulk->raw_at,
      .raw_count = bulk->raw_count,
      .raw_previous = _mm512_set1_epi64(bulk->raw_previous),
  };
  return steps;
}

/* An end of the line that follows a blank, or nothing, does not end an entry. */
TACIT_BULK_INLINE void look(struct steps *steps, uint64_t first) {
  struct window *next = &steps->next;
  next->raw_text = _mm512_loadu_si512(steps->raw_at);
  uint64_t raw_blanks = tacit_bulk_find(next->raw_text, steps->blank);
  uint64_t raw_ends = tacit_bulk_find(next->raw_text, steps->c.ten); /* LF is 10 */
  uint64_t raw_closing = raw_blanks | (raw_ends & ~(raw_blanks << 1 | 1));
  next->raw_gaps = raw_blanks | raw_ends;
  next->raw_closing = _pdep_u64(first, raw_closing & _blsmsk_u64(raw_ends));
  TACIT_BULK_HOLD(next->raw_closing);
}

/* The window at hand, and a look at the one behind its last entry: at once, since the
   next step waits for that and for nothing else. It may begin where the text ends. */
TACIT_BULK_INLINE struct window go_on(struct steps *steps, uint64_t first) {
  struct window here = steps->next;
  steps->raw_at += 64 - _lzcnt_u64(here.raw_closing);
  look(steps, first);
  return here;
}

TACIT_BULK_INLINE uint64_t up_to_last(uint64_t raw_closing) {
  return ~UINT64_C(0) >> _lzcnt_u64(raw_closing);
}

/* Up to eight entries of whole numbers below 10000, as in rows of zeros and ones: 64
   bits an entry. 0: there is something else. */
TACIT_BULK_INLINE int take_small(struct steps *steps, const struct window *here) {
  const tacit_bulk_constants *c = &steps->c;
  const __m512i low = _mm512_set1_epi64(0xffffffff);
  unsigned raw_number = (unsigned)_mm_popcnt_u64(here->raw_closing);
  uint64_t raw_stops = here->raw_gaps | tacit_bulk_find(here->raw_text, steps->colon);
  __m512i raw_digit_values = _mm512_sub_epi8(here->raw_text, c->zero);
  uint64_t raw_digits =
      tacit_bulk_word(_mm512_cmplt_epu8_mask(raw_digit_values, c->ten));
  uint64_t raw_range = up_to_last(here->raw_closing), raw_wrong;
  __m512i raw_entries = tacit_bulk_small(c, raw_digit_values, raw_digits, raw_stops,
                                         2 * raw_number, raw_range, &raw_wrong);
  uint64_t raw_turns = _bzhi_u64(0xaaaa, 2 * raw_number);
  uint64_t raw_bad = (raw_range & ~(raw_digits | raw_stops)) |
                     (_pext_u64(here->raw_closing, raw_stops) ^ raw_turns);
  __mmask16 raw_ascends = _mm512_mask_cmpgt_epi32_mask(
      0x5555, raw_entries, _mm512_alignr_epi32(raw_entries, steps->raw_previous, 14));
  __m512i raw_indices = _mm512_and_si512(raw_entries, low);
  raw_bad |= raw_wrong | ((2u * _cvtmask16_u32(raw_ascends)) ^ raw_turns) |
             _cvtmask8_u32(_mm512_cmpgt_epi64_mask(raw_indices, steps->max));
  if (raw_bad != 0) return 0;
  __mmask8 raw_kept = _mm512_test_epi64_mask(raw_entries, _mm512_slli_epi64(low, 32));
  tacit_bulk_put(steps->rows, &steps->raw_count, raw_kept,
                 _mm512_cvtepi64_pd(_mm512_srli_epi64(raw_entries, 32)), raw_kept,
                 _mm512_add_epi64(raw_indices, _mm512_set1_epi64(-1)));
  steps->raw_previous = _mm512_permutexvar_epi64(
      _mm512_set1_epi64((long long)raw_number - 1), raw_indices);
  return 1;
}

/* Up to four entries of numbers of up to eight digits: 64 bits for each index and each
   value. 0: there is something else. */
TACIT_BULK_INLINE int take_any(struct steps *steps, const struct window *here) {
  const tacit_bulk_constants *c = &steps->c;
  unsigned raw_number = (unsigned)_mm_popcnt_u64(here->raw_closing);
  uint64_t raw_colons = tacit_bulk_find(here->raw_text, steps->colon);
  tacit_bulk_numbers n =
      tacit_bulk_look(c, here->raw_text, here->raw_gaps | raw_colons);
  uint64_t raw_range = up_to_last(here->raw_closing), raw_wrong;
  __m512i raw_integers =
      tacit_bulk_integers(c, &n, 2 * raw_number, raw_range, &raw_wrong);
  __m512d raw_values = tacit_bulk_doubles(c, &n, raw_integers);
  TACIT_BULK_KEEP(raw_values); /* before the checks: it takes longest */
  uint64_t raw_turns = _bzhi_u64(0xaa, 2 * raw_number);
  uint64_t raw_bad = raw_range & (tacit_bulk_unknown(&n) |
                                  ((n.raw_points | raw_colons) & ~n.raw_fractions) |
                                  (n.raw_minuses & ~(raw_colons << 1)));
  __mmask8 raw_ascends = _mm512_mask_cmpgt_epi64_mask(
      0x55, raw_integers, _mm512_alignr_epi64(raw_integers, steps->raw_previous, 6));
  raw_bad |=
      raw_wrong | (_pext_u64(here->raw_closing, n.raw_stops) ^ raw_turns) |
      ((2u * _cvtmask8_u32(raw_ascends)) ^ raw_turns) |
      _cvtmask8_u32(_mm512_mask_cmpgt_epi64_mask(0x55, raw_integers, steps->max));
  if (raw_bad != 0) return 0;
  __mmask8 raw_kept = _mm512_mask_test_epi64_mask(0xaa, raw_integers, raw_integers);
  tacit_bulk_put(steps->rows, &steps->raw_count, raw_kept, raw_values,
                 (__mmask8)(raw_kept >> 1),
                 _mm512_add_epi64(raw_integers, _mm512_set1_epi64(-1)));
  steps->raw_previous = _mm512_permutexvar_epi64(
      _mm512_set1_epi64(2 * (long long)raw_number - 2), raw_integers);
  return 1;
}

/* Steps while there is room and nothing else comes, up to the end of the line. */
TACIT_BULK_INLINE void take_all(tacit_bulk *bulk, size_t features, tacit_rows *rows,
                                int small) {
  const uint64_t first = small ? 0xff : 0xf;
  struct steps steps = begin(bulk, features, rows);
  const char *raw_stop = steps.raw_at;
  look(&steps, first);
  while (steps.next.raw_closing != 0 &&
         steps.raw_count + TACIT_BULK_ROOM <= rows->entry_capacity) {
    struct window here = go_on(&steps, first);
    if (!(small ? take_small(&steps, &here) : take_any(&steps, &here))) break;
    raw_stop = steps.raw_at - 1;
    if (*raw_stop == '\n') break;
    ++raw_stop;
  }
  bulk->raw_at = raw_stop;
  bulk->raw_count = steps.raw_count;
  bulk->raw_previous =
      (uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(steps.raw_previous));
}

/* Each with registers of its own. */
TACIT_BULK static void small_entries(tacit_bulk *bulk, size_t features,
                                     tacit_rows *rows) {
  take_all(bulk, features, rows, 1);
}

TACIT_BULK static void any_entries(tacit_bulk *bulk, size_t features,
                                   tacit_rows *rows) {
  take_all(bulk, features, rows, 0);
}

TACIT_BULK void tacit_bulk_libsvm(tacit_bulk *bulk, size_t features, tacit_rows *rows) {
  __m512i raw_text = _mm512_loadu_si512(bulk->raw_at);
  if (tacit_bulk_find(raw_text, tacit_bulk_all('.')) == 0)
    small_entries(bulk, features, rows);
  if (*bulk->raw_at != '\n') any_entries(bulk, features, rows);
}

#else

void tacit_bulk_libsvm(tacit_bulk *bulk, size_t features, tacit_rows *rows) {
  (void)bulk, (void)features, (void)rows;
}

#endif
