/* SPDX-License-Identifier: MIT */
#include "gradient/waves.h"

#include <string.h>

/* Returns a sign of column j, as good as random. */
static double sign_of(uint64_t j) {
  uint32_t bits = (uint32_t)j + 0x9e3779b9u;
  bits = (bits ^ bits >> 16) * 0x21f0aaadu;
  bits = (bits ^ bits >> 15) * 0x735a2d97u;
  return bits >> 31 ? 1 : -1;
}

/* The sums of sign times value over the columns j with j mod TACIT_TURNS = d, for each
   row. */
typedef double parts[TACIT_BATCH_ROWS][TACIT_TURNS];

/* Adds up dense rows, TACIT_TURNS columns at a time, so that a sign is found once for
   all rows. */
static void add_dense(const tacit_dense *dense, size_t rows, parts raw_parts) {
  for (size_t j = 0; j < dense->columns; j += TACIT_TURNS) {
    size_t left = dense->columns - j, count = left < TACIT_TURNS ? left : TACIT_TURNS;
    double signs[TACIT_TURNS];
    for (size_t d = 0; d < count; ++d)
      signs[d] = sign_of(j + d);
    for (size_t i = 0; i < rows; ++i) {
      const void *raw_row = tacit_dense_row(dense, i);
      for (size_t d = 0; d < count; ++d)
        raw_parts[i][d] += signs[d] * tacit_dense_value(raw_row, j + d, dense->stored);
    }
  }
}

static void add_sparse(const tacit_row *row, double *raw_parts) {
  for (size_t e = 0; e < row->count; ++e) {
    size_t j = row->raw_indices[e];
    raw_parts[j % TACIT_TURNS] += sign_of(j) * tacit_row_value(row, e);
  }
}

/* Makes <v, u> for the four directions of the parts. A direction is the signs of the
   columns, times a sign of each part, so that four directions need one product per
   entry. */
static void project(const tacit_row_rule *rule, double scale, double *raw_parts) {
  size_t last = rule->features;
  if (rule->bias) raw_parts[last % TACIT_TURNS] += sign_of(last);
  double raw_even = raw_parts[0] + raw_parts[2], raw_odd = raw_parts[1] + raw_parts[3];
  double raw_left = raw_parts[0] - raw_parts[2],
         raw_right = raw_parts[1] - raw_parts[3];
  raw_parts[0] = scale * (raw_even + raw_odd);
  raw_parts[1] = scale * (raw_even - raw_odd);
  raw_parts[2] = scale * (raw_left + raw_right);
  raw_parts[3] = scale * (raw_left - raw_right);
}

/* Writes the waves of some rows: projects each row, then turns the projections. */
void tacit_waves_of(const tacit_row_rule *rule, const tacit_batch *batch, int64_t first,
                    size_t rows, const double *raw_scales, const tacit_level *kernel,
                    double unit, size_t stride, double *raw_out) {
  parts raw_parts;
  memset(raw_parts, 0, rows * sizeof raw_parts[0]);
  const tacit_dense dense = tacit_dense_of(batch, first);
  if (batch->raw_row_start == NULL) add_dense(&dense, rows, raw_parts);
  for (size_t i = 0; i < rows; ++i) {
    tacit_row row = tacit_row_of(batch, first + (int64_t)i);
    if (batch->raw_row_start != NULL) add_sparse(&row, raw_parts[i]);
    project(rule, raw_scales[i] / rule->row_norm, raw_parts[i]);
  }
  tacit_kernel_of(kernel)->turn(rows, raw_parts[0], unit, stride, raw_out);
}
