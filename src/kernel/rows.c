/* SPDX-License-Identifier: MIT */
/* Squares, products and truncated sums of the rows of a batch, by the kernel of this
   processor. Adding a sparse row is a plain loop: each entry has its own coordinate, so
   vectors gain nothing. */
#include "kernel/rows.h"

static inline void add_entries(const tacit_sparse *row, tacit_stored stored,
                               double raw_factor, int64_t *raw_sum) {
  const uint32_t *raw_indices = row->raw_indices;
  const void *raw_values = row->raw_values;
  size_t count = row->count, ahead = tacit_sparse_ahead(row), e = 0;
  for (; e < ahead; ++e) {
    TACIT_PREFETCH_WRITE(raw_sum + raw_indices[e + TACIT_AHEAD]);
    raw_sum[raw_indices[e]] +=
        (int64_t)(raw_factor * tacit_dense_value(raw_values, e, stored));
  }
  for (; e < count; ++e)
    raw_sum[raw_indices[e]] +=
        (int64_t)(raw_factor * tacit_dense_value(raw_values, e, stored));
}

void tacit_batch_sums(const tacit_kernel_ops *kernel, const tacit_batch *batch,
                      int64_t first, size_t rows, const tacit_points *points,
                      tacit_sums *raw_out) {
  if (batch->raw_row_start == NULL) {
    tacit_dense dense = tacit_dense_of(batch, first);
    kernel->sums(&dense, rows, points, raw_out);
    return;
  }
  int64_t end = first + (int64_t)rows;
  for (int64_t i = first; i < end; ++i) {
    tacit_sparse row = tacit_sparse_of(batch, i, end);
    kernel->sums_sparse(&row, points, raw_out++);
  }
}

void tacit_batch_add(const tacit_kernel_ops *kernel, const tacit_batch *batch,
                     int64_t first, size_t rows, const double *raw_weights,
                     tacit_size size, const void *raw_prefetch, int64_t *raw_sum) {
  if (batch->raw_row_start != NULL) {
    for (size_t i = 0; i < rows; ++i) {
      if (raw_weights[i] == 0) continue;
      tacit_sparse row =
          tacit_sparse_of(batch, first + (int64_t)i, first + (int64_t)rows);
      if (row.stored == TACIT_FLOATS)
        add_entries(&row, TACIT_FLOATS, raw_weights[i], raw_sum);
      else
        add_entries(&row, TACIT_DOUBLES, raw_weights[i], raw_sum);
    }
    return;
  }
  tacit_dense dense = tacit_dense_of(batch, first);
  const void *raw_rows[TACIT_BATCH_ROWS];
  double raw_factors[TACIT_BATCH_ROWS];
  size_t counted = 0;
  for (size_t i = 0; i < rows; ++i) {
    if (raw_weights[i] == 0) continue;
    raw_rows[counted] = tacit_dense_row(&dense, i);
    raw_factors[counted++] = raw_weights[i];
  }
  if (counted > 0)
    kernel->add(raw_rows, dense.stored, raw_factors, counted, dense.columns, size,
                raw_prefetch, raw_sum);
}
