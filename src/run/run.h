/* SPDX-License-Identifier: MIT */
#ifndef TACIT_RUN_RUN_H
#define TACIT_RUN_RUN_H

#include <tacit/train.h>

#include "admit/digest.h"
#include "admit/order.h"
#include "admit/roster.h"
#include "algorithm1/algorithm1.h"
#include "base/threads.h"
#include "batch/own.h"
#include "checkpoint/checkpoint.h"
#include "plan/plan.h"
#include "ranks/ranks.h"
#include "run/state.h"
#include "run/sync.h"
#include "vault/vault.h"

/* What one thread adds up in the open round. */
typedef struct tacit_partial {
  tacit_sum *sum; /* clips the rows and adds them up */
  int64_t rows;   /* with those that are only compared */
  int has_digest; /* 0: nobody has a digest of these rows */
  tacit_digest raw_digest;
  tacit_digest_room room;
  tacit_own own;            /* copies of rows that were fed, */
  const void *raw_prefetch; /* and where the rows after them are */
  tacit_error error;        /* the first failure of this thread … */
  int64_t error_at;         /* … and the task or place it occurred at */
} tacit_partial;

/* Round 0, or the rounds after it: their vault, and which rank releases what. */
typedef struct tacit_stage {
  const tacit_vault_facts *facts;
  tacit_vault *vault;
  tacit_split split;
  tacit_frame *frame; /* what round 0 said; NULL before its end and for other rounds */
} tacit_stage;

/* Where the rows come from, and what is kept of them. */
typedef struct tacit_run_rows {
  tacit_key order_key;        /* what the order of the rows is drawn from */
  int order_given;            /* 1 if the caller has the key: ask and tell */
  int is_partitioned;         /* 1 if no other rank sees the rows that this one reads */
  int is_kept;                /* 1 if the rows come from memory and so never change */
  const tacit_roster *roster; /* whom the rows belong to, or NULL if that is unknown */
  tacit_digests *digests;     /* NULL for one pass without checkpoint */
  int64_t fed;                /* rows in all passes */
} tacit_run_rows;

/* The open round; between rounds, the last one. */
typedef struct tacit_run_round {
  tacit_delta delta;
  double *interleaved; /* x_t and x_{t-1} for the kernels; NULL for callbacks */
  double *offsets;     /* of the margins at x_t, then at x_{t-1}; NULL for callbacks */
  double bound;        /* on one contribution, sens_norm, units of beta_R */
  int64_t rows_due, rows_in; /* rows it must have, and rows it has */
  tacit_partial *partials;   /* one per thread */
  double *y;                 /* the release */
  double noise_last; /* standard deviation in a coordinate of the last mean gradient */
} tacit_run_round;

/* What a run is known by, and what it is resumed from. */
typedef struct tacit_run_log {
  char id[2 * TACIT_RUN_ID_BYTES + 1]; /* empty for a stream, which has a name */
  tacit_checkpoint *checkpoint;        /* NULL without one, and on ranks above 0 */
  int64_t resumed; /* the last round that came from the checkpoint */
  int is_bound;    /* 1 if tacit_replay_bind bound it to its data */
} tacit_run_log;

struct tacit_train {
  tacit_plan *plan;
  tacit_pool *pool;
  tacit_ranks ranks; /* the processes that train together */
  tacit_run_state state;
  int64_t t;        /* the open round; between rounds, the last one */
  int64_t released; /* the last round given to the vault, set before noise is drawn */
  tacit_algorithm1 *algorithm1; /* NULL until round 0 is over */
  tacit_stage mean, rounds;     /* mean is empty if the run is not centred */
  tacit_run_rows rows;
  tacit_run_round open;
  tacit_run_log log;
};

/*
 * run/round.c: a round of Algorithm 1 in three steps, open · add rows · close. The loop
 * over a reader (run.c), rows that are fed (feed.c), sums that are told (ask_tell.c)
 * and the rounds of a checkpoint (replay.c) all use these.
 */

/* Returns what the contributions of all rounds depend on. A worker in another process
   makes it from a plan of its own, and takes the rest from the round. */
tacit_delta tacit_plan_delta(const tacit_plan *plan);
/* Step 1. Opens the next round. Returns TACIT_ESTATE if one is open. */
tacit_status tacit_round_open(tacit_train *train, tacit_error *err);
/* Step 2. Adds rows first … end-1 of a batch to the partial sums of a thread. Row i is
   at places[i] of the pass or, without places, at place + i. */
