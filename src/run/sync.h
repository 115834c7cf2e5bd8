/* SPDX-License-Identifier: MIT */
#ifndef TACIT_RUN_SYNC_H
#define TACIT_RUN_SYNC_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/config.h>

#include "plan/plan.h"
#include "ranks/ranks.h"
#include "vault/vault.h"

/* What the ranks of a run say to each other. Each function does for a single process
   what a single process needs. */

/* The group of a config, which may be of an older version; NULL: alone. */
const tacit_group *tacit_config_group(const tacit_config *config);
/* A check of everything in a plan that must be the same on all ranks. */
tacit_status tacit_plan_check(const tacit_plan *plan, uint64_t *out, tacit_error *err);
/* A check of some numbers and a vector. */
uint64_t tacit_numbers_check(const double *numbers, size_t count, const double *x,
                             size_t dim);
/* Whether this rank adds up the row at a place of a pass that all ranks see. */
int tacit_ranks_takes(const tacit_ranks *ranks, int64_t place);

/* How the coordinates are divided among the ranks: each adds up and releases its own.
 */
typedef struct tacit_split {
  size_t *counts, *bytes; /* coordinates of each rank, and 8 bytes for each of them */
  size_t first, count;    /* coordinates of this rank */
  int whole;        /* every rank releases everything: laws that draw whole vectors */
  tacit_sum *part;  /* of this rank's coordinates; of all of them if whole */
  int collects;     /* the sums of a round go to rank 0 alone, for its checkpoint */
  int64_t *raw_all; /* sums of all coordinates, for a checkpoint; NULL: not needed */
} tacit_split;

/* For a vault of the plan with these facts. */
tacit_status tacit_split_init(tacit_split *split, const tacit_ranks *ranks,
                              const tacit_plan *plan, const tacit_vault_facts *facts,
                              tacit_error *err);
void tacit_split_fini(tacit_split *split);
/* Releases round t: each rank brings its sum over all coordinates, of raw_count rows on
   all ranks together, and all ranks get the whole release in out->y. */
tacit_status tacit_split_close(tacit_split *split, tacit_ranks *ranks,
                               tacit_vault *vault, tacit_pool *pool, int64_t t,
                               int64_t raw_count, const tacit_sum *sum,
                               tacit_release *out, tacit_error *err);
/* The total over all ranks of the round that was just released, on rank 0; the others
   may get NULL. Only for plans with a checkpoint. */
tacit_status tacit_split_total(tacit_split *split, tacit_ranks *ranks,
                               const int64_t *raw_sum, const int64_t **raw_out,
                               tacit_error *err);

#endif
