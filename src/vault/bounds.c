/* SPDX-License-Identifier: MIT */
#include "vault/bounds.h"

#include <string.h>

void tacit_bounds_init(tacit_bounds *bounds, int64_t clip) {
  memset(bounds, 0, sizeof *bounds);
  bounds->clip = clip;
}

/* Returns floor(clip/m), the lattice steps that each row of a unit with m rows may use,
   or 0 for m = 0. Together m rows then never exceed the clip; m times a rounded 1/m
   could be more than 1. */
static int64_t steps_of(tacit_bounds *bounds, uint32_t raw_rows) {
  if (raw_rows < 2) return raw_rows * bounds->clip;
  if (raw_rows >= TACIT_FEW) return bounds->clip / raw_rows;
  int64_t *raw_steps = &bounds->raw_steps[raw_rows];
  if (*raw_steps == 0) *raw_steps = bounds->clip / (int64_t)raw_rows;
  return *raw_steps;
}

/* Writes the share and the bound of row i. A weight outside 0 … 1 counts as 0 here,
   although callers refuse it. Proof: docs/proofs/row_weights.md */
static inline void share_row(tacit_bounds *bounds, const tacit_centre *centre, size_t i,
                             double raw_weight, uint32_t raw_rows, int64_t raw_steps) {
  if (!tacit_weight_is_valid(raw_weight)) raw_weight = 0;
  double raw_bound = raw_weight * (double)raw_steps;
  bounds->raw_bounds[i] = raw_bound * centre->unit - centre->margin;
  if (raw_rows != 1) raw_weight /= raw_rows;
  bounds->raw_shares[i] = raw_weight * centre->unit;
}

/* Writes the shares and bounds of rows of a batch and returns the sum of their
   floor(clip/m). */
tacit_i128 tacit_bounds_find(tacit_bounds *bounds, const tacit_centre *centre,
                             const tacit_batch *batch, int64_t first, size_t rows) {
  const double *raw_weights = batch->raw_weights;
  const uint32_t *raw_units = batch->raw_unit_rows;
  int are_even = raw_weights == NULL && raw_units == NULL;
  tacit_i128 raw_reach = (tacit_i128)bounds->clip * (int64_t)rows;
  if (are_even && bounds->are_even) return raw_reach;
  if (are_even)
    rows = TACIT_BATCH_ROWS; /* fills all places, because later blocks may
                                be longer */
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
  bounds->are_even = are_even;
  return raw_reach;
}
