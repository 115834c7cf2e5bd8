/* SPDX-License-Identifier: MIT */
#ifndef TACIT_VAULT_ROWS_H
#define TACIT_VAULT_ROWS_H

#include <math.h>

#include "batch/row.h"
#include "vault/level.h"

/* With so few columns, what loops prefetch is in the cache anyway. */
enum { TACIT_FEW_COLUMNS = 1 << 12 };

/* Rows first … first+rows-1 of a sparse batch. */
static inline tacit_sparse_rows tacit_sparse_of(const tacit_batch *batch, int64_t first,
                                                size_t rows) {
  tacit_sparse_rows sparse = {.raw_values = batch->raw_values,
                              .raw_indices = batch->raw_indices,
                              .raw_starts = batch->raw_row_start + first,
                              .rows = rows,
                              .are_far = batch->n_features > TACIT_FEW_COLUMNS};
  if (batch->raw_values32 == NULL) return sparse;
  sparse.raw_values = batch->raw_values32;
  sparse.stored = TACIT_FLOATS;
  return sparse;
}

/* Some columns of dense rows as doubles, for loops that use each value often: floats
   are widened into room that stays in the nearest cache. Not more rows than
   TACIT_BATCH_ROWS. */
enum { TACIT_WIDENED = 2048 };
typedef struct tacit_widened {
  _Alignas(64) double raw_room[TACIT_WIDENED]; /* no vector crosses a cache line */
} tacit_widened;
/* How many columns of so many rows have room; eights of them. */
static inline size_t tacit_widened_columns(size_t rows) {
  return TACIT_WIDENED / (rows > 16 ? rows : 16) / TACIT_LANES * TACIT_LANES;
}
/* Columns first … first+count-1; for doubles these are the rows themselves. Sets
 *out_first to the column of the result that is column `first`. */
tacit_dense tacit_widen(const tacit_level *kernel, const tacit_dense *dense,
                        size_t rows, size_t first, size_t count, tacit_widened *raw,
                        size_t *out_first);

/* Returns the norm of row `row` with its bias, from the sums of the row. */
static inline double tacit_sums_norm(const tacit_sums *raw_sums,
                                     const tacit_batch *batch, int64_t row, int bias,
                                     double exponent) {
  if (exponent == 2) return sqrt(raw_sums->raw_square + (bias ? 1 : 0));
  tacit_row raw_row = tacit_row_of(batch, row);
  return tacit_row_norm_other(&raw_row, bias, exponent);
}
/* Return the norm of a vector; the norm of one number is exact. */
double tacit_long_norm(const tacit_level *kernel, const double *raw_vector,
                       size_t count, double exponent);
static inline double tacit_vector_norm(const tacit_level *kernel,
                                       const double *raw_vector, size_t count,
                                       double exponent) {
  if (count == 1) return fabs(raw_vector[0]);
  return tacit_long_norm(kernel, raw_vector, count, exponent);
}

/* Squares and products of rows first … first+rows-1; rows are sound. */
void tacit_batch_sums(const tacit_level *kernel, const tacit_batch *batch,
                      int64_t first, size_t rows, const tacit_points *points,
                      tacit_sums *raw_out);

/* For every output k of the rule: raw_sum[k features + j] += an integer, w * value j of
   row first+i with w = raw_weights[k TACIT_BATCH_ROWS + i], over all rows with a w that
   is not 0. together = 0: the product is cut toward zero; no product reaches the bound
   `size`. Otherwise it is rounded to the nearest integer, w being odd
   (vault/nearest.h), and the integers of `together` rows stay below 2^51.
   raw_prefetch: where the next `rows` dense rows are, or NULL. At most TACIT_BATCH_ROWS
   rows. */
void tacit_batch_add(const tacit_level *kernel, const tacit_batch *batch, int64_t first,
                     size_t rows, const tacit_row_rule *rule, const double *raw_weights,
                     tacit_size size, size_t together, const void *raw_prefetch,
                     int64_t *raw_sum);
/* The second of these. */
void tacit_batch_add_nearest(const tacit_level *kernel, const tacit_batch *batch,
                             int64_t first, size_t rows, size_t features,
                             size_t outputs, const double *raw_weights, size_t together,
                             int64_t *raw_sum);

#endif
