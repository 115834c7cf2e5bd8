/* SPDX-License-Identifier: MIT */
/*
 * Training in this process: rows come in any chunks, are cut at the borders of the
 * rounds, and worker threads add up their contributions as integers, so the sums have
 * the same bits for any number of threads. run/run.c takes the rows from a reader.
 */
#include "run/run.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "experiment/seed.h"
#include "gradient/interleave.h"
#include "model/model.h"

enum { ROWS_A_TASK = 256 };

void tacit_train_free(tacit_train *train) {
  if (train == NULL) return;
  size_t workers = train->pool != NULL ? tacit_pool_workers(train->pool) : 0;
  for (size_t i = 0; train->partials != NULL && i < workers; ++i) {
    tacit_sum_free(train->partials[i].sum);
    tacit_digest_room_fini(&train->partials[i].room);
    tacit_own_fini(&train->partials[i].own);
  }
  tacit_raw_free(train->partials);
  tacit_array_free(train->sums);
  tacit_array_free(train->y);
  tacit_array_free(train->spread);
  tacit_digests_free(train->digests);
  tacit_checkpoint_free(train->checkpoint);
  tacit_algorithm1_free(train->algorithm1);
  tacit_vault_free(train->vault);
  tacit_team_fini(&train->team);
  tacit_pool_free(train->pool);
  tacit_plan_free(train->plan);
  tacit_array_free(train);
}

tacit_status tacit_train_kill(tacit_train *train, tacit_status status,
                              tacit_error *err) {
  if (train->dead) return status;
  train->dead = 1;
  return tacit_team_agree(&train->team, status, err);
}

tacit_status tacit_train_alive(const tacit_train *train, tacit_error *err) {
  if (!train->dead) return TACIT_OK;
  return tacit_fail(err, TACIT_ESTATE, "the run has ended: start a new one");
}

tacit_status tacit_train_report(tacit_train *train, tacit_error *err) {
  const tacit_plan *plan = train->plan;
  if (plan->config.progress == NULL) return TACIT_OK;
  int64_t open = tacit_algorithm1_weights(train->algorithm1)->t;
  tacit_progress progress = {
      .round = train->complete ? plan->rounds : open - 1,
      .rounds = plan->rounds,
      .rows = train->rows_fed,
      .rows_all = plan->rows * plan->passes,
      .pass = train->complete ? plan->passes : (int)((open - 1) / plan->per_pass) + 1,
      .passes = plan->passes,
      .noise_scale = train->noise_last,
  };
  if (plan->config.progress(plan->config.progress_cookie, &progress) == 0)
    return TACIT_OK;
  return tacit_fail(err, TACIT_ECANCELED, "stopped before the last round: no model");
}

/* A key of this run's own, or the one in its checkpoint. */
static tacit_status make_key(tacit_train *train, tacit_key *key, tacit_error *err) {
  const tacit_plan *plan = train->plan;
  TACIT_TRY(tacit_train_open_checkpoint(train, err));
  if (train->checkpoint != NULL && tacit_checkpoint_found(train->checkpoint)) {
    tacit_checkpoint_key(train->checkpoint, key);
    return TACIT_OK;
  }
  TACIT_TRY(plan->config.seeded ? tacit_key_from_seed(plan->config.seed, key, err)
                                : tacit_key_from_os(key, err));
  if (train->checkpoint != NULL) tacit_checkpoint_set_key(train->checkpoint, key);
  return TACIT_OK;
}

/* The plan and, from rank 0, the key: the same on all ranks when this returns. */
static tacit_status make_plan(tacit_train *train, const tacit_config *config,
                              tacit_key *key, tacit_error *err) {
  TACIT_TRY(tacit_team_init(&train->team, config, err));
  tacit_status status = tacit_plan_new(config, &train->plan, err);
  if (status == TACIT_OK) status = make_key(train, key, err);
  return tacit_team_start(&train->team, train->plan, key, status, err);
}

static tacit_status make_vault(tacit_train *train, const tacit_key *key,
                               tacit_error *err) {
  const tacit_plan *plan = train->plan;
  tacit_team *team = &train->team;
  TACIT_TRY(tacit_team_share(team, plan, err));
  size_t first = team->whole ? 0 : team->first;
  size_t count = team->whole ? plan->dim : team->count;
  TACIT_TRY(tacit_vault_new(&plan->vault, key, first, count, &train->vault, err));
  if (plan->passes == 1 && plan->checkpoint == NULL) return TACIT_OK;
  return tacit_digests_new(key, plan->per_pass, &train->digests, err);
}

