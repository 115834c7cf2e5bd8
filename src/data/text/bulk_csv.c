/* SPDX-License-Identifier: MIT */
/* Up to eight CSV cells of numbers at a time; bulk_x86.h explains how. */
#include "data/text/bulk.h"

#if defined(TACIT_HAVE_BULK)
#include "data/text/bulk_x86.h"

/* tacit_column_map in eight lanes, with the same operations. */
TACIT_BULK_INLINE __m512d map_values(const tacit_bulk_map *map, size_t field,
                                     __m512d values) {
  __m512d min = _mm512_loadu_pd(map->min + field);
  values = _mm512_max_pd(values, min);
  values = _mm512_min_pd(values, _mm512_loadu_pd(map->max + field));
  __m512d parts =
      _mm512_div_pd(_mm512_sub_pd(values, min), _mm512_loadu_pd(map->width + field));
  return _mm512_add_pd(_mm512_mul_pd(_mm512_loadu_pd(map->scale + field), parts),
                       _mm512_loadu_pd(map->low + field));
}

size_t TACIT_BULK tacit_bulk_csv(tacit_bulk *bulk, const tacit_bulk_map *map,
                                 size_t field, size_t end, char delimiter,
                                 tacit_rows *rows) {
  const tacit_bulk_constants c = tacit_bulk_prepare();
  const __m512i comma = tacit_bulk_all(delimiter);
  const char *at = bulk->at;
  size_t count = bulk->count;
  while (field < end) {
    unsigned max = end - field < 8 ? (unsigned)(end - field) : 8;
    __m512i text = _mm512_loadu_si512(at);
    uint64_t stops = tacit_bulk_find(text, comma);
    uint64_t ends = tacit_bulk_find(text, c.ten); /* LF is 10 */
    /* the delimiters after the next cells of this line */
    uint64_t closing = _pdep_u64(_bzhi_u64(0xff, max), stops & _blsmsk_u64(ends));
    if (closing == 0) break;
    const char *next = at + (64 - _lzcnt_u64(closing));
    TACIT_BULK_HOLD(next); /* early: the next step depends on this alone */
    uint64_t range = ~UINT64_C(0) >> _lzcnt_u64(closing), wrong;
    unsigned number = (unsigned)_mm_popcnt_u64(closing);
    tacit_bulk_numbers n = tacit_bulk_look(&c, text, stops);
    __m512i integers = tacit_bulk_integers(&c, &n, number, range, &wrong);
    __m512d values = tacit_bulk_doubles(&c, &n, integers);
    uint64_t bad =
        tacit_bulk_unknown(&n) | (n.points & ~n.fractions) | (n.minuses & ~n.starts);
    if (((bad & range) | wrong) != 0) break;
    values = map_values(map, field, values);
    __mmask8 kept = _mm512_mask_cmp_pd_mask((__mmask8)_bzhi_u32(0xff, number), values,
                                            _mm512_setzero_pd(), _CMP_NEQ_UQ);
    tacit_bulk_put(rows, &count, kept, values, kept,
                   _mm512_loadu_si512(map->first + field));
    field += number;
    at = next;
  }
  bulk->at = at;
  bulk->count = count;
  return field;
}

#else

size_t tacit_bulk_csv(tacit_bulk *bulk, const tacit_bulk_map *map, size_t field,
                      size_t end, char delimiter, tacit_rows *rows) {
  (void)bulk, (void)map, (void)end, (void)delimiter, (void)rows;
  return field;
}

#endif
