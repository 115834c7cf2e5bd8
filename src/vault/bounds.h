/* SPDX-License-Identifier: MIT */
#ifndef TACIT_VAULT_BOUNDS_H
#define TACIT_VAULT_BOUNDS_H

#include "base/numbers.h"
#include "vault/centre.h"

/* What rows are multiplied with (shares) and how long they may then be (bounds). A row
   of weight w, whose unit has m rows, has the share w/m and the bound w floor(clip/m)
   less the margin of the centre, both in units of the sum before it is closed.
   Divisions take long, so their results are kept for small m. */
enum { TACIT_FEW = 64 };
typedef struct tacit_bounds {
  int64_t clip;
  int64_t raw_steps[TACIT_FEW]; /* floor(clip/m) at m; 0 until it is divided */
  double raw_shares[TACIT_BATCH_ROWS], raw_bounds[TACIT_BATCH_ROWS];
  int are_even; /* 1 if all shares and bounds are the values for w = m = 1 */
} tacit_bounds;

void tacit_bounds_init(tacit_bounds *bounds, int64_t clip);
/* Writes the shares and bounds of rows first … first+rows-1 of a batch, at most
   TACIT_BATCH_ROWS rows. Returns the sum of their floor(clip/m), whatever their
   weights. Proof: docs/proofs/row_weights.md */
tacit_i128 tacit_bounds_find(tacit_bounds *bounds, const tacit_centre *centre,
                             const tacit_batch *batch, int64_t first, size_t rows);

#endif
