/* SPDX-License-Identifier: MIT */
#ifndef TACIT_VAULT_LEVEL_H
#define TACIT_VAULT_LEVEL_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/data.h>

/*
 * The loops over rows: plain.c defines what they compute. kernel/ has them in vector
 * types, compiled for each level of the processor, and hands one level to a run. All
 * levels give the same bits, because all add in the same order:
 *   - column j adds into lane j mod 8; the lanes start at zero and end as
 *     ((0+4)+(2+6)) + ((1+5)+(3+7)). Zeros change nothing, so a row has the same sums
 *     stored densely and sparsely, in float32 and float64.
 *   - each of several outputs adds its columns from left to right.
 * The caller adds the bias last.
 */
enum { TACIT_LANES = 8 };
static inline double tacit_lanes(const double *raw_lanes) {
  return ((raw_lanes[0] + raw_lanes[4]) + (raw_lanes[2] + raw_lanes[6])) +
         ((raw_lanes[1] + raw_lanes[5]) + (raw_lanes[3] + raw_lanes[7]));
}

/* Asks memory for an address that is needed some time later. */
#if defined(__GNUC__)
#define TACIT_PREFETCH_READ(place) __builtin_prefetch(place, 0)
#define TACIT_PREFETCH_WRITE(place) __builtin_prefetch(place, 1)
#else
#define TACIT_PREFETCH_READ(place) (void)(place)
#define TACIT_PREFETCH_WRITE(place) (void)(place)
#endif

typedef enum tacit_stored { TACIT_DOUBLES = 0, TACIT_FLOATS = 1 } tacit_stored;

static inline size_t tacit_stored_size(tacit_stored stored) {
  return stored == TACIT_FLOATS ? sizeof(float) : sizeof(double);
}

/* How large the products that are truncated to integers can be: all that 64 bits can
   hold, what AVX2 can convert, or what AVX2 can convert for TACIT_TOGETHER rows at
   once. */
typedef enum tacit_size {
  TACIT_BELOW_2_63 = 0,
  TACIT_BELOW_2_51 = 1,
  TACIT_BELOW_2_48 = 2
} tacit_size;
enum { TACIT_TOGETHER = 8, TACIT_OUTPUTS = 10 };

/* Returns the smallest tacit_size for products whose truncated size is at most
   `clip`. */
static inline tacit_size tacit_size_of(int64_t clip) {
  if (clip < (int64_t)1 << 48) return TACIT_BELOW_2_48;
  return clip < (int64_t)1 << 51 ? TACIT_BELOW_2_51 : TACIT_BELOW_2_63;
}

/* Dense rows in memory, `columns` values each. */
typedef struct tacit_dense {
  const void *raw_values;
  tacit_stored stored;
  size_t columns;
} tacit_dense;

static inline const void *tacit_dense_row(const tacit_dense *dense, size_t row) {
  size_t at = row * dense->columns;
  if (at == 0)
    return dense->raw_values; /* raw_values is NULL if there are no
                                 columns */
  return dense->stored == TACIT_FLOATS
             ? (const void *)((const float *)dense->raw_values + at)
             : (const void *)((const double *)dense->raw_values + at);
}

static inline double tacit_dense_value(const void *raw_row, size_t j,
                                       tacit_stored stored) {
  return stored == TACIT_FLOATS ? (double)((const float *)raw_row)[j]
                                : ((const double *)raw_row)[j];
}

/* Returns the dense rows of a batch from row `first` on. */
static inline tacit_dense tacit_dense_of(const tacit_batch *batch, int64_t first) {
  tacit_dense all = {batch->raw_values, TACIT_DOUBLES, batch->n_features};
  if (batch->raw_values32 != NULL)
    all = (tacit_dense){batch->raw_values32, TACIT_FLOATS, batch->n_features};
  all.raw_values = tacit_dense_row(&all, (size_t)first);
  return all;
}

/* One sparse row: entry e is raw_values[e] at index raw_indices[e]. If there are many
   features, the sums are not in the cache, so loops prefetch them TACIT_AHEAD entries
   early. */
typedef struct tacit_sparse {
  const void *raw_values;
  tacit_stored stored;
  const uint32_t *raw_indices;
  size_t count;
  size_t reach; /* entries in memory from the first of this row on, later rows included;
                   0 if loops should not prefetch */
} tacit_sparse;

enum { TACIT_AHEAD = 24 };
/* Returns how many entries of the row, from the first on, have an entry TACIT_AHEAD
   places later in memory. */
static inline size_t tacit_sparse_ahead(const tacit_sparse *row) {
  if (row->reach < TACIT_AHEAD) return 0;
  size_t raw_ahead = row->reach - TACIT_AHEAD;
  return row->count < raw_ahead ? row->count : raw_ahead;
}

/* Sparse rows in memory: row r has entries raw_starts[r] … raw_starts[r + 1] - 1.
   are_far is 1 if loops should prefetch. */
