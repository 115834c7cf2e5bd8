/* SPDX-License-Identifier: MIT */
/*
 * The records of a checkpoint's log. The first record identifies the run and is written
 * once. Every other record contains some rounds: the state after the last of these
 * rounds, whether all rounds so far have digests, then for each round the digest of its
 * batch and its sums. Integers are stored least significant byte first. The records are
 * secret, because they contain the key and sums without noise.
 */
#include "checkpoint/checkpoint.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <tacit/version.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"

enum {
  /* Offsets of the fields in the first record. */
  AT_KEY = 0,
  AT_PLAN = AT_KEY + TACIT_KEY_BYTES,
  AT_FILES = AT_PLAN + TACIT_BINDING_BYTES,
  AT_CONTENT = AT_FILES + TACIT_IDENTITY_BYTES,
  AT_STATE = AT_CONTENT + TACIT_CONTENT_BYTES,
  AT_VERSION = AT_STATE + TACIT_BINDING_BYTES,
  VERSION_BYTES = 32,
  AT_DIM = AT_VERSION + VERSION_BYTES,
  AT_ROUNDS = AT_DIM + 8, /* number of rounds of the plan */
  AT_ID = AT_ROUNDS + 8,  /* the record ends here in files written before runs had
                             ids */
  HEAD_BYTES = AT_ID + TACIT_RUN_ID_BYTES,
  /* Offsets in the other records. */
  AT_HAS_DIGESTS = TACIT_BINDING_BYTES, /* after the state; 8 bytes with 0 or 1 */
  FRONT_BYTES = AT_HAS_DIGESTS + 8,
  EVERY_ROUND = 64,     /* number of first rounds that are written one by one */
  LATER_SHARE = 16,     /* later rounds are written when they are a sixteenth of the
                           written ones */
  MAX_PENDING = 1 << 20 /* or when they have this many bytes */
};

/* Some rounds in the form of a record. */
struct rounds {
  unsigned char *raw_record;
  int64_t count;
};

struct tacit_checkpoint {
  tacit_checkpoint_file file;
  unsigned char raw_head[HEAD_BYTES];
  unsigned char raw_state[TACIT_BINDING_BYTES]; /* the state after the last round of the
                                                   file */
  size_t round_bytes;
  int64_t rounds;  /* rounds of the plan */
  int64_t done;    /* rounds in file and memory */
  int64_t written; /* rounds in the file */
  int found, has_digests;
  struct rounds *old; /* rounds that were in the file */
  size_t n_old, old_room, old_at;
  int64_t old_first; /* number of rounds before the rounds of old[old_at] */
  struct rounds fresh;
  int64_t fresh_room; /* number of rounds that fit into `fresh` */
};

static unsigned char *round_of(const tacit_checkpoint *checkpoint,
                               const struct rounds *rounds, int64_t i) {
  return rounds->raw_record + FRONT_BYTES + (size_t)i * checkpoint->round_bytes;
}

static void fill_version(char out[VERSION_BYTES]) {
  memset(out, 0, VERSION_BYTES);
  size_t length = strlen(TACIT_VERSION);
  memcpy(out, TACIT_VERSION, length < VERSION_BYTES ? length : VERSION_BYTES - 1);
}

static tacit_status fail_differs(const tacit_checkpoint *checkpoint, const char *what,
                                 tacit_error *err) {
  return tacit_fail(err, TACIT_EPRIVACY,
                    "%s: the checkpoint is of a run with %s: give it the same, or "
                    "delete it to start anew",
                    checkpoint->file.path, what);
}

static tacit_status fail_contradiction(const tacit_checkpoint *checkpoint,
                                       tacit_error *err) {
  return tacit_fail(err, TACIT_EDATA, "%s: the checkpoint contradicts itself",
                    checkpoint->file.path);
}

/* sums_of returns the length of the longest sum of a round; rounds_of returns the
   number of rounds, with round 0. */
static size_t sums_of(const tacit_plan *plan) { return tacit_plan_longest(plan); }

static int64_t rounds_of(const tacit_plan *plan) {
  return plan->rounds + 1 - tacit_plan_first_round(plan);
}

/* Checks that the first record is of a run with this plan. Does not compare the version
   of the library, because format and binding have numbers of their own. */
