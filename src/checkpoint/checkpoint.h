/* SPDX-License-Identifier: MIT */
#ifndef TACIT_CHECKPOINT_CHECKPOINT_H
#define TACIT_CHECKPOINT_CHECKPOINT_H

#include "admit/digest.h"
#include "checkpoint/file.h"
#include "data/reader/content.h"
#include "plan/plan.h"

/*
 * A checkpoint holds the inputs of a run: its key, and for every released round the
 * sums without noise and the digest of the batch. Noise, releases, encoder and learner
 * are functions of these, so a run is restored by releasing the same rounds again;
 * nothing else is stored. Proof: docs/proofs/checkpoint.md
 */
typedef struct tacit_checkpoint tacit_checkpoint;

enum { TACIT_BINDING_BYTES = 32, TACIT_RUN_ID_BYTES = 16 };

/* A digest of public facts that must be the same when a run is resumed. */
typedef struct tacit_binding {
  unsigned char bytes[TACIT_BINDING_BYTES];
} tacit_binding;

/* checkpoint/binding.c: computes the digest of everything in a plan that can change a
   bit of the model. */
tacit_status tacit_plan_binding(const tacit_plan *plan, tacit_binding *out,
                                tacit_error *err);
/* Computes the digest of the state of a run between two rounds: the next point w of the
   learner, the average x, and the longest step so far, on which the next bound depends.
   A replay that does not reach this state is another run. */
void tacit_state_binding(size_t dim, const double *w, const double *x,
                         double longest_step, tacit_binding *out);

/* Opens the checkpoint of a plan. Returns TACIT_EPRIVACY if the file exists and is of
   another plan. */
tacit_status tacit_checkpoint_new(const tacit_plan *plan, tacit_checkpoint **out,
                                  tacit_error *err);
void tacit_checkpoint_free(tacit_checkpoint *checkpoint);

/* Returns the number of rounds in the checkpoint, 0 for a new run. */
int64_t tacit_checkpoint_rounds(const tacit_checkpoint *checkpoint);
/* Returns 1 if the file existed, so that tacit_checkpoint_key gives the key of the run.
   Otherwise the caller must set the key with tacit_checkpoint_set_key. */
int tacit_checkpoint_found(const tacit_checkpoint *checkpoint);
void tacit_checkpoint_key(const tacit_checkpoint *checkpoint, tacit_key *out);
void tacit_checkpoint_set_key(tacit_checkpoint *checkpoint, const tacit_key *key);
/* Read and set the id of the run. The id is zeros in a file that was written before
   runs had ids. */
void tacit_checkpoint_id(const tacit_checkpoint *checkpoint,
                         unsigned char out[TACIT_RUN_ID_BYTES]);
void tacit_checkpoint_set_id(tacit_checkpoint *checkpoint,
                             const unsigned char id[TACIT_RUN_ID_BYTES]);
/* Reads the first `count` sums and the digest of the batch of the r-th round. Must be
   called for r = 1, 2, … in this order, before tacit_checkpoint_begin. */
void tacit_checkpoint_get(tacit_checkpoint *checkpoint, int64_t r, size_t count,
                          int64_t *raw_sum, tacit_digest *raw_digest);
/* Returns 1 if every round has the digest of its batch. */
int tacit_checkpoint_has_digests(const tacit_checkpoint *checkpoint);
/* Checks that `state`, which the replay of the rounds has reached, is the state that
   was written with them. Returns TACIT_EPRIVACY if not. In a new checkpoint, stores
   `state` as the first state. */
tacit_status tacit_checkpoint_reach(tacit_checkpoint *checkpoint,
                                    const tacit_binding *state, tacit_error *err);

/* Takes the identity of the files to be read and their content. Must be called before
   the first row is read. If the checkpoint existed, returns TACIT_EPRIVACY if the files
   differ and TACIT_EDATA if their content differs. A content of zeros means unknown and
   is not compared. Writes a new checkpoint to its file, so that the key is fixed. */
tacit_status tacit_checkpoint_begin(tacit_checkpoint *checkpoint,
                                    const tacit_identity *identity,
                                    const tacit_content *content, tacit_error *err);
/* Adds the next round with `count` sums, in memory. raw_digest is NULL if the digest of
   the batch is not known. */
tacit_status tacit_checkpoint_add(tacit_checkpoint *checkpoint, size_t count,
                                  const int64_t *raw_sum,
                                  const tacit_digest *raw_digest, tacit_error *err);
/* Returns 1 if the rounds added since the last write should be written now. This is so
   after each of the first 64 rounds and after the last round. In between it is so if
   the new rounds are a sixteenth of the written ones or a megabyte, because every write
   waits for the disk. */
int tacit_checkpoint_due(const tacit_checkpoint *checkpoint);
/* Appends the rounds added since the last write to the file. `state` must be the state
   of the run now. */
tacit_status tacit_checkpoint_write(tacit_checkpoint *checkpoint,
                                    const tacit_binding *state, tacit_error *err);

#endif
