/* SPDX-License-Identifier: MIT */
/*
 * The contents of a checkpoint, in one buffer as it is sealed: a head of fixed size,
 * then a record for each round (digest of the batch, sums), integers least significant
 * byte first. All of it is secret: the key and the sums carry no noise.
 */
#include "engine/checkpoint.h"

#include <stdio.h>
#include <string.h>
#include <tacit/version.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"

enum {
  AT_KEY = 0,
  AT_PLAN = AT_KEY + TACIT_KEY_BYTES,
  AT_FILES = AT_PLAN + TACIT_BINDING_BYTES,
  AT_STATE = AT_FILES + TACIT_IDENTITY_BYTES,
  AT_VERSION = AT_STATE + TACIT_BINDING_BYTES,
  VERSION_BYTES = 32,
  AT_DIM = AT_VERSION + VERSION_BYTES,
  AT_ROUNDS = AT_DIM + 8,       /* of the plan */
  AT_DONE = AT_ROUNDS + 8,      /* records that follow */
  AT_HAS_DIGESTS = AT_DONE + 8, /* 0 or 1 */
  HEAD_BYTES = AT_HAS_DIGESTS + 8,
  EVERY_ROUND = 64, /* rounds that are all written */
  LATER_SHARE = 16  /* then one write for a sixteenth more */
};

struct tacit_checkpoint {
  tacit_checkpoint_file file;
  unsigned char *raw_log; /* head and records */
  size_t record_bytes;
  int64_t rounds;  /* of the plan */
  int64_t done;    /* rounds in the log */
  int64_t room;    /* records there is room for */
  int64_t written; /* rounds in the file; -1: no file yet */
  int found;
};

static uint64_t load_le64(const unsigned char *bytes) {
  uint64_t value = 0;
  for (int i = 7; i >= 0; --i)
    value = value << 8 | bytes[i];
  return value;
}

