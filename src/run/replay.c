/* SPDX-License-Identifier: MIT */
/*
 * A run and its checkpoint. To resume, a new run under the key of the old one releases
 * the rounds of the checkpoint again, from the sums in it, and so reaches the old state
 * bit for bit. Then the rows of these rounds are read once more, only to compare the
 * digests of the batches. If they differ, the run does not continue.
 */
#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "run/run.h"

_Static_assert((int)TACIT_IDENTITY_BYTES == (int)TACIT_DIGEST_BYTES &&
                   (int)TACIT_CONTENT_BYTES == (int)TACIT_DIGEST_BYTES &&
                   sizeof((tacit_sync *)0)->raw_digest == TACIT_DIGEST_BYTES,
               "ranks exchange them alike");

/* Writes the state that a checkpoint is bound to. Must be called between rounds. */
static void state_of(const tacit_train *train, tacit_binding *out) {
  double longest;
  if (train->algorithm1 == NULL) { /* before the end of round 0 */
    tacit_state_binding(0, NULL, NULL, 0, out);
    return;
  }
  (void)tacit_algorithm1_step_length(train->algorithm1, &longest);
  tacit_state_binding(train->plan->dim, tacit_algorithm1_w(train->algorithm1),
                      tacit_algorithm1_x(train->algorithm1), longest, out);
}

/* Returns the number of rows that all rounds up to round r have together. */
static int64_t rows_until(const tacit_plan *plan, int64_t r) {
  int64_t early = (r < 0 ? r : 0) + 1 - tacit_plan_first_round(plan);
  if (r < 0) return plan->mean_rows * early;
  int64_t rows = r / plan->per_pass * plan->rows + plan->mean_rows * early;
  for (int64_t t = r - r % plan->per_pass + 1; t <= r; ++t)
    rows += tacit_plan_round_rows(plan, t);
  return rows;
}

tacit_status tacit_replay_open(tacit_train *train, tacit_error *err) {
  if (train->plan->checkpoint == NULL || !tacit_ranks_leads(&train->ranks))
    return TACIT_OK;
  return tacit_checkpoint_new(train->plan, &train->log.checkpoint, err);
}

/* Releases one round of the checkpoint again. In a group rank 0 brings sums and digest,
   the other ranks bring zeros. */
static tacit_status replay_round(tacit_train *train, tacit_error *err) {
  TACIT_TRY(tacit_round_open(train, err));
  tacit_partial sum = {.sum = train->open.partials[0].sum,
                       .has_digest = train->t <= train->plan->per_pass};
  if (train->log.checkpoint != NULL) {
    int64_t *raw_integers = tacit_sum_raw_load(sum.sum, train->plan->rows);
    tacit_checkpoint_get(train->log.checkpoint, train->t - tacit_train_before(train),
                         tacit_sum_dim(sum.sum), raw_integers, &sum.raw_digest);
    sum.rows = train->open.rows_due;
  }
  tacit_status status = tacit_round_close_with(train, &sum, err);
  sodium_memzero(&sum, sizeof sum);
  return status;
}

static tacit_status check_state(void *context, tacit_error *err) {
  const tacit_train *train = context;
  if (train->log.checkpoint == NULL) return TACIT_OK;
  tacit_binding state;
  state_of(train, &state);
  return tacit_checkpoint_reach(train->log.checkpoint, &state, err);
}

tacit_status tacit_replay(tacit_train *train, tacit_error *err) {
  if (train->plan->checkpoint == NULL) return TACIT_OK;
  if (train->log.checkpoint != NULL)
    train->log.resumed += tacit_checkpoint_rounds(train->log.checkpoint);
  TACIT_TRY(tacit_ranks_broadcast(&train->ranks, &train->log.resumed,
                                  sizeof train->log.resumed, err));
  while (train->t < train->log.resumed)
    TACIT_TRY(replay_round(train, err));
  TACIT_TRY(tacit_ranks_step(&train->ranks, check_state, train, err));
  train->t = tacit_train_before(train); /* from here on the rows of all rounds come */
  if (train->state == TACIT_RUN_COMPLETE)
    return tacit_run_enter(&train->state, TACIT_RUN_BETWEEN, err);
  return TACIT_OK;
}

struct bind {
  tacit_train *train;
  tacit_reader *reader;
  int rereads;
  tacit_identity raw_files;
  tacit_content raw_content;
  tacit_sync sync;
};

static tacit_status digest_content(void *context, tacit_error *err) {
  struct bind *bind = context;
  tacit_train *train = bind->train;
  const tacit_group *group = train->ranks.group;
  if (bind->reader == NULL) return TACIT_OK;
  TACIT_TRY(tacit_reader_content(
      bind->reader, tacit_digests_content_key(train->rows.digests),
      group != NULL ? group->rank : 0, group != NULL ? group->size : 1, train->pool,
      &bind->raw_content, err));
  memcpy(bind->sync.raw_digest, bind->raw_content.raw_bytes, TACIT_DIGEST_BYTES);
  return TACIT_OK;
}

