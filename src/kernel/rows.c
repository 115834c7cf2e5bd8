/* SPDX-License-Identifier: MIT */
/*
 * Squares, products and truncated sums of the rows of a batch. Dense rows go to the
 * kernel of this processor. Sparse rows go through plain loops on every processor, in
 * the lane order of kernel/kernel.h (index i adds into lane i mod 8): each entry has
 * its own coordinate, so vectors gain nothing. With many features the coordinates are
 * not in the cache, so the loops prefetch them some entries ahead; `reach` counts the
 * entries in memory from the start of a row on, those of later rows included.
 */
#include "kernel/rows.h"

enum { AHEAD = 24 };

static double tree(const double *raw_lanes, size_t step) {
  return ((raw_lanes[0] + raw_lanes[4 * step]) +
          (raw_lanes[2 * step] + raw_lanes[6 * step])) +
         ((raw_lanes[step] + raw_lanes[5 * step]) +
          (raw_lanes[3 * step] + raw_lanes[7 * step]));
}

/* Entries of the row for which the one AHEAD of them lies within reach. */
static size_t with_ahead(const tacit_row *row, size_t reach) {
  if (reach < AHEAD) return 0;
  return row->count < reach - AHEAD ? row->count : reach - AHEAD;
}

/* The lanes of one row; the two products of a lane side by side. */
struct lanes {
  double raw_square[TACIT_LANES], raw_dots[TACIT_LANES][2], raw_offset[TACIT_LANES];
};

/* offset: NULL if its product is not wanted. */
static inline void entry_step(size_t raw_index, double raw_value, const double *pairs,
                              const double *offset, struct lanes *raw_lanes) {
  size_t raw_lane = raw_index % TACIT_LANES;
  raw_lanes->raw_square[raw_lane] += raw_value * raw_value;
  raw_lanes->raw_dots[raw_lane][0] += raw_value * pairs[2 * raw_index];
  raw_lanes->raw_dots[raw_lane][1] += raw_value * pairs[2 * raw_index + 1];
  if (offset != NULL) raw_lanes->raw_offset[raw_lane] += raw_value * offset[raw_index];
}

static inline void entry_sums(const tacit_row *row, const void *raw_values,
                              tacit_stored stored, size_t reach, const double *pairs,
                              const double *offset, tacit_sums *raw_out) {
  const uint32_t *raw_indices = row->raw_indices;
  struct lanes raw_lanes;
  /* Not = {0}, which compiles to a slow string instruction. */
  for (size_t k = 0; k < TACIT_LANES; ++k) {
    raw_lanes.raw_square[k] = raw_lanes.raw_dots[k][0] = raw_lanes.raw_dots[k][1] = 0;
    if (offset != NULL) raw_lanes.raw_offset[k] = 0;
  }
  size_t count = row->count, ahead = with_ahead(row, reach), e = 0;
  for (; e < ahead; ++e) {
    TACIT_PREFETCH_READ(pairs + 2 * (size_t)raw_indices[e + AHEAD]);
    if (offset != NULL) TACIT_PREFETCH_READ(offset + raw_indices[e + AHEAD]);
    entry_step(raw_indices[e], tacit_dense_value(raw_values, e, stored), pairs, offset,
               &raw_lanes);
  }
  for (; e < count; ++e)
    entry_step(raw_indices[e], tacit_dense_value(raw_values, e, stored), pairs, offset,
               &raw_lanes);
  *raw_out = (tacit_sums){tree(raw_lanes.raw_square, 1), tree(raw_lanes.raw_dots[0], 2),
                          tree(&raw_lanes.raw_dots[0][1], 2), 0};
  if (offset != NULL) raw_out->raw_offset = tree(raw_lanes.raw_offset, 1);
}

static inline void stored_sums(const tacit_row *row, const void *raw_values,
                               tacit_stored stored, size_t reach, const double *pairs,
                               const double *offset, tacit_sums *raw_out) {
  if (offset != NULL)
    entry_sums(row, raw_values, stored, reach, pairs, offset, raw_out);
  else
    entry_sums(row, raw_values, stored, reach, pairs, NULL, raw_out);
}

