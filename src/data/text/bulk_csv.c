/* SPDX-License-Identifier: MIT */
/* CSV cells that are numbers, up to eight at a time: bulk_x86.h says how. */
#include "data/text/bulk.h"

#if defined(TACIT_HAVE_BULK)
#include "data/text/bulk_x86.h"

/* tacit_column_map in eight lanes, the same operations. */
TACIT_BULK_INLINE __m512d map_values(const tacit_bulk_map *map, size_t field,
                                     __m512d raw_values) {
  __m512d min = _mm512_loadu_pd(map->min + field);
  raw_values = _mm512_max_pd(raw_values, min);
  raw_values = _mm512_min_pd(raw_values, _mm512_loadu_pd(map->max + field));
  __m512d raw_shares = _mm512_div_pd(_mm512_sub_pd(raw_values, min),
                                     _mm512_loadu_pd(map->width + field));
  return _mm512_add_pd(_mm512_mul_pd(_mm512_loadu_pd(map->scale + field), raw_shares),
                       _mm512_loadu_pd(map->low + field));
}

size_t TACIT_BULK tacit_bulk_csv(tacit_bulk *bulk, const tacit_bulk_map *map,
                                 size_t field, size_t end, char delimiter,
                                 tacit_rows *rows) {
  const tacit_bulk_constants c = tacit_bulk_prepare();
  const __m512i comma = tacit_bulk_all(delimiter);
  const char *raw_at = bulk->raw_at;
  size_t raw_count = bulk->raw_count;
  while (field < end) {
    unsigned max = end - field < 8 ? (unsigned)(end - field) : 8;
    __m512i raw_text = _mm512_loadu_si512(raw_at);
    uint64_t raw_stops = tacit_bulk_find(raw_text, comma);
    uint64_t raw_ends = tacit_bulk_find(raw_text, c.ten); /* LF is 10 */
    /* the delimiters of this line behind the next cells */
    uint64_t raw_closing =
        _pdep_u64(_bzhi_u64(0xff, max), raw_stops & _blsmsk_u64(raw_ends));
    if (raw_closing == 0) break;
    const char *raw_next = raw_at + (64 - _lzcnt_u64(raw_closing));
    TACIT_BULK_HOLD(raw_next); /* at once: the next step waits for nothing else */
    uint64_t raw_range = ~UINT64_C(0) >> _lzcnt_u64(raw_closing), raw_wrong;
    unsigned raw_number = (unsigned)_mm_popcnt_u64(raw_closing);
    tacit_bulk_numbers n = tacit_bulk_look(&c, raw_text, raw_stops);
    __m512i raw_integers =
        tacit_bulk_integers(&c, &n, raw_number, raw_range, &raw_wrong);
    __m512d raw_values = tacit_bulk_doubles(&c, &n, raw_integers);
    uint64_t raw_bad = tacit_bulk_unknown(&n) | (n.raw_points & ~n.raw_fractions) |
                       (n.raw_minuses & ~n.raw_starts);
    if (((raw_bad & raw_range) | raw_wrong) != 0) break;
    raw_values = map_values(map, field, raw_values);
    __mmask8 raw_kept =
        _mm512_mask_cmp_pd_mask((__mmask8)_bzhi_u32(0xff, raw_number), raw_values,
                                _mm512_setzero_pd(), _CMP_NEQ_UQ);
    tacit_bulk_put(rows, &raw_count, raw_kept, raw_values, raw_kept,
                   _mm512_loadu_si512(map->first + field));
    field += raw_number;
    raw_at = raw_next;
  }
  bulk->raw_at = raw_at;
  bulk->raw_count = raw_count;
  return field;
}

#else

size_t tacit_bulk_csv(tacit_bulk *bulk, const tacit_bulk_map *map, size_t field,
                      size_t end, char delimiter, tacit_rows *rows) {
  (void)bulk, (void)map, (void)end, (void)delimiter, (void)rows;
  return field;
}

#endif
