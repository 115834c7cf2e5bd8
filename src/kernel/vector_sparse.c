/* SPDX-License-Identifier: MIT */
/*
 * Sparse rows, in vector types: compiled and checked like vector.c. Rows of categories
 * and of steps hold nothing but ones. Their products are the numbers themselves and
 * their squares add up to the number of entries, so the loops for them multiply
 * nothing.
 */
#include "kernel/vector.h"

#if defined(__AVX__)

enum { UNROLL = 4 };
typedef int64_t two __attribute__((vector_size(16)));
typedef int64_t two_there VECTOR(16, 8);

/* Hides from GCC that a vector is constant: it would clear arrays with an instruction
   that is slow to start. */
#define OPAQUE(vector) __asm__("" : "+x"(vector))

INLINE int is_zero(whole raw_bits) {
#if defined(__AVX512DQ__)
  return _mm512_test_epi64_mask((__m512i)raw_bits, (__m512i)raw_bits) == 0;
#else
  return _mm256_testz_si256((__m256i)raw_bits, (__m256i)raw_bits);
#endif
}

/* Returns 1 if all values are 1. Most rows of other numbers are recognised by their
   first value. */
INLINE int ones_stored(const void *raw_values, tacit_stored stored, size_t count) {
  const size_t step = 4 * WIDTH;
  const whole one = (whole)spread(1);
  size_t e = 0;
  for (; e < count && (e == 0 || count - e < step); ++e)
    if (tacit_dense_value(raw_values, e, stored) != 1) return 0;
  for (; e < count; e += step) {
    if (count - e < step) e = count - step; /* some are looked at twice */
    whole raw_other = {0};
    for (size_t k = 0; k < step; k += WIDTH)
      raw_other |= (whole)load_row(raw_values, e + k, stored) ^ one;
    if (!is_zero(raw_other)) return 0;
  }
  return 1;
}

/* Returns 1 if all values of all rows are 1. */
INLINE int are_ones(const tacit_sparse_rows *all) {
  if (all->rows == 0) return 0;
  const tacit_sparse first = tacit_sparse_row(all, 0);
  const size_t count = (size_t)(all->raw_starts[all->rows] - all->raw_starts[0]);
  if (all->stored == TACIT_FLOATS)
    return ones_stored(first.raw_values, TACIT_FLOATS, count);
  return ones_stored(first.raw_values, TACIT_DOUBLES, count);
}

/* Clears the lanes of a row. */
INLINE void clear(quad *raw_lanes) {
  quad zero = {0};
  OPAQUE(zero);
  for (size_t k = 0; k < TACIT_LANES; ++k)
    raw_lanes[k] = zero;
}

/* Returns what tacit_lanes returns, for four sums side by side. */
INLINE quad total(const quad *raw_lanes) {
  return ((raw_lanes[0] + raw_lanes[4]) + (raw_lanes[2] + raw_lanes[6])) +
         ((raw_lanes[1] + raw_lanes[5]) + (raw_lanes[3] + raw_lanes[7]));
}

/* Adds an entry that is 1 to the lane of its index: the offset, nothing, x and
   x_prev. */
INLINE void step_ones(size_t raw_index, const double *pairs, const double *offset,
                      quad *raw_lanes) {
  /* Places are in bytes, because a lane is twice as long as a pair. */
  const size_t raw_at = raw_index * sizeof(pair), all = TACIT_LANES * sizeof(pair);
  const __m128d raw_pair = _mm_loadu_pd((const double *)((const char *)pairs + raw_at));
  __m256d raw_all = _mm256_setzero_pd();
  if (offset != NULL) raw_all = _mm256_castpd128_pd256(_mm_load_sd(offset + raw_index));
  *(quad *)((char *)raw_lanes + 2 * (raw_at % all)) +=
      (quad)_mm256_insertf128_pd(raw_all, raw_pair, 1);
}

/* Writes the sums of a row whose values are all 1. */
INLINE void sums_ones(const tacit_sparse *row, const double *pairs,
                      const double *offset, tacit_sums *raw_out) {
  const uint32_t *raw_indices = row->raw_indices;
  quad raw_lanes[TACIT_LANES];
  clear(raw_lanes);
  size_t count = row->count, ahead = tacit_sparse_ahead(row), e = 0;
  for (; e < ahead; ++e) {
    size_t raw_later = raw_indices[e + TACIT_AHEAD];
    __builtin_prefetch(pairs + 2 * raw_later);
    if (offset != NULL) __builtin_prefetch(offset + raw_later);
    step_ones(raw_indices[e], pairs, offset, raw_lanes);
  }
  for (; e + UNROLL <= count; e += UNROLL)
    for (size_t k = 0; k < UNROLL; ++k)
      step_ones(raw_indices[e + k], pairs, offset, raw_lanes);
  for (; e < count; ++e)
    step_ones(raw_indices[e], pairs, offset, raw_lanes);
  const quad raw = total(raw_lanes);
  *raw_out = (tacit_sums){(double)(int64_t)count, raw[2], raw[3], raw[0]};
}

