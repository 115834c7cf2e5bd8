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

/* checkpoint/binding.c: everything in a plan that can change a bit of the model. */
tacit_status tacit_plan_binding(const tacit_plan *plan, tacit_binding *out,
                                tacit_error *err);
/* The state of a run between two rounds: the next play of the learner, the average, and
   the longest step so far, which the next bound depends on. A replay that does not
   reach this state is another run. */
void tacit_state_binding(size_t dim, const double *w, const double *x,
                         double longest_step, tacit_binding *out);

/* Opens the checkpoint of a plan. A file that exists must be of the same plan,
   else TACIT_EPRIVACY. */
tacit_status tacit_checkpoint_new(const tacit_plan *plan, tacit_checkpoint **out,
                                  tacit_error *err);
void tacit_checkpoint_free(tacit_checkpoint *checkpoint);

/* Rounds in the checkpoint; 0 for a new run. */
int64_t tacit_checkpoint_rounds(const tacit_checkpoint *checkpoint);
/* 1 when the file existed: the key comes from it. 0: the caller sets the key. */
int tacit_checkpoint_found(const tacit_checkpoint *checkpoint);
void tacit_checkpoint_key(const tacit_checkpoint *checkpoint, tacit_key *out);
void tacit_checkpoint_set_key(tacit_checkpoint *checkpoint, const tacit_key *key);
/* The id of the run, as its key. It is zeros in a file that was written before runs had
   ids. */
void tacit_checkpoint_id(const tacit_checkpoint *checkpoint,
                         unsigned char out[TACIT_RUN_ID_BYTES]);
void tacit_checkpoint_set_id(tacit_checkpoint *checkpoint,
                             const unsigned char id[TACIT_RUN_ID_BYTES]);
/* The first `count` sums and the digest of the batch of the r-th round. Called for r =
   1, 2, … in this order, before tacit_checkpoint_begin. */
void tacit_checkpoint_get(tacit_checkpoint *checkpoint, int64_t r, size_t count,
                          int64_t *raw_sum, tacit_digest *raw_digest);
/* 1 when every round has the digest of its batch. */
int tacit_checkpoint_has_digests(const tacit_checkpoint *checkpoint);
/* The state that the rounds of the checkpoint lead to. TACIT_EPRIVACY when the run was
   in another state when they were written; a new checkpoint takes it as its first. */
tacit_status tacit_checkpoint_reach(tacit_checkpoint *checkpoint,
                                    const tacit_binding *state, tacit_error *err);

/* Before the first row: the files to be read and their content. In a checkpoint that
   existed they must be the same: other files are TACIT_EPRIVACY, another content is
   TACIT_EDATA; a content of zeros means unknown and is not compared. A new checkpoint
   is written now, so that the key is fixed. */
tacit_status tacit_checkpoint_begin(tacit_checkpoint *checkpoint,
                                    const tacit_identity *identity,
                                    const tacit_content *content, tacit_error *err);
/* Adds the next round with `count` sums, in memory; raw_digest NULL: nobody has one. */
tacit_status tacit_checkpoint_add(tacit_checkpoint *checkpoint, size_t count,
                                  const int64_t *raw_sum,
                                  const tacit_digest *raw_digest, tacit_error *err);
/* 1 when the rounds added since the last write should be written: after every round up
   to 64, and after the last round; in between when they are a sixteenth of those
   written or a megabyte, because every write waits for the disk. */
int tacit_checkpoint_due(const tacit_checkpoint *checkpoint);
/* Appends these rounds to the file. `state` is the state of the run now. */
tacit_status tacit_checkpoint_write(tacit_checkpoint *checkpoint,
                                    const tacit_binding *state, tacit_error *err);

#endif
