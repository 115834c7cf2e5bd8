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
#include "centre/map.h"
#include "checkpoint/checkpoint.h"
#include "plan/plan.h"
#include "ranks/ranks.h"
#include "run/state.h"
#include "run/sync.h"
#include "vault/vault.h"

/* What one thread adds up in the open round. */
typedef struct tacit_partial {
  tacit_sum *sum; /* clips the rows and adds them up */
  int64_t rows;   /* rows added, with rows that are only compared */
  int has_digest; /* 0 if nobody has a digest of these rows */
  tacit_digest raw_digest;
  tacit_digest_room room;
  tacit_own own;            /* copies of rows that were fed */
  const void *raw_prefetch; /* the rows after `own` in the caller's memory, or NULL */
  tacit_error error;        /* the first failure of this thread */
  int64_t error_at;         /* the task or place that `error` occurred at */
} tacit_partial;

/* The mean, the second moments, or all rounds from 1 on: their vault, which rank
   releases what, and what the release said; NULL before its end and for other stages.
 */
typedef struct tacit_stage {
  const tacit_vault_facts *facts;
  tacit_vault *vault;
  tacit_split split;
  tacit_frame *frame;
  tacit_precondition *precondition;
  tacit_map *map;
} tacit_stage;

/* Where the rows come from, and what is kept of them. */
typedef struct tacit_run_rows {
  tacit_key order_key;        /* what the order of the rows is drawn from */
  int order_given;            /* 1 if the caller has the key: ask and tell */
  int is_partitioned;         /* 1 if no other rank sees the rows that this one reads */
  int is_kept;                /* 1 if the rows come from memory and so never change */
  const tacit_roster *roster; /* whom the rows belong to; NULL if the unit is a row */
  tacit_digests *digests;     /* NULL for one pass without checkpoint */
  int64_t fed;                /* rows added in all passes */
} tacit_run_rows;

/* The open round; between rounds, the last one. */
typedef struct tacit_run_round {
  tacit_delta delta;
  double *interleaved; /* x_t and x_{t-1} for the kernels; NULL for callbacks */
  double *offsets;     /* offsets of the margins at x_t, then at x_{t-1}; NULL for
                          callbacks */
  double bound;        /* bound on the norm sens_norm of one contribution, in units of
                          beta_R */
  int64_t rows_due, rows_in; /* rows that it must have, and rows that it has */
  tacit_partial *partials;   /* one per thread */
  double *y;                 /* the release */
  double noise_last; /* standard deviation in a coordinate of the last mean gradient */
} tacit_run_round;

/* The name of a run, and the checkpoint that it is resumed from. */
typedef struct tacit_run_log {
  char id[2 * TACIT_RUN_ID_BYTES + 1]; /* empty for a stream, which has a name */
  tacit_checkpoint *checkpoint;        /* NULL without a checkpoint, and on ranks above
                                          0 */
  int64_t resumed; /* the last round that came from the checkpoint */
  int is_bound;    /* 1 if tacit_replay_bind bound the run to its data */
} tacit_run_log;

struct tacit_train {
  tacit_plan *plan;
  tacit_pool *pool;
  tacit_ranks ranks; /* the processes that train together */
  tacit_run_state state;
  int64_t t;        /* the open round; between rounds, the last one */
  int64_t released; /* the last round given to the vault, set before noise is drawn */
  tacit_algorithm1 *algorithm1; /* NULL until round 0 is over */
  /* `mean` is empty if the run is not centred, `second` without second moments */
  tacit_stage mean, second, rounds;
  tacit_run_rows rows;
  tacit_run_round open;
  tacit_run_log log;
};

/*
 * A round of Algorithm 1 in three steps, open · add rows · close (run/round.c). The
 * loop over a reader (run.c), rows that are fed (feed.c), sums that are told
 * (ask_tell.c) and the rounds of a checkpoint (replay.c) all use these steps.
 */

/* Returns what the contributions of all rounds depend on. A worker in another process
   makes it from a plan of its own, and takes the rest from the round. */
tacit_delta tacit_plan_delta(const tacit_plan *plan);
/* Opens the next round: step 1. Returns TACIT_ESTATE if a round is open. */
tacit_status tacit_round_open(tacit_train *train, tacit_error *err);
/* Adds rows first … end-1 of a batch to the partial sums of a thread: step 2. Row i is
   at places[i] of the pass, or at place + i if `places` is NULL. */
