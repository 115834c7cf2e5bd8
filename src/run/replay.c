/* SPDX-License-Identifier: MIT */
/*
 * A run and its checkpoint. Going on means: a new run under the same key releases the
 * rounds of the checkpoint again, from the sums in it, and so comes to the same state
 * bit for bit. Then the rows of these rounds are read once more, only to compare the
 * digests of the batches: on other rows the run does not go on.
 */
#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "run/run.h"

_Static_assert((int)TACIT_IDENTITY_BYTES == (int)TACIT_DIGEST_BYTES &&
                   (int)TACIT_CONTENT_BYTES == (int)TACIT_DIGEST_BYTES,
               "they meet as one");

static void state_of(const tacit_train *train, tacit_binding *out) {
  tacit_state_binding(train->plan->dim, tacit_algorithm1_x(train->algorithm1),
                      tacit_algorithm1_x_prev(train->algorithm1), train->bound,
                      train->delta.clip, out);
}

/* The first round whose rows are to be read again, from there to the last of the
   checkpoint. */
static void reread_from(tacit_train *train, int64_t first) {
  train->reread = first;
  train->rows_in = 0;
  train->done = 0;
  train->rows_due = tacit_plan_round_rows(train->plan, first);
}

static void reread_over(tacit_train *train) {
  train->reread = 0;
  train->rows_in = 0;
  train->done = train->complete;
  train->rows_due =
      train->complete ? 0 : tacit_plan_round_rows(train->plan, train->resumed + 1);
}

/* Rows of rounds 1 … r. */
static int64_t rows_until(const tacit_plan *plan, int64_t r) {
  int64_t rows = r / plan->per_pass * plan->rows;
  for (int64_t t = r - r % plan->per_pass + 1; t <= r; ++t)
    rows += tacit_plan_round_rows(plan, t);
  return rows;
}

tacit_status tacit_train_open_checkpoint(tacit_train *train, tacit_error *err) {
  if (train->plan->checkpoint == NULL || !tacit_team_leads(&train->team))
    return TACIT_OK;
  return tacit_checkpoint_new(train->plan, &train->checkpoint, err);
}

/* Under a group rank 0 brings the sums and the others nothing. */
static tacit_status replay_round(tacit_train *train, int64_t r, tacit_error *err) {
  const tacit_plan *plan = train->plan;
  tacit_digest raw_digest;
  int64_t rows = tacit_plan_round_rows(plan, r);
  int64_t *raw_sum = tacit_sum_raw_load(train->sums[0], rows);
  if (train->checkpoint != NULL)
    tacit_checkpoint_get(train->checkpoint, r, raw_sum, &raw_digest);
  TACIT_TRY(tacit_team_tell(&train->team, &raw_digest, sizeof raw_digest, err));
  if (r <= plan->per_pass) *tacit_digests_at(train->digests, r - 1) = raw_digest;
  sodium_memzero(&raw_digest, sizeof raw_digest);
  TACIT_TRY(tacit_train_close_round(train, rows, err));
  tacit_train_open_sums(train);
  return TACIT_OK;
}

static tacit_status replay(tacit_train *train, tacit_error *err) {
  for (int64_t r = 1; r <= train->resumed; ++r)
    TACIT_TRY(replay_round(train, r, err));
  tacit_status status = TACIT_OK;
  if (train->checkpoint != NULL && tacit_checkpoint_found(train->checkpoint)) {
    tacit_binding state;
    state_of(train, &state);
    status = tacit_checkpoint_check_state(train->checkpoint, &state, err);
  }
  return tacit_team_agree(&train->team, status, err);
}

tacit_status tacit_train_replay(tacit_train *train, tacit_error *err) {
  if (train->plan->checkpoint == NULL) return TACIT_OK;
  if (train->checkpoint != NULL)
    train->resumed = tacit_checkpoint_rounds(train->checkpoint);
  TACIT_TRY(tacit_team_tell(&train->team, &train->resumed, sizeof train->resumed, err));
  tacit_status status = replay(train, err);
  if (status == TACIT_OK && train->resumed > 0) reread_from(train, 1);
  return status;
}

static tacit_status begin(tacit_train *train, const tacit_identity *identity,
                          const tacit_content *content, int rereads, tacit_error *err) {
  if (train->checkpoint == NULL) return TACIT_OK;
  if (rereads && train->resumed > 0 &&
      !tacit_checkpoint_has_digests(train->checkpoint)) {
    return tacit_fail(err, TACIT_EPRIVACY,
                      "the checkpoint was written by ask and tell and says nothing of "
                      "the rows: go on with ask and tell");
  }
  tacit_binding state;
  state_of(train, &state);
  return tacit_checkpoint_begin(train->checkpoint, identity, content, &state, err);
}