typedef struct tacit_sparse_rows {
  const void *raw_values;
  tacit_stored stored;
  const uint32_t *raw_indices;
  const int64_t *raw_starts;
  size_t rows;
  int are_far;
} tacit_sparse_rows;

static inline tacit_sparse tacit_sparse_row(const tacit_sparse_rows *all, size_t row) {
  const int64_t raw_start = all->raw_starts[row];
  const char *raw_values = all->raw_values;
  return (tacit_sparse){
      .raw_values = raw_values + (size_t)raw_start * tacit_stored_size(all->stored),
      .stored = all->stored,
      .raw_indices = all->raw_indices + raw_start,
      .count = (size_t)(all->raw_starts[row + 1] - raw_start),
      .reach = all->are_far ? (size_t)(all->raw_starts[all->rows] - raw_start) : 0};
}

/* The points that rows are multiplied with: x_t, x_{t-1} and an offset. Each is NULL if
   its product is not wanted; x_prev must come with x. Sparse rows also need `pairs`, or
   NULL for x alone: x_t and x_{t-1} interleaved, coordinate i of both at pairs[2i] and
   pairs[2i+1], in one cache line. are_short and is_offset_short are 1 if x and x_prev,
   or the offset, consist of short numbers (kernel/short.h). raw_prefetch is the memory
   of the dense rows that come next, as many rows, or NULL: half of it is prefetched
   while rows are measured, half while they are added. */
typedef struct tacit_points {
  const double *x, *x_prev, *pairs, *offset;
  int are_short, is_offset_short;
  const void *raw_prefetch;
} tacit_points;

/* Results of one sweep over a row: |row|^2 and its products with the points, 0 for a
   point that is NULL. */
typedef struct tacit_sums {
  double raw_square, raw_dot, raw_dot_prev, raw_offset;
} tacit_sums;

/* Centred rows after their measurement (vault/centre.h), with one of each per row: sums
   that include <x, o>, norms |(x, 1)| and scales. */
typedef struct tacit_centred_rows {
  const struct tacit_centre *centre;
  const tacit_sums *raw_sums;
  const double *raw_norms, *raw_scales;
} tacit_centred_rows;

typedef struct tacit_level {
  const char *name; /* the name in TACIT_DISPATCH */
  /* Computes squares and products of dense rows 0 … rows-1. */
  void (*sums)(const tacit_dense *dense, size_t rows, const tacit_points *points,
               tacit_sums *raw_out);
  /* Computes squares and products of sparse rows. Their indices must be below the
     lengths of the points. */
  void (*sums_sparse)(const tacit_sparse_rows *all, const tacit_points *points,
                      tacit_sums *raw_out);
  /* Adds dense rows times their factors: raw_sum[j] += trunc(raw_factors[r] *
     raw_rows[r][j]) over rows and columns. No product may reach the bound `size`.
     raw_prefetch must be as in tacit_points. */
  void (*add)(const void *const *raw_rows, tacit_stored stored,
              const double *raw_factors, size_t rows, size_t columns, tacit_size size,
              const void *raw_prefetch, int64_t *raw_sum);
  /* Adds sparse rows times their factors, truncated to integers. Skips rows with the
     factor 0. No product may reach the bound `size`. */
  void (*add_sparse)(const tacit_sparse_rows *all, const double *raw_factors,
                     tacit_size size, int64_t *raw_sum);
  /* Adds dense rows times the factors of several outputs: raw_sum[k stride + j] += the
     integer nearest to the exact product of raw_factors[r TACIT_OUTPUTS + k] and
     raw_rows[r][j], over rows, columns and at most TACIT_OUTPUTS outputs k. Factors
     must be odd (vault/nearest.h), and the integers of `together` rows must stay below
     2^51. */
  void (*add_nearest)(const void *const *raw_rows, tacit_stored stored,
                      const double *raw_factors, size_t rows, size_t columns,
                      size_t outputs, size_t together, size_t stride, int64_t *raw_sum);
  /* Adds one sparse row times one odd factor, each product rounded to the nearest
     integer. */
  void (*add_nearest_sparse)(const tacit_sparse *row, double raw_factor,
                             int64_t *raw_sum);
  /* Writes columns first … first+count-1 of rows of floats as doubles, row by row. */
  void (*widen)(const tacit_dense *dense, size_t rows, size_t first, size_t count,
                double *raw_to);
  /* Clips the factors of centred rows of one output. raw_factors[i] becomes
     tacit_clip_factor of the row raw_slopes[i] z, followed by raw_tails[i] unless
     raw_tails is NULL, for the clip raw_bounds[i]. It becomes 0 if the slope or the row
     is too short for its square to be trusted. Proof: docs/proofs/centred_rows.md */
  void (*factors)(const tacit_centred_rows *centred, size_t rows,
                  const double *raw_bounds, const double *raw_slopes,
                  const double *raw_tails, double *raw_factors);
  /* Loops of the level that the vault does not call (kernel/kernel.h); NULL for plain
     loops. */
  const struct tacit_kernel *kernel;
} tacit_level;

extern const tacit_level tacit_level_plain;

#endif