static tacit_status check_head(const tacit_checkpoint *checkpoint,
                               const unsigned char *raw_head, size_t size,
                               const tacit_plan *plan, const tacit_binding *binding,
                               tacit_error *err) {
  if (size != HEAD_BYTES && size != AT_ID)
    return tacit_fail(err, TACIT_EDATA, "%s: not a checkpoint of tacit",
                      checkpoint->file.path);
  if (memcmp(raw_head + AT_PLAN, binding->bytes, TACIT_BINDING_BYTES) != 0)
    return fail_differs(checkpoint, "other options, columns or rows", err);
  if (tacit_load_le64(raw_head + AT_DIM) != sums_of(plan) ||
      tacit_load_le64(raw_head + AT_ROUNDS) != (uint64_t)rounds_of(plan))
    return fail_contradiction(checkpoint, err);
  return TACIT_OK;
}

/* Adds a record of rounds from the file. Takes ownership of the record, also if it
   fails. */
static tacit_status take_rounds(tacit_checkpoint *checkpoint, unsigned char *raw_record,
                                size_t size, tacit_error *err) {
  size_t count =
      size < FRONT_BYTES ? 0 : (size - FRONT_BYTES) / checkpoint->round_bytes;
  if (checkpoint->n_old == checkpoint->old_room) {
    size_t room = 2 * checkpoint->old_room + 16;
    struct rounds *larger =
        tacit_array_grow(checkpoint->old, room, sizeof *checkpoint->old);
    if (larger == NULL) {
      tacit_raw_free(raw_record);
      return tacit_fail_memory(err);
    }
    checkpoint->old = larger;
    checkpoint->old_room = room;
  }
  checkpoint->old[checkpoint->n_old++] = (struct rounds){raw_record, (int64_t)count};
  if (count == 0 || (size - FRONT_BYTES) % checkpoint->round_bytes != 0 ||
      count > (uint64_t)(checkpoint->rounds - checkpoint->done))
    return fail_contradiction(checkpoint, err);
  memcpy(checkpoint->raw_state, raw_record, TACIT_BINDING_BYTES);
  checkpoint->has_digests &= tacit_load_le64(raw_record + AT_HAS_DIGESTS) != 0;
  checkpoint->done += (int64_t)count;
  return TACIT_OK;
}

static tacit_status load(tacit_checkpoint *checkpoint, const tacit_plan *plan,
                         const tacit_binding *binding, tacit_error *err) {
  tacit_sealed *log = &checkpoint->file.log;
  unsigned char *raw_record = NULL;
  size_t size = 0;
  TACIT_TRY(tacit_checkpoint_file_open(&checkpoint->file, err));
  TACIT_TRY(tacit_sealed_next(log, &raw_record, &size, err));
  tacit_status status = check_head(checkpoint, raw_record, size, plan, binding, err);
  if (status == TACIT_OK) memcpy(checkpoint->raw_head, raw_record, size);
  tacit_raw_free(raw_record);
  TACIT_TRY(status);
  memcpy(checkpoint->raw_state, checkpoint->raw_head + AT_STATE, TACIT_BINDING_BYTES);
  for (;;) {
    TACIT_TRY(tacit_sealed_next(log, &raw_record, &size, err));
    if (raw_record == NULL) break;
    TACIT_TRY(take_rounds(checkpoint, raw_record, size, err));
  }
  checkpoint->found = 1;
  checkpoint->written = checkpoint->done;
  return TACIT_OK;
}

static void start(tacit_checkpoint *checkpoint, const tacit_plan *plan,
                  const tacit_binding *binding) {
  unsigned char *raw_head = checkpoint->raw_head;
  char version[VERSION_BYTES];
  fill_version(version);
  memcpy(raw_head + AT_PLAN, binding->bytes, TACIT_BINDING_BYTES);
  memcpy(raw_head + AT_VERSION, version, VERSION_BYTES);
  tacit_store_le64(raw_head + AT_DIM, sums_of(plan));
  tacit_store_le64(raw_head + AT_ROUNDS, (uint64_t)rounds_of(plan));
}

static tacit_status open_checkpoint(tacit_checkpoint *checkpoint,
                                    const tacit_plan *plan, tacit_error *err) {
  tacit_binding binding;
  if (sums_of(plan) > (SIZE_MAX - TACIT_DIGEST_BYTES) / 8)
    return tacit_fail_memory(err);
  checkpoint->round_bytes = TACIT_DIGEST_BYTES + sums_of(plan) * 8;
  checkpoint->rounds = rounds_of(plan);
  checkpoint->has_digests = 1;
  TACIT_TRY(tacit_plan_binding(plan, &binding, err));
  TACIT_TRY(tacit_checkpoint_file_init(&checkpoint->file, plan->checkpoint,
                                       plan->key_file, plan->config.resume, err));
  if (checkpoint->file.fd >= 0) return load(checkpoint, plan, &binding, err);
  start(checkpoint, plan, &binding);
  return TACIT_OK;
}

