/* SPDX-License-Identifier: MIT */
#ifndef TACIT_VAULT_ROWS_H
#define TACIT_VAULT_ROWS_H

#include <math.h>

#include "batch/row.h"
#include "vault/level.h"

/* With at most so many columns, what loops would prefetch is in the cache anyway. */
enum { TACIT_FEW_COLUMNS = 1 << 12 };

/* Returns rows first … first+rows-1 of a sparse batch. */
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

/* Room for some columns of dense rows as doubles, for loops that use each value often.
   Floats are widened into it, and it stays in the nearest cache. Rows must be at most
   TACIT_BATCH_ROWS. */
enum { TACIT_WIDENED = 2048 };
typedef struct tacit_widened {
  _Alignas(64) double raw_room[TACIT_WIDENED]; /* aligned, so that no vector crosses a
                                                  cache line */
} tacit_widened;
/* Returns how many columns of so many rows the room holds, a multiple of
   TACIT_LANES. */
static inline size_t tacit_widened_columns(size_t rows) {
  return TACIT_WIDENED / (rows > 16 ? rows : 16) / TACIT_LANES * TACIT_LANES;
}
/* Returns columns first … first+count-1 of the rows as doubles: widened into `raw`, or
   the rows themselves if they are doubles. Sets *out_first to the column of the result
   that is column `first`. */
tacit_dense tacit_widen(const tacit_level *kernel, const tacit_dense *dense,
                        size_t rows, size_t first, size_t count, tacit_widened *raw,
                        size_t *out_first);

/* Returns the norm of row `row` of the batch with its bias, from the sums of the
   row. */
static inline double tacit_sums_norm(const tacit_sums *raw_sums,
                                     const tacit_batch *batch, int64_t row, int bias,
                                     double exponent) {
  if (exponent == 2) return sqrt(raw_sums->raw_square + (bias ? 1 : 0));
  tacit_row raw_row = tacit_row_of(batch, row);
  return tacit_row_norm_other(&raw_row, bias, exponent);
}
/* Writes the norms of `rows` vectors of `count` numbers, at most TACIT_BATCH_ROWS. The
   norm of one number is exact. */
void tacit_vector_norms(const tacit_level *kernel, const double *raw_vectors,
                        size_t rows, size_t count, double exponent, double *raw_out);
static inline double tacit_vector_norm(const tacit_level *kernel,
                                       const double *raw_vector, size_t count,
                                       double exponent) {
  double raw_norm = fabs(raw_vector[0]);
  if (count != 1) tacit_vector_norms(kernel, raw_vector, 1, count, exponent, &raw_norm);
  return raw_norm;
}

/* Writes squares and products of rows first … first+rows-1, which must be sound
   (batch/row.h). */
void tacit_batch_sums(const tacit_level *kernel, const tacit_batch *batch,
                      int64_t first, size_t rows, const tacit_points *points,
                      tacit_sums *raw_out);

/* Adds rows times their weights as integers: for every output k of the rule, raw_sum[k
   features + j] += w * value j of row first+i, w = raw_weights[k TACIT_BATCH_ROWS + i],
   over rows whose w is not 0, at most TACIT_BATCH_ROWS. If `together` is 0, products
   are cut toward zero and must not reach the bound `size`. Otherwise they are rounded
   to the nearest integer after w is made odd (vault/nearest.h), and the integers of
   `together` rows must stay below 2^51. raw_prefetch must be the next `rows` dense rows
   or NULL. */
void tacit_batch_add(const tacit_level *kernel, const tacit_batch *batch, int64_t first,
                     size_t rows, const tacit_row_rule *rule, const double *raw_weights,
                     tacit_size size, size_t together, const void *raw_prefetch,
                     int64_t *raw_sum);
/* Adds rows times their weights as nearest integers, as tacit_batch_add does if
   `together` is not 0. */
void tacit_batch_add_nearest(const tacit_level *kernel, const tacit_batch *batch,
                             int64_t first, size_t rows, size_t features,
                             size_t outputs, const double *raw_weights, size_t together,
                             int64_t *raw_sum);

#endif
