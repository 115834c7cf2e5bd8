/* SPDX-License-Identifier: MIT */
#ifndef TACIT_KERNEL_KERNEL_H
#define TACIT_KERNEL_KERNEL_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/data.h>

/*
 * The sweeps over dense rows, once in plain C (kernel_plain.c: what they mean) and once
 * in vector types (kernel_vector.c), compiled for each level of the processor. All
 * levels give the same bits, because all add in the same order:
 *   - column j adds into lane j mod 8; the lanes start at zero and end as
 *     ((0+4)+(2+6)) + ((1+5)+(3+7)). Zeros change nothing, so a row has the same sums
 *     stored densely and sparsely, in float32 and float64.
 *   - of several outputs each adds its columns from left to right.
 * The bias comes last and is the caller's.
 */
enum { TACIT_LANES = 8 };

/* Asks memory for what is needed some time later. */
#if defined(__GNUC__)
#define TACIT_PREFETCH_READ(place) __builtin_prefetch(place, 0)
#define TACIT_PREFETCH_WRITE(place) __builtin_prefetch(place, 1)
#else
#define TACIT_PREFETCH_READ(place) (void)(place)
#define TACIT_PREFETCH_WRITE(place) (void)(place)
#endif

/* Dense rows, one after the other, of doubles or of floats. */
typedef struct tacit_dense {
  const void *raw_values;
  int is32;
  size_t columns;
} tacit_dense;

static inline const void *tacit_dense_row(const tacit_dense *dense, size_t row) {
  size_t at = row * dense->columns;
  if (at == 0) return dense->raw_values; /* NULL where there are no columns */
  return dense->is32 ? (const void *)((const float *)dense->raw_values + at)
                     : (const void *)((const double *)dense->raw_values + at);
}

static inline double tacit_dense_value(const void *raw_row, size_t j, int is32) {
  return is32 ? (double)((const float *)raw_row)[j] : ((const double *)raw_row)[j];
}

/* The dense rows of a batch from row `first`. */
static inline tacit_dense tacit_dense_of(const tacit_batch *batch, int64_t first) {
  int is32 = batch->raw_values32 != NULL;
  tacit_dense all = {is32 ? (const void *)batch->raw_values32 : batch->raw_values, is32,
                     batch->n_features};
  all.raw_values = tacit_dense_row(&all, (size_t)first);
  return all;
}

/* What one sweep knows of a row: |row|^2 and its products with x_t and x_{t-1}. */
typedef struct tacit_sums {
  double raw_square, raw_dot, raw_dot_prev;
} tacit_sums;

typedef struct tacit_kernel_ops {
  const char *name; /* as in TACIT_DISPATCH */
  /* raw_out for rows 0 … rows-1. x_prev NULL: raw_dot_prev stays 0; x NULL too: both
     products do. */
  void (*sums)(const tacit_dense *dense, size_t rows, const double *x,
               const double *x_prev, tacit_sums *raw_out);
  /* raw_sum[j] += trunc(raw_factors[r] * raw_rows[r][j]) over rows and columns. No
     product may reach 2^63; `fits`: none reaches 2^51. raw_prefetch: where as many rows
     lie that come next, or NULL: memory is asked for them meanwhile. */
  void (*add)(const void *const *raw_rows, int is32, const double *raw_factors,
              size_t rows, size_t columns, int fits, const void *raw_prefetch,
              int64_t *raw_sum);
  /* raw_out[r][k] += sum over j = first … end-1 of row r's value times wide[j][k],
     k = 0 … width-1, width a multiple of TACIT_LANES. */
  void (*wide)(const tacit_dense *dense, size_t rows, size_t first, size_t end,
               const double *wide, size_t width, double *raw_out);
  /* The same for one sparse row, all of its entries; indices below the height of wide.
   */
  void (*wide_sparse)(const void *raw_values, int is32, const uint32_t *raw_indices,
                      size_t count, const double *wide, size_t width, double *raw_out);
} tacit_kernel_ops;

/* Levels from the plainest to the widest this build has; NULL past the end. */
const tacit_kernel_ops *tacit_kernel_at(size_t i);
/* 1 when this processor runs it. */
int tacit_kernel_runs(const tacit_kernel_ops *kernel);
/* The widest level there is, or the one TACIT_DISPATCH names. TACIT_EINVAL when that is
   none, or the processor has none of it. */
tacit_status tacit_kernel_pick(const tacit_kernel_ops **out, tacit_error *err);

#endif
