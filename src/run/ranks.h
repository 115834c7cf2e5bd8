/* SPDX-License-Identifier: MIT */
#ifndef TACIT_RUN_RANKS_H
#define TACIT_RUN_RANKS_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/config.h>
#include <tacit/group.h>

#include "admit/digest.h"
#include "plan/plan.h"
#include "vault/key.h"
#include "vault/vault.h"

/* This process among those that train one model. All zero: alone, and then every
   function below does nothing, or what one process does. */
typedef struct tacit_team {
  const tacit_group *group;
  size_t *counts, *bytes; /* coordinates each rank releases, and what they weigh */
  size_t first, count;    /* those of this rank */
  int whole;              /* every rank releases everything: laws that draw vectors */
  tacit_sum *part;        /* of this rank's coordinates; all of them if whole */
  int64_t *raw_part;      /* its integers */
  int64_t *raw_all;       /* all sums, for a checkpoint; NULL: none */
  struct tacit_note *raw_notes; /* of all ranks */
  size_t *note_bytes;
  int over; /* a fault is known to all ranks: nobody calls any more */
} tacit_team;

/* The group of a config of any age, checked; NULL: alone. */
tacit_status tacit_team_init(tacit_team *team, const tacit_config *config,
                             tacit_error *err);
void tacit_team_fini(tacit_team *team);

/* The ranks have made their plans, or failed to (plan NULL, `status` says why). All
   must have the same; then they get the key of rank 0, which made it before this call.
 */
tacit_status tacit_team_start(tacit_team *team, const tacit_plan *plan, tacit_key *key,
                              tacit_status status, tacit_error *err);
/* Shares the coordinates out. */
tacit_status tacit_team_share(tacit_team *team, const tacit_plan *plan,
                              tacit_error *err);
/* Whether this rank adds up the row at a place of a pass that all ranks see. */
int tacit_team_takes(const tacit_team *team, int64_t place);

/* What a rank brings to the end of a round, and what all bring together. */
typedef struct tacit_meeting {
  int64_t t;
  uint64_t public_check; /* of all public numbers the round rests on */
  int64_t raw_rows;
  tacit_digest raw_digest;
} tacit_meeting;

/* public_check of some numbers and a vector. */
uint64_t tacit_team_check(const tacit_team *team, const double *numbers, size_t count,
                          const double *x, size_t dim);
/* Adds up rows and digests of all ranks in *meeting. */
tacit_status tacit_team_meet(tacit_team *team, tacit_meeting *meeting,
                             tacit_error *err);
/* The release of a round out of every rank's sum, raw_count rows in all; `dim` numbers
   in out->y. */
tacit_status tacit_team_close(tacit_team *team, tacit_vault *vault, tacit_pool *pool,
                              int64_t t, int64_t raw_count, const tacit_sum *sum,
                              tacit_release *out, tacit_error *err);
/* The sums of all ranks, of the round that was just closed: raw_sum if alone. Only for
   plans with a checkpoint. */
tacit_status tacit_team_gather(tacit_team *team, const int64_t *raw_sum,
                               const int64_t **raw_out, tacit_error *err);
/* 1 for rank 0, and alone. */
int tacit_team_leads(const tacit_team *team);
/* Bytes of rank 0 to all. */
tacit_status tacit_team_tell(tacit_team *team, void *bytes, size_t count,
                             tacit_error *err);
/* Status of this rank, or the fault of any. No-op once a fault is known to all. */
tacit_status tacit_team_agree(tacit_team *team, tacit_status status, tacit_error *err);

#endif