static tacit_status make_sums(tacit_train *train, tacit_error *err) {
  size_t workers = tacit_pool_workers(train->pool), dim = train->plan->dim;
  train->partials = tacit_raw_new(workers, sizeof *train->partials);
  train->sums = tacit_array_new(workers, sizeof *train->sums);
  train->y = tacit_array_new(dim, sizeof *train->y);
  if (train->partials == NULL || train->sums == NULL || train->y == NULL)
    return tacit_fail_memory(err);
  if (train->plan->gradient == NULL) {
    train->spread = tacit_array_new(tacit_interleave_size(&train->plan->row),
                                    sizeof *train->spread);
    if (train->spread == NULL) return tacit_fail_memory(err);
  }
  const tacit_delta shape = {.gradient = train->plan->gradient,
                             .row = train->plan->row,
                             .kernel = train->plan->kernel};
  for (size_t i = 0; i < workers; ++i) {
    TACIT_TRY(tacit_delta_sum_new(&shape, &train->sums[i], err));
    train->partials[i].sum = train->sums[i];
  }
  return TACIT_OK;
}

static tacit_status train_init(tacit_train *train, const tacit_config *config,
                               tacit_error *err) {
  tacit_key key;
  tacit_status status = make_plan(train, config, &key, err);
  if (status == TACIT_OK) status = make_vault(train, &key, err);
  tacit_key_wipe(&key);
  TACIT_TRY(status);
  const tacit_plan *plan = train->plan;
  TACIT_TRY(tacit_pool_new(plan->config.threads, &train->pool, err));
  tacit_algorithm1_facts facts = {
      .learner = plan->learner,
      .learner_spec = plan->learner_spec,
      .encoder = plan->vault.encoder,
      .shape = plan->vault.shape,
      .rows_mean = (double)plan->rows / (double)plan->per_pass,
      .l2 = plan->l2,
      .l2_dim =
          plan->gradient != NULL ? plan->dim : plan->row.outputs * plan->row.features,
      .start = plan->start,
      .learner_ops = plan->config.learner_ops,
      .pool = train->pool,
  };
  tacit_plan_regulariser(plan, &facts.regulariser);
  TACIT_TRY(tacit_algorithm1_new(&facts, &train->algorithm1, err));
  TACIT_TRY(make_sums(train, err));
  tacit_train_open_round(train);
  tacit_train_open_sums(train);
  return TACIT_OK;
}

tacit_status tacit_train_new(const tacit_config *config, tacit_train **out,
                             tacit_error *err) {
  if (out == NULL) return tacit_fail(err, TACIT_EINVAL, "no place for the run");
  tacit_train *train = tacit_array_new(1, sizeof *train);
  if (train == NULL) return tacit_fail_memory(err);
  tacit_status status = train_init(train, config, err);
  status = tacit_team_agree(&train->team, status, err);
  if (status == TACIT_OK) status = tacit_train_replay(train, err);
  if (status != TACIT_OK) {
    tacit_train_free(train);
    return status;
  }
  *out = train;
  return TACIT_OK;
}

static tacit_status add_ours(const tacit_train *train, tacit_partial *partial,
                             const tacit_batch *batch, int64_t first, int64_t end,
                             const int64_t *places, int64_t place, tacit_error *err) {
  if (train->reread == 0) {
    tacit_delta delta = train->delta;
    delta.row_base = partial->own.first; /* 0 and NULL where rows come from a reader */
    delta.raw_prefetch = partial->raw_prefetch;
    TACIT_TRY(tacit_delta_add(&delta, batch, first, end, partial->sum, err));
  }
  partial->rows += end - first;
  for (int64_t i = first; train->digests != NULL && i < end; ++i) {
    TACIT_TRY(tacit_digest_add(train->digests, batch, i,
                               places != NULL ? places[i] : place + i, &partial->room,
                               &partial->raw_digest, err));
  }
  return TACIT_OK;
}

