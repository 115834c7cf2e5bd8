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

/* Returns the group of a config, which may be of an older version, or NULL if the
   process is alone. */
const tacit_group *tacit_config_group(const tacit_config *config);
/* Writes a check of everything in a plan that must be equal on all ranks. */
tacit_status tacit_plan_check(const tacit_plan *plan, uint64_t *out, tacit_error *err);
/* Returns a check of some numbers and a vector. */
uint64_t tacit_numbers_check(const double *numbers, size_t count, const double *x,
                             size_t dim);
/* Returns 1 if this rank adds up the row at a place of a pass that all ranks see. */
int tacit_ranks_takes(const tacit_ranks *ranks, int64_t place);

/* How the coordinates are divided among the ranks: each rank adds up and releases its
   own. */
typedef struct tacit_split {
  size_t *counts, *bytes; /* coordinates of each rank, and 8 bytes for each
                             coordinate */
  size_t first, count;    /* coordinates of this rank */
  int whole;        /* 1 if every rank releases everything, for laws that draw whole
                       vectors */
  tacit_sum *part;  /* sum of this rank's coordinates, or of all if `whole` is 1 */
  int collects;     /* 1 if the sums of a round go to rank 0 alone, for its
                       checkpoint */
  int64_t *raw_all; /* sums of all coordinates, for a checkpoint; NULL if not needed */
} tacit_split;

/* Divides the coordinates of a vault of the plan with these facts. */
tacit_status tacit_split_init(tacit_split *split, const tacit_ranks *ranks,
                              const tacit_plan *plan, const tacit_vault_facts *facts,
                              tacit_error *err);
void tacit_split_fini(tacit_split *split);
/* Adds up the sums of the ranks and releases round t. Each rank brings its sum over all
   coordinates, of raw_count rows on all ranks together, and all ranks get the whole
   release in out->y. */
tacit_status tacit_split_close(tacit_split *split, tacit_ranks *ranks,
                               tacit_vault *vault, tacit_pool *pool, int64_t t,
                               int64_t raw_count, const tacit_sum *sum,
                               tacit_release *out, tacit_error *err);
/* Writes the total over all ranks of the round that was just released, on rank 0; other
   ranks may get NULL. Must be called only for plans with a checkpoint. */
tacit_status tacit_split_total(tacit_split *split, tacit_ranks *ranks,
                               const int64_t *raw_sum, const int64_t **raw_out,
                               tacit_error *err);

#endif
