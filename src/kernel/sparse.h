/* SPDX-License-Identifier: MIT */
#ifndef TACIT_KERNEL_SPARSE_H
#define TACIT_KERNEL_SPARSE_H

#include "data/batch/row.h"
#include "kernel/kernel.h"

/* The sweeps over one sparse row, in the lane order of kernel/kernel.h: index i adds
   into lane i mod 8. Indices are sound. `reach` >= row->count: entries that lie in
   memory from the start of this row, those of rows to come included, for reading ahead.
 */

/* pairs[2i] and pairs[2i+1] are coordinate i of x_t and of x_{t-1}: one line of memory
   for both. */
void tacit_sparse_sums(const tacit_row *row, size_t reach, const double *pairs,
                       tacit_sums *raw_out);
/* The same with one vector; raw_dot_prev is 0. x NULL: the square alone. */
void tacit_sparse_dot(const tacit_row *row, const double *x, tacit_sums *raw_out);
/* raw_sum[i] += trunc(raw_factor * value). */
void tacit_sparse_add(const tacit_row *row, size_t reach, double raw_factor,
                      int64_t *raw_sum);

#endif