tacit_status tacit_checkpoint_new(const tacit_plan *plan, tacit_checkpoint **out,
                                  tacit_error *err) {
  tacit_checkpoint *checkpoint = tacit_raw_new(1, sizeof *checkpoint);
  if (checkpoint == NULL) return tacit_fail_memory(err);
  checkpoint->file.fd = -1;
  tacit_status status = open_checkpoint(checkpoint, plan, err);
  return TACIT_HAND_OVER(status, checkpoint, tacit_checkpoint_free, out);
}

/* Frees the rounds of the file, which are not needed after they have been replayed. */
static void forget_old(tacit_checkpoint *checkpoint) {
  for (size_t i = 0; i < checkpoint->n_old; ++i)
    tacit_raw_free(checkpoint->old[i].raw_record);
  tacit_array_free(checkpoint->old);
  checkpoint->old = NULL;
  checkpoint->n_old = checkpoint->old_room = 0;
}

void tacit_checkpoint_free(tacit_checkpoint *checkpoint) {
  if (checkpoint == NULL) return;
  tacit_checkpoint_file_fini(&checkpoint->file);
  forget_old(checkpoint);
  TACIT_RAW_FREE(checkpoint->fresh.raw_record, checkpoint);
}

int64_t tacit_checkpoint_rounds(const tacit_checkpoint *checkpoint) {
  return checkpoint->done;
}

int tacit_checkpoint_found(const tacit_checkpoint *checkpoint) {
  return checkpoint->found;
}

void tacit_checkpoint_key(const tacit_checkpoint *checkpoint, tacit_key *out) {
  memcpy(out->bytes, checkpoint->raw_head + AT_KEY, sizeof out->bytes);
}

void tacit_checkpoint_set_key(tacit_checkpoint *checkpoint, const tacit_key *key) {
  memcpy(checkpoint->raw_head + AT_KEY, key->bytes, sizeof key->bytes);
}

void tacit_checkpoint_id(const tacit_checkpoint *checkpoint,
                         unsigned char out[TACIT_RUN_ID_BYTES]) {
  memcpy(out, checkpoint->raw_head + AT_ID, TACIT_RUN_ID_BYTES);
}

void tacit_checkpoint_set_id(tacit_checkpoint *checkpoint,
                             const unsigned char id[TACIT_RUN_ID_BYTES]) {
  memcpy(checkpoint->raw_head + AT_ID, id, TACIT_RUN_ID_BYTES);
}

void tacit_checkpoint_get(tacit_checkpoint *checkpoint, int64_t r, size_t count,
                          int64_t *raw_sum, tacit_digest *raw_digest) {
  while (r - 1 >= checkpoint->old_first + checkpoint->old[checkpoint->old_at].count)
    checkpoint->old_first += checkpoint->old[checkpoint->old_at++].count;
  const unsigned char *raw_round = round_of(
      checkpoint, &checkpoint->old[checkpoint->old_at], r - 1 - checkpoint->old_first);
  memcpy(raw_digest->raw_bytes, raw_round, TACIT_DIGEST_BYTES);
  for (size_t i = 0; i < count; ++i)
    raw_sum[i] = (int64_t)tacit_load_le64(raw_round + TACIT_DIGEST_BYTES + 8 * i);
}

int tacit_checkpoint_has_digests(const tacit_checkpoint *checkpoint) {
  return checkpoint->has_digests;
}

tacit_status tacit_checkpoint_reach(tacit_checkpoint *checkpoint,
                                    const tacit_binding *state, tacit_error *err) {
  if (!checkpoint->found) {
    memcpy(checkpoint->raw_head + AT_STATE, state->bytes, TACIT_BINDING_BYTES);
    return TACIT_OK;
  }
  if (memcmp(checkpoint->raw_state, state->bytes, sizeof state->bytes) == 0)
    return TACIT_OK;
  return tacit_fail(err, TACIT_EPRIVACY,
                    "%s: the rounds of the checkpoint come out otherwise here: go on "
                    "with the same program on the same kind of machine",
                    checkpoint->file.path);
}

