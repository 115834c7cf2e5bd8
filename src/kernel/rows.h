/* SPDX-License-Identifier: MIT */
#ifndef TACIT_KERNEL_ROWS_H
#define TACIT_KERNEL_ROWS_H

#include "data/batch/row.h"
#include "kernel/kernel.h"

/* Row `row` of a sparse batch; rows before `end` may be prefetched. */
static inline tacit_sparse tacit_sparse_of(const tacit_batch *batch, int64_t row,
                                           int64_t end) {
  int64_t raw_start = batch->raw_row_start[row];
  tacit_sparse sparse = {
      .raw_indices = batch->raw_indices + raw_start,
      .count = (size_t)(batch->raw_row_start[row + 1] - raw_start),
      .reach = (size_t)(batch->raw_row_start[end] - raw_start),
  };
  if (batch->raw_values32 != NULL) {
    sparse.raw_values = batch->raw_values32 + raw_start;
    sparse.stored = TACIT_FLOATS;
  } else {
    sparse.raw_values = batch->raw_values + raw_start;
  }
  return sparse;
}

/* Squares and products of rows first … first+rows-1; rows are sound. */
void tacit_batch_sums(const tacit_kernel_ops *kernel, const tacit_batch *batch,
                      int64_t first, size_t rows, const tacit_points *points,
                      tacit_sums *raw_out);

/* raw_sum[j] += trunc(raw_weights[i] * value j of row first+i), over all rows whose
   weight is not 0; no product reaches the bound `size`. raw_prefetch: where the next
   `rows` dense rows are, or NULL. At most TACIT_BATCH_ROWS rows. */
enum { TACIT_BATCH_ROWS = 64 };
void tacit_batch_add(const tacit_kernel_ops *kernel, const tacit_batch *batch,
                     int64_t first, size_t rows, const double *raw_weights,
                     tacit_size size, const void *raw_prefetch, int64_t *raw_sum);

#endif
