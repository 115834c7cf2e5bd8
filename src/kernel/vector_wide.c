/* SPDX-License-Identifier: MIT */
/* Several outputs, in vector types: compiled and checked like vector.c. */
#include "kernel/vector.h"

#if defined(__AVX512DQ__)
#define KEEP(vector) __asm__("" : "+v"(vector))
#elif defined(__AVX__)
#define KEEP(vector) __asm__("" : "+x"(vector))
#else
#define KEEP(vector) (void)(vector)
#endif

/* The rows of a call, the range of their columns or entries, and the width of the
   weights. */
struct call {
  const tacit_dense *dense; /* NULL if the call has one sparse row */
  const tacit_sparse *sparse;
  size_t rows, first, end, width;
};

/* How values are stored, and whether their products with weights are exact. The
   compiler knows both. */
struct kind {
  tacit_stored stored;
  int is_exact;
};

/* Adds products of `rows` rows with some of the outputs: `tiles` vectors of outputs. */
INLINE void wide_some(int rows, int tiles, const void *const *raw_rows,
                      const struct kind kind, const struct call *call,
                      const double *weights, double *raw_out) {
  const uint32_t *raw_indices = call->dense == NULL ? call->sparse->raw_indices : NULL;
  const size_t width = call->width, end = call->end;
  real raw_part[WIDE_SWEEP][TILE];
  for (int r = 0; r < rows; ++r)
    for (int t = 0; t < tiles; ++t)
      raw_part[r][t] = load(raw_out + (size_t)r * width + t * WIDTH);
  for (size_t j = call->first; j < end; ++j) {
    size_t raw_at = raw_indices != NULL ? raw_indices[j] : j;
    const double *own = weights + raw_at * width;
    real raw_values[WIDE_SWEEP];
    for (int r = 0; r < rows; ++r)
      raw_values[r] = spread(tacit_dense_value(raw_rows[r], j, kind.stored));
    for (int t = 0; t < tiles; ++t) {
      real there = load(own + t * WIDTH);
      KEEP(there); /* one load for all rows: GCC 12 would load again for each row */
      for (int r = 0; r < rows; ++r)
        raw_part[r][t] =
            add_product(raw_part[r][t], raw_values[r], there, kind.is_exact);
    }
  }
  for (int r = 0; r < rows; ++r)
    for (int t = 0; t < tiles; ++t)
      *(real_there *)(raw_out + (size_t)r * width + t * WIDTH) = raw_part[r][t];
}

/* Adds products of all rows with `tiles` vectors of outputs. */
INLINE void wide_tile(int tiles, const struct call *call, const struct kind kind,
                      const double *weights, double *raw_out) {
  const void *raw_rows[WIDE_SWEEP];
  size_t i = 0, width = call->width;
  if (call->dense == NULL) {
    wide_some(1, tiles, &call->sparse->raw_values, kind, call, weights, raw_out);
    return;
  }
  for (; i + WIDE_SWEEP <= call->rows; i += WIDE_SWEEP) {
    for (size_t r = 0; r < WIDE_SWEEP; ++r)
      raw_rows[r] = tacit_dense_row(call->dense, i + r);
    wide_some(WIDE_SWEEP, tiles, raw_rows, kind, call, weights, raw_out + i * width);
  }
  for (; i < call->rows; ++i) {
    raw_rows[0] = tacit_dense_row(call->dense, i);
    wide_some(1, tiles, raw_rows, kind, call, weights, raw_out + i * width);
  }
}

/* Adds products of all rows with all outputs, TILE vectors of outputs at a time, so
   that their weights stay in the cache for all rows. */
INLINE void wide_all(const struct call *call, const struct kind kind,
                     const tacit_wide *wide, double *raw_out) {
  const double *weights = wide->weights;
  size_t vectors = (wide->outputs + WIDTH - 1) / WIDTH, v = 0;
  for (; v + TILE <= vectors; v += TILE)
    wide_tile(TILE, call, kind, weights + v * WIDTH, raw_out + v * WIDTH);
  weights += v * WIDTH;
  raw_out += v * WIDTH;
  if (vectors - v == 4)
    wide_tile(4, call, kind, weights, raw_out);
  else if (vectors - v == 3)
    wide_tile(3, call, kind, weights, raw_out);
  else if (vectors - v == 2)
    wide_tile(2, call, kind, weights, raw_out);
  else if (vectors - v == 1)
    wide_tile(1, call, kind, weights, raw_out);
}

/* Adds products of dense rows with the weights of several outputs. */
void LEVEL(tacit_simd_)(const tacit_dense *dense, size_t rows, size_t first, size_t end,
                        const tacit_wide *wide, double *raw_out) {
  const struct call call = {dense, NULL, rows, first, end, wide->width};
  if (dense->stored == TACIT_FLOATS)
    wide_all(&call, (struct kind){TACIT_FLOATS, 0}, wide, raw_out);
  else if (wide->are_exact)
    wide_all(&call, (struct kind){TACIT_DOUBLES, 1}, wide, raw_out);
  else
    wide_all(&call, (struct kind){TACIT_DOUBLES, 0}, wide, raw_out);
}

/* Adds products of one sparse row with the weights of several outputs. */
void LEVEL(tacit_wide_sparse_)(const tacit_sparse *row, const tacit_wide *wide,
                               double *raw_out) {
  const struct call call = {NULL, row, 1, 0, row->count, wide->width};
  if (row->stored == TACIT_FLOATS)
    wide_all(&call, (struct kind){TACIT_FLOATS, 0}, wide, raw_out);
  else
    wide_all(&call, (struct kind){TACIT_DOUBLES, 0}, wide, raw_out);
}

INLINE void widen_some(int rows, const float *const *raw_from, size_t count,
                       double *raw_to) {
  enum { STEP = LINE / sizeof(float) };
  size_t j = 0;
  for (; j + WIDTH <= count; j += WIDTH) {
    for (int r = 0; j % STEP == 0 && r < rows; ++r)
      __builtin_prefetch(raw_from[r] + count + j); /* the columns that are widened
                                                      next */
    for (int r = 0; r < rows; ++r)
      *(real_there *)(raw_to + (size_t)r * count + j) =
          load_row(raw_from[r], j, TACIT_FLOATS);
  }
  for (; j < count; ++j)
    for (int r = 0; r < rows; ++r)
      raw_to[(size_t)r * count + j] = (double)raw_from[r][j];
}

/* Writes columns of rows of floats as doubles, WIDEN_SWEEP rows at a time. */
void LEVEL(tacit_widen_)(const tacit_dense *dense, size_t rows, size_t first,
                         size_t count, double *raw_to) {
  const float *raw_from[WIDEN_SWEEP];
  for (size_t i = 0, step; i < rows; i += step) {
    step = rows - i < WIDEN_SWEEP ? 1 : WIDEN_SWEEP;
    for (size_t r = 0; r < step; ++r)
      raw_from[r] = (const float *)tacit_dense_row(dense, i + r) + first;
    if (step == WIDEN_SWEEP)
      widen_some(WIDEN_SWEEP, raw_from, count, raw_to + i * count);
    else
      widen_some(1, raw_from, count, raw_to + i * count);
  }
}
