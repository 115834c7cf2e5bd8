/* SPDX-License-Identifier: MIT */
/* Four LIBSVM entries at a time, or eight if all are small whole numbers; bulk_x86.h
   explains how. */
#include "data/text/bulk.h"

#if defined(TACIT_HAVE_BULK)
#include "data/text/bulk_x86.h"

/* 64 characters and the entries in them. */
struct window {
  __m512i text;
  uint64_t gaps;    /* characters that separate entries */
  uint64_t closing; /* those that end one of the next entries of this line */
};

/* The state of a loop, kept in registers. */
struct steps {
  tacit_bulk_constants c;
  __m512i blank, colon, max;
  tacit_rows *rows;
  const char *at;
  struct window next; /* starts at `at` */
  size_t count;
  __m512i previous; /* the last index, in every lane */
};

TACIT_BULK_INLINE struct steps begin(const tacit_bulk *bulk, size_t features,
                                     tacit_rows *rows) {
  struct steps steps = {
      .c = tacit_bulk_prepare(),
      .blank = tacit_bulk_all(' '),
      .colon = tacit_bulk_all(':'),
      .max = _mm512_set1_epi64((long long)features),
      .rows = rows,
      .at = bulk->at,
      .count = bulk->count,
      .previous = _mm512_set1_epi64(bulk->previous),
  };
  return steps;
}

/* A line end after a blank, or at the start, does not end an entry. */
TACIT_BULK_INLINE void look(struct steps *steps, uint64_t first) {
  struct window *next = &steps->next;
  next->text = _mm512_loadu_si512(steps->at);
  uint64_t blanks = tacit_bulk_find(next->text, steps->blank);
  uint64_t ends = tacit_bulk_find(next->text, steps->c.ten); /* LF is 10 */
  uint64_t closing = blanks | (ends & ~(blanks << 1 | 1));
  next->gaps = blanks | ends;
  next->closing = _pdep_u64(first, closing & _blsmsk_u64(ends));
  TACIT_BULK_HOLD(next->closing);
}

/* Returns the current window and loads the one after its last entry. It is loaded early
   because the next step depends on this alone. It may start where the text ends. */
TACIT_BULK_INLINE struct window go_on(struct steps *steps, uint64_t first) {
  struct window here = steps->next;
  steps->at += 64 - _lzcnt_u64(here.closing);
  look(steps, first);
  return here;
}

TACIT_BULK_INLINE uint64_t up_to_last(uint64_t closing) {
  return ~UINT64_C(0) >> _lzcnt_u64(closing);
}

/* Takes up to eight entries of whole numbers below 10000, as in rows of zeros and ones;
   64 bits per entry. 0: the window has something else. */
TACIT_BULK_INLINE int take_small(struct steps *steps, const struct window *here) {
  const tacit_bulk_constants *c = &steps->c;
  const __m512i low = _mm512_set1_epi64(0xffffffff);
  unsigned number = (unsigned)_mm_popcnt_u64(here->closing);
  uint64_t stops = here->gaps | tacit_bulk_find(here->text, steps->colon);
  __m512i digit_values = _mm512_sub_epi8(here->text, c->zero);
  uint64_t digits = tacit_bulk_word(_mm512_cmplt_epu8_mask(digit_values, c->ten));
  uint64_t range = up_to_last(here->closing), wrong;
  __m512i entries =
      tacit_bulk_small(c, digit_values, digits, stops, 2 * number, range, &wrong);
  uint64_t turns = _bzhi_u64(0xaaaa, 2 * number);
  uint64_t bad =
      (range & ~(digits | stops)) | (_pext_u64(here->closing, stops) ^ turns);
  __mmask16 ascends = _mm512_mask_cmpgt_epi32_mask(
      0x5555, entries, _mm512_alignr_epi32(entries, steps->previous, 14));
  __m512i indices = _mm512_and_si512(entries, low);
  bad |= wrong | ((2u * _cvtmask16_u32(ascends)) ^ turns) |
         _cvtmask8_u32(_mm512_cmpgt_epi64_mask(indices, steps->max));
  if (bad != 0) return 0;
  __mmask8 kept = _mm512_test_epi64_mask(entries, _mm512_slli_epi64(low, 32));
  tacit_bulk_put(steps->rows, &steps->count, kept,
                 _mm512_cvtepi64_pd(_mm512_srli_epi64(entries, 32)), kept,
                 _mm512_add_epi64(indices, _mm512_set1_epi64(-1)));
  steps->previous =
      _mm512_permutexvar_epi64(_mm512_set1_epi64((long long)number - 1), indices);
  return 1;
}

