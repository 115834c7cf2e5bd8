/* SPDX-License-Identifier: MIT */
/*
 * The kernels in vector types. Meson compiles this file once per level, with the flags
 * of the level and its name in TACIT_KERNEL. The levels are equal bit for bit, because
 * the order of the lanes does not depend on the width, and nothing is contracted or
 * reassociated. level.h and plain.c say what each function computes.
 */
#include "kernel/vector.h"

#include <string.h>

/* Returns the sum of the lanes in the order of tacit_lanes, ((0+4)+(2+6)) +
   ((1+5)+(3+7)), two lanes at a time. */
INLINE double tree(const real *raw_parts) {
#if defined(__AVX__) && !defined(__AVX512DQ__)
  __m256d raw_four = (__m256d)(raw_parts[0] + raw_parts[1]);
  pair raw_two =
      (pair)_mm256_castpd256_pd128(raw_four) + (pair)_mm256_extractf128_pd(raw_four, 1);
#else
  pair raw_pairs[TACIT_LANES / 2];
  memcpy(raw_pairs, raw_parts, sizeof raw_pairs);
  pair raw_two = (raw_pairs[0] + raw_pairs[2]) + (raw_pairs[1] + raw_pairs[3]);
#endif
  return raw_two[0] + raw_two[1];
}

/* Sums of up to SWEEP rows, lane by lane: the square, and the products with up to DOTS
   points (x, x_prev, offset). A sweep keeps at most SUMS_MAX vectors of sums, because
   the other registers are needed. It ends after NEAR columns, which are then still in
   the nearest cache for the sweep over the rest of the sums. */
enum { DOTS = 3, SUMS_MAX = 12, NEAR = 1024 };
struct lanes {
  real raw_sums[DOTS + 1][SWEEP][PARTS];
};

/* How values are stored, the number of points, and how many points, from the first on,
   have exact products with the values. The compiler knows all three. */
struct kind {
  tacit_stored stored;
  int dots, exact;
};

/* The rows of a sweep, and the memory to prefetch meanwhile: half as many bytes as the
   sweep reads. */
struct sweep {
  const void *raw_rows[SWEEP];
  const char *raw_prefetch;
};

/* Adds columns first … end-1, a multiple of TACIT_LANES, to `parts` vectors of the
   sums, from vector p on. */
INLINE void sums_parts(struct lanes *raw_lanes, int p, int parts, int rows,
                       const struct sweep *sweep, size_t first, size_t end,
                       const struct kind kind, const double *const *points) {
  const tacit_stored stored = kind.stored;
  const int dots = kind.dots;
  const size_t size = tacit_stored_size(stored);
  const size_t half = (size_t)rows * size * TACIT_LANES / 2;
  const char *raw_prefetch = sweep->raw_prefetch + first / TACIT_LANES * half;
  real raw_own[DOTS + 1][SWEEP][PARTS]; /* held in registers */
  for (int d = 0; d <= dots; ++d)
    for (int r = 0; r < rows; ++r)
      for (int q = 0; q < parts; ++q)
        raw_own[d][r][q] = raw_lanes->raw_sums[d][r][p + q];
  for (size_t j = first; j < end; j += TACIT_LANES) {
    for (size_t line = 0; p == 0 && line < half; line += LINE)
      __builtin_prefetch(raw_prefetch + line, 0, 2);
    raw_prefetch += half;
    for (int q = 0; q < parts; ++q) {
      const size_t at = j + (size_t)((p + q) * WIDTH);
      real there[DOTS];
      for (int d = 0; d < dots; ++d)
        there[d] = load(points[d] + at);
      for (int r = 0; r < rows; ++r) {
        real raw_value = load_row(sweep->raw_rows[r], at, stored);
        raw_own[0][r][q] =
            add_product(raw_own[0][r][q], raw_value, raw_value, stored == TACIT_FLOATS);
        for (int d = 0; d < dots; ++d)
          raw_own[d + 1][r][q] =
              add_product(raw_own[d + 1][r][q], raw_value, there[d], d < kind.exact);
      }
    }
  }
  for (int d = 0; d <= dots; ++d)
    for (int r = 0; r < rows; ++r)
      for (int q = 0; q < parts; ++q)
        raw_lanes->raw_sums[d][r][p + q] = raw_own[d][r][q];
}

