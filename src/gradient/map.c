/* SPDX-License-Identifier: MIT */
/* Rows that pass through a map before they are measured, clipped and added like any
   others. A mapped row depends on its own row and on releases only. It is rounded to
   floats, so that its bits do not depend on the level. */
#include "gradient/map.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "gradient/delta.h"
#include "vault/rows.h"

enum { BLOCK_ROWS = 64 };

/* Writes u - m of one row in steps of 2^-TACIT_MAP_STEPS. If the norm of the row is not
   finite, u is 0. */
static void centre_row(const tacit_map *map, const tacit_row *row, double scale,
                       double *raw_own) {
  const double steps = ldexp(1, TACIT_MAP_STEPS), most = 4 * steps;
  for (size_t j = 0; j < map->columns; ++j)
    raw_own[j] = map->offset[j] + (j == map->row.features ? scale : 0);
  for (size_t e = 0; scale > 0 && e < row->count; ++e)
    raw_own[row->raw_indices != NULL ? row->raw_indices[e] : e] +=
        scale * tacit_row_value(row, e);
  for (size_t j = 0; j < map->columns; ++j) {
    double raw_place = floor(raw_own[j] * steps + 0.5);
    raw_own[j] = tacit_delta_cut(raw_place, most);
  }
}

/* Writes the mapped rows of first … first+rows-1 to raw_mapped. */
static tacit_status map_block(const tacit_delta *delta, const tacit_batch *batch,
                              int64_t first, size_t rows, double *raw_own,
                              double *raw_dots, float *raw_mapped, tacit_error *err) {
  const tacit_map *map = delta->map;
  const tacit_row_rule *rule = &map->row;
  const tacit_points squares_alone = {0};
  tacit_sums raw_sums[BLOCK_ROWS];
  for (size_t i = 0; i < rows; ++i) {
    tacit_row row = tacit_row_of(batch, first + (int64_t)i);
    if (!tacit_row_is_sound(&row, rule->features) ||
        (row.raw_indices == NULL && row.count != rule->features))
      return tacit_delta_fail_row(delta, first + (int64_t)i, err);
  }
  tacit_batch_sums(delta->kernel, batch, first, rows, &squares_alone, raw_sums);
  for (size_t i = 0; i < rows; ++i) {
    tacit_row row = tacit_row_of(batch, first + (int64_t)i);
    double raw_norm = tacit_sums_norm(&raw_sums[i], batch, first + (int64_t)i,
                                      rule->bias, rule->exponent);
    centre_row(map, &row, tacit_row_scale(rule, raw_norm), raw_own + i * map->columns);
  }
  const tacit_dense own = {raw_own, TACIT_DOUBLES, map->columns};
  const tacit_wide wide = {map->weights, map->columns, map->width, 1};
  memset(raw_dots, 0, rows * map->width * sizeof *raw_dots);
  tacit_kernel_of(delta->kernel)->wide(&own, rows, 0, map->columns, &wide, raw_dots);
  double unit = ldexp(map->unit, -TACIT_MAP_STEPS);
  for (size_t i = 0; i < rows; ++i)
    for (size_t k = 0; k < map->columns; ++k)
      raw_mapped[i * map->columns + k] = (float)(unit * raw_dots[i * map->width + k]);
  return TACIT_OK;
}

/* Adds the contributions of rows that pass through a map. */
tacit_status tacit_delta_add_mapped(const tacit_delta *delta, const tacit_batch *batch,
                                    int64_t first, int64_t end, tacit_sum *sum,
                                    tacit_error *err) {
  size_t columns = delta->map->columns, width = delta->map->width;
  double *raw_room = tacit_raw_new(BLOCK_ROWS * (2 * columns + width), sizeof(double));
  if (raw_room == NULL) return tacit_fail_memory(err);
  float *raw_mapped = (float *)(raw_room + BLOCK_ROWS * (columns + width));
  tacit_status status = TACIT_OK;
  tacit_delta part = *delta;
  part.map = NULL;
  part.raw_prefetch = NULL;
  for (int64_t next; status == TACIT_OK && first < end; first = next) {
    next = end - first < BLOCK_ROWS ? end : first + BLOCK_ROWS;
    tacit_batch rows = tacit_batch_part(batch, first, next);
    rows.n_features = columns;
    rows.raw_values32 = raw_mapped;
    rows.raw_values = NULL;
    rows.raw_row_start = NULL;
    rows.raw_indices = NULL;
    part.row_base = delta->row_base + first;
    status = map_block(delta, batch, first, (size_t)(next - first), raw_room,
                       raw_room + BLOCK_ROWS * columns, raw_mapped, err);
    if (status == TACIT_OK)
      status = tacit_delta_add(&part, &rows, 0, rows.n_rows, sum, err);
  }
  tacit_raw_free(raw_room);
  return status;
}
