/* SPDX-License-Identifier: MIT */
#ifndef TACIT_VAULT_BOUNDS_H
#define TACIT_VAULT_BOUNDS_H

#include "base/numbers.h"
#include "vault/centre.h"

/* What rows are multiplied with, and how long they may be, in units of the sum before
   it is closed: w/m and w floor(clip/m), less the margin of centred rows, for a row of
   weight w whose unit has m rows. Divisions take long, so those of small m are kept. */
enum { TACIT_FEW = 64 };
typedef struct tacit_bounds {
  int64_t clip;
  int64_t raw_steps[TACIT_FEW]; /* floor(clip/m); 0: not divided yet */
  double raw_shares[TACIT_BATCH_ROWS], raw_bounds[TACIT_BATCH_ROWS];
  int are_even; /* 1: these are those of w = m = 1, in all places */
} tacit_bounds;

void tacit_bounds_init(tacit_bounds *bounds, int64_t clip);
/* Those of rows first … first+rows-1 of a batch, at most TACIT_BATCH_ROWS. Returns the
   sum of their floor(clip/m). Proof: docs/proofs/row_weights.md */
tacit_i128 tacit_bounds_find(tacit_bounds *bounds, const tacit_centre *centre,
                             const tacit_batch *batch, int64_t first, size_t rows);

#endif
