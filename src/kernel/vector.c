/* SPDX-License-Identifier: MIT */
/*
 * The kernels in vector types. Meson compiles this file once per level, with the flags
 * of the level and its name in TACIT_KERNEL. The levels are equal bit for bit, because
 * the order of the lanes does not depend on the width, and nothing is contracted or
 * reassociated. kernel.h and plain.c say what each function computes.
 */
#include "kernel/vector.h"

#include <string.h>

/* ((0+4)+(2+6)) + ((1+5)+(3+7)), two lanes at a time. */
INLINE double tree(const real *raw_parts) {
  pair raw_pairs[TACIT_LANES / 2];
  memcpy(raw_pairs, raw_parts, sizeof raw_pairs);
  pair raw_two = (raw_pairs[0] + raw_pairs[2]) + (raw_pairs[1] + raw_pairs[3]);
  return raw_two[0] + raw_two[1];
}

/* The sums of up to SWEEP rows, lane by lane: squares, and products with `dots` points,
   which are x, x_prev and the offset as far as they are wanted. At most SUMS_MAX
   vectors of sums at a time leave registers for the rest; NEAR columns, which then are
   swept again for the others, are still in the nearest cache. */
enum { DOTS = 3, SUMS_MAX = 12, NEAR = 1024 };
struct lanes {
  real raw_sums[DOTS + 1][SWEEP][PARTS];
};

/* Columns first … end-1, eights of them, of which `parts` parts from part p on. Bytes
   `ahead` of the current ones are prefetched. */
INLINE void sums_parts(struct lanes *raw_lanes, int p, int parts, int rows,
                       const void *const *raw_rows, size_t first, size_t end,
                       tacit_stored stored, int dots, const double *const *points,
                       size_t ahead) {
  const size_t size = stored == TACIT_FLOATS ? sizeof(float) : sizeof(double);
  real raw_own[DOTS + 1][SWEEP][PARTS]; /* in registers */
  for (int d = 0; d <= dots; ++d)
    for (int r = 0; r < rows; ++r)
      for (int q = 0; q < parts; ++q)
        raw_own[d][r][q] = raw_lanes->raw_sums[d][r][p + q];
  for (size_t j = first; j < end; j += TACIT_LANES) {
    for (int r = 0; p == 0 && ahead > 0 && r < rows; ++r)
      __builtin_prefetch((const char *)raw_rows[r] + size * j + ahead);
    for (int q = 0; q < parts; ++q) {
      const size_t at = j + (size_t)((p + q) * WIDTH);
      real there[DOTS];
      for (int d = 0; d < dots; ++d)
        there[d] = load(points[d] + at);
      for (int r = 0; r < rows; ++r) {
        real raw_value = load_row(raw_rows[r], at, stored);
        raw_own[0][r][q] += raw_value * raw_value;
        for (int d = 0; d < dots; ++d)
          raw_own[d + 1][r][q] += raw_value * there[d];
      }
    }
  }
  for (int d = 0; d <= dots; ++d)
    for (int r = 0; r < rows; ++r)
      for (int q = 0; q < parts; ++q)
        raw_lanes->raw_sums[d][r][p + q] = raw_own[d][r][q];
}

/* All parts, as many at a time as there are registers for. */
INLINE void sums_step(struct lanes *raw_lanes, int rows, const void *const *raw_rows,
                      size_t first, size_t end, tacit_stored stored, int dots,
                      const double *const *points, size_t ahead) {
  const int all = (1 + dots) * SWEEP * PARTS <= SUMS_MAX;
  if (all || PARTS == 1) {
    sums_parts(raw_lanes, 0, PARTS, rows, raw_rows, first, end, stored, dots, points,
               ahead);
    return;
  }
  for (int p = 0; p < PARTS; p += PARTS / 2)
    sums_parts(raw_lanes, p, PARTS / 2, rows, raw_rows, first, end, stored, dots,
               points, ahead);
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
  sums_step(raw_lanes, rows, raw_rests, 0, TACIT_LANES, TACIT_DOUBLES, dots, rests, 0);
}

