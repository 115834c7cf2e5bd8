/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_AUDIT_ATTACKER_H
#define TACIT_EXTRA_AUDIT_ATTACKER_H

#include "extra/audit/canary.h"
#include "extra/audit/neighbours.h"
#include "run/run.h"

/*
 * The attacker of an audit, beside one run at a time. It sees what a run releases, y_t,
 * knows both data sets, and is told which rows the run took in each round. After every
 * release it computes what each data set would have had the vault encode, and adds to
 * the log-likelihood ratio of the two.
 *
 * The ratio is for the matching order: where the run took row i, a run on the other set
 * is taken to have taken the same record, wherever it is there.
 * docs/proofs/secret_order.md says why no attacker without that knowledge does better.
 * A second ratio is for an order that a run before had, the same rows by number: it is
 * worthless while orders are secret.
 */

/* Which rows a run took in each round of the first pass: of batch j those at places
   starts[j] … starts[j+1]-1. */
typedef struct tacit_seen_order {
  int64_t batches, *starts, *rows;
} tacit_seen_order;

enum {
  TACIT_GUESSES = 4
}; /* first and second file, in the matching order; … in that
      of another run */

typedef struct tacit_attacker {
  const tacit_neighbours *both;
  tacit_reader *readers[2];
  const tacit_seen_order *order; /* NULL: no second ratio */
  tacit_canary canary;

  /* The run that is watched. */
  tacit_train *train; /* NULL: none */
  int which;          /* the file it reads */
  double ratios[2];   /* of the first file over the second */
  double distance;    /* between the two files in the matching order: the sum of squares
                         of what they differ in, in units of the noise, at most mu^2; of
                         pure DP the sum of sizes, at most epsilon */
  double noise;       /* sum of squares of y less what its own file encodes to, in units
                         of the noise: about the next number */
  int64_t numbers;    /* that were released */
  double distances;   /* the sum of the distances of all runs so far */

  /* Its open round. */
  int64_t t, taken;   /* … and how many rows it took */
  int64_t *raw_rows;  /* these rows */
  double *x, *x_prev; /* the points of the round, before the run moves on */
  tacit_sum *sums[2]; /* of round 0 and of the others; NULL until needed */
  size_t longest;     /* numbers of a sum, at most */
  int64_t *raw_integers[TACIT_GUESSES];
  tacit_i128 *raw_encoded;
  double *raw_off[TACIT_GUESSES];
  tacit_encoder encoders[2][TACIT_GUESSES]; /* of round 0 and of the others */
  tacit_batch gathered;
  double *raw_values, *raw_labels, *raw_weights;
  uint32_t *raw_unit_rows;
  tacit_error error; /* the first failure while it watched */
} tacit_attacker;

/* `plan` has the sizes of the runs. The neighbours are borrowed. */
tacit_status tacit_attacker_init(tacit_attacker *attacker, const tacit_neighbours *both,
                                 const tacit_plan *plan, tacit_error *err);
/* Also after an init that failed. */
void tacit_attacker_fini(tacit_attacker *attacker);

/* A run on one of the files, watched. The ratios are those of this run. */
tacit_status tacit_attacker_run(tacit_attacker *attacker, const tacit_config *config,
                                int which, tacit_error *err);
/* The same, to see its order: makes out->rows and out->starts, which the caller frees.
 */
tacit_status tacit_attacker_learn(tacit_attacker *attacker, const tacit_config *config,
                                  tacit_seen_order *out, tacit_error *err);

#endif