/* Adds one entry to the lane of its index: the products of its value with x, x_prev,
   itself and the offset. The last product means nothing if the offset is NULL. */
INLINE void step(const tacit_sparse *row, size_t e, tacit_stored stored,
                 const double *pairs, const double *offset, quad *raw_lanes) {
  const size_t raw_index = row->raw_indices[e];
  const __m128d raw_low = _mm_loadu_pd(pairs + 2 * raw_index);
  __m256d raw_all;
  if (stored == TACIT_FLOATS)
    raw_all = _mm256_cvtps_pd(_mm_broadcast_ss((const float *)row->raw_values + e));
  else
    raw_all = _mm256_broadcast_sd((const double *)row->raw_values + e);
  __m256d raw_by = _mm256_insertf128_pd(raw_all, raw_low, 0);
  if (offset != NULL) {
    const __m128d raw_high =
        _mm_loadh_pd(_mm256_castpd256_pd128(raw_all), offset + raw_index);
    raw_by = _mm256_set_m128d(raw_high, raw_low);
  }
  raw_lanes[raw_index % TACIT_LANES] += (quad)raw_all * (quad)raw_by;
}

/* Writes the square of a row and its products with the points. */
INLINE void sums_products(const tacit_sparse *row, tacit_stored stored,
                          const double *pairs, const double *offset,
                          tacit_sums *raw_out) {
  quad raw_lanes[TACIT_LANES];
  clear(raw_lanes);
  size_t count = row->count, ahead = tacit_sparse_ahead(row), e = 0;
  for (; e < ahead; ++e) {
    size_t raw_later = row->raw_indices[e + TACIT_AHEAD];
    __builtin_prefetch(pairs + 2 * raw_later);
    if (offset != NULL) __builtin_prefetch(offset + raw_later);
    step(row, e, stored, pairs, offset, raw_lanes);
  }
  for (; e + UNROLL <= count; e += UNROLL)
    for (size_t k = 0; k < UNROLL; ++k)
      step(row, e + k, stored, pairs, offset, raw_lanes);
  for (; e < count; ++e)
    step(row, e, stored, pairs, offset, raw_lanes);
  const quad raw = total(raw_lanes);
  *raw_out = (tacit_sums){raw[2], raw[0], raw[1], offset != NULL ? raw[3] : 0};
}

/* Writes the square of a row, for calls without points. */
INLINE void sums_squares(const tacit_sparse *row, tacit_stored stored,
                         tacit_sums *raw_out) {
  double raw_lanes[TACIT_LANES] = {0};
  for (size_t e = 0; e < row->count; ++e) {
    const double raw_value = tacit_dense_value(row->raw_values, e, stored);
    raw_lanes[row->raw_indices[e] % TACIT_LANES] += raw_value * raw_value;
  }
  *raw_out = (tacit_sums){.raw_square = tacit_lanes(raw_lanes)};
}

INLINE void sums_all(const tacit_sparse_rows *all, tacit_stored stored, int ones,
                     const double *pairs, const double *offset, tacit_sums *raw_out) {
  for (size_t r = 0; r < all->rows; ++r) {
    const tacit_sparse row = tacit_sparse_row(all, r);
    if (pairs == NULL && ones)
      raw_out[r] = (tacit_sums){.raw_square = (double)(int64_t)row.count};
    else if (pairs == NULL)
      sums_squares(&row, stored, raw_out + r);
    else if (ones)
      sums_ones(&row, pairs, offset, raw_out + r);
    else
      sums_products(&row, stored, pairs, offset, raw_out + r);
  }
}

INLINE void sums_stored(const tacit_sparse_rows *all, tacit_stored stored, int ones,
                        const tacit_points *points, tacit_sums *raw_out) {
  if (points->pairs == NULL)
    sums_all(all, stored, ones, NULL, NULL, raw_out);
  else if (points->offset != NULL)
    sums_all(all, stored, ones, points->pairs, points->offset, raw_out);
  else
    sums_all(all, stored, ones, points->pairs, NULL, raw_out);
}

/* Computes the squares of sparse rows and their products with the points. */
void LEVEL(tacit_sums_sparse_)(const tacit_sparse_rows *all, const tacit_points *points,
                               tacit_sums *raw_out) {
  if (points->pairs == NULL && (points->x != NULL || points->offset != NULL))
    tacit_level_plain.sums_sparse(all, points, raw_out);
  else if (are_ones(all))
    sums_stored(all, all->stored, 1, points, raw_out);
  else if (all->stored == TACIT_FLOATS)
    sums_stored(all, TACIT_FLOATS, 0, points, raw_out);
  else
    sums_stored(all, TACIT_DOUBLES, 0, points, raw_out);
}

