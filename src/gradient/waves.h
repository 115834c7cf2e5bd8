/* SPDX-License-Identifier: MIT */
#ifndef TACIT_GRADIENT_WAVES_H
#define TACIT_GRADIENT_WAVES_H

#include "batch/row.h"
#include "kernel/kernel.h"

/*
 * Waves of a row u = s (x, 1): cosine and sine of w <v, u>, for frequencies w = 1, 4,
 * 16, … over the row norm and public directions v of signs. Their number does not
 * depend on the row, and neither does their norm, the root of the number of pairs.
 * Their means tell how far rows are from each other (centre/spread.h).
 */
enum {
  TACIT_WAVE_DIRECTIONS = TACIT_TURNS,
  TACIT_WAVE_STEPS = TACIT_FREQUENCIES,
  TACIT_WAVE_FACTOR = 4,
  TACIT_WAVES = 2 * TACIT_WAVE_DIRECTIONS * TACIT_WAVE_STEPS
};

/* Writes the waves of rows first … first+rows-1 with these scales, times `unit`: by
   frequency, then by direction, cosine before sine. Row i has its waves from raw_out[i
   stride] on. There must be at most TACIT_BATCH_ROWS rows. */
void tacit_waves_of(const tacit_row_rule *rule, const tacit_batch *batch, int64_t first,
                    size_t rows, const double *raw_scales, const tacit_level *kernel,
                    double unit, size_t stride, double *raw_out);

#endif
