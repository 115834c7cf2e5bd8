/* SPDX-License-Identifier: MIT */
/* Sums of nearest integers over the rows of a batch, for several outputs. */
#include "vault/nearest.h"

#include "vault/rows.h"

static void add_sparse(const tacit_level *kernel, const tacit_batch *batch,
                       int64_t first, size_t rows, const double *raw_weights,
                       int64_t *raw_sum) {
  tacit_sparse_rows sparse = tacit_sparse_of(batch, first, rows);
  for (size_t i = 0; i < rows; ++i) {
    double raw_factor = tacit_odd(raw_weights[i]);
    if (raw_factor == 0) continue;
    tacit_sparse row = tacit_sparse_row(&sparse, i);
    kernel->add_nearest_sparse(&row, raw_factor, raw_sum);
  }
}

/* Collects the rows that have a factor other than 0 and their odd factors, for at most
   TACIT_OUTPUTS outputs. Returns how many. All other rows may hold numbers that are not
   finite. */
static size_t factors_of(const tacit_dense *dense, const double *raw_weights,
                         size_t rows, size_t outputs, const void **raw_rows,
                         double *raw_factors) {
  size_t raw_count = 0;
  for (size_t i = 0; i < rows; ++i) {
    double *raw_own = raw_factors + raw_count * TACIT_OUTPUTS;
    int raw_any = 0;
    for (size_t k = 0; k < outputs; ++k) {
      raw_own[k] = tacit_odd(raw_weights[k * TACIT_BATCH_ROWS + i]);
      raw_any |= raw_own[k] != 0;
    }
    raw_rows[raw_count] = tacit_dense_row(dense, i);
    raw_count += raw_any != 0;
  }
  return raw_count;
}

static void add_dense(const tacit_level *kernel, const tacit_batch *batch,
                      int64_t first, size_t rows, size_t outputs,
                      const double *raw_weights, size_t together, int64_t *raw_sum) {
  tacit_dense dense = tacit_dense_of(batch, first);
  const void *raw_rows[TACIT_BATCH_ROWS];
  double raw_factors[TACIT_BATCH_ROWS * TACIT_OUTPUTS];
  for (size_t k = 0; k < outputs; k += TACIT_OUTPUTS) {
    size_t some = outputs - k < TACIT_OUTPUTS ? outputs - k : TACIT_OUTPUTS;
    size_t counted = factors_of(&dense, raw_weights + k * TACIT_BATCH_ROWS, rows, some,
                                raw_rows, raw_factors);
    kernel->add_nearest(raw_rows, dense.stored, raw_factors, counted, dense.columns,
                        some, together, dense.columns, raw_sum + k * dense.columns);
  }
}

/* Adds rows times the weights of several outputs, each product rounded to the nearest
   integer. */
void tacit_batch_add_nearest(const tacit_level *kernel, const tacit_batch *batch,
                             int64_t first, size_t rows, size_t features,
                             size_t outputs, const double *raw_weights, size_t together,
                             int64_t *raw_sum) {
  if (batch->raw_row_start == NULL) {
    add_dense(kernel, batch, first, rows, outputs, raw_weights, together, raw_sum);
    return;
  }
  for (size_t k = 0; k < outputs; ++k)
    add_sparse(kernel, batch, first, rows, raw_weights + k * TACIT_BATCH_ROWS,
               raw_sum + k * features);
}
