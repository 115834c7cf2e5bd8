/* SPDX-License-Identifier: MIT */
/*
 * The kernels in vector types. Meson compiles this file once per level, with the flags
 * of the level and its name in TACIT_KERNEL. The levels are equal bit for bit, because
 * the order of the lanes does not depend on the width, and nothing is contracted or
 * reassociated. kernel.h and plain.c say what each function computes.
 */
#include <string.h>
#if defined(__AVX__)
#include <immintrin.h>
#endif

#include "kernel/kernel.h"

/* Numbers per vector of this level, and rows per sweep, as the registers allow. */
#if defined(__AVX512DQ__)
enum { WIDTH = 8, SWEEP = 4, ADD_SWEEP = 8, WIDE_SWEEP = 4 };
#elif defined(__AVX__)
enum { WIDTH = 4, SWEEP = 2, ADD_SWEEP = 4, WIDE_SWEEP = 2 };
#else
enum { WIDTH = 2, SWEEP = 1, ADD_SWEEP = 2, WIDE_SWEEP = 2 };
#endif
enum { PARTS = TACIT_LANES / WIDTH, TILE = 4, LINE = 64 };

#define VECTOR(bytes, alignment)                                                       \
  __attribute__((vector_size(bytes), aligned(alignment), may_alias))
#define INLINE static inline __attribute__((always_inline))
typedef double real __attribute__((vector_size(WIDTH * 8)));
typedef int64_t whole __attribute__((vector_size(WIDTH * 8)));
typedef float narrow __attribute__((vector_size(WIDTH * 4)));
typedef double pair __attribute__((vector_size(16)));
/* The same types for loads and stores that are not aligned. */
typedef double real_there VECTOR(WIDTH * 8, 8);
typedef int64_t whole_there VECTOR(WIDTH * 8, 8);
typedef float narrow_there VECTOR(WIDTH * 4, 4);

INLINE real load(const double *from) { return *(const real_there *)from; }

INLINE real load_row(const void *raw_row, size_t j, tacit_stored stored) {
  if (stored == TACIT_DOUBLES) return load((const double *)raw_row + j);
  narrow raw_narrow = *(const narrow_there *)((const float *)raw_row + j);
#if defined(__AVX512DQ__)
  /* One instruction, where GCC 12 makes four of the line below. */
  return (real)_mm512_cvtps_pd((__m256)raw_narrow);
#else
  return __builtin_convertvector(raw_narrow, real);
#endif
}

/* ((0+4)+(2+6)) + ((1+5)+(3+7)), two lanes at a time. */
INLINE double tree(const real *raw_parts) {
  pair raw_pairs[TACIT_LANES / 2];
  memcpy(raw_pairs, raw_parts, sizeof raw_pairs);
  pair raw_two = (raw_pairs[0] + raw_pairs[2]) + (raw_pairs[1] + raw_pairs[3]);
  return raw_two[0] + raw_two[1];
}

/* The sums of up to SWEEP rows, lane by lane: squares, and products with `dots` points,
   which are x, x_prev and the offset as far as they are wanted. */
enum { DOTS = 3 };
struct lanes {
  real raw_square[SWEEP][PARTS], raw_dot[DOTS][SWEEP][PARTS];
};

/* Eight columns from column j of every row and column k of every point. Bytes `ahead`
   of the current ones are prefetched. */
INLINE void sums_step(struct lanes *raw_lanes, int rows, const void *const *raw_rows,
                      size_t j, tacit_stored stored, int dots,
                      const double *const *points, size_t k, size_t ahead) {
  const size_t size = stored == TACIT_FLOATS ? sizeof(float) : sizeof(double);
  for (int p = 0; p < PARTS; ++p) {
    real there[DOTS];
    for (int d = 0; d < dots; ++d)
      there[d] = load(points[d] + k + p * WIDTH);
    for (int r = 0; r < rows; ++r) {
      const size_t at = j + (size_t)(p * WIDTH);
      real raw_value = load_row(raw_rows[r], at, stored);
      if (ahead > 0) __builtin_prefetch((const char *)raw_rows[r] + size * at + ahead);
      raw_lanes->raw_square[r][p] += raw_value * raw_value;
      for (int d = 0; d < dots; ++d)
        raw_lanes->raw_dot[d][r][p] += raw_value * there[d];
    }
  }
}