static void sparse_sums(const tacit_row *row, size_t reach, const double *pairs,
                        const double *offset, tacit_sums *raw_out) {
  if (row->raw_values32 != NULL)
    stored_sums(row, row->raw_values32, TACIT_FLOATS, reach, pairs, offset, raw_out);
  else
    stored_sums(row, row->raw_values, TACIT_DOUBLES, reach, pairs, offset, raw_out);
}

static void sparse_dot(const tacit_row *row, const double *x, tacit_sums *raw_out) {
  double raw_square[TACIT_LANES] = {0}, raw_dot[TACIT_LANES] = {0};
  for (size_t e = 0; e < row->count; ++e) {
    size_t raw_index = row->raw_indices[e], raw_lane = raw_index % TACIT_LANES;
    double raw_value = tacit_row_value(row, e);
    raw_square[raw_lane] += raw_value * raw_value;
    if (x != NULL) raw_dot[raw_lane] += raw_value * x[raw_index];
  }
  *raw_out =
      (tacit_sums){.raw_square = tree(raw_square, 1), .raw_dot = tree(raw_dot, 1)};
}

static inline void add_entries(const tacit_row *row, const void *raw_values,
                               tacit_stored stored, size_t reach, double raw_factor,
                               int64_t *raw_sum) {
  const uint32_t *raw_indices = row->raw_indices;
  size_t count = row->count, ahead = with_ahead(row, reach), e = 0;
  for (; e < ahead; ++e) {
    TACIT_PREFETCH_WRITE(raw_sum + raw_indices[e + AHEAD]);
    raw_sum[raw_indices[e]] +=
        (int64_t)(raw_factor * tacit_dense_value(raw_values, e, stored));
  }
  for (; e < count; ++e)
    raw_sum[raw_indices[e]] +=
        (int64_t)(raw_factor * tacit_dense_value(raw_values, e, stored));
}

static void sparse_add(const tacit_row *row, size_t reach, double raw_factor,
                       int64_t *raw_sum) {
  if (row->raw_values32 != NULL)
    add_entries(row, row->raw_values32, TACIT_FLOATS, reach, raw_factor, raw_sum);
  else
    add_entries(row, row->raw_values, TACIT_DOUBLES, reach, raw_factor, raw_sum);
}

void tacit_batch_sums(const tacit_kernel_ops *kernel, const tacit_batch *batch,
                      int64_t first, size_t rows, const tacit_points *points,
                      tacit_sums *raw_out) {
  if (batch->raw_row_start == NULL) {
    tacit_dense dense = tacit_dense_of(batch, first);
    kernel->sums(&dense, rows, points, raw_out);
    return;
  }
  const int64_t *raw_start = batch->raw_row_start + first;
  for (size_t i = 0; i < rows; ++i) {
    tacit_row row = tacit_row_of(batch, first + (int64_t)i);
    if (points->pairs != NULL) {
      sparse_sums(&row, (size_t)(raw_start[rows] - raw_start[i]), points->pairs,
                  points->offset, &raw_out[i]);
      continue;
    }
    sparse_dot(&row, points->x, &raw_out[i]);
    if (points->offset == NULL) continue;
    tacit_sums raw_other;
    sparse_dot(&row, points->offset, &raw_other);
    raw_out[i].raw_offset = raw_other.raw_dot;
  }
}

void tacit_batch_add(const tacit_kernel_ops *kernel, const tacit_batch *batch,
                     int64_t first, size_t rows, const double *raw_weights,
                     tacit_size size, const void *raw_prefetch, int64_t *raw_sum) {
  if (batch->raw_row_start != NULL) {
    const int64_t *raw_start = batch->raw_row_start + first;
    for (size_t i = 0; i < rows; ++i) {
      if (raw_weights[i] == 0) continue;
      tacit_row row = tacit_row_of(batch, first + (int64_t)i);
      sparse_add(&row, (size_t)(raw_start[rows] - raw_start[i]), raw_weights[i],
                 raw_sum);
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