tacit_status tacit_train_add(const tacit_train *train, tacit_partial *partial,
                             const tacit_batch *batch, int64_t first, int64_t end,
                             const int64_t *places, int64_t place, tacit_error *err) {
  if (train->team.group == NULL || train->rows_are_ours)
    return add_ours(train, partial, batch, first, end, places, place, err);
  /* All ranks see these rows; each adds up its share of the places. */
  while (first < end) {
    int64_t next = first + 1;
    int mine =
        tacit_team_takes(&train->team, places != NULL ? places[first] : place + first);
    while (next < end &&
           mine == tacit_team_takes(&train->team,
                                    places != NULL ? places[next] : place + next))
      ++next;
    if (mine)
      TACIT_TRY(add_ours(train, partial, batch, first, next, places, place, err));
    first = next;
  }
  return TACIT_OK;
}

void tacit_partial_fault(tacit_partial *partial, size_t task,
                         const tacit_error *error) {
  if (partial->error.status != TACIT_OK) return;
  partial->error = *error;
  partial->error_task = task;
}

tacit_status tacit_train_fault(const tacit_train *train, tacit_error *err) {
  const tacit_partial *found = NULL;
  for (size_t i = 0; i < tacit_pool_workers(train->pool); ++i) {
    const tacit_partial *partial = &train->partials[i];
    if (partial->error.status == TACIT_OK) continue;
    if (found == NULL || partial->error_task < found->error_task) found = partial;
  }
  if (found == NULL) return TACIT_OK;
  if (err != NULL) *err = found->error;
  return found->error.status;
}

/* Some rows of a batch that was fed, shared out among the workers. */
struct slice {
  tacit_train *train;
  const tacit_batch *batch;
  int64_t first, end;
  int64_t place; /* of row 0 of the batch in the pass */
};

/* Sums and digests are made of a copy of the rows: the caller's may change. */
static tacit_status add_copies(const struct slice *slice, tacit_partial *partial,
                               int64_t first, int64_t end, tacit_error *err) {
  tacit_own *own = &partial->own;
  while (first < end) {
    int64_t next = tacit_own_end(slice->batch, first, end);
    TACIT_TRY(tacit_own_rows(own, slice->batch, first, next, 0, err));
    partial->raw_prefetch = tacit_own_prefetch(slice->batch, next, next - first);
    TACIT_TRY(tacit_train_add(slice->train, partial, &own->view, 0, own->view.n_rows,
                              NULL, slice->place + first, err));
    first = next;
  }
  return TACIT_OK;
}

static void add_slice(void *context, size_t task, size_t worker) {
  const struct slice *slice = context;
  tacit_partial *partial = &slice->train->partials[worker];
  int64_t first = slice->first + (int64_t)task * ROWS_A_TASK;
  int64_t end = first + ROWS_A_TASK < slice->end ? first + ROWS_A_TASK : slice->end;
  tacit_error error = {TACIT_OK, ""};
  if (add_copies(slice, partial, first, end, &error) != TACIT_OK)
    tacit_partial_fault(partial, task, &error);
}

static tacit_status add_rows(tacit_train *train, const tacit_batch *batch,
                             int64_t first, int64_t end, tacit_error *err) {
  struct slice slice = {train, batch, first, end,
                        train->rows_fed % train->plan->rows - first};
  size_t tasks = (size_t)((end - first + ROWS_A_TASK - 1) / ROWS_A_TASK);
  tacit_pool_run(train->pool, tasks, add_slice, &slice);
  TACIT_TRY(tacit_train_fault(train, err));
  train->rows_in += end - first;
  train->rows_fed += end - first;
  return TACIT_OK;
}

static void merge_partials(tacit_train *train) {
  tacit_partial *all = train->partials;
  for (size_t w = 1; w < tacit_pool_workers(train->pool); ++w) {
    tacit_sum_merge(train->sums[0], train->sums[w], train->pool);
    tacit_digest_merge(&all[0].raw_digest, &all[w].raw_digest);
    memset(&all[w].raw_digest, 0, sizeof all[w].raw_digest);
    all[0].rows += all[w].rows;
    all[w].rows = 0;
  }
}

