/* SPDX-License-Identifier: MIT */
#ifndef TACIT_MECHANISM_BANDED_H
#define TACIT_MECHANISM_BANDED_H

#include "mechanism/mechanism.h"

/*
 * The matrix of the banded mechanism, BIFR(p, w): C^-1 holds the first w coefficients
 * of (1 - x)^p, so the noise of a round is a short moving average and cancels over
 * time. Columns are scaled so that every record costs the same. The encoder rounds the
 * entries down to whole multiples of 2^-weight_bits.
 */
typedef struct tacit_banded {
  int64_t rounds;
  int width;          /* width of the band, w */
  double inverse[64]; /* first w coefficients of (1 - x)^p */
  double *c;     /* c_0 … c_{R-1}, the first column of C before scaling: its series
                    times the series `inverse` is 1 */
  double *norms; /* norms[t - 1] is N_t, by which column t is divided: the norm of
                    the sum of all columns of a record of round t */
} tacit_banded;

enum { TACIT_BANDED_WIDTH_MAX = 64, TACIT_BANDED_ROUNDS_MAX = 2048 };

tacit_status tacit_banded_new(const tacit_encoder_facts *facts, tacit_banded **out,
                              tacit_error *err);
void tacit_banded_free(tacit_banded *banded);

#endif
