/* SPDX-License-Identifier: MIT */
#ifndef TACIT_ENGINE_TRAIN_H
#define TACIT_ENGINE_TRAIN_H

#include <tacit/train.h>

#include "base/threads.h"
#include "convert/algorithm1.h"
#include "engine/digest.h"
#include "engine/plan.h"
#include "vault/vault.h"

/* What the training thread and its workers hold. */
struct tacit_train {
  tacit_plan *plan;
  tacit_pool *pool;
  tacit_vault *vault;
  tacit_otb *otb;
  tacit_digests *digests; /* NULL for one pass */

  /* The round under way. */
  tacit_delta delta;
  double bound;              /* on a contribution, guard norm, units of beta_R */
  int64_t rows_due, rows_in; /* of this round */
  int64_t **raw_sums;        /* one per worker */
  int *worker_used;
  tacit_error *worker_errors;
  double *y;         /* the release */
  double noise_last; /* std in a coordinate of the last mean gradient */

  int64_t rows_fed; /* in all passes */
  int done, dead;
};

/* engine/round.c: opens the next round, or marks the run done after the last one. */
void tacit_train_open_round(tacit_train *train);
/* Releases the round with raw_sum (dim integers) over raw_count rows, feeds the learner
   and opens the next round. */
tacit_status tacit_train_close_round(tacit_train *train, const int64_t *raw_sum,
                                     int64_t raw_count, tacit_error *err);

/* Ends the run for good: nothing comes out any more. Returns `status`. */
tacit_status tacit_train_kill(tacit_train *train, tacit_status status);
/* TACIT_ESTATE for a run that is dead or finished. */
tacit_status tacit_train_alive(const tacit_train *train, tacit_error *err);
/* The caller's progress callback; TACIT_ECANCELED when it says stop. */
tacit_status tacit_train_report(tacit_train *train, tacit_error *err);

#endif
