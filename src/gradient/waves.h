/* SPDX-License-Identifier: MIT */
#ifndef TACIT_GRADIENT_WAVES_H
#define TACIT_GRADIENT_WAVES_H

#include "batch/row.h"

/*
 * Waves of a row u = s (x, 1): cosine and sine of w <v, u>, for frequencies w = 1, 4,
 * 16, … over the row norm and public directions v of signs. Their number does not
 * depend on the row, and neither does their norm, the root of the number of pairs.
 * Their means tell how far rows are from each other (centre/spread.h).
 */
enum {
  TACIT_WAVE_DIRECTIONS = 4,
  TACIT_WAVE_STEPS = 5, /* number of frequencies */
  TACIT_WAVE_FACTOR = 4,
  TACIT_WAVES = 2 * TACIT_WAVE_DIRECTIONS * TACIT_WAVE_STEPS
};

/* Writes the waves of a row with this scale, times `unit`: by frequency, then by
   direction, cosine before sine. */
void tacit_waves_of(const tacit_row_rule *rule, const tacit_row *row, double scale,
                    double unit, double *raw_out);

#endif