/* The columns after the last eight, padded with zeros, which change no sum. */
INLINE void sums_rest(struct lanes *raw_lanes, int rows, const void *const *raw_rows,
                      size_t j, size_t columns, tacit_stored stored, int dots,
                      const double *const *points) {
  double raw_rest[SWEEP][TACIT_LANES] = {{0}};
  double there[DOTS][TACIT_LANES] = {{0}};
  const double *const rests[DOTS] = {there[0], there[1], there[2]};
  const void *raw_rests[SWEEP];
  for (size_t i = 0; j + i < columns; ++i) {
    for (int d = 0; d < dots; ++d)
      there[d][i] = points[d][j + i];
    for (int r = 0; r < rows; ++r)
      raw_rest[r][i] = tacit_dense_value(raw_rows[r], j + i, stored);
  }
  for (int r = 0; r < rows; ++r)
    raw_rests[r] = raw_rest[r];
  sums_step(raw_lanes, rows, raw_rests, 0, TACIT_DOUBLES, dots, rests, 0, 0);
}

/* raw_dots: `dots` numbers a row. */
INLINE void sums_some(int rows, const void *const *raw_rows, size_t columns,
                      tacit_stored stored, int dots, const double *const *points,
                      double *raw_squares, double (*raw_dots)[DOTS]) {
  struct lanes raw_lanes;
  for (int r = 0; r < rows; ++r) {
    for (int p = 0; p < PARTS; ++p) {
      raw_lanes.raw_square[r][p] = (real){0};
      for (int d = 0; d < dots; ++d)
        raw_lanes.raw_dot[d][r][p] = (real){0};
    }
  }
  const size_t ahead =
      SWEEP * columns * (stored == TACIT_FLOATS ? sizeof(float) : sizeof(double));
  size_t j = 0;
  for (; j + TACIT_LANES <= columns; j += TACIT_LANES)
    sums_step(&raw_lanes, rows, raw_rows, j, stored, dots, points, j, ahead);
  if (j < columns)
    sums_rest(&raw_lanes, rows, raw_rows, j, columns, stored, dots, points);
  for (int r = 0; r < rows; ++r) {
    raw_squares[r] = tree(raw_lanes.raw_square[r]);
    for (int d = 0; d < dots; ++d)
      raw_dots[r][d] = tree(raw_lanes.raw_dot[d][r]);
  }
}

INLINE void sums_all(const tacit_dense *dense, size_t rows, tacit_stored stored,
                     int dots, const tacit_points *wanted, const double *const *points,
                     tacit_sums *raw_out) {
  const void *raw_rows[SWEEP];
  double raw_squares[SWEEP], raw_dots[SWEEP][DOTS] = {{0}};
  size_t step;
  for (size_t i = 0; i < rows; i += step) {
    step = rows - i < SWEEP ? 1 : SWEEP;
    for (size_t r = 0; r < step; ++r)
      raw_rows[r] = tacit_dense_row(dense, i + r);
    if (step == SWEEP)
      sums_some(SWEEP, raw_rows, dense->columns, stored, dots, points, raw_squares,
                raw_dots);
    else
      sums_some(1, raw_rows, dense->columns, stored, dots, points, raw_squares,
                raw_dots);
    for (size_t r = 0; r < step; ++r) {
      const double *raw_next = raw_dots[r];
      tacit_sums raw_own = {.raw_square = raw_squares[r]};
      if (wanted->x != NULL) raw_own.raw_dot = *raw_next++;
      if (wanted->x_prev != NULL) raw_own.raw_dot_prev = *raw_next++;
      if (wanted->offset != NULL) raw_own.raw_offset = *raw_next;
      raw_out[i + r] = raw_own;
    }
  }
}