/* Adds the columns to all vectors of the sums, in two sweeps if the registers cannot
   hold all of them. */
INLINE void sums_step(struct lanes *raw_lanes, int rows, const struct sweep *sweep,
                      size_t columns, const struct kind kind,
                      const double *const *points) {
  if ((1 + kind.dots) * SWEEP * PARTS <= SUMS_MAX || PARTS == 1) {
    sums_parts(raw_lanes, 0, PARTS, rows, sweep, 0, columns, kind, points);
    return;
  }
  for (size_t j = 0; j < columns; j += NEAR) {
    size_t end = columns - j < NEAR ? columns : j + NEAR;
    for (int p = 0; p < PARTS; p += PARTS / 2)
      sums_parts(raw_lanes, p, PARTS / 2, rows, sweep, j, end, kind, points);
  }
}

/* Adds the columns from j on, which are fewer than TACIT_LANES, padded with zeros.
   Zeros change no sum. */
INLINE void sums_rest(struct lanes *raw_lanes, int rows, const struct sweep *sweep,
                      size_t j, size_t columns, const struct kind kind,
                      const double *const *points) {
  double raw_rest[SWEEP][TACIT_LANES] = {{0}};
  double there[DOTS][TACIT_LANES] = {{0}};
  const double *const rests[DOTS] = {there[0], there[1], there[2]};
  struct sweep rest = {.raw_prefetch = sweep->raw_prefetch};
  for (size_t i = 0; j + i < columns; ++i) {
    for (int d = 0; d < kind.dots; ++d)
      there[d][i] = points[d][j + i];
    for (int r = 0; r < rows; ++r)
      raw_rest[r][i] = tacit_dense_value(sweep->raw_rows[r], j + i, kind.stored);
  }
  for (int r = 0; r < rows; ++r)
    rest.raw_rows[r] = raw_rest[r];
  const struct kind doubles = {TACIT_DOUBLES, kind.dots, kind.exact};
  sums_step(raw_lanes, rows, &rest, TACIT_LANES, doubles, rests);
}

/* Writes the square and the products of `rows` rows of the sweep. */
INLINE void sums_some(int rows, const struct sweep *sweep, size_t columns,
                      const struct kind kind, const tacit_points *wanted,
                      const double *const *points, tacit_sums *raw_out) {
  const int dots = kind.dots;
  struct lanes raw_lanes;
  for (int d = 0; d <= dots; ++d)
    for (int r = 0; r < rows; ++r)
      for (int p = 0; p < PARTS; ++p)
        raw_lanes.raw_sums[d][r][p] = (real){0};
  const size_t eights = columns / TACIT_LANES * TACIT_LANES;
  sums_step(&raw_lanes, rows, sweep, eights, kind, points);
  if (eights < columns)
    sums_rest(&raw_lanes, rows, sweep, eights, columns, kind, points);
  for (int r = 0; r < rows; ++r) {
    double raw_dots[DOTS + 1] = {0};
    for (int d = 0; d <= dots; ++d)
      raw_dots[d] = tree(raw_lanes.raw_sums[d][r]);
    const int last = dots > 0 && wanted->offset != NULL; /* the product with the offset
                                                            is the last one */
    raw_out[r] =
        (tacit_sums){raw_dots[0], dots > last ? raw_dots[1] : 0,
                     dots > last + 1 ? raw_dots[2] : 0, last ? raw_dots[dots] : 0};
  }
}

INLINE void sums_all(const tacit_dense *dense, size_t rows, const struct kind kind,
                     const tacit_points *wanted, const double *const *points,
                     tacit_sums *raw_out) {
  const size_t size = tacit_stored_size(kind.stored);
  struct sweep sweep;
  size_t step;
  for (size_t i = 0; i < rows; i += step) {
    step = rows - i < SWEEP ? 1 : SWEEP;
    for (size_t r = 0; r < step; ++r)
      sweep.raw_rows[r] = tacit_dense_row(dense, i + r);
    sweep.raw_prefetch =
        wanted->raw_prefetch != NULL
            ? (const char *)wanted->raw_prefetch + i * dense->columns * size / 2
            : sweep.raw_rows[0];
    if (step == SWEEP)
      sums_some(SWEEP, &sweep, dense->columns, kind, wanted, points, raw_out + i);
    else
      sums_some(1, &sweep, dense->columns, kind, wanted, points, raw_out + i);
  }
}