/* Adds the same integer for all entries of a row whose values are all 1. */
INLINE void add_ones(const tacit_sparse *row, int64_t raw_integer, int64_t *raw_sum) {
  const uint32_t *raw_indices = row->raw_indices;
  size_t count = row->count, ahead = tacit_sparse_ahead(row), e = 0;
  for (; e < ahead; ++e) {
    __builtin_prefetch(raw_sum + raw_indices[e + TACIT_AHEAD], 1);
    raw_sum[raw_indices[e]] += raw_integer;
  }
  for (; e + UNROLL <= count; e += UNROLL)
    for (size_t k = 0; k < UNROLL; ++k)
      raw_sum[raw_indices[e + k]] += raw_integer;
  for (; e < count; ++e)
    raw_sum[raw_indices[e]] += raw_integer;
}

/* Adds the integers of two entries, with one store if they are neighbours, as entries
   of curves are. */
INLINE void add_two(const uint32_t *raw_indices, two raw_two, int64_t *raw_sum) {
  const size_t raw_first = raw_indices[0], raw_second = raw_indices[1];
  if (raw_second == raw_first + 1) {
    *(two_there *)(raw_sum + raw_first) += raw_two;
  } else {
    raw_sum[raw_first] += raw_two[0];
    raw_sum[raw_second] += raw_two[1];
  }
}

INLINE two two_of(whole raw_all, int k) {
#if defined(__AVX512DQ__)
  if (k == 1) return (two)_mm512_extracti64x2_epi64((__m512i)raw_all, 1);
  if (k == 2) return (two)_mm512_extracti64x2_epi64((__m512i)raw_all, 2);
  if (k == 3) return (two)_mm512_extracti64x2_epi64((__m512i)raw_all, 3);
  return (two)_mm512_castsi512_si128((__m512i)raw_all);
#else
  if (k == 1) return (two)_mm256_extracti128_si256((__m256i)raw_all, 1);
  return (two)_mm256_castsi256_si128((__m256i)raw_all);
#endif
}

/* Adds the truncated products of a row's entries, WIDTH at a time. Asks for memory
   TACIT_AHEAD entries early, because far memory is what takes time. */
INLINE void add_products(const tacit_sparse *row, tacit_stored stored,
                         double raw_factor, int64_t *raw_sum) {
  const uint32_t *raw_indices = row->raw_indices;
  const void *raw_values = row->raw_values;
  const real raw_by = spread(raw_factor);
  size_t count = row->count, ahead = tacit_sparse_ahead(row), e = 0;
  for (; e < ahead; ++e) {
    __builtin_prefetch(raw_sum + raw_indices[e + TACIT_AHEAD], 1);
    raw_sum[raw_indices[e]] +=
        (int64_t)(raw_factor * tacit_dense_value(raw_values, e, stored));
  }
  for (; e + WIDTH <= count; e += WIDTH) {
    const whole raw_cut = truncate(load_row(raw_values, e, stored) * raw_by);
    for (int k = 0; k < WIDTH / 2; ++k)
      add_two(raw_indices + e + 2 * k, two_of(raw_cut, k), raw_sum);
  }
  for (; e < count; ++e)
    raw_sum[raw_indices[e]] +=
        (int64_t)(raw_factor * tacit_dense_value(raw_values, e, stored));
}

INLINE void add_all(const tacit_sparse_rows *all, tacit_stored stored, int ones,
                    const double *raw_factors, int64_t *raw_sum) {
  for (size_t r = 0; r < all->rows; ++r) {
    const tacit_sparse row = tacit_sparse_row(all, r);
    if (raw_factors[r] == 0) continue;
    if (ones)
      add_ones(&row, (int64_t)raw_factors[r], raw_sum);
    else
      add_products(&row, stored, raw_factors[r], raw_sum);
  }
}

/* Adds sparse rows times their factors to the sum, truncated to integers. */
void LEVEL(tacit_add_sparse_)(const tacit_sparse_rows *all, const double *raw_factors,
                              tacit_size size, int64_t *raw_sum) {
  if (size == TACIT_BELOW_2_63 && PARTS > 1)
    tacit_level_plain.add_sparse(all, raw_factors, size, raw_sum);
  else if (are_ones(all))
    add_all(all, all->stored, 1, raw_factors, raw_sum);
  else if (all->stored == TACIT_FLOATS)
    add_all(all, TACIT_FLOATS, 0, raw_factors, raw_sum);
  else
    add_all(all, TACIT_DOUBLES, 0, raw_factors, raw_sum);
}

#else /* vectors of two numbers gain nothing */

void LEVEL(tacit_sums_sparse_)(const tacit_sparse_rows *all, const tacit_points *points,
                               tacit_sums *raw_out) {
  tacit_level_plain.sums_sparse(all, points, raw_out);
}

void LEVEL(tacit_add_sparse_)(const tacit_sparse_rows *all, const double *raw_factors,
                              tacit_size size, int64_t *raw_sum) {
  tacit_level_plain.add_sparse(all, raw_factors, size, raw_sum);
}

#endif
