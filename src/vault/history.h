/* SPDX-License-Identifier: MIT */
#ifndef TACIT_VAULT_HISTORY_H
#define TACIT_VAULT_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/numbers.h"

/* The integer vectors u_1, u_2, … of a run, and exact products with a matrix. */
typedef struct tacit_history {
  int64_t rounds;
  int64_t *raw_sums;
} tacit_history;

/* Room for `rounds` vectors of dim numbers. 0: no memory; fini is then still fine. */
int tacit_history_init(tacit_history *history, int64_t rounds, size_t dim);
void tacit_history_fini(tacit_history *history);

/* Takes coordinates first … first+count-1 of u_t from raw_sum, t = 1, 2, … in order,
   and writes the same coordinates of sum_{i<=t} k[(t-1) R + i-1] u_i to raw_out, R the
   rounds. The caller sees to it that 128 bits are enough. In every round the
   coordinates come in the same chunks, `first` even. */
void tacit_history_row(tacit_history *history, const int64_t *k, int64_t t,
                       const int64_t *raw_sum, size_t first, size_t count,
                       tacit_i128 *raw_out);

#endif