INLINE void sums_stored(const tacit_dense *dense, size_t rows, tacit_stored stored,
                        const tacit_points *wanted, tacit_sums *raw_out) {
  const double *points[DOTS];
  int dots = 0;
  if (wanted->x != NULL) points[dots++] = wanted->x;
  if (wanted->x_prev != NULL) points[dots++] = wanted->x_prev;
  if (wanted->offset != NULL) points[dots++] = wanted->offset;
  if (dots == 3)
    sums_all(dense, rows, stored, 3, wanted, points, raw_out);
  else if (dots == 2)
    sums_all(dense, rows, stored, 2, wanted, points, raw_out);
  else if (dots == 1)
    sums_all(dense, rows, stored, 1, wanted, points, raw_out);
  else
    sums_all(dense, rows, stored, 0, wanted, points, raw_out);
}

static void sums(const tacit_dense *dense, size_t rows, const tacit_points *points,
                 tacit_sums *raw_out) {
  if (dense->stored == TACIT_FLOATS)
    sums_stored(dense, rows, TACIT_FLOATS, points, raw_out);
  else
    sums_stored(dense, rows, TACIT_DOUBLES, points, raw_out);
}

/*
 * Rounds toward zero. AVX2 cannot convert doubles to 64-bit integers. With |v| < 2^51,
 * v is rounded as a double and M = 1.5 2^52 is added: the sum is exact and has the
 * integer in its low bits.
 */