/* raw_dots: `dots` numbers a row. */
INLINE void sums_some(int rows, const void *const *raw_rows, size_t columns,
                      tacit_stored stored, int dots, const double *const *points,
                      double *raw_squares, double (*raw_dots)[DOTS]) {
  struct lanes raw_lanes;
  memset(&raw_lanes, 0, sizeof raw_lanes);
  const size_t ahead =
      SWEEP * columns * (stored == TACIT_FLOATS ? sizeof(float) : sizeof(double));
  const size_t eights = columns / TACIT_LANES * TACIT_LANES;
  for (size_t j = 0; j < eights; j += NEAR) {
    size_t end = eights - j < NEAR ? eights : j + NEAR;
    sums_step(&raw_lanes, rows, raw_rows, j, end, stored, dots, points, ahead);
  }
  if (eights < columns)
    sums_rest(&raw_lanes, rows, raw_rows, eights, columns, stored, dots, points);
  for (int r = 0; r < rows; ++r) {
    raw_squares[r] = tree(raw_lanes.raw_sums[0][r]);
    for (int d = 0; d < dots; ++d)
      raw_dots[r][d] = tree(raw_lanes.raw_sums[d + 1][r]);
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

/* The lanes of a sparse row: products with x and x_prev, and with itself and the
 * offset.
 */
struct sparse_lanes {
  pair raw_dots[TACIT_LANES], raw_own[TACIT_LANES];
};

INLINE void sparse_step(const tacit_sparse *row, size_t e, tacit_stored stored,
                        const double *pairs, const double *offset,
                        struct sparse_lanes *raw_lanes) {
  size_t raw_index = row->raw_indices[e], raw_lane = raw_index % TACIT_LANES;
  double raw_value = tacit_dense_value(row->raw_values, e, stored);
  pair raw_both = {raw_value, raw_value};
  pair raw_own = {raw_value, offset != NULL ? offset[raw_index] : 0};
  raw_lanes->raw_dots[raw_lane] +=
      raw_both * *(const pair_there *)(pairs + 2 * raw_index);
  raw_lanes->raw_own[raw_lane] += raw_both * raw_own;
}

/* ((0+4)+(2+6)) + ((1+5)+(3+7)), of two sums side by side. */
INLINE pair pair_tree(const pair *raw_lanes) {
  return ((raw_lanes[0] + raw_lanes[4]) + (raw_lanes[2] + raw_lanes[6])) +
         ((raw_lanes[1] + raw_lanes[5]) + (raw_lanes[3] + raw_lanes[7]));
}

INLINE void sparse_sums(const tacit_sparse *row, tacit_stored stored,
                        const double *pairs, const double *offset,
                        tacit_sums *raw_out) {
  struct sparse_lanes raw_lanes;
  for (size_t k = 0; k < TACIT_LANES; ++k)
    raw_lanes.raw_dots[k] = raw_lanes.raw_own[k] = (pair){0};
  size_t ahead = tacit_sparse_ahead(row), e = 0;
  for (; e < ahead; ++e) {
    size_t raw_later = row->raw_indices[e + TACIT_AHEAD];
    __builtin_prefetch(pairs + 2 * raw_later);
    if (offset != NULL) __builtin_prefetch(offset + raw_later);
    sparse_step(row, e, stored, pairs, offset, &raw_lanes);
  }
  for (; e < row->count; ++e)
    sparse_step(row, e, stored, pairs, offset, &raw_lanes);
  pair raw_dots = pair_tree(raw_lanes.raw_dots), raw_own = pair_tree(raw_lanes.raw_own);
  *raw_out = (tacit_sums){raw_own[0], raw_dots[0], raw_dots[1],
                          offset != NULL ? raw_own[1] : 0};
}

static void sums_sparse(const tacit_sparse *row, const tacit_points *points,
                        tacit_sums *raw_out) {
  const double *pairs = points->pairs, *offset = points->offset;
  if (pairs == NULL)
    tacit_kernel_plain.sums_sparse(row, points, raw_out);
  else if (row->stored == TACIT_FLOATS && offset != NULL)
    sparse_sums(row, TACIT_FLOATS, pairs, offset, raw_out);
  else if (row->stored == TACIT_FLOATS)
    sparse_sums(row, TACIT_FLOATS, pairs, NULL, raw_out);
  else if (offset != NULL)
    sparse_sums(row, TACIT_DOUBLES, pairs, offset, raw_out);
  else
    sparse_sums(row, TACIT_DOUBLES, pairs, NULL, raw_out);
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

static void wide_sparse(const tacit_sparse *row, const double *weights, size_t width,
                        double *raw_out) {
  const void *const *raw_values = &row->raw_values;
  if (row->stored == TACIT_FLOATS)
    wide_rows(1, raw_values, TACIT_FLOATS, 0, row->count, row->raw_indices, weights,
              width, raw_out);
  else
    wide_rows(1, raw_values, TACIT_DOUBLES, 0, row->count, row->raw_indices, weights,
              width, raw_out);
}

#define JOIN(a, b) a##b
#define TABLE(name) JOIN(tacit_kernel_, name)
#define SPELL(name) #name
#define NAME(name) SPELL(name)

extern const tacit_kernel_ops TABLE(TACIT_KERNEL);
const tacit_kernel_ops TABLE(TACIT_KERNEL) = {
    .name = NAME(TACIT_KERNEL),
    .sums = sums,
    .sums_sparse = sums_sparse,
    .add = add,
    .wide = wide,
    .wide_sparse = wide_sparse,
};
