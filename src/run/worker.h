/* SPDX-License-Identifier: MIT */
#ifndef TACIT_RUN_WORKER_H
#define TACIT_RUN_WORKER_H

#include <tacit/train.h>

#include "plan/plan.h"

/* Writes the digest of all options that a contribution depends on: rounds, rows,
   labels, loss, norms and the version of the library. Plans with equal digests give
   equal integers for equal rows and rounds. */
void tacit_plan_digest(const tacit_plan *plan, unsigned char out[TACIT_PROBLEM_BYTES]);

/* Returns TACIT_EINVAL if rows have weights or persons that the plan, and so the
   statement, does not mention. */
tacit_status tacit_rows_declared(const tacit_plan *plan, int are_weighted,
                                 int have_units, tacit_error *err);
/* Checks a shard of a round of n_rows, and adds it to sum and count (run/ask_tell.c).
   Others may change the memory of the shard meanwhile. Sum and count stay as they were
   if it fails. */
tacit_status tacit_shard_add(const tacit_plan *plan, const tacit_delta *delta,
                             int64_t n_rows, const tacit_batch *shard, int64_t *raw_sum,
                             int64_t *raw_count, tacit_error *err);

#endif