/* Puts together what each rank reads: names and sizes of files, then their content. */
static tacit_status sync_data(struct bind *bind, tacit_error *err) {
  tacit_train *train = bind->train;
  if (bind->reader != NULL &&
      (train->rows.is_partitioned || tacit_ranks_leads(&train->ranks))) {
    memcpy(bind->sync.raw_digest, tacit_reader_identity(bind->reader)->raw_bytes,
           TACIT_DIGEST_BYTES);
  }
  TACIT_TRY(tacit_ranks_sync(&train->ranks, &bind->sync, NULL, NULL, err));
  memcpy(bind->raw_files.raw_bytes, bind->sync.raw_digest, TACIT_DIGEST_BYTES);
  bind->sync = (tacit_sync){0};
  TACIT_TRY(tacit_ranks_sync(&train->ranks, &bind->sync, digest_content, bind, err));
  memcpy(bind->raw_content.raw_bytes, bind->sync.raw_digest, TACIT_DIGEST_BYTES);
  return TACIT_OK;
}

static tacit_status bind_checkpoint(void *context, tacit_error *err) {
  const struct bind *bind = context;
  const tacit_train *train = bind->train;
  if (train->log.checkpoint == NULL) return TACIT_OK;
  if (bind->rereads && train->log.resumed > tacit_train_before(train) &&
      !tacit_checkpoint_has_digests(train->log.checkpoint)) {
    return tacit_fail(err, TACIT_EPRIVACY,
                      "the checkpoint was written by ask and tell and says nothing of "
                      "the rows: go on with ask and tell");
  }
  return tacit_checkpoint_begin(train->log.checkpoint, &bind->raw_files,
                                &bind->raw_content, err);
}

tacit_status tacit_replay_bind(tacit_train *train, tacit_reader *reader, int rereads,
                               tacit_error *err) {
  if (train->plan->checkpoint == NULL || train->log.is_bound) return TACIT_OK;
  struct bind bind = {.train = train, .reader = reader, .rereads = rereads};
  TACIT_TRY(sync_data(&bind, err));
  TACIT_TRY(tacit_ranks_step(&train->ranks, bind_checkpoint, &bind, err));
  train->log.is_bound = 1;
  return TACIT_OK;
}

int64_t tacit_replay_skip_passes(tacit_train *train) {
  const tacit_plan *plan = train->plan;
  int64_t passes = train->log.resumed / plan->per_pass;
  if (passes == plan->passes) --passes; /* the rows are compared at least once */
  if (train->log.resumed >= 0) train->t = passes * plan->per_pass;
  train->rows.fed = rows_until(plan, train->t);
  return train->t;
}

tacit_status tacit_replay_skip_rows(tacit_train *train, tacit_error *err) {
  int is_old = train->state == TACIT_RUN_COMPARING;
  if (!is_old && train->t >= train->log.resumed) return TACIT_OK;
  if (is_old || train->t > tacit_train_before(train)) {
    return tacit_fail(err, TACIT_ESTATE,
                      "rows are being read again after a resume: feed the rest first");
  }
  train->t = train->log.resumed;
  train->rows.fed = rows_until(train->plan, train->log.resumed);
  if (train->t < train->plan->rounds) return TACIT_OK;
  return tacit_run_enter(&train->state, TACIT_RUN_COMPLETE, err);
}

int64_t tacit_replay_digest_of(const tacit_train *train) {
  int64_t per_pass = train->plan->per_pass;
  return train->t > 0 ? (train->t - 1) % per_pass : per_pass - train->t;
}

tacit_status tacit_replay_compare(tacit_train *train, const tacit_digest *raw_digest,
                                  tacit_error *err) {
  int64_t batch = tacit_replay_digest_of(train);
  if (sodium_memcmp(tacit_digests_at(train->rows.digests, batch), raw_digest,
                    sizeof *raw_digest) == 0)
    return TACIT_OK;
  return tacit_fail(err, TACIT_EDATA,
                    "batch %lld of the data is not what it was when the checkpoint "
                    "was written: go on with the same rows, or start anew",
                    (long long)batch + 1);
}

struct record {
  const tacit_train *train;
  const int64_t *raw_sum;
  size_t count;
  const tacit_digest *raw_digest; /* NULL if nobody has a digest */
};

static tacit_status record(void *context, tacit_error *err) {
  const struct record *record = context;
  tacit_checkpoint *checkpoint = record->train->log.checkpoint;
  if (checkpoint == NULL) return TACIT_OK;
  TACIT_TRY(tacit_checkpoint_add(checkpoint, record->count, record->raw_sum,
                                 record->raw_digest, err));
  if (!tacit_checkpoint_due(checkpoint)) return TACIT_OK;
  tacit_binding state;
  state_of(record->train, &state);
  return tacit_checkpoint_write(checkpoint, &state, err);
}

tacit_status tacit_replay_record(tacit_train *train, const tacit_partial *sum,
                                 tacit_error *err) {
  if (train->plan->checkpoint == NULL || train->t <= train->log.resumed)
    return TACIT_OK;
  tacit_stage *stage = tacit_train_stage(train);
  struct record context = {.train = train,
                           .count = stage->facts->shape.dim,
                           .raw_digest = sum->has_digest ? &sum->raw_digest : NULL};
  TACIT_TRY(tacit_split_total(&stage->split, &train->ranks,
                              tacit_sum_raw_integers(sum->sum), &context.raw_sum, err));
  return tacit_ranks_step(&train->ranks, record, &context, err);
}
