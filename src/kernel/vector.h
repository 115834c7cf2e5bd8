/* SPDX-License-Identifier: MIT */
/* The vector types of the level that vector.c is compiled for, and its loads and
   arithmetic. */
#ifndef TACIT_KERNEL_VECTOR_H
#define TACIT_KERNEL_VECTOR_H

#if defined(__AVX__)
#include <immintrin.h>
#endif

#include "kernel/kernel.h"

/* WIDTH: numbers per vector of this level. The others: rows per sweep of each loop, as
   many as the registers allow. */
#if defined(__AVX512DQ__)
enum { WIDTH = 8, SWEEP = 4, ADD_SWEEP = 8, WIDE_SWEEP = 4, WIDEN_SWEEP = 4 };
#elif defined(__AVX__)
enum {
  WIDTH = 4,
  SWEEP = 2,
  ADD_SWEEP = TACIT_TOGETHER,
  WIDE_SWEEP = 2,
  WIDEN_SWEEP = 2
};
#else
enum { WIDTH = 2, SWEEP = 1, ADD_SWEEP = 2, WIDE_SWEEP = 2, WIDEN_SWEEP = 2 };
#endif
enum { PARTS = TACIT_LANES / WIDTH, TILE = 5, LINE = 64 };

#define VECTOR(bytes, alignment)                                                       \
  __attribute__((vector_size(bytes), aligned(alignment), may_alias))
#define JOIN_AGAIN(a, b) a##b
#define JOIN(a, b) JOIN_AGAIN(a, b)
#define LEVEL(name)                                                                    \
  JOIN(name, TACIT_KERNEL) /* `name` with the name of this level at                    \
                              its end */
#define SPELL(name) #name
#define NAME(name) SPELL(name)
#define INLINE static inline __attribute__((always_inline))
typedef double real __attribute__((vector_size(WIDTH * 8)));
typedef int64_t whole __attribute__((vector_size(WIDTH * 8)));
typedef float narrow __attribute__((vector_size(WIDTH * 4)));
typedef double pair __attribute__((vector_size(16)));
typedef double quad __attribute__((vector_size(32)));
/* The types above for loads and stores at any address. */
typedef double real_there VECTOR(WIDTH * 8, 8);
typedef double pair_there VECTOR(16, 8);
typedef double quad_there VECTOR(32, 8);
typedef int64_t whole_there VECTOR(WIDTH * 8, 8);
typedef float narrow_there VECTOR(WIDTH * 4, 4);

INLINE real load(const double *from) { return *(const real_there *)from; }

/* Returns values j … j+WIDTH-1 of a row as doubles. */
INLINE real load_row(const void *raw_row, size_t j, tacit_stored stored) {
  if (stored == TACIT_DOUBLES) return load((const double *)raw_row + j);
  narrow raw_narrow = *(const narrow_there *)((const float *)raw_row + j);
  /* One instruction; GCC 12 makes four of the portable line below. */
#if defined(__AVX512DQ__)
  return (real)_mm512_cvtps_pd((__m256)raw_narrow);
#elif defined(__AVX__)
  return (real)_mm256_cvtps_pd((__m128)raw_narrow);
#else
  return __builtin_convertvector(raw_narrow, real);
#endif
}

/* Returns a vector with the number in all lanes. */
INLINE real spread(double raw_value) {
#if defined(__AVX512DQ__)
  return (real)_mm512_set1_pd(raw_value);
#elif defined(__AVX__)
  return (real)_mm256_set1_pd(raw_value);
#else
  return (real){raw_value, raw_value};
#endif
}

/* Returns raw_sum + raw_value by. is_exact allows a fused instruction: a product that
   is exact as a double gives equal bits fused or not. */
INLINE real add_product(real raw_sum, real raw_value, real by, int is_exact) {
#if defined(__AVX512DQ__)
  if (is_exact)
    return (real)_mm512_fmadd_pd((__m512d)raw_value, (__m512d)by, (__m512d)raw_sum);
#elif defined(__FMA__)
  if (is_exact)
    return (real)_mm256_fmadd_pd((__m256d)raw_value, (__m256d)by, (__m256d)raw_sum);
#endif
  (void)is_exact;
  return raw_sum + raw_value * by;
}

/*
 * Truncates doubles toward zero to integers. AVX2 cannot convert doubles to 64-bit
 * integers, so v is cut as a double and M = 1.5 2^52 is added. For |v| < 2^51 this sum
 * is exact and has the integer in its low bits. Several v can be added up first, and M
 * once, if their sum is below 2^51.
 */
#if defined(__AVX__) && !defined(__AVX512DQ__)
#define MAGIC ((real){0} + 0x1.8p52)
INLINE real cut(real raw_v) {
  return (real)_mm256_round_pd((__m256d)raw_v, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}
INLINE whole truncate(real raw_v) { return (whole)(cut(raw_v) + MAGIC) - (whole)MAGIC; }
#else
INLINE whole truncate(real raw_v) { return __builtin_convertvector(raw_v, whole); }
#endif

/* The loops of this level that vector_centred_rows.c, vector_nearest.c, vector_sparse.c
   and vector_wide.c define. */
void LEVEL(tacit_factors_)(const tacit_centred_rows *centred, size_t rows,
                           const double *raw_bounds, const double *raw_slopes,
                           const double *raw_tails, double *raw_factors);
void LEVEL(tacit_weigh_)(const tacit_centred_rows *centred, size_t rows, double radius,
                         double most, double *raw_slopes);
void LEVEL(tacit_cut_)(size_t count, double most, double by, double *raw_numbers);
void LEVEL(tacit_turn_)(size_t rows, const double *raw_places, double unit,
                        size_t stride, double *raw_out);
void LEVEL(tacit_add_nearest_)(const void *const *raw_rows, tacit_stored stored,
                               const double *raw_factors, size_t rows, size_t columns,
                               size_t outputs, size_t together, size_t stride,
                               int64_t *raw_sum);
void LEVEL(tacit_add_nearest_sparse_)(const tacit_sparse *row, double raw_factor,
                                      int64_t *raw_sum);
void LEVEL(tacit_sums_sparse_)(const tacit_sparse_rows *all, const tacit_points *points,
                               tacit_sums *raw_out);
void LEVEL(tacit_add_sparse_)(const tacit_sparse_rows *all, const double *raw_factors,
                              tacit_size size, int64_t *raw_sum);
void LEVEL(tacit_simd_)(const tacit_dense *dense, size_t rows, size_t first, size_t end,
                        const tacit_wide *wide, double *raw_out);
void LEVEL(tacit_wide_sparse_)(const tacit_sparse *row, const tacit_wide *wide,
                               double *raw_out);
void LEVEL(tacit_widen_)(const tacit_dense *dense, size_t rows, size_t first,
                         size_t count, double *raw_to);

#endif
