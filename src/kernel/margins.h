/* SPDX-License-Identifier: MIT */
#ifndef TACIT_KERNEL_MARGINS_H
#define TACIT_KERNEL_MARGINS_H

#include "base/threads.h"
#include "kernel/kernel.h"

/* Returns the numbers per column of the transposed weights of `sets` sets of outputs: a
   multiple of TACIT_LANES. Transposed weights have the outputs of a column side by
   side, set after set; the bias is their last column. tacit_wide_size returns the
   numbers of all columns. */
size_t tacit_wide_width(size_t outputs, size_t sets);
size_t tacit_wide_size(const tacit_row_rule *rule, size_t sets);
/* Writes set number `set` of transposed weights from weights in the layout of
   batch/row.h. Rounds the weights of features to short numbers (kernel/short.h) if
   are_short is 1. Uses the threads of the pool unless it is NULL. */
void tacit_wide_fill(tacit_pool *pool, const tacit_row_rule *rule,
                     const double *weights, size_t set, size_t sets, int are_short,
                     double *wide);
/* Transposed weights of `sets` sets, and room for products: tacit_wide_width numbers
   per row, the outputs of the first set, then of the next. Products have the bias in
   them and are not scaled. are_short is the argument of tacit_wide_fill that made the
   weights. */
typedef struct tacit_outputs {
  const tacit_row_rule *rule;
  const double *wide;
  size_t sets;
  int are_short;
  double *raw_dots;
} tacit_outputs;
/* Writes the products of rows first … first+rows-1 to outputs->raw_dots. The rows must
   be sound (batch/row.h). */
void tacit_wide_dots(const tacit_level *kernel, const tacit_batch *batch, int64_t first,
                     size_t rows, const tacit_outputs *outputs);

/* Writes the margins of all rows of a batch for prediction, `outputs` numbers per row.
   `wide` must be the transposed weights as one set if there are several outputs; it is
   NULL for one output. */
tacit_status tacit_batch_margins(const tacit_batch *batch, const tacit_row_rule *rule,
                                 const double *weights, const double *wide,
                                 double *raw_out, tacit_error *err);

#endif
