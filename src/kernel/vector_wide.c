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
    double raw_values[WIDE_SWEEP];
    for (int r = 0; r < rows; ++r)
      raw_values[r] = tacit_dense_value(raw_rows[r], j, stored);
    for (int t = 0; t < tiles; ++t) {
      real there = load(own + t * WIDTH);
      KEEP(there); /* one load for all rows: GCC 12 would load again for each */
      for (int r = 0; r < rows; ++r)
        raw_part[r][t] += there * raw_values[r];
    }
  }
  for (int r = 0; r < rows; ++r) {
    for (int t = 0; t < tiles; ++t)
      *(real_there *)(raw_out + (size_t)r * width + t * WIDTH) = raw_part[r][t];
  }
}

/* The rows of a call, and which of their values. */
struct wide {
  const tacit_dense *dense; /* NULL: one sparse row */
  const tacit_sparse *sparse;
  size_t rows, first, end, width;
};

/* `tiles` vectors of outputs of all rows. */
INLINE void wide_tile(int tiles, const struct wide *wide, tacit_stored stored,
                      const double *weights, double *raw_out) {
  const void *raw_rows[WIDE_SWEEP];
  size_t i = 0, width = wide->width;
  if (wide->dense == NULL) {
    wide_some(1, tiles, &wide->sparse->raw_values, stored, 0, wide->end,
              wide->sparse->raw_indices, weights, width, raw_out);
    return;
  }
  for (; i + WIDE_SWEEP <= wide->rows; i += WIDE_SWEEP) {
    for (size_t r = 0; r < WIDE_SWEEP; ++r)
      raw_rows[r] = tacit_dense_row(wide->dense, i + r);
    wide_some(WIDE_SWEEP, tiles, raw_rows, stored, wide->first, wide->end, NULL,
              weights, width, raw_out + i * width);
  }
  for (; i < wide->rows; ++i) {
    raw_rows[0] = tacit_dense_row(wide->dense, i);
    wide_some(1, tiles, raw_rows, stored, wide->first, wide->end, NULL, weights, width,
              raw_out + i * width);
  }
}

/* All outputs, TILE vectors at a time: their weights stay near for all rows. */
INLINE void wide_all(const struct wide *wide, tacit_stored stored,
                     const double *weights, size_t outputs, double *raw_out) {
  size_t vectors = (outputs + WIDTH - 1) / WIDTH, v = 0;
  for (; v + TILE <= vectors; v += TILE)
    wide_tile(TILE, wide, stored, weights + v * WIDTH, raw_out + v * WIDTH);
  weights += v * WIDTH;
  raw_out += v * WIDTH;
  if (vectors - v == 4)
    wide_tile(4, wide, stored, weights, raw_out);
  else if (vectors - v == 3)
    wide_tile(3, wide, stored, weights, raw_out);
  else if (vectors - v == 2)
    wide_tile(2, wide, stored, weights, raw_out);
  else if (vectors - v == 1)
    wide_tile(1, wide, stored, weights, raw_out);
}

void LEVEL(tacit_wide_)(const tacit_dense *dense, size_t rows, size_t first, size_t end,
                        const double *weights, size_t outputs, size_t width,
                        double *raw_out) {
  const struct wide wide = {dense, NULL, rows, first, end, width};
  if (dense->stored == TACIT_FLOATS)
    wide_all(&wide, TACIT_FLOATS, weights, outputs, raw_out);
  else
    wide_all(&wide, TACIT_DOUBLES, weights, outputs, raw_out);
}

void LEVEL(tacit_wide_sparse_)(const tacit_sparse *row, const double *weights,
                               size_t outputs, size_t width, double *raw_out) {
  const struct wide wide = {NULL, row, 1, 0, row->count, width};
  if (row->stored == TACIT_FLOATS)
    wide_all(&wide, TACIT_FLOATS, weights, outputs, raw_out);
  else
    wide_all(&wide, TACIT_DOUBLES, weights, outputs, raw_out);
}

void LEVEL(tacit_widen_)(const float *raw_from, size_t count, double *raw_to) {
  size_t j = 0;
  for (; j + WIDTH <= count; j += WIDTH)
    *(real_there *)(raw_to + j) = load_row(raw_from, j, TACIT_FLOATS);
  for (; j < count; ++j)
    raw_to[j] = (double)raw_from[j];
}