tacit_status tacit_checkpoint_begin(tacit_checkpoint *checkpoint,
                                    const tacit_identity *identity,
                                    const tacit_content *content, tacit_error *err) {
  unsigned char *raw_files = checkpoint->raw_head + AT_FILES;
  unsigned char *raw_content = checkpoint->raw_head + AT_CONTENT;
  forget_old(checkpoint);
  if (!checkpoint->found) {
    memcpy(raw_files, identity->raw_bytes, TACIT_IDENTITY_BYTES);
    memcpy(raw_content, content->raw_bytes, TACIT_CONTENT_BYTES);
    return tacit_checkpoint_file_start(&checkpoint->file, checkpoint->raw_head,
                                       HEAD_BYTES, err);
  }
  if (memcmp(raw_files, identity->raw_bytes, TACIT_IDENTITY_BYTES) != 0)
    return fail_differs(checkpoint, "other data files (names, sizes or order)", err);
  if (sodium_is_zero(raw_content, TACIT_CONTENT_BYTES) ||
      sodium_is_zero(content->raw_bytes, TACIT_CONTENT_BYTES) ||
      sodium_memcmp(raw_content, content->raw_bytes, TACIT_CONTENT_BYTES) == 0)
    return TACIT_OK;
  return tacit_fail(err, TACIT_EDATA,
                    "%s: the data is not what it was when the checkpoint was written: "
                    "go on with the same rows, or delete it to start anew",
                    checkpoint->file.path);
}

static tacit_status make_room(tacit_checkpoint *checkpoint, tacit_error *err) {
  int64_t room = 2 * checkpoint->fresh_room + 1;
  if ((uint64_t)room > (SIZE_MAX - FRONT_BYTES) / checkpoint->round_bytes)
    return tacit_fail_memory(err);
  size_t size = FRONT_BYTES + (size_t)room * checkpoint->round_bytes;
  unsigned char *raw_larger = tacit_raw_grow(checkpoint->fresh.raw_record, size, 1);
  if (raw_larger == NULL) return tacit_fail_memory(err);
  checkpoint->fresh.raw_record = raw_larger;
  checkpoint->fresh_room = room;
  return TACIT_OK;
}

tacit_status tacit_checkpoint_add(tacit_checkpoint *checkpoint, size_t count,
                                  const int64_t *raw_sum,
                                  const tacit_digest *raw_digest, tacit_error *err) {
  struct rounds *fresh = &checkpoint->fresh;
  if (fresh->count == checkpoint->fresh_room) TACIT_TRY(make_room(checkpoint, err));
  unsigned char *raw_round = round_of(checkpoint, fresh, fresh->count);
  memset(raw_round, 0, checkpoint->round_bytes);
  if (raw_digest != NULL)
    memcpy(raw_round, raw_digest->raw_bytes, TACIT_DIGEST_BYTES);
  else
    checkpoint->has_digests = 0;
  for (size_t i = 0; i < count; ++i)
    tacit_store_le64(raw_round + TACIT_DIGEST_BYTES + 8 * i, (uint64_t)raw_sum[i]);
  ++fresh->count;
  ++checkpoint->done;
  return TACIT_OK;
}

int tacit_checkpoint_due(const tacit_checkpoint *checkpoint) {
  int64_t done = checkpoint->done, fresh = checkpoint->fresh.count;
  return done <= EVERY_ROUND || done == checkpoint->rounds ||
         fresh >= checkpoint->written / LATER_SHARE ||
         (size_t)fresh >= MAX_PENDING / checkpoint->round_bytes;
}

tacit_status tacit_checkpoint_write(tacit_checkpoint *checkpoint,
                                    const tacit_binding *state, tacit_error *err) {
  struct rounds *fresh = &checkpoint->fresh;
  size_t size = FRONT_BYTES + (size_t)fresh->count * checkpoint->round_bytes;
  if (fresh->count == 0) return TACIT_OK;
  memcpy(fresh->raw_record, state->bytes, sizeof state->bytes);
  tacit_store_le64(fresh->raw_record + AT_HAS_DIGESTS,
                   (uint64_t)checkpoint->has_digests);
  TACIT_TRY(tacit_sealed_append(&checkpoint->file.log, fresh->raw_record, size, err));
  checkpoint->written = checkpoint->done;
  fresh->count = 0;
  return TACIT_OK;
}