/* Round 0 of a group: what each rank reads, put together as digests are. */
static tacit_status meet(tacit_train *train, unsigned char *raw_bytes,
                         tacit_error *err) {
  tacit_meeting meeting = {0};
  memcpy(meeting.raw_digest.raw_bytes, raw_bytes, TACIT_DIGEST_BYTES);
  TACIT_TRY(tacit_team_meet(&train->team, &meeting, err));
  memcpy(raw_bytes, meeting.raw_digest.raw_bytes, TACIT_DIGEST_BYTES);
  return TACIT_OK;
}

static tacit_status content_of(tacit_train *train, tacit_reader *reader,
                               tacit_content *out, tacit_error *err) {
  const tacit_group *group = train->team.group;
  return tacit_reader_content(reader, tacit_digests_content_key(train->digests),
                              group != NULL ? group->rank : 0,
                              group != NULL ? group->size : 1, train->pool, out, err);
}

tacit_status tacit_train_begin(tacit_train *train, tacit_reader *reader, int rereads,
                               tacit_error *err) {
  if (train->plan->checkpoint == NULL || train->began) return TACIT_OK;
  tacit_identity raw_files = {{0}};
  tacit_content raw_content = {{0}};
  tacit_status status = TACIT_OK;
  if (reader != NULL && (train->rows_are_ours || tacit_team_leads(&train->team)))
    raw_files = *tacit_reader_identity(reader);
  if (reader != NULL) status = content_of(train, reader, &raw_content, err);
  TACIT_TRY(tacit_team_agree(&train->team, status, err));
  TACIT_TRY(meet(train, raw_files.raw_bytes, err));
  TACIT_TRY(meet(train, raw_content.raw_bytes, err));
  status = begin(train, &raw_files, &raw_content, rereads, err);
  TACIT_TRY(tacit_team_agree(&train->team, status, err));
  train->began = 1;
  return TACIT_OK;
}

int tacit_train_skip_passes(tacit_train *train) {
  const tacit_plan *plan = train->plan;
  if (train->reread == 0) return 1;
  int64_t passes = train->resumed / plan->per_pass;
  if (passes == plan->passes) --passes; /* the rows are compared at least once */
  train->rows_fed = passes * plan->rows;
  if (passes * plan->per_pass == train->resumed)
    reread_over(train);
  else
    reread_from(train, passes * plan->per_pass + 1);
  return (int)passes + 1;
}

tacit_status tacit_train_skip_rows(tacit_train *train, tacit_error *err) {
  if (train->reread == 0) return TACIT_OK;
  if (train->reread > 1 || train->rows_in > 0) {
    return tacit_fail(err, TACIT_ESTATE,
                      "rows are being read again after a resume: feed the rest first");
  }
  reread_over(train);
  train->rows_fed = rows_until(train->plan, train->resumed);
  return TACIT_OK;
}

tacit_status tacit_train_reread_round(tacit_train *train, const tacit_digest *raw_sum,
                                      tacit_error *err) {
  int64_t batch = (train->reread - 1) % train->plan->per_pass;
  if (sodium_memcmp(tacit_digests_at(train->digests, batch), raw_sum,
                    sizeof *raw_sum) != 0) {
    return tacit_fail(err, TACIT_EDATA,
                      "batch %lld of the data is not what it was when the checkpoint "
                      "was written: go on with the same rows, or start anew",
                      (long long)batch + 1);
  }
  if (train->reread == train->resumed)
    reread_over(train);
  else
    reread_from(train, train->reread + 1);
  return TACIT_OK;
}

static tacit_status record(tacit_train *train, const int64_t *raw_sum,
                           const tacit_digest *raw_digest, tacit_error *err) {
  if (train->checkpoint == NULL) return TACIT_OK;
  TACIT_TRY(tacit_checkpoint_add(train->checkpoint, raw_sum, raw_digest, err));
  if (!tacit_checkpoint_due(train->checkpoint)) return TACIT_OK;
  tacit_binding state;
  state_of(train, &state);
  return tacit_checkpoint_write(train->checkpoint, &state, err);
}

tacit_status tacit_train_record(tacit_train *train, const tacit_digest *raw_digest,
                                tacit_error *err) {
  if (train->plan->checkpoint == NULL) return TACIT_OK;
  const int64_t *raw_all = NULL;
  TACIT_TRY(tacit_team_gather(&train->team, tacit_sum_raw_integers(train->sums[0]),
                              &raw_all, err));
  tacit_status status = record(train, raw_all, raw_digest, err);
  return tacit_team_agree(&train->team, status, err);
}