static unsigned char *record(const tacit_checkpoint *checkpoint, int64_t r) {
  return checkpoint->raw_log + HEAD_BYTES + (size_t)(r - 1) * checkpoint->record_bytes;
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

/* Whether what was in the file is of this plan. */
static tacit_status check_head(const tacit_checkpoint *checkpoint, size_t size,
                               const tacit_plan *plan, const tacit_binding *binding,
                               tacit_error *err) {
  const unsigned char *raw_log = checkpoint->raw_log;
  char version[VERSION_BYTES];
  fill_version(version);
  if (size < HEAD_BYTES)
    return tacit_fail(err, TACIT_EDATA, "%s: not a checkpoint of tacit",
                      checkpoint->file.path);
  if (memcmp(raw_log + AT_VERSION, version, VERSION_BYTES) != 0) {
    char text[64];
    (void)snprintf(text, sizeof text, "another version of tacit (%.31s)",
                   (const char *)raw_log + AT_VERSION);
    return fail_differs(checkpoint, text, err);
  }
  if (memcmp(raw_log + AT_PLAN, binding->bytes, TACIT_BINDING_BYTES) != 0)
    return fail_differs(checkpoint, "other options, columns or rows", err);
  uint64_t done = load_le64(raw_log + AT_DONE);
  if (load_le64(raw_log + AT_DIM) != plan->dim ||
      load_le64(raw_log + AT_ROUNDS) != (uint64_t)plan->rounds ||
      done > (uint64_t)plan->rounds ||
      (size - HEAD_BYTES) / checkpoint->record_bytes != done ||
      (size - HEAD_BYTES) % checkpoint->record_bytes != 0)
    return tacit_fail(err, TACIT_EDATA, "%s: the checkpoint contradicts itself",
                      checkpoint->file.path);
  return TACIT_OK;
}

static tacit_status load(tacit_checkpoint *checkpoint, const tacit_plan *plan,
                         const tacit_binding *binding, tacit_error *err) {
  size_t size;
  TACIT_TRY(
      tacit_checkpoint_file_read(&checkpoint->file, &checkpoint->raw_log, &size, err));
  TACIT_TRY(check_head(checkpoint, size, plan, binding, err));
  checkpoint->found = 1;
  checkpoint->done = (int64_t)load_le64(checkpoint->raw_log + AT_DONE);
  checkpoint->room = checkpoint->written = checkpoint->done;
  return TACIT_OK;
}

static tacit_status start(tacit_checkpoint *checkpoint, const tacit_plan *plan,
                          const tacit_binding *binding, tacit_error *err) {
  unsigned char *raw_log = tacit_raw_new(HEAD_BYTES, 1);
  if (raw_log == NULL) return tacit_fail_memory(err);
  char version[VERSION_BYTES];
  fill_version(version);
  memcpy(raw_log + AT_PLAN, binding->bytes, TACIT_BINDING_BYTES);
  memcpy(raw_log + AT_VERSION, version, VERSION_BYTES);
  tacit_store_le64(raw_log + AT_DIM, plan->dim);
  tacit_store_le64(raw_log + AT_ROUNDS, (uint64_t)plan->rounds);
  tacit_store_le64(raw_log + AT_HAS_DIGESTS, 1);
  checkpoint->raw_log = raw_log;
  checkpoint->written = -1;
  return TACIT_OK;
}

static tacit_status open_checkpoint(tacit_checkpoint *checkpoint,
                                    const tacit_plan *plan, tacit_error *err) {
  tacit_binding binding;
  if (plan->dim > (SIZE_MAX - TACIT_DIGEST_BYTES) / 8) return tacit_fail_memory(err);
  checkpoint->record_bytes = TACIT_DIGEST_BYTES + plan->dim * 8;
  checkpoint->rounds = plan->rounds;
  TACIT_TRY(tacit_plan_binding(plan, &binding, err));
  TACIT_TRY(tacit_checkpoint_file_init(&checkpoint->file, plan->checkpoint,
                                       plan->key_file, plan->config.resume, err));
  return checkpoint->file.fd >= 0 ? load(checkpoint, plan, &binding, err)
                                  : start(checkpoint, plan, &binding, err);
}

tacit_status tacit_checkpoint_new(const tacit_plan *plan, tacit_checkpoint **out,
                                  tacit_error *err) {
  tacit_checkpoint *checkpoint = tacit_raw_new(1, sizeof *checkpoint);
  if (checkpoint == NULL) return tacit_fail_memory(err);
  checkpoint->file.fd = -1;
  tacit_status status = open_checkpoint(checkpoint, plan, err);
  if (status != TACIT_OK) {
    tacit_checkpoint_free(checkpoint);
    return status;
  }
  *out = checkpoint;
  return TACIT_OK;
}

void tacit_checkpoint_free(tacit_checkpoint *checkpoint) {
  if (checkpoint == NULL) return;
  tacit_checkpoint_file_fini(&checkpoint->file);
  tacit_raw_free(checkpoint->raw_log);
  tacit_raw_free(checkpoint);
}

int64_t tacit_checkpoint_rounds(const tacit_checkpoint *checkpoint) {
  return checkpoint->done;
}

int tacit_checkpoint_found(const tacit_checkpoint *checkpoint) {
  return checkpoint->found;
}

void tacit_checkpoint_key(const tacit_checkpoint *checkpoint, tacit_key *out) {
  memcpy(out->bytes, checkpoint->raw_log + AT_KEY, sizeof out->bytes);
}

void tacit_checkpoint_set_key(tacit_checkpoint *checkpoint, const tacit_key *key) {
  memcpy(checkpoint->raw_log + AT_KEY, key->bytes, sizeof key->bytes);
}

void tacit_checkpoint_get(const tacit_checkpoint *checkpoint, int64_t r,
                          int64_t *raw_sum, tacit_digest *raw_digest) {
  const unsigned char *raw_record = record(checkpoint, r);
  size_t dim = (checkpoint->record_bytes - TACIT_DIGEST_BYTES) / 8;
  memcpy(raw_digest->raw_bytes, raw_record, TACIT_DIGEST_BYTES);
  for (size_t i = 0; i < dim; ++i)
    raw_sum[i] = (int64_t)load_le64(raw_record + TACIT_DIGEST_BYTES + 8 * i);
}

int tacit_checkpoint_has_digests(const tacit_checkpoint *checkpoint) {
  return load_le64(checkpoint->raw_log + AT_HAS_DIGESTS) != 0;
}

tacit_status tacit_checkpoint_check_state(const tacit_checkpoint *checkpoint,
                                          const tacit_binding *state,
                                          tacit_error *err) {
  if (memcmp(checkpoint->raw_log + AT_STATE, state->bytes, sizeof state->bytes) == 0)
    return TACIT_OK;
  return tacit_fail(err, TACIT_EPRIVACY,
                    "%s: the rounds of the checkpoint come out otherwise here: go on "
                    "with the same program on the same kind of machine",
                    checkpoint->file.path);
}

tacit_status tacit_checkpoint_begin(tacit_checkpoint *checkpoint,
                                    const tacit_identity *identity,
                                    const tacit_binding *state, tacit_error *err) {
  unsigned char *raw_files = checkpoint->raw_log + AT_FILES;
  if (!checkpoint->found) {
    memcpy(raw_files, identity->raw_bytes, TACIT_IDENTITY_BYTES);
    return tacit_checkpoint_write(checkpoint, state, err);
  }
  if (memcmp(raw_files, identity->raw_bytes, TACIT_IDENTITY_BYTES) == 0)
    return TACIT_OK;
  return fail_differs(checkpoint, "other data files (names, sizes or order)", err);
}

static tacit_status make_room(tacit_checkpoint *checkpoint, tacit_error *err) {
  int64_t room = checkpoint->room > 0 ? 2 * checkpoint->room : EVERY_ROUND;
  if (room > checkpoint->rounds) room = checkpoint->rounds;
  if ((uint64_t)room > (SIZE_MAX - HEAD_BYTES) / checkpoint->record_bytes)
    return tacit_fail_memory(err);
  size_t size = HEAD_BYTES + (size_t)room * checkpoint->record_bytes;
  unsigned char *raw_larger = tacit_raw_grow(checkpoint->raw_log, size, 1);
  if (raw_larger == NULL) return tacit_fail_memory(err);
  checkpoint->raw_log = raw_larger;
  checkpoint->room = room;
  return TACIT_OK;
}

tacit_status tacit_checkpoint_add(tacit_checkpoint *checkpoint, const int64_t *raw_sum,
                                  const tacit_digest *raw_digest, tacit_error *err) {
  if (checkpoint->done == checkpoint->room) TACIT_TRY(make_room(checkpoint, err));
  unsigned char *raw_record = record(checkpoint, ++checkpoint->done);
  size_t dim = (checkpoint->record_bytes - TACIT_DIGEST_BYTES) / 8;
  if (raw_digest != NULL)
    memcpy(raw_record, raw_digest->raw_bytes, TACIT_DIGEST_BYTES);
  else
    tacit_store_le64(checkpoint->raw_log + AT_HAS_DIGESTS, 0);
  for (size_t i = 0; i < dim; ++i)
    tacit_store_le64(raw_record + TACIT_DIGEST_BYTES + 8 * i, (uint64_t)raw_sum[i]);
  return TACIT_OK;
}

int tacit_checkpoint_due(const tacit_checkpoint *checkpoint) {
  int64_t done = checkpoint->done, fresh = done - checkpoint->written;
  return done <= EVERY_ROUND || done == checkpoint->rounds ||
         fresh >= checkpoint->written / LATER_SHARE;
}

tacit_status tacit_checkpoint_write(tacit_checkpoint *checkpoint,
                                    const tacit_binding *state, tacit_error *err) {
  memcpy(checkpoint->raw_log + AT_STATE, state->bytes, sizeof state->bytes);
  tacit_store_le64(checkpoint->raw_log + AT_DONE, (uint64_t)checkpoint->done);
  size_t size = HEAD_BYTES + (size_t)checkpoint->done * checkpoint->record_bytes;
  TACIT_TRY(
      tacit_checkpoint_file_write(&checkpoint->file, checkpoint->raw_log, size, err));
  checkpoint->written = checkpoint->done;
  return TACIT_OK;
}