INLINE whole truncate(real raw_v) {
#if defined(__AVX__) && !defined(__AVX512DQ__)
  const real magic = (real){0} + 0x1.8p52;
  real raw_cut =
      (real)_mm256_round_pd((__m256d)raw_v, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  return (whole)(raw_cut + magic) - (whole)magic;
#else
  return __builtin_convertvector(raw_v, whole);
#endif
}

INLINE void add_some(int rows, const void *const *raw_rows, tacit_stored stored,
                     const double *raw_factors, size_t columns,
                     const char *raw_prefetch, int64_t *raw_sum) {
  const size_t step =
      (size_t)rows * WIDTH * (stored == TACIT_FLOATS ? sizeof(float) : sizeof(double));
  size_t j = 0;
  for (; j + WIDTH <= columns; j += WIDTH) {
    for (size_t line = 0; rows > 1 && line < step; line += LINE)
      __builtin_prefetch(raw_prefetch + line, 0, 2);
    raw_prefetch += step;
    whole_there *raw_there = (whole_there *)(raw_sum + j);
    whole raw_here = *raw_there;
    for (int r = 0; r < rows; ++r)
      raw_here += truncate(load_row(raw_rows[r], j, stored) * raw_factors[r]);
    *raw_there = raw_here;
  }
  for (; j < columns; ++j) {
    for (int r = 0; r < rows; ++r)
      raw_sum[j] +=
          (int64_t)(raw_factors[r] * tacit_dense_value(raw_rows[r], j, stored));
  }
}

INLINE void add_all(const void *const *raw_rows, tacit_stored stored,
                    const double *raw_factors, size_t rows, size_t columns,
                    const void *raw_prefetch, int64_t *raw_sum) {
  size_t r = 0;
  for (; r + ADD_SWEEP <= rows; r += ADD_SWEEP) {
    const void *raw_next =
        raw_rows[r]; /* in the cache already: a second prefetch is free */
    if (raw_prefetch != NULL) {
      tacit_dense next = {raw_prefetch, stored, columns};
      raw_next = tacit_dense_row(&next, r);
    }
    add_some(ADD_SWEEP, raw_rows + r, stored, raw_factors + r, columns, raw_next,
             raw_sum);
  }
  for (; r < rows; ++r)
    add_some(1, raw_rows + r, stored, raw_factors + r, columns, raw_rows[r], raw_sum);
}

static void add(const void *const *raw_rows, tacit_stored stored,
                const double *raw_factors, size_t rows, size_t columns, tacit_size size,
                const void *raw_prefetch, int64_t *raw_sum) {
#if defined(__AVX__) && !defined(__AVX512DQ__)
  if (size != TACIT_BELOW_2_51) {
    tacit_kernel_plain.add(raw_rows, stored, raw_factors, rows, columns, size,
                           raw_prefetch, raw_sum);
    return;
  }
#endif
  (void)size;
  if (stored == TACIT_FLOATS)
    add_all(raw_rows, TACIT_FLOATS, raw_factors, rows, columns, raw_prefetch, raw_sum);
  else
    add_all(raw_rows, TACIT_DOUBLES, raw_factors, rows, columns, raw_prefetch, raw_sum);
}

/* Some rows times some of the outputs: `tiles` vectors of them. */
INLINE void wide_some(int rows, int tiles, const void *const *raw_rows,
                      tacit_stored stored, size_t first, size_t end,
                      const uint32_t *raw_indices, const double *weights, size_t width,
                      double *raw_out) {
  real raw_part[WIDE_SWEEP][TILE];
  for (int r = 0; r < rows; ++r) {
    for (int t = 0; t < tiles; ++t)
      raw_part[r][t] = load(raw_out + (size_t)r * width + t * WIDTH);
  }
  for (size_t j = first; j < end; ++j) {
    size_t raw_at = raw_indices != NULL ? raw_indices[j] : j;
    const double *own = weights + raw_at * width;
    for (int r = 0; r < rows; ++r) {
      double raw_value = tacit_dense_value(raw_rows[r], j, stored);
      for (int t = 0; t < tiles; ++t)
        raw_part[r][t] += load(own + t * WIDTH) * raw_value;
    }
  }
  for (int r = 0; r < rows; ++r) {
    for (int t = 0; t < tiles; ++t)
      *(real_there *)(raw_out + (size_t)r * width + t * WIDTH) = raw_part[r][t];
  }
}

/* All outputs of some rows. */
INLINE void wide_rows(int rows, const void *const *raw_rows, tacit_stored stored,
                      size_t first, size_t end, const uint32_t *raw_indices,
                      const double *weights, size_t width, double *raw_out) {
  size_t k = 0;
  for (; k + TILE * WIDTH <= width; k += TILE * WIDTH)
    wide_some(rows, TILE, raw_rows, stored, first, end, raw_indices, weights + k, width,
              raw_out + k);
  for (; k < width; k += WIDTH)
    wide_some(rows, 1, raw_rows, stored, first, end, raw_indices, weights + k, width,
              raw_out + k);
}

INLINE void wide_all(const tacit_dense *dense, tacit_stored stored, size_t rows,
                     size_t first, size_t end, const double *weights, size_t width,
                     double *raw_out) {
  const void *raw_rows[WIDE_SWEEP];
  size_t i = 0;
  for (; i + WIDE_SWEEP <= rows; i += WIDE_SWEEP) {
    for (size_t r = 0; r < WIDE_SWEEP; ++r)
      raw_rows[r] = tacit_dense_row(dense, i + r);
    wide_rows(WIDE_SWEEP, raw_rows, stored, first, end, NULL, weights, width,
              raw_out + i * width);
  }
  for (; i < rows; ++i) {
    raw_rows[0] = tacit_dense_row(dense, i);
    wide_rows(1, raw_rows, stored, first, end, NULL, weights, width,
              raw_out + i * width);
  }
}

static void wide(const tacit_dense *dense, size_t rows, size_t first, size_t end,
                 const double *weights, size_t width, double *raw_out) {
  if (dense->stored == TACIT_FLOATS)
    wide_all(dense, TACIT_FLOATS, rows, first, end, weights, width, raw_out);
  else
    wide_all(dense, TACIT_DOUBLES, rows, first, end, weights, width, raw_out);
}

static void wide_sparse(const void *raw_values, tacit_stored stored,
                        const uint32_t *raw_indices, size_t count,
                        const double *weights, size_t width, double *raw_out) {
  if (stored == TACIT_FLOATS)
    wide_rows(1, &raw_values, TACIT_FLOATS, 0, count, raw_indices, weights, width,
              raw_out);
  else
    wide_rows(1, &raw_values, TACIT_DOUBLES, 0, count, raw_indices, weights, width,
              raw_out);
}

#define JOIN(a, b) a##b
#define TABLE(name) JOIN(tacit_kernel_, name)
#define SPELL(name) #name
#define NAME(name) SPELL(name)

extern const tacit_kernel_ops TABLE(TACIT_KERNEL);
const tacit_kernel_ops TABLE(TACIT_KERNEL) = {
    .name = NAME(TACIT_KERNEL),
    .sums = sums,
    .add = add,
    .wide = wide,
    .wide_sparse = wide_sparse,
};
