/* SPDX-License-Identifier: MIT */
/* What a level computes, in plain loops: the portable level, and the definition that
   every other level equals, bit for bit. */
#include "vault/clip.h"
#include "vault/nearest.h"

/* Returns the product of a dense row with x, or its square if x is NULL. */
static double product(const void *raw_row, tacit_stored stored, size_t columns,
                      const double *x) {
  double raw_lanes[TACIT_LANES] = {0};
  for (size_t j = 0; j < columns; ++j) {
    double raw_value = tacit_dense_value(raw_row, j, stored);
    raw_lanes[j % TACIT_LANES] += raw_value * (x != NULL ? x[j] : raw_value);
  }
  return tacit_lanes(raw_lanes);
}

/* Computes the squares of dense rows and their products with the points. */
static void sums(const tacit_dense *dense, size_t rows, const tacit_points *points,
                 tacit_sums *raw_out) {
  tacit_stored stored = dense->stored;
  size_t columns = dense->columns;
  for (size_t r = 0; r < rows; ++r) {
    const void *raw_row = tacit_dense_row(dense, r);
    raw_out[r] = (tacit_sums){.raw_square = product(raw_row, stored, columns, NULL)};
    if (points->x != NULL)
      raw_out[r].raw_dot = product(raw_row, stored, columns, points->x);
    if (points->x_prev != NULL)
      raw_out[r].raw_dot_prev = product(raw_row, stored, columns, points->x_prev);
    if (points->offset != NULL)
      raw_out[r].raw_offset = product(raw_row, stored, columns, points->offset);
  }
}

/* Writes the square of a sparse row and its products with the points. */
static void sums_of_row(const tacit_sparse *row, const tacit_points *points,
                        tacit_sums *raw_out) {
  double raw_square[TACIT_LANES] = {0}, raw_offset[TACIT_LANES] = {0};
  double raw_dot[TACIT_LANES] = {0}, raw_dot_prev[TACIT_LANES] = {0};
  for (size_t e = 0; e < row->count; ++e) {
    size_t raw_index = row->raw_indices[e], raw_lane = raw_index % TACIT_LANES;
    double raw_value = tacit_dense_value(row->raw_values, e, row->stored);
    raw_square[raw_lane] += raw_value * raw_value;
    if (points->pairs != NULL) {
      raw_dot[raw_lane] += raw_value * points->pairs[2 * raw_index];
      raw_dot_prev[raw_lane] += raw_value * points->pairs[2 * raw_index + 1];
    } else if (points->x != NULL) {
      raw_dot[raw_lane] += raw_value * points->x[raw_index];
    }
    if (points->offset != NULL)
      raw_offset[raw_lane] += raw_value * points->offset[raw_index];
  }
  *raw_out = (tacit_sums){tacit_lanes(raw_square), tacit_lanes(raw_dot),
                          tacit_lanes(raw_dot_prev), tacit_lanes(raw_offset)};
}

/* Computes the squares of sparse rows and their products with the points. */
static void sums_sparse(const tacit_sparse_rows *all, const tacit_points *points,
                        tacit_sums *raw_out) {
  for (size_t r = 0; r < all->rows; ++r) {
    tacit_sparse row = tacit_sparse_row(all, r);
    sums_of_row(&row, points, raw_out + r);
  }
}

/* Adds dense rows times their factors to the sum, truncated to integers. */
static void add(const void *const *raw_rows, tacit_stored stored,
                const double *raw_factors, size_t rows, size_t columns, tacit_size size,
                const void *raw_prefetch, int64_t *raw_sum) {
  (void)size;
  (void)raw_prefetch;
  for (size_t r = 0; r < rows; ++r) {
    for (size_t j = 0; j < columns; ++j)
      raw_sum[j] +=
          (int64_t)(raw_factors[r] * tacit_dense_value(raw_rows[r], j, stored));
  }
}

/* Adds sparse rows times their factors to the sum, truncated to integers. */
static void add_sparse(const tacit_sparse_rows *all, const double *raw_factors,
                       tacit_size size, int64_t *raw_sum) {
  (void)size;
  for (size_t r = 0; r < all->rows; ++r) {
    tacit_sparse row = tacit_sparse_row(all, r);
    size_t ahead = tacit_sparse_ahead(&row);
    for (size_t e = 0; raw_factors[r] != 0 && e < row.count; ++e) {
      if (e < ahead) TACIT_PREFETCH_WRITE(raw_sum + row.raw_indices[e + TACIT_AHEAD]);
      raw_sum[row.raw_indices[e]] +=
          (int64_t)(raw_factors[r] * tacit_dense_value(row.raw_values, e, row.stored));
    }
  }
}

/* Adds dense rows times the factors of several outputs, each product rounded to the
   nearest integer. */
static void add_nearest(const void *const *raw_rows, tacit_stored stored,
                        const double *raw_factors, size_t rows, size_t columns,
                        size_t outputs, size_t together, size_t stride,
                        int64_t *raw_sum) {
  (void)together;
  for (size_t r = 0; r < rows; ++r) {
    for (size_t k = 0; k < outputs; ++k) {
      for (size_t j = 0; j < columns; ++j)
        raw_sum[k * stride + j] +=
            tacit_nearest(raw_factors[r * TACIT_OUTPUTS + k],
                          tacit_dense_value(raw_rows[r], j, stored));
    }
  }
}

/* Adds one sparse row times a factor, each product rounded to the nearest integer. */
static void add_nearest_sparse(const tacit_sparse *row, double raw_factor,
                               int64_t *raw_sum) {
  for (size_t e = 0; e < row->count; ++e)
    raw_sum[row->raw_indices[e]] +=
        tacit_nearest(raw_factor, tacit_dense_value(row->raw_values, e, row->stored));
}

/* Writes columns of rows of floats as doubles. */
static void widen(const tacit_dense *dense, size_t rows, size_t first, size_t count,
                  double *raw_to) {
  for (size_t r = 0; r < rows; ++r) {
    for (size_t j = 0; j < count; ++j)
      raw_to[r * count + j] =
          tacit_dense_value(tacit_dense_row(dense, r), first + j, TACIT_FLOATS);
  }
}

/* Clips the factors of centred rows of one output. */
static void factors(const tacit_centred_rows *centred, size_t rows,
                    const double *raw_bounds, const double *raw_slopes,
                    const double *raw_tails, double *raw_factors) {
  size_t count = tacit_shape_count(&centred->centre->shape, 1);
  for (size_t i = 0; i < rows; ++i) {
    double raw_slope = fabs(raw_slopes[i]);
    double raw_square =
        tacit_centre_square_up(centred->centre, centred->raw_scales[i],
                               centred->raw_norms[i], centred->raw_sums[i].raw_offset);
    double raw_norm = raw_slope * sqrt(raw_square);
    int counts = raw_slope > TACIT_ROW_NORM_MIN && raw_norm > TACIT_ROW_NORM_MIN &&
                 raw_bounds[i] > 0; /* NaN becomes 0 */
    if (raw_tails != NULL)
      raw_norm = sqrt(raw_norm * raw_norm + raw_tails[i] * raw_tails[i]);
    raw_factors[i] =
        counts ? tacit_clip_factor(raw_factors[i], raw_bounds[i], raw_norm, count) : 0;
  }
}

const tacit_level tacit_level_plain = {
    .name = "plain",
    .sums = sums,
    .sums_sparse = sums_sparse,
    .add = add,
    .add_sparse = add_sparse,
    .add_nearest = add_nearest,
    .add_nearest_sparse = add_nearest_sparse,
    .widen = widen,
    .factors = factors,
};
