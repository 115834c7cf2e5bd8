/* SPDX-License-Identifier: MIT */
#ifndef TACIT_RUN_WORKER_H
#define TACIT_RUN_WORKER_H

#include <tacit/train.h>

#include "plan/plan.h"

/* Digest of all options that a contribution depends on: rounds, rows, labels, loss,
   norms and the version of the library. Plans with the same digest give the same
   integers for the same rows and the same round. */
void tacit_plan_digest(const tacit_plan *plan, unsigned char out[TACIT_PROBLEM_BYTES]);

/* TACIT_EINVAL if rows have weights or persons, of which the plan, and so the
   statement, says nothing. */
tacit_status tacit_rows_declared(const tacit_plan *plan, int are_weighted,
                                 int have_units, tacit_error *err);
/* run/ask_tell.c: checks a shard of a round of n_rows, whose memory others may change
   meanwhile, and adds it to sum and count. On an error both are as they were. */
tacit_status tacit_shard_add(const tacit_plan *plan, const tacit_delta *delta,
                             int64_t n_rows, const tacit_batch *shard, int64_t *raw_sum,
                             int64_t *raw_count, tacit_error *err);

#endif