tacit_status tacit_round_add(const tacit_train *train, tacit_partial *partial,
                             const tacit_batch *batch, int64_t first, int64_t end,
                             const int64_t *places, int64_t place, tacit_error *err);
/* 1 if it matters to step 2 where rows are: it takes their digests, or other ranks see
   them, too. */
int tacit_round_numbers(const tacit_train *train);
/* Step 3. All rows of the round are in the partial sums: releases them, moves the
   learner on, and records the round. */
tacit_status tacit_round_close(tacit_train *train, tacit_error *err);
/* Step 3 for a sum that was made elsewhere. Under a group each rank brings its own. */
tacit_status tacit_round_close_with(tacit_train *train, tacit_partial *sum,
                                    tacit_error *err);

/* The places of the rows of the open round; those of persons are secret. */
void tacit_round_batch(const tacit_train *train, int64_t *out_first, int64_t *out_end);

/* Keeps the first failure of a thread, which occurred at a task or place. */
void tacit_partial_fail(tacit_partial *partial, int64_t at, const tacit_error *error);
/* The lowest failure of all threads. Tasks and blocks start in ascending order, so all
   lower ones were done: the answer does not depend on the number of threads. */
tacit_status tacit_partials_check(const tacit_train *train, tacit_error *err);

/* run/noise.c: what the effect of the noise is followed for, and that effect: the
   standard deviation of each weight of an input, outputs times features numbers, or
   NULL if it is not known. */
tacit_band_facts tacit_train_band_facts(const tacit_train *train);
tacit_status tacit_train_noise(const tacit_train *train, double **out,
                               tacit_error *err);

/* run/train.c: what rounds 1 … R need: Algorithm 1, and sums in place of those of round
   0. A centred run makes them when round 0 is closed. */
tacit_status tacit_train_algorithm1(tacit_train *train, tacit_error *err);
tacit_status tacit_train_sums(tacit_train *train, tacit_error *err);
/* The last round before the first one: -1 or 0. */
static inline int64_t tacit_train_before(const tacit_train *train) {
  return tacit_plan_first_round(train->plan) - 1;
}
/* The vault of the open round. */
static inline tacit_stage *tacit_train_stage(tacit_train *train) {
  return train->t > 0 ? &train->rounds : &train->mean;
}

/* run/train.c: runs one call of the user's as a step. A failure ends the run, here and
   on all other ranks. */
tacit_status tacit_train_step(tacit_train *train, tacit_step step, void *context,
                              tacit_error *err);
/* Calls the user's progress callback; TACIT_ECANCELED when it says stop. */
tacit_status tacit_train_report(tacit_train *train, tacit_error *err);

/* run/replay.c: opens the checkpoint of the plan, if there is one and this rank keeps
   it. */
tacit_status tacit_replay_open(tacit_train *train, tacit_error *err);
/* Takes a new run through the rounds of its checkpoint. Rows are expected from the
   first one on after it, and only compared until they are new. */
tacit_status tacit_replay(tacit_train *train, tacit_error *err);
/* Before the first row or sum: binds the checkpoint to its data. `reader` is where the
   rows come from (NULL: unknown), `rereads` says whether rows will come again. Later
   calls do nothing. */
tacit_status tacit_replay_bind(tacit_train *train, tacit_reader *reader, int rereads,
                               tacit_error *err);
/* For a source that can start at any pass: skips passes whose rounds all came from the
   checkpoint, and returns the last round skipped. */
int64_t tacit_replay_skip_passes(tacit_train *train);
/* For ask and tell: the rows of old rounds do not come again. */
tacit_status tacit_replay_skip_rows(tacit_train *train, tacit_error *err);
/* Where the digest of the rows of the open round is: its batch, or after these for
   round 0. */
int64_t tacit_replay_digest_of(const tacit_train *train);
/* TACIT_EDATA unless the rows of the open round have the digest they had. */
tacit_status tacit_replay_compare(tacit_train *train, const tacit_digest *raw_digest,
                                  tacit_error *err);
/* Adds the round that was just released to the checkpoint, unless it came from it. */
tacit_status tacit_replay_record(tacit_train *train, const tacit_partial *sum,
                                 tacit_error *err);

#endif