/* Writes squares and products of dense rows, by a loop compiled for the number of
   points and of exact products. */
INLINE void sums_stored(const tacit_dense *dense, size_t rows, tacit_stored stored,
                        const tacit_points *wanted, tacit_sums *raw_out) {
  const double *points[DOTS];
  int dots = 0;
  if (wanted->x != NULL) points[dots++] = wanted->x;
  if (wanted->x_prev != NULL) points[dots++] = wanted->x_prev;
  int exact = stored == TACIT_FLOATS && wanted->are_short && dots == 2 ? 2 : 0;
  if (wanted->offset != NULL) points[dots++] = wanted->offset;
  if (exact == 2 && dots == 3 && wanted->is_offset_short) exact = 3;
#define SUMS(dots, exact)                                                              \
  sums_all(dense, rows, (struct kind){stored, dots, exact}, wanted, points, raw_out)
  if (exact == 3)
    SUMS(3, 3);
  else if (dots == 3 && exact == 2)
    SUMS(3, 2);
  else if (dots == 2 && exact == 2)
    SUMS(2, 2);
  else if (dots == 3)
    SUMS(3, 0);
  else if (dots == 2)
    SUMS(2, 0);
  else if (dots == 1)
    SUMS(1, 0);
  else
    SUMS(0, 0);
#undef SUMS
}

/* Computes the squares of dense rows and their products with the points. */
static void sums(const tacit_dense *dense, size_t rows, const tacit_points *points,
                 tacit_sums *raw_out) {
  if (dense->stored == TACIT_FLOATS)
    sums_stored(dense, rows, TACIT_FLOATS, points, raw_out);
  else
    sums_stored(dense, rows, TACIT_DOUBLES, points, raw_out);
}

/* Returns columns j … j+WIDTH-1 of the sum, over some rows, of the truncated products
   with their factors. */
INLINE whole truncated(int rows, const void *const *raw_rows, size_t j,
                       tacit_stored stored, const double *raw_factors,
                       tacit_size size) {
#if defined(__AVX__) && !defined(__AVX512DQ__)
  if (size == TACIT_BELOW_2_48) {
    real raw_cut = MAGIC;
    for (int r = 0; r < rows; ++r)
      raw_cut += cut(load_row(raw_rows[r], j, stored) * raw_factors[r]);
    return (whole)raw_cut - (whole)MAGIC;
  }
#endif
  (void)size;
  whole raw_here = {0};
  for (int r = 0; r < rows; ++r)
    raw_here += truncate(load_row(raw_rows[r], j, stored) * raw_factors[r]);
  return raw_here;
}

/* Adds the truncated products of `rows` rows with their factors to the sum, and
   prefetches the next rows. */
INLINE void add_some(int rows, const void *const *raw_rows, tacit_stored stored,
                     const double *raw_factors, size_t columns, tacit_size size,
                     const char *raw_prefetch, int64_t *raw_sum) {
  const size_t half = (size_t)rows * WIDTH * (tacit_stored_size(stored)) / 2;
  const void *raw_own[ADD_SWEEP]; /* held in registers, because raw_sum does not overlap
                                     them */
  double raw_by[ADD_SWEEP];
  for (int r = 0; r < rows; ++r) {
    raw_own[r] = raw_rows[r];
    raw_by[r] = raw_factors[r];
  }
  size_t j = 0;
  for (; j + WIDTH <= columns; j += WIDTH) {
    for (size_t line = 0; rows > 1 && line < half; line += LINE)
      __builtin_prefetch(raw_prefetch + line, 0, 2);
    raw_prefetch += half;
    whole_there *raw_there = (whole_there *)(raw_sum + j);
    *raw_there += truncated(rows, raw_own, j, stored, raw_by, size);
  }
  for (; j < columns; ++j) {
    for (int r = 0; r < rows; ++r)
      raw_sum[j] +=
          (int64_t)(raw_factors[r] * tacit_dense_value(raw_rows[r], j, stored));
  }
}

