/* SPDX-License-Identifier: MIT */
#ifndef TACIT_KERNEL_ROWS_H
#define TACIT_KERNEL_ROWS_H

#include "data/batch/row.h"
#include "kernel/kernel.h"

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
