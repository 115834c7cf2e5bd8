/* SPDX-License-Identifier: MIT */
#ifndef TACIT_ADMIT_ROUNDS_H
#define TACIT_ADMIT_ROUNDS_H

#include <stdint.h>

/* Which rows belong to which round: a pass over `rows` rows is cut into per_pass
   batches, and batch j = 0, 1, … has the places floor(j rows / per_pass) to floor((j+1)
   rows / per_pass) - 1. Batches do not overlap and no place is left out, so a row takes
   part once per pass. Rounds t = 1, 2, … go through the batches, pass after pass: a row
   of batch j takes part in every round j + 1 + i per_pass. */

/* Returns the place of the first row of batch j, or `rows` for j = per_pass. j must be
   0 … per_pass. */
int64_t tacit_rounds_batch(int64_t rows, int64_t per_pass, int64_t j);
/* Returns the place of the first row of round t. */
int64_t tacit_rounds_first(int64_t rows, int64_t per_pass, int64_t t);
/* Returns the number of rows of round t. */
int64_t tacit_rounds_rows(int64_t rows, int64_t per_pass, int64_t t);

#endif