/* Adds rows from row r on, `sweep` rows at a time while so many are left. Returns the
   first row that is left. */
INLINE size_t add_sweeps(int sweep, size_t r, const void *const *raw_rows,
                         tacit_stored stored, const double *raw_factors, size_t rows,
                         size_t columns, tacit_size size, const void *raw_prefetch,
                         int64_t *raw_sum) {
  for (; r + (size_t)sweep <= rows; r += (size_t)sweep) {
    const char *raw_next = raw_rows[r]; /* already in the cache, so that a second
                                           prefetch costs nothing */
    if (raw_prefetch != NULL)
      raw_next = (const char *)raw_prefetch +
                 (rows + r) * columns * tacit_stored_size(stored) / 2;
    add_some(sweep, raw_rows + r, stored, raw_factors + r, columns, size, raw_next,
             raw_sum);
  }
  return r;
}

INLINE void add_all(const void *const *raw_rows, tacit_stored stored,
                    const double *raw_factors, size_t rows, size_t columns,
                    tacit_size size, const void *raw_prefetch, int64_t *raw_sum) {
  size_t r = add_sweeps(ADD_SWEEP, 0, raw_rows, stored, raw_factors, rows, columns,
                        size, raw_prefetch, raw_sum);
  if (ADD_SWEEP > 4)
    r = add_sweeps(4, r, raw_rows, stored, raw_factors, rows, columns, size,
                   raw_prefetch, raw_sum);
  (void)add_sweeps(1, r, raw_rows, stored, raw_factors, rows, columns, size, NULL,
                   raw_sum);
}

INLINE void add_sized(const void *const *raw_rows, tacit_stored stored,
                      const double *raw_factors, size_t rows, size_t columns,
                      tacit_size size, const void *raw_prefetch, int64_t *raw_sum) {
  if (stored == TACIT_FLOATS)
    add_all(raw_rows, TACIT_FLOATS, raw_factors, rows, columns, size, raw_prefetch,
            raw_sum);
  else
    add_all(raw_rows, TACIT_DOUBLES, raw_factors, rows, columns, size, raw_prefetch,
            raw_sum);
}

/* Adds dense rows times their factors to the sum, truncated to integers. */
static void add(const void *const *raw_rows, tacit_stored stored,
                const double *raw_factors, size_t rows, size_t columns, tacit_size size,
                const void *raw_prefetch, int64_t *raw_sum) {
#if defined(__AVX__) && !defined(__AVX512DQ__)
  if (size == TACIT_BELOW_2_48)
    add_sized(raw_rows, stored, raw_factors, rows, columns, TACIT_BELOW_2_48,
              raw_prefetch, raw_sum);
  else if (size == TACIT_BELOW_2_51)
    add_sized(raw_rows, stored, raw_factors, rows, columns, TACIT_BELOW_2_51,
              raw_prefetch, raw_sum);
  else
    tacit_level_plain.add(raw_rows, stored, raw_factors, rows, columns, size,
                          raw_prefetch, raw_sum);
#else
  add_sized(raw_rows, stored, raw_factors, rows, columns, size, raw_prefetch, raw_sum);
#endif
}

static const tacit_kernel kernel = {LEVEL(tacit_simd_), LEVEL(tacit_wide_sparse_),
                                    LEVEL(tacit_weigh_), LEVEL(tacit_cut_),
                                    LEVEL(tacit_turn_)};
extern const tacit_level LEVEL(tacit_level_);
const tacit_level LEVEL(tacit_level_) = {
    .name = NAME(TACIT_KERNEL),
    .sums = sums,
    .sums_sparse = LEVEL(tacit_sums_sparse_),
    .add = add,
    .add_sparse = LEVEL(tacit_add_sparse_),
    .add_nearest = LEVEL(tacit_add_nearest_),
    .add_nearest_sparse = LEVEL(tacit_add_nearest_sparse_),
    .widen = LEVEL(tacit_widen_),
    .factors = LEVEL(tacit_factors_),
    .kernel = &kernel,
};
