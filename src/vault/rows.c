/* SPDX-License-Identifier: MIT */
/* Squares, products and truncated sums of the rows of a batch, by the level that the
   caller gives. */
#include "vault/rows.h"

enum { SHORT_VECTOR = 32 };

void tacit_vector_norms(const tacit_level *kernel, const double *raw_vectors,
                        size_t rows, size_t count, double exponent, double *raw_out) {
  const tacit_dense dense = {raw_vectors, TACIT_DOUBLES, count};
  const tacit_points squares_alone = {0};
  tacit_sums raw_sums[TACIT_BATCH_ROWS];
  if (count <= SHORT_VECTOR) kernel = &tacit_level_plain; /* plain loops start sooner */
  if (count > 1 && exponent == 2) kernel->sums(&dense, rows, &squares_alone, raw_sums);
  for (size_t i = 0; i < rows; ++i) {
    const tacit_row row = {.count = count, .raw_values = raw_vectors + i * count};
    raw_out[i] = count == 1      ? fabs(raw_vectors[i])
                 : exponent == 2 ? sqrt(raw_sums[i].raw_square)
                                 : tacit_row_norm_other(&row, 0, exponent);
  }
}

tacit_dense tacit_widen(const tacit_level *kernel, const tacit_dense *dense,
                        size_t rows, size_t first, size_t count, tacit_widened *raw,
                        size_t *out_first) {
  *out_first = first;
  if (dense->stored == TACIT_DOUBLES) return *dense;
  kernel->widen(dense, rows, first, count, raw->raw_room);
  *out_first = 0;
  return (tacit_dense){raw->raw_room, TACIT_DOUBLES, count};
}

/* Computes the squares of rows of a batch and their products with the points. */
void tacit_batch_sums(const tacit_level *kernel, const tacit_batch *batch,
                      int64_t first, size_t rows, const tacit_points *points,
                      tacit_sums *raw_out) {
  if (batch->raw_row_start == NULL) {
    tacit_dense dense = tacit_dense_of(batch, first);
    kernel->sums(&dense, rows, points, raw_out);
    return;
  }
  tacit_sparse_rows sparse = tacit_sparse_of(batch, first, rows);
  kernel->sums_sparse(&sparse, points, raw_out);
}

/* Lists the rows with a weight that is not 0, and returns how many. All other rows may
   hold numbers that are not finite. */
static size_t rows_that_count(const double *raw_weights, size_t rows, size_t outputs,
                              size_t *raw_out) {
  size_t raw_count = 0;
  for (size_t i = 0; i < rows; ++i) {
    int raw_any = 0;
    for (size_t k = 0; k < outputs; ++k)
      raw_any |= raw_weights[k * TACIT_BATCH_ROWS + i] != 0;
    raw_out[raw_count] = i;
    raw_count += raw_any != 0;
  }
  return raw_count;
}

/* Adds columns first … first+count-1 of the listed rows, times their weights, to the
   sums of all outputs. */
static void add_columns(const tacit_level *kernel, const tacit_dense *dense,
                        const size_t *raw_rows, size_t rows, size_t first, size_t count,
                        size_t outputs, const double *raw_weights, tacit_size size,
                        const void *raw_prefetch, size_t features, int64_t *raw_sum) {
  const void *raw_there[TACIT_BATCH_ROWS];
  double raw_factors[TACIT_BATCH_ROWS];
  for (size_t i = 0; i < rows; ++i)
    raw_there[i] = (const char *)tacit_dense_row(dense, raw_rows[i]) +
                   first * tacit_stored_size(dense->stored);
  for (size_t k = 0; k < outputs; ++k) {
    for (size_t i = 0; i < rows; ++i)
      raw_factors[i] = raw_weights[k * TACIT_BATCH_ROWS + raw_rows[i]];
    kernel->add(raw_there, dense->stored, raw_factors, rows, count, size, raw_prefetch,
                raw_sum + k * features);
  }
}

static void add_dense(const tacit_level *kernel, const tacit_batch *batch,
                      int64_t first, size_t rows, size_t outputs,
                      const double *raw_weights, tacit_size size,
                      const void *raw_prefetch, int64_t *raw_sum) {
  tacit_dense dense = tacit_dense_of(batch, first);
  size_t raw_rows[TACIT_BATCH_ROWS], columns = dense.columns, there;
  size_t counted = rows_that_count(raw_weights, rows, outputs, raw_rows);
  if (counted == 0) return;
  if (outputs == 1) {
    add_columns(kernel, &dense, raw_rows, counted, 0, columns, 1, raw_weights, size,
                raw_prefetch, columns, raw_sum);
    return;
  }
  tacit_widened raw_widened;
  size_t step = tacit_widened_columns(rows);
  for (size_t j = 0; j < columns; j += step) {
    size_t some = columns - j < step ? columns - j : step;
    tacit_dense near = tacit_widen(kernel, &dense, rows, j, some, &raw_widened, &there);
    add_columns(kernel, &near, raw_rows, counted, there, some, outputs, raw_weights,
                size, NULL, columns, raw_sum + j);
  }
}

/* Adds rows times their weights to the sum, as integers. */
void tacit_batch_add(const tacit_level *kernel, const tacit_batch *batch, int64_t first,
                     size_t rows, const tacit_row_rule *rule, const double *raw_weights,
                     tacit_size size, size_t together, const void *raw_prefetch,
                     int64_t *raw_sum) {
  size_t features = rule->features, outputs = rule->outputs;
  if (together > 0) {
    tacit_batch_add_nearest(kernel, batch, first, rows, features, outputs, raw_weights,
                            together, raw_sum);
    return;
  }
  if (batch->raw_row_start == NULL) {
    add_dense(kernel, batch, first, rows, outputs, raw_weights, size, raw_prefetch,
              raw_sum);
    return;
  }
  tacit_sparse_rows sparse = tacit_sparse_of(batch, first, rows);
  for (size_t k = 0; k < outputs; ++k)
    kernel->add_sparse(&sparse, raw_weights + k * TACIT_BATCH_ROWS, size,
                       raw_sum + k * features);
}