tacit_status tacit_train_end_round(tacit_train *train, tacit_error *err) {
  const tacit_plan *plan = train->plan;
  tacit_partial *sum = &train->partials[0];
  int64_t t = tacit_algorithm1_weights(train->algorithm1)->t;
  merge_partials(train);
  TACIT_TRY(tacit_train_meet(train, sum, err));
  if (train->reread > 0) {
    TACIT_TRY(tacit_train_reread_round(train, &sum->raw_digest, err));
  } else {
    if (train->digests != NULL) {
      TACIT_TRY(tacit_digests_end(train->digests, (t - 1) % plan->per_pass,
                                  t <= plan->per_pass, &sum->raw_digest, err));
    }
    TACIT_TRY(tacit_train_close_round(train, sum->rows, err));
    TACIT_TRY(tacit_train_record(train, &sum->raw_digest, err));
  }
  tacit_train_open_sums(train);
  memset(&sum->raw_digest, 0, sizeof sum->raw_digest);
  sum->rows = 0;
  return TACIT_OK;
}

static tacit_status feed_rows(tacit_train *train, const tacit_batch *batch,
                              tacit_error *err) {
  TACIT_TRY(tacit_train_begin(train, NULL, 1, err));
  for (int64_t first = 0; first < batch->n_rows;) {
    if (train->done) {
      return tacit_fail(err, TACIT_EDATA, "more rows than the %lld declared",
                        (long long)train->plan->rows);
    }
    int64_t take = batch->n_rows - first, due = train->rows_due - train->rows_in;
    if (take > due) take = due;
    TACIT_TRY(add_rows(train, batch, first, first + take, err));
    first += take;
    if (train->rows_in == train->rows_due) TACIT_TRY(tacit_train_end_round(train, err));
    TACIT_TRY(tacit_train_report(train, err));
  }
  return TACIT_OK;
}

tacit_status tacit_train_feed(tacit_train *train, const tacit_batch *batch,
                              tacit_error *err) {
  if (train == NULL) return tacit_fail(err, TACIT_EINVAL, "no run");
  TACIT_TRY(tacit_train_alive(train, err));
  tacit_batch taken;
  tacit_status status =
      tacit_batch_take(batch, train->plan->row.features, 1, &taken, err);
  if (status == TACIT_OK) {
    status = feed_rows(train, &taken, err);
    tacit_batch_drop(&taken);
  }
  return status == TACIT_OK ? status : tacit_train_kill(train, status, err);
}

static tacit_status check_done(tacit_train *train, tacit_error *err) {
  TACIT_TRY(tacit_train_alive(train, err));
  if (train->done) return TACIT_OK;
  tacit_status status =
      tacit_fail(err, TACIT_EDATA, "fewer rows than the %lld declared for each pass",
                 (long long)train->plan->rows);
  return tacit_train_kill(train, status, err);
}

tacit_status tacit_train_finish(tacit_train *train, tacit_model **out,
                                tacit_error *err) {
  if (train == NULL || out == NULL) return tacit_fail(err, TACIT_EINVAL, "no run");
  TACIT_TRY(check_done(train, err));
  const tacit_plan *plan = train->plan;
  if (plan->gradient != NULL) {
    return tacit_fail(
        err, TACIT_EINVAL,
        "a run with a gradient of your own has no model: take its weights");
  }
  tacit_model_parts parts = {
      .schema = plan->schema,
      .loss_spec = plan->loss_spec,
      .row_norm = plan->row.row_norm,
      .row_exponent = plan->row.exponent,
      .bias = plan->row.bias,
      .weights = tacit_algorithm1_x(train->algorithm1),
      .training = plan->training,
      .statement = plan->statement,
  };
  tacit_model *model = NULL;
  tacit_status status = tacit_model_new(&parts, &model, err);
  status = tacit_team_agree(&train->team, status, err);
  train->dead = 1;
  if (status != TACIT_OK) {
    tacit_model_free(model);
    return status;
  }
  *out = model;
  return TACIT_OK;
}

tacit_status tacit_train_weights(tacit_train *train, size_t dim, double *out,
                                 tacit_error *err) {
  if (train == NULL || out == NULL) return tacit_fail(err, TACIT_EINVAL, "no run");
  if (dim != train->plan->dim) {
    return tacit_fail(err, TACIT_EINVAL, "the run has %zu weights", train->plan->dim);
  }
  TACIT_TRY(check_done(train, err));
  memcpy(out, tacit_algorithm1_x(train->algorithm1), dim * sizeof *out);
  train->dead = 1;
  return TACIT_OK;
}

const tacit_plan *tacit_train_plan(const tacit_train *train) { return train->plan; }

int tacit_train_noise_begun(const tacit_train *train) { return train->noise_begun; }