tacit_status tacit_round_add(const tacit_train *train, tacit_partial *partial,
                             const tacit_batch *batch, int64_t first, int64_t end,
                             const int64_t *places, int64_t place, tacit_error *err);
/* Returns 1 if tacit_round_add needs places: it takes digests, or other ranks see these
   rows. */
int tacit_round_numbers(const tacit_train *train);
/* Closes the round: step 3. Releases the partial sums, which must have all rows of the
   round, moves the learner on, and records the round. */
tacit_status tacit_round_close(tacit_train *train, tacit_error *err);
/* Closes the round with a sum that was made elsewhere: step 3. In a group each rank
   brings a sum of its own. */
tacit_status tacit_round_close_with(tacit_train *train, tacit_partial *sum,
                                    tacit_error *err);

/* Writes the places of the rows of the open round. Places of rows of persons are
   secret. */
void tacit_round_batch(const tacit_train *train, int64_t *out_first, int64_t *out_end);

/* Keeps the first failure of a thread, which occurred at a task or place. */
void tacit_partial_fail(tacit_partial *partial, int64_t at, const tacit_error *error);
/* Returns the lowest failure of all threads. Tasks and blocks start in ascending order,
   so all lower ones were done, and the answer does not depend on the number of
   threads. */
tacit_status tacit_partials_check(const tacit_train *train, tacit_error *err);

/* Return the facts that the effect of the noise is followed with, and write that
   effect: the standard deviation of each weight of an input, outputs times features
   numbers, or NULL if it is not known (run/noise.c). */
tacit_band_facts tacit_train_band_facts(const tacit_train *train);
tacit_status tacit_train_noise(const tacit_train *train, double **out,
                               tacit_error *err);

/* Make what rounds 1 … R need: Algorithm 1, and sums that replace those that round 0
   used (run/train.c). A centred run makes them when round 0 is closed. */
tacit_status tacit_train_algorithm1(tacit_train *train, tacit_error *err);
tacit_status tacit_train_sums(tacit_train *train, tacit_error *err);
/* Returns the round before the first one: 0 or below. */
static inline int64_t tacit_train_before(const tacit_train *train) {
  return tacit_plan_first_round(train->plan) - 1;
}
/* Returns the stage of the open round. */
static inline tacit_stage *tacit_train_stage(tacit_train *train) {
  return train->t > 0                                     ? &train->rounds
         : tacit_plan_has_products(train->plan, train->t) ? &train->second
                                                          : &train->mean;
}

/* Runs one call of the user as a step (run/train.c). A failure ends the run on this
   rank and on all others. */
tacit_status tacit_train_step(tacit_train *train, tacit_step step, void *context,
                              tacit_error *err);
/* Calls the user's progress callback. Returns TACIT_ECANCELED if it says stop. */
tacit_status tacit_train_report(tacit_train *train, tacit_error *err);

/* Opens the checkpoint of the plan, if it has one and this rank keeps it
   (run/replay.c). */
tacit_status tacit_replay_open(tacit_train *train, tacit_error *err);
/* Takes a new run through the rounds of its checkpoint. Afterwards rows are expected
   from the first one on, and are only compared until new rounds begin. */
tacit_status tacit_replay(tacit_train *train, tacit_error *err);
/* Binds the checkpoint to its data; must be called before the first row or sum.
   `reader` is where the rows come from, or NULL if that is unknown. `rereads` must be 1
   if rows will come again. Later calls do nothing. */
tacit_status tacit_replay_bind(tacit_train *train, tacit_reader *reader, int rereads,
                               tacit_error *err);
/* Skips passes whose rounds all came from the checkpoint, for a source that can start
   at any pass. Returns the last round that it skips. */
int64_t tacit_replay_skip_passes(tacit_train *train);
/* Skips the rows of rounds that came from the checkpoint, for ask and tell, where these
   rows do not come again. */
tacit_status tacit_replay_skip_rows(tacit_train *train, tacit_error *err);
/* Returns the index of the open round's digest: its batch, or the number of batches for
   round 0. */
int64_t tacit_replay_digest_of(const tacit_train *train);
/* Returns TACIT_EDATA if the rows of the open round have another digest than in the
   checkpoint. */
tacit_status tacit_replay_compare(tacit_train *train, const tacit_digest *raw_digest,
                                  tacit_error *err);
/* Adds the round that was just released to the checkpoint, unless it came from
   there. */
tacit_status tacit_replay_record(tacit_train *train, const tacit_partial *sum,
                                 tacit_error *err);

#endif
