/* SPDX-License-Identifier: MIT */
/* LIBSVM entries four at a time: see bulk_x86.h for how. */
#include "data/bulk.h"

#if defined(TACIT_HAVE_BULK)
#include "data/bulk_x86.h"

/* Up to four entries: indices and values in turns, a colon behind each index, a blank
   or the end of the line behind each value. */
typedef struct entry_window {
  tacit_bulk_chars chars;
  uint64_t raw_gaps, raw_colons, raw_range; /* range: from the first to the last gap */
  unsigned raw_number;
} entry_window;

TACIT_BULK static inline uint64_t gaps_of(const tacit_bulk_chars *chars) {
  uint64_t raw_blanks = tacit_bulk_find(chars->raw_text, ' ');
  uint64_t raw_ends = tacit_bulk_find(chars->raw_text, '\n');
  /* an end that follows a blank, or nothing, ends no entry */
  uint64_t raw_gaps = raw_blanks | (raw_ends & ~(raw_blanks << 1 | 1));
  return _pdep_u64(0xf, raw_gaps & _blsmsk_u64(raw_ends));
}

/* Whether the shape is right: digits everywhere but at a colon and a gap in turns,
   minuses right behind colons and a point at most in a value. */
TACIT_BULK static inline uint64_t
misfits(const entry_window *window, uint64_t raw_points, uint64_t raw_minuses,
        uint64_t raw_digits, uint64_t raw_fractions) {
  uint64_t raw_gaps = window->raw_gaps, raw_colons = window->raw_colons;
  uint64_t raw_stops = raw_gaps | raw_colons;
  uint64_t raw_known = raw_stops | raw_points | raw_minuses | raw_digits;
  return (raw_known ^ window->raw_range) | (raw_minuses & ~(raw_colons << 1)) |
         ((raw_fractions ^ raw_points) & (raw_colons | raw_points)) |
         (_pext_u64(raw_gaps, raw_stops) ^ _bzhi_u64(0xaa, 2 * window->raw_number));
}

void TACIT_BULK tacit_bulk_libsvm(tacit_bulk *bulk, size_t features, tacit_rows *rows) {
  const char *raw_at = bulk->raw_at;
  size_t raw_count = bulk->raw_count;
  const __m128i most = _mm_set1_epi32((int)features);
  const __m256i apart = _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7);
  __m128i raw_previous = _mm_set1_epi32((int)bulk->raw_previous);
  while (raw_count + 4 <= rows->entry_capacity) {
    entry_window window;
    window.chars = tacit_bulk_look(raw_at);
    uint64_t raw_gaps = window.raw_gaps = gaps_of(&window.chars);
    if (raw_gaps == 0) break;
    unsigned raw_number = window.raw_number = (unsigned)_mm_popcnt_u64(raw_gaps);
    unsigned raw_last = 63 - (unsigned)_lzcnt_u64(raw_gaps);
    uint64_t raw_range = window.raw_range = ~UINT64_C(0) >> (63 - raw_last);
    uint64_t raw_points = window.chars.raw_points & raw_range;
    uint64_t raw_minuses = window.chars.raw_minuses & raw_range;
    uint64_t raw_digits = window.chars.raw_digits & raw_range;
    uint64_t raw_colons = window.raw_colons =
        tacit_bulk_find(window.chars.raw_text, ':') & raw_range;
    /* from each point to the gap behind it: what a borrow runs through */
    uint64_t raw_fractions = raw_gaps - raw_points;
    uint64_t raw_bad = misfits(&window, raw_points, raw_minuses, raw_digits, raw_fractions);

    __mmask16 fields = (__mmask16)_bzhi_u32(0xff, 2 * raw_number);
    __mmask8 lanes = (__mmask8)_bzhi_u32(0xf, raw_number);
    __m128i raw_lengths = _mm_maskz_mov_epi8(
        fields, tacit_bulk_lengths(raw_digits, raw_gaps | raw_colons));
    raw_bad |= _cvtmask16_u32(_mm_mask_cmpge_epu8_mask(
        fields, _mm_add_epi8(raw_lengths, _mm_set1_epi8(-1)), _mm_set1_epi8(8)));
    __m256i raw_integers = _mm256_permutevar8x32_epi32(
        _mm512_cvtepi64_epi32(
            tacit_bulk_integers(&window.chars, raw_digits, raw_lengths)),
        apart);
    __m128i raw_indices = _mm256_castsi256_si128(raw_integers);
    __m128i raw_whole = _mm256_extracti128_si256(raw_integers, 1);
    __m128i raw_places = tacit_bulk_lengths(raw_fractions & raw_digits, raw_gaps);
    __m256d raw_values =
        _mm256_div_pd(_mm256_cvtepi32_pd(raw_whole),
                      _mm512_castpd512_pd256(tacit_bulk_powers(raw_places)));
    __mmask8 raw_negative = (__mmask8)_pext_u64(raw_minuses >> 1, raw_colons);
    raw_values = _mm256_mask_xor_pd(raw_values, raw_negative, raw_values,
                                    _mm256_set1_pd(-0.0));
    raw_bad |= _mm_mask_cmple_epu32_mask(lanes, raw_indices,
                                         _mm_alignr_epi32(raw_indices, raw_previous, 3));
    raw_bad |= _mm_mask_cmpgt_epu32_mask(lanes, raw_indices, most);
    if (raw_bad != 0) break;
    /* zeros are left out, as in tacit_rows_put */
    __mmask8 raw_kept = _mm_mask_test_epi32_mask(lanes, raw_whole, raw_whole);
    _mm256_storeu_pd(rows->raw_values + raw_count,
                     _mm256_maskz_compress_pd(raw_kept, raw_values));
    _mm_storeu_si128((__m128i *)(void *)(rows->raw_indices + raw_count),
                     _mm_maskz_compress_epi32(
                         raw_kept, _mm_add_epi32(raw_indices, _mm_set1_epi32(-1))));
    raw_count += (size_t)_mm_popcnt_u32(raw_kept);
    raw_previous = _mm_castps_si128(_mm_permutevar_ps(
        _mm_castsi128_ps(raw_indices), _mm_set1_epi32((int)raw_number - 1)));
    raw_at += raw_last;
    if (*raw_at == '\n') break;
    ++raw_at;
  }
  bulk->raw_at = raw_at;
  bulk->raw_count = raw_count;
  bulk->raw_previous = (uint32_t)_mm_cvtsi128_si32(raw_previous);
}

#else

void tacit_bulk_libsvm(tacit_bulk *bulk, size_t features, tacit_rows *rows) {
  (void)bulk, (void)features, (void)rows;
}

#endif
