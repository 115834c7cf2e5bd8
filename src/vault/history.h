/* SPDX-License-Identifier: MIT */
#ifndef TACIT_VAULT_HISTORY_H
#define TACIT_VAULT_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/numbers.h"

/* The integer vectors u_1, u_2, … of a run, for exact products with a matrix. */
typedef struct tacit_history {
  int64_t rounds;
  int64_t *raw_sums;
} tacit_history;

/* Makes room for `rounds` vectors of `dim` numbers. Returns 0 if memory runs out;
   tacit_history_fini may be called also then. */
int tacit_history_init(tacit_history *history, int64_t rounds, size_t dim);
void tacit_history_fini(tacit_history *history);

/* Takes coordinates first … first+count-1 of u_t from raw_sum, and writes these
   coordinates of the sum, over i <= t, of k[(t-1) R + i-1] u_i to raw_out, where R is
   `rounds`. Must be called for t = 1, 2, … in order, with equal chunks of coordinates
   in every round and an even `first`. The caller must make sure that 128 bits are
   enough. */
void tacit_history_row(tacit_history *history, const int64_t *k, int64_t t,
                       const int64_t *raw_sum, size_t first, size_t count,
                       tacit_i128 *raw_out);

#endif
