/* SPDX-License-Identifier: MIT */
#ifndef TACIT_RUN_RUN_H
#define TACIT_RUN_RUN_H

#include <tacit/train.h>

#include "admit/digest.h"
#include "base/threads.h"
#include "checkpoint/checkpoint.h"
#include "convert/algorithm1.h"
#include "data/batch/own.h"
#include "plan/plan.h"
#include "run/ranks.h"
#include "vault/vault.h"

/* What one worker adds up in the round under way. */
typedef struct tacit_partial {
  tacit_sum *sum;
  int64_t rows; /* read, those of earlier rounds included that are read again */
  tacit_digest raw_digest;
  tacit_digest_room room;
  tacit_own own;            /* the rows at hand of a batch that was fed, */
  const void *raw_prefetch; /* and where those behind them lie */
  tacit_error error;        /* the first fault it met … */
  size_t error_task;        /* … and in which task */
} tacit_partial;

/* What the training thread and its workers hold. */
struct tacit_train {
  tacit_plan *plan;
  tacit_pool *pool;
  tacit_vault *vault;
  tacit_algorithm1 *algorithm1;
  tacit_digests *digests;       /* NULL for one pass without checkpoint */
  tacit_checkpoint *checkpoint; /* NULL: none, or rank 0 has it */
  tacit_team team;              /* the processes that train together */

  /* The round under way. */
  tacit_delta delta;
  double *spread;            /* of the delta; NULL for a gradient of the caller's */
  double bound;              /* on a contribution, guard norm, units of beta_R */
  int64_t rows_due, rows_in; /* of this round */
  tacit_partial *partials;   /* one per worker */
  tacit_sum **sums;          /* theirs; the first one becomes that of the round */
  double *y;                 /* the release */
  double noise_last;         /* std in a coordinate of the last mean gradient */

  int noise_begun;   /* the vault was asked for a release */
  int64_t rows_fed;  /* in all passes */
  int rows_are_ours; /* 1: no other rank sees the rows this one does */
  int complete;      /* all rounds are released … */
  int done;          /* … and there are no rows to read again */
  int dead;

  /* After a resume. */
  int64_t resumed; /* rounds that came from the checkpoint */
  int64_t reread;  /* the one of these whose rows are read again; 0: none */
  int began;       /* tacit_train_begin was called */
};

/* run/round.c: opens the next round, or marks the run done after the last one. */
void tacit_train_open_round(tacit_train *train);
/* Empties the sums and opens them with the clip of the round that is open. */
void tacit_train_open_sums(tacit_train *train);
/* Releases the round with the first of the sums, raw_count rows on all ranks together,
   feeds the learner and opens the next round, but not its sums. */
tacit_status tacit_train_close_round(tacit_train *train, int64_t raw_count,
                                     tacit_error *err);

/* run/replay.c: opens the checkpoint of the plan, if it has one and this process
   keeps it. */
tacit_status tacit_train_open_checkpoint(tacit_train *train, tacit_error *err);
/* A new run goes through the rounds of its checkpoint. Rows are then
   expected from the first one on, and compared until they are new. Under a group a
   fault is one of all ranks, here and below. */
tacit_status tacit_train_replay(tacit_train *train, tacit_error *err);
/* Before the first row or round: what the rows are from (NULL: nobody knows) and
   whether rows will be read again. Once; later calls do nothing. */
tacit_status tacit_train_begin(tacit_train *train, tacit_reader *reader, int rereads,
                               tacit_error *err);
/* For a source that can start at any pass: the pass to start with, 1 for a fresh run.
 */
int tacit_train_skip_passes(tacit_train *train);
/* For ask and tell: the rows of old rounds are not read again. */
tacit_status tacit_train_skip_rows(tacit_train *train, tacit_error *err);
/* Ends a round that was read again. */
tacit_status tacit_train_reread_round(tacit_train *train, const tacit_digest *raw_sum,
                                      tacit_error *err);
/* Takes the round that was just closed into the checkpoint, if there is one; raw_digest
   of its batch, NULL: nobody has one. */
tacit_status tacit_train_record(tacit_train *train, const tacit_digest *raw_digest,
                                tacit_error *err);

/* run/feed.c: adds rows first … end-1 of a batch to a worker's partial sums. Row i
   stands at places[i] of the pass, or, without places, at place + i. */
tacit_status tacit_train_add(const tacit_train *train, tacit_partial *partial,
                             const tacit_batch *batch, int64_t first, int64_t end,
                             const int64_t *places, int64_t place, tacit_error *err);
/* Notes a fault of a task; the one of the lowest task is told. */
void tacit_partial_fault(tacit_partial *partial, size_t task, const tacit_error *error);
/* The fault of the lowest task there was one in. Tasks are taken in order, so all lower
   ones were done: the answer does not depend on the number of threads. */
tacit_status tacit_train_fault(const tacit_train *train, tacit_error *err);
/* All rows of the round are in the partials: one sum out of them, and on. */
tacit_status tacit_train_end_round(tacit_train *train, tacit_error *err);

/* run/round.c: rows and digest of a round, in *partial, become those of all ranks;
   a fault of one ends the run on all. Alone: nothing. */
tacit_status tacit_train_meet(tacit_train *train, tacit_partial *partial,
                              tacit_error *err);

/* Ends the run for good, on all ranks: nothing comes out any more. Returns the fault,
   or that of the lowest rank that has one. */
tacit_status tacit_train_kill(tacit_train *train, tacit_status status,
                              tacit_error *err);
/* TACIT_ESTATE for a run that is dead or finished. */
tacit_status tacit_train_alive(const tacit_train *train, tacit_error *err);
/* The caller's progress callback; TACIT_ECANCELED when it says stop. */
tacit_status tacit_train_report(tacit_train *train, tacit_error *err);

#endif
