/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_AUDIT_ATTACKER_H
#define TACIT_EXTRA_AUDIT_ATTACKER_H

#include "extra/audit/canary.h"
#include "extra/audit/neighbours.h"
#include "run/run.h"

/*
 * The attacker of an audit, which watches one run at a time. It sees the releases y_t
 * of the run, knows both data sets, and is told which rows the run took in each round.
 * After every release it computes what the vault would have encoded for each data set,
 * and adds to the log-likelihood ratio of the two.
 *
 * The ratio is for the matching order: where the run took row i, a run on the other
 * data set is assumed to take the same record, wherever that record stands there.
 * docs/proofs/secret_order.md says why no attacker without that knowledge does better.
 * A second ratio is for the order that an earlier run had, with the same rows by
 * number. It is worthless while orders are secret.
 */

/* The rows that a run took in each round of the first pass: batch j has the rows at
   places starts[j] … starts[j+1]-1. */
typedef struct tacit_seen_order {
  int64_t batches, *starts, *rows;
} tacit_seen_order;

enum {
  /* guesses 0 and 1: first and second file in the matching order; guesses 2 and 3:
     first and second file in the order of another run */
  TACIT_GUESSES = 4,
  TACIT_STAGES = 3 /* the mean, second moments, all rounds from 1 on */
};

typedef struct tacit_attacker {
  const tacit_neighbours *both;
  tacit_reader *readers[2];
  const tacit_seen_order *order; /* order of another run, or NULL for no second ratio */
  tacit_canary canary;

  /* The run that is watched. */
  tacit_train *train; /* NULL if no run is watched */
  int which;          /* file that the run reads */
  double ratios[2];   /* log-likelihood ratios of the first file over the second */
  double distance;  /* squared distance of what the vault encodes for the two files, in
                       the matching order and in units of the noise: at most mu^2. For
                       pure DP the sum of sizes, at most epsilon */
  double noise;     /* sum of squares of y minus the encoding of the file that was
                       read, in units of the noise; its expected value is `numbers` */
  int64_t numbers;  /* how many numbers were released */
  double distances; /* sum of `distance` over all runs so far */

  /* The open round of the run. */
  int64_t t, taken;   /* number of the round, and of the rows it took */
  int64_t *raw_rows;  /* rows that the round took */
  double *x, *x_prev; /* points of the round, copied before the run moves on */
  tacit_sum *sums[TACIT_STAGES]; /* NULL until needed */
  size_t longest;                /* length of the longest sum of any round */
  int64_t *raw_integers[TACIT_GUESSES];
  tacit_i128 *raw_encoded;
  double *raw_off[TACIT_GUESSES];
  tacit_encoder encoders[TACIT_STAGES][TACIT_GUESSES];
  tacit_made_rows gathered;
  uint32_t *raw_unit_rows;
  tacit_error error; /* first failure of the attacker in this run */
} tacit_attacker;

/* Prepares an attacker for runs of `plan`. The neighbours must outlive the attacker. */
tacit_status tacit_attacker_init(tacit_attacker *attacker, const tacit_neighbours *both,
                                 const tacit_plan *plan, tacit_error *err);
/* Frees the parts of the attacker. Allowed after an init that failed. */
void tacit_attacker_fini(tacit_attacker *attacker);

/* Makes a run on one of the files and watches it. Sets the ratios of this run. */
tacit_status tacit_attacker_run(tacit_attacker *attacker, const tacit_config *config,
                                int which, tacit_error *err);
/* Makes a run on the first file and records the order of its rows. The caller frees
   out->rows and out->starts. */
tacit_status tacit_attacker_learn(tacit_attacker *attacker, const tacit_config *config,
                                  tacit_seen_order *out, tacit_error *err);

#endif
