/* SPDX-License-Identifier: MIT */
#include "vault/bounds.h"

#include <string.h>

void tacit_bounds_init(tacit_bounds *bounds, int64_t clip) {
  memset(bounds, 0, sizeof *bounds);
  bounds->clip = clip;
}

/* Rows of one unit, m of them, have floor(clip/m) lattice steps each, so together at
   most the clip: m times a rounded 1/m can be more than 1. 0 for m = 0. */
static int64_t steps_of(tacit_bounds *bounds, uint32_t raw_rows) {
  if (raw_rows < 2) return raw_rows * bounds->clip;
  if (raw_rows >= TACIT_FEW) return bounds->clip / raw_rows;
  int64_t *raw_steps = &bounds->raw_steps[raw_rows];
  if (*raw_steps == 0) *raw_steps = bounds->clip / (int64_t)raw_rows;
  return *raw_steps;
}

/* Share and bound of row i. A weight outside 0 … 1, which callers refuse, is 0 here.
   Proof: docs/proofs/row_weights.md */
static inline void share_row(tacit_bounds *bounds, const tacit_centre *centre, size_t i,
                             double raw_weight, uint32_t raw_rows, int64_t raw_steps) {
  if (!tacit_weight_is_valid(raw_weight)) raw_weight = 0;
  double raw_bound = raw_weight * (double)raw_steps;
  bounds->raw_bounds[i] = raw_bound * centre->unit - centre->margin;
  if (raw_rows != 1) raw_weight /= raw_rows;
  bounds->raw_shares[i] = raw_weight * centre->unit;
}

/* The largest square that tacit_bounds_fit lets pass, from the bound of row i. */
static void limit_row(tacit_bounds *bounds, size_t i, double part) {
  double raw_limit = bounds->raw_bounds[i] * part;
  bounds->raw_squares[i] = raw_limit > 1 ? raw_limit * raw_limit * (1 - 0x1p-40) : -1;
}

tacit_i128 tacit_bounds_find(tacit_bounds *bounds, const tacit_centre *centre,
                             const tacit_batch *batch, int64_t first, size_t rows) {
  const double *raw_weights = batch->raw_weights;
  const uint32_t *raw_units = batch->raw_unit_rows;
  int are_even = raw_weights == NULL && raw_units == NULL;
  tacit_i128 raw_reach = (tacit_i128)bounds->clip * (int64_t)rows;
  if (are_even && bounds->are_even) return raw_reach;
  if (are_even) rows = TACIT_BATCH_ROWS; /* for later blocks, too */
  if (raw_weights != NULL) raw_weights += first;
  if (raw_units != NULL) {
    raw_units += first;
    raw_reach = 0;
    int64_t raw_steps = 0;
    for (size_t i = 0; i < rows; ++i) {
      if (raw_weights == NULL && i > 0 && raw_units[i] == raw_units[i - 1]) {
        bounds->raw_bounds[i] = bounds->raw_bounds[i - 1];
        bounds->raw_shares[i] = bounds->raw_shares[i - 1];
      } else {
        raw_steps = steps_of(bounds, raw_units[i]);
        share_row(bounds, centre, i, raw_weights != NULL ? raw_weights[i] : 1,
                  raw_units[i], raw_steps);
      }
      raw_reach += raw_steps;
    }
  } else {
    for (size_t i = 0; i < rows; ++i)
      share_row(bounds, centre, i, raw_weights != NULL ? raw_weights[i] : 1, 1,
                bounds->clip);
  }
  double part = 1 - ((double)tacit_shape_count(&centre->shape, 1) + 8) * 0x1p-50;
  for (size_t i = 0; centre->shape.centred && i < rows; ++i)
    limit_row(bounds, i, part);
  bounds->are_even = are_even;
  return raw_reach;
}

void tacit_bounds_fit(const tacit_bounds *bounds, const tacit_level *kernel,
                      const tacit_centred_rows *centred, size_t rows,
                      const double *raw_factors, const double *raw_slopes,
                      const double *raw_tails, unsigned char *raw_fits) {
  const tacit_shape *shape = &centred->centre->shape;
  double raw_squares[TACIT_BATCH_ROWS];
  memset(raw_fits, 0, rows);
  if (!shape->centred || shape->rule.outputs > 1 || shape->tails > 1 ||
      centred->raw_scales == NULL || raw_slopes == NULL)
    return;
  kernel->lengths(centred, rows, raw_factors, raw_slopes, raw_tails, raw_squares);
  for (size_t i = 0; i < rows; ++i)
    raw_fits[i] = raw_squares[i] <= bounds->raw_squares[i];
}
