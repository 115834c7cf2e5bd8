/* SPDX-License-Identifier: MIT */
#include "kernel/shares.h"

#include <string.h>

void tacit_shares_init(tacit_shares *shares, int64_t clip) {
  memset(shares, 0, sizeof *shares);
  shares->clip = clip;
}

/* Rows of one unit, m of them, have floor(clip/m) lattice steps each, so together at
   most the clip: m times a rounded 1/m can be more than 1. 0 for m = 0. */
static int64_t steps_of(tacit_shares *shares, uint32_t raw_rows) {
  if (raw_rows < 2) return raw_rows * shares->clip;
  if (raw_rows >= TACIT_FEW) return shares->clip / raw_rows;
  int64_t *raw_steps = &shares->raw_steps[raw_rows];
  if (*raw_steps == 0) *raw_steps = shares->clip / (int64_t)raw_rows;
  return *raw_steps;
}

/* Share and bound of row i. A weight outside 0 … 1, which callers refuse, is 0 here.
   Proof: docs/proofs/row_weights.md */
static inline void share_row(tacit_shares *shares, const tacit_centre *centre, size_t i,
                             double raw_weight, uint32_t raw_rows, int64_t raw_steps) {
  if (!tacit_weight_is_valid(raw_weight)) raw_weight = 0;
  double raw_bound = raw_weight * (double)raw_steps;
  shares->raw_bounds[i] = raw_bound * centre->unit - centre->margin;
  if (raw_rows != 1) raw_weight /= raw_rows;
  shares->raw_shares[i] = raw_weight * centre->unit;
}

/* The largest square that tacit_shares_fit lets pass, from the bound of row i. */
static void limit_row(tacit_shares *shares, size_t i, double part) {
  double raw_limit = shares->raw_bounds[i] * part;
  shares->raw_squares[i] = raw_limit > 1 ? raw_limit * raw_limit * (1 - 0x1p-40) : -1;
}

tacit_i128 tacit_shares_find(tacit_shares *shares, const tacit_centre *centre,
                             const tacit_batch *batch, int64_t first, size_t rows) {
  const double *raw_weights = batch->raw_weights;
  const uint32_t *raw_units = batch->raw_unit_rows;
  int are_even = raw_weights == NULL && raw_units == NULL;
  tacit_i128 raw_reach = (tacit_i128)shares->clip * (int64_t)rows;
  if (are_even && shares->are_even) return raw_reach;
  if (are_even) rows = TACIT_BATCH_ROWS; /* for later blocks, too */
  if (raw_weights != NULL) raw_weights += first;
  if (raw_units != NULL) {
    raw_units += first;
    raw_reach = 0;
    int64_t raw_steps = 0;
    for (size_t i = 0; i < rows; ++i) {
      if (raw_weights == NULL && i > 0 && raw_units[i] == raw_units[i - 1]) {
        shares->raw_bounds[i] = shares->raw_bounds[i - 1];
        shares->raw_shares[i] = shares->raw_shares[i - 1];
      } else {
        raw_steps = steps_of(shares, raw_units[i]);
        share_row(shares, centre, i, raw_weights != NULL ? raw_weights[i] : 1,
                  raw_units[i], raw_steps);
      }
      raw_reach += raw_steps;
    }
  } else {
    for (size_t i = 0; i < rows; ++i)
      share_row(shares, centre, i, raw_weights != NULL ? raw_weights[i] : 1, 1,
                shares->clip);
  }
  double part = 1 - ((double)tacit_shape_count(&centre->shape, 1) + 8) * 0x1p-50;
  for (size_t i = 0; centre->shape.centred && i < rows; ++i)
    limit_row(shares, i, part);
  shares->are_even = are_even;
  return raw_reach;
}

void tacit_shares_fit(const tacit_shares *shares, const tacit_kernel_ops *kernel,
                      const tacit_near *near, size_t rows, const double *raw_factors,
                      const double *raw_slopes, const double *raw_tails,
                      unsigned char *raw_fits) {
  const tacit_shape *shape = &near->centre->shape;
  double raw_squares[TACIT_BATCH_ROWS];
  memset(raw_fits, 0, rows);
  if (!shape->centred || shape->rule.outputs > 1 || shape->tails > 1 ||
      near->raw_scales == NULL || raw_slopes == NULL)
    return;
  kernel->lengths(near, rows, raw_factors, raw_slopes, raw_tails, raw_squares);
  for (size_t i = 0; i < rows; ++i)
    raw_fits[i] = raw_squares[i] <= shares->raw_squares[i];
}