/* Takes up to four entries of numbers of up to eight digits; 64 bits per index and per
   value. 0: the window has something else. */
TACIT_BULK_INLINE int take_any(struct steps *steps, const struct window *here) {
  const tacit_bulk_constants *c = &steps->c;
  unsigned number = (unsigned)_mm_popcnt_u64(here->closing);
  uint64_t colons = tacit_bulk_find(here->text, steps->colon);
  tacit_bulk_numbers n = tacit_bulk_look(c, here->text, here->gaps | colons);
  uint64_t range = up_to_last(here->closing), wrong;
  __m512i integers = tacit_bulk_integers(c, &n, 2 * number, range, &wrong);
  __m512d values = tacit_bulk_doubles(c, &n, integers);
  TACIT_BULK_KEEP(values); /* before the checks, because it takes longest */
  uint64_t turns = _bzhi_u64(0xaa, 2 * number);
  uint64_t bad =
      range & (tacit_bulk_unknown(&n) | ((n.points | colons) & ~n.fractions) |
               (n.minuses & ~(colons << 1)));
  __mmask8 ascends = _mm512_mask_cmpgt_epi64_mask(
      0x55, integers, _mm512_alignr_epi64(integers, steps->previous, 6));
  bad |= wrong | (_pext_u64(here->closing, n.stops) ^ turns) |
         ((2u * _cvtmask8_u32(ascends)) ^ turns) |
         _cvtmask8_u32(_mm512_mask_cmpgt_epi64_mask(0x55, integers, steps->max));
  if (bad != 0) return 0;
  __mmask8 kept = _mm512_mask_test_epi64_mask(0xaa, integers, integers);
  tacit_bulk_put(steps->rows, &steps->count, kept, values, (__mmask8)(kept >> 1),
                 _mm512_add_epi64(integers, _mm512_set1_epi64(-1)));
  steps->previous =
      _mm512_permutexvar_epi64(_mm512_set1_epi64(2 * (long long)number - 2), integers);
  return 1;
}

/* Takes windows up to the end of the line, while there is room and all entries are
   simple. */
TACIT_BULK_INLINE void take_all(tacit_bulk *bulk, size_t features, tacit_rows *rows,
                                int small) {
  const uint64_t first = small ? 0xff : 0xf;
  struct steps steps = begin(bulk, features, rows);
  const char *stop = steps.at;
  look(&steps, first);
  while (steps.next.closing != 0 &&
         steps.count + TACIT_BULK_ROOM <= rows->entry_capacity) {
    struct window here = go_on(&steps, first);
    if (!(small ? take_small(&steps, &here) : take_any(&steps, &here))) break;
    stop = steps.at - 1;
    if (*stop == '\n') break;
    ++stop;
  }
  bulk->at = stop;
  bulk->count = steps.count;
  bulk->previous = (uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(steps.previous));
}

/* Two functions, so that each loop has its own registers. */
TACIT_BULK static void small_entries(tacit_bulk *bulk, size_t features,
                                     tacit_rows *rows) {
  take_all(bulk, features, rows, 1);
}

TACIT_BULK static void any_entries(tacit_bulk *bulk, size_t features,
                                   tacit_rows *rows) {
  take_all(bulk, features, rows, 0);
}

TACIT_BULK void tacit_bulk_libsvm(tacit_bulk *bulk, size_t features, tacit_rows *rows) {
  __m512i text = _mm512_loadu_si512(bulk->at);
  if (tacit_bulk_find(text, tacit_bulk_all('.')) == 0)
    small_entries(bulk, features, rows);
  if (*bulk->at != '\n') any_entries(bulk, features, rows);
}

#else

void tacit_bulk_libsvm(tacit_bulk *bulk, size_t features, tacit_rows *rows) {
  (void)bulk, (void)features, (void)rows;
}

#endif
