/* SPDX-License-Identifier: MIT */
#ifndef TACIT_KERNEL_MARGINS_H
#define TACIT_KERNEL_MARGINS_H

#include "base/threads.h"
#include "kernel/kernel.h"

/* Weights of several outputs, transposed: the outputs of a column are side by side, and
   the bias is the last column. Several sets of weights follow each other in a column.
   The width is that of a column and of a row of products, the size that of all columns,
   in numbers. */
size_t tacit_wide_width(size_t outputs, size_t sets);
size_t tacit_wide_size(const tacit_row_rule *rule, size_t sets);
/* Writes set number `set` from weights that are laid out as in batch/row.h. Rounds the
   weights of features to short numbers (kernel/short.h) if are_short is 1. Uses the
   threads of the pool unless it is NULL. */
void tacit_wide_fill(tacit_pool *pool, const tacit_row_rule *rule,
                     const double *weights, size_t set, size_t sets, int are_short,
                     double *wide);
/* Transposed weights, how they were written, and room for products: with bias, before
   scaling, the outputs of the first set, then those of the next. */
typedef struct tacit_outputs {
  const tacit_row_rule *rule;
  const double *wide;
  size_t sets;
  int are_short;
  double *raw_dots;
} tacit_outputs;
/* Writes the products of rows first … first+rows-1, which must be sound. */
void tacit_wide_dots(const tacit_level *kernel, const tacit_batch *batch, int64_t first,
                     size_t rows, const tacit_outputs *outputs);

/* The margins of all rows, `outputs` a row, for prediction. wide: one set of the same
   weights when there are several outputs, else NULL. */
tacit_status tacit_batch_margins(const tacit_batch *batch, const tacit_row_rule *rule,
                                 const double *weights, const double *wide,
                                 double *raw_out, tacit_error *err);

#endif
