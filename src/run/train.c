/* SPDX-License-Identifier: MIT */
/* A run from its making to its model. run/run.c and run/feed.c take the rows. */
#include "run/run.h"

#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "gradient/interleave.h"
#include "model/model.h"
#include "not_private/seed.h"
#include "run/archive.h"

static void free_stage(tacit_stage *stage) {
  tacit_vault_free(stage->vault);
  tacit_split_fini(&stage->split);
  tacit_frame_free(stage->frame);
  tacit_precondition_free(stage->precondition);
  tacit_map_free(stage->map);
  *stage = (tacit_stage){0};
}

static void free_sums(tacit_train *train) {
  for (size_t i = 0; i < tacit_pool_workers(train->pool); ++i) {
    tacit_sum_free(train->open.partials[i].sum);
    train->open.partials[i].sum = NULL;
  }
}

void tacit_train_free(tacit_train *train) {
  if (train == NULL) return;
  size_t threads = train->pool != NULL ? tacit_pool_workers(train->pool) : 0;
  if (train->open.partials != NULL) free_sums(train);
  for (size_t i = 0; train->open.partials != NULL && i < threads; ++i) {
    tacit_digest_room_fini(&train->open.partials[i].room);
    tacit_own_fini(&train->open.partials[i].own);
  }
  tacit_raw_free(train->open.partials);
  TACIT_FREE(train->open.y, train->open.interleaved, train->open.offsets);
  tacit_digests_free(train->rows.digests);
  tacit_checkpoint_free(train->log.checkpoint);
  tacit_algorithm1_free(train->algorithm1);
  free_stage(&train->mean);
  free_stage(&train->second);
  free_stage(&train->rounds);
  tacit_ranks_fini(&train->ranks);
  tacit_pool_free(train->pool);
  tacit_plan_free(train->plan);
  tacit_key_wipe(&train->rows.order_key);
  tacit_array_free(train);
}

tacit_status tacit_train_step(tacit_train *train, tacit_step step, void *context,
                              tacit_error *err) {
  TACIT_TRY(tacit_run_alive(train->state, err));
  tacit_status status = tacit_ranks_attempt(&train->ranks, step, context, err);
  if (status != TACIT_OK) (void)tacit_run_enter(&train->state, TACIT_RUN_DEAD, NULL);
  return status;
}

tacit_status tacit_train_report(tacit_train *train, tacit_error *err) {
  const tacit_plan *plan = train->plan;
  int64_t released = train->released > 0 ? train->released : 0;
  /* a round before round 1 is one more reading */
  int64_t early =
      (train->released < 0 ? train->released : 0) - tacit_train_before(train);
  int64_t before = plan->mean_rows * early;
  if (plan->config.progress == NULL) return TACIT_OK;
  tacit_progress progress = {
      .round = released,
      .rounds = plan->rounds,
      .rows = train->rows.fed,
      .persons = plan->config.units > 0,
      .rows_all =
          plan->rows * plan->passes - plan->mean_rows * tacit_train_before(train),
      .pass = released == plan->rounds ? plan->passes
                                       : (int)(released / plan->per_pass) + 1,
      .passes = plan->passes,
      .noise_scale = train->open.noise_last,
  };
  /* The number of rows of persons is secret. The share of the rounds replaces it. */
  if (progress.persons)
    progress.rows = before + released / plan->per_pass * plan->rows +
                    tacit_plan_round_first(plan, released + 1);
  if (plan->config.progress(plan->config.progress_cookie, &progress) == 0)
    return TACIT_OK;
  return tacit_fail(err, TACIT_ECANCELED, "stopped before the last round: no model");
}

/* What the steps of tacit_train_new share. */
struct start {
  tacit_train *train;
  const tacit_config *config;
  const tacit_days *days; /* the days of a stream; NULL for other runs */
  const tacit_key *given; /* the key of a stream; NULL if the run makes a key of its
                             own */
  struct {
    tacit_key key;
    unsigned char id[TACIT_RUN_ID_BYTES];
  } own; /* equal on all ranks */
  tacit_sync sync;
};

/* Makes a new key and a new id for this run, or takes them from its checkpoint. The id
   is random even if the run has a seed, and no noise depends on it. A stream has a name
   instead. */
static tacit_status make_key(struct start *start, tacit_error *err) {
  tacit_train *train = start->train;
  const tacit_plan *plan = train->plan;
  const tacit_key *given = start->given;
  tacit_key *key = &start->own.key;
  if (given != NULL) {
    *key = *given;
    return TACIT_OK;
  }
  TACIT_TRY(tacit_replay_open(train, err));
  if (train->log.checkpoint != NULL && tacit_checkpoint_found(train->log.checkpoint)) {
    tacit_checkpoint_key(train->log.checkpoint, key);
    tacit_checkpoint_id(train->log.checkpoint, start->own.id);
    return TACIT_OK;
  }
  TACIT_TRY(plan->config.seeded ? tacit_key_from_seed(plan->config.seed, key, err)
                                : tacit_key_from_os(key, err));
  randombytes_buf(start->own.id, sizeof start->own.id);
  if (train->log.checkpoint == NULL) return TACIT_OK;
  tacit_checkpoint_set_key(train->log.checkpoint, key);
  tacit_checkpoint_set_id(train->log.checkpoint, start->own.id);
  return TACIT_OK;
}

static tacit_status make_plan(void *context, tacit_error *err) {
  struct start *start = context;
  tacit_train *train = start->train;
  TACIT_TRY(tacit_plan_of_days(start->config, start->days, &train->plan, err));
  TACIT_TRY(make_key(start, err));
  if (train->ranks.group == NULL) return TACIT_OK;
  return tacit_plan_check(train->plan, &start->sync.public_check, err);
}

/* Makes plan, key and id, equal on all ranks: rank 0 decides. */
static tacit_status agree_on_plan(struct start *start, tacit_error *err) {
  tacit_ranks *ranks = &start->train->ranks;
  start->sync = (tacit_sync){
      .point = TACIT_POINT_START,
      .differs = TACIT_EINVAL,
      .message = "has other options, another schema or another version than rank 0: "
                 "start all ranks alike",
  };
  TACIT_TRY(tacit_ranks_sync(ranks, &start->sync, make_plan, start, err));
  TACIT_TRY(tacit_ranks_broadcast(ranks, &start->own, sizeof start->own, err));
  if (!sodium_is_zero(start->own.id, sizeof start->own.id))
    sodium_bin2hex(start->train->log.id, sizeof start->train->log.id, start->own.id,
                   sizeof start->own.id);
  return TACIT_OK;
}

static tacit_status make_stage(tacit_train *train, const tacit_vault_facts *facts,
                               const tacit_key *key, tacit_stage *stage,
                               tacit_error *err) {
  tacit_split *split = &stage->split;
  stage->facts = facts;
  TACIT_TRY(tacit_split_init(split, &train->ranks, train->plan, facts, err));
  size_t first = split->whole ? 0 : split->first;
  size_t count = split->whole ? facts->shape.dim : split->count;
  return tacit_vault_new(facts, key, first, count, &stage->vault, err);
}

/* Makes the vault of a round before round 1. It has a key of its own, whose noise is
   used nowhere else. */
static tacit_status make_early(tacit_train *train, const tacit_key *key,
                               const tacit_vault_facts *facts, const char *purpose,
                               tacit_stage *stage, tacit_error *err) {
  tacit_key own;
  tacit_key_derive(key, purpose, &own);
  tacit_status status = make_stage(train, facts, &own, stage, err);
  tacit_key_wipe(&own);
  return status;
}

static tacit_status make_vault(tacit_train *train, const tacit_key *key,
                               tacit_error *err) {
  const tacit_plan *plan = train->plan;
  TACIT_TRY(make_stage(train, &plan->vault, key, &train->rounds, err));
  if (plan->centred)
    TACIT_TRY(make_early(train, key, &plan->mean, "tacit-mean-1", &train->mean, err));
  if (plan->products)
    TACIT_TRY(
        make_early(train, key, &plan->second, "tacit-second-1", &train->second, err));
  tacit_key_derive(key, "tacit-order-1", &train->rows.order_key);
  if (plan->passes == 1 && plan->checkpoint == NULL) return TACIT_OK;
  return tacit_digests_new(key, plan->per_pass - tacit_train_before(train),
                           &train->rows.digests, err);
}

static tacit_status make_sums(tacit_train *train, const tacit_delta *shape,
                              tacit_error *err) {
  free_sums(train);
  for (size_t i = 0; i < tacit_pool_workers(train->pool); ++i)
    TACIT_TRY(tacit_delta_sum_new(shape, &train->open.partials[i].sum, err));
  return TACIT_OK;
}

/* Makes the memory of the rounds, and the sums of round 0. */
static tacit_status make_room(tacit_train *train, tacit_error *err) {
  const tacit_plan *plan = train->plan;
  TACIT_TRY(TACIT_RAW_NEW(train->open.partials, tacit_pool_workers(train->pool), err));
  TACIT_TRY(TACIT_NEW(train->open.y, tacit_plan_longest(plan), err));
  if (plan->gradient == NULL) {
    tacit_row_rule rule =
        tacit_plan_maps(plan) ? tacit_map_rule(&plan->row) : plan->row;
    size_t size = tacit_interleave_size(&rule);
    TACIT_TRY(TACIT_NEW(train->open.interleaved, size, err));
    TACIT_TRY(TACIT_NEW(train->open.offsets, 2 * plan->row.outputs, err));
  }
  if (!plan->centred) return TACIT_OK;
  tacit_delta shape = tacit_plan_delta(plan);
  tacit_moments_delta(&plan->moments, &shape);
  return make_sums(train, &shape, err);
}

/* Returns public facts for the learner. After round 0 the bound on a row is known
   better than when the plan was made. */
static tacit_learner_facts learner_facts(const tacit_train *train) {
  const tacit_plan *plan = train->plan;
  const tacit_frame *frame = train->mean.frame;
  tacit_learner_facts facts = plan->learner;
  if (frame == NULL) return facts;
  facts.grad_bound = frame->slope * frame->row_reach;
  facts.noisy_bound *= frame->reach / plan->clip;
  facts.row_reach = frame->radius;
  facts.radius *= plan->config.radius > 0 ? 1 : facts.row_norm / frame->unit;
  facts.row_norm = frame->unit;
  facts.curvature = frame->curvature;
  if (plan->moments.rates > 0) {
    facts.slope_even = 1 / frame->slope_unit;
    facts.slope_start = frame->slope_start;
  } else {
    facts.slope_unit = frame->slope;
  }
  facts.noise_once =
      plan->vault.kappa * facts.grad_bound / (plan->mu * (double)plan->rows);
  if (train->second.precondition != NULL) /* steps to the minimum have length 1 */
    facts.curvature = facts.row_reach = 1;
  return facts;
}

tacit_status tacit_train_algorithm1(tacit_train *train, tacit_error *err) {
  const tacit_plan *plan = train->plan;
  tacit_algorithm1_facts facts = {
      .learner = learner_facts(train),
      .learner_spec = plan->learner_spec,
      .encoder = plan->vault.encoder,
      .shape = plan->vault.shape,
      .rows_mean = (double)plan->rows / (double)plan->per_pass,
      .l2 = plan->l2,
      .l2_dim =
          plan->gradient != NULL ? plan->dim : plan->row.outputs * plan->row.features,
      .start = plan->start,
      .learner_ops = plan->config.learner_ops,
      .slope_scale = train->mean.frame != NULL ? train->mean.frame->square : 0,
      .precondition = train->second.precondition,
      .band = tacit_train_band_facts(train),
      .pool = train->pool,
  };
  tacit_plan_regulariser(plan, &facts.regulariser);
  return tacit_algorithm1_new(&facts, &train->algorithm1, err);
}

tacit_status tacit_train_sums(tacit_train *train, tacit_error *err) {
  tacit_delta shape = tacit_plan_delta(train->plan);
  if (tacit_plan_has_products(train->plan, train->t + 1)) {
    tacit_products_delta(train->mean.frame, 1, &shape);
  } else if (train->mean.frame != NULL) {
    shape.row = train->mean.frame->row;
    shape.offset = &train->mean.frame->shift;
    shape.square_scale = train->mean.frame->square;
  }
  return make_sums(train, &shape, err);
}

static tacit_status train_init(void *context, tacit_error *err) {
  struct start *start = context;
  tacit_train *train = start->train;
  TACIT_TRY(agree_on_plan(start, err));
  TACIT_TRY(make_vault(train, &start->own.key, err));
  TACIT_TRY(tacit_pool_new(train->plan->config.threads, &train->pool, err));
  TACIT_TRY(make_room(train, err));
  train->t = train->released = train->log.resumed = tacit_train_before(train);
  if (train->plan->centred) return TACIT_OK;
  TACIT_TRY(tacit_train_algorithm1(train, err));
  return tacit_train_sums(train, err);
}

static tacit_status train_new(const tacit_config *config, const tacit_days *days,
                              const tacit_key *given, tacit_train **out,
                              tacit_error *err) {
  tacit_train *train = tacit_array_new(1, sizeof *train);
  if (train == NULL) return tacit_fail_memory(err);
  struct start start = {.train = train, .config = config, .days = days, .given = given};
  tacit_status status =
      tacit_ranks_init(&train->ranks, tacit_config_group(config), err);
  if (status == TACIT_OK)
    status = tacit_ranks_step(&train->ranks, train_init, &start, err);
  tacit_key_wipe(&start.own.key);
  if (status == TACIT_OK) status = tacit_replay(train, err);
  return TACIT_HAND_OVER(status, train, tacit_train_free, out);
}

tacit_status tacit_train_new(const tacit_config *config, tacit_train **out,
                             tacit_error *err) {
  if (out == NULL) return tacit_fail(err, TACIT_EINVAL, "no place for the run");
  return train_new(config, NULL, NULL, out, err);
}

tacit_status tacit_train_of_stream(const tacit_config *config, const tacit_days *days,
                                   const tacit_key *key, tacit_train **out,
                                   tacit_error *err) {
  return train_new(config, days, key, out, err);
}

static tacit_status check_complete(void *context, tacit_error *err) {
  const tacit_train *train = context;
  if (train->state == TACIT_RUN_COMPLETE) return TACIT_OK;
  return tacit_fail(
      err, TACIT_EDATA, "fewer rows than declared: the run reads %lld rows, %d times",
      (long long)tacit_plan_rows_all(train->plan), tacit_plan_readings(train->plan));
}

struct finish {
  tacit_train *train;
  tacit_model *model;
};

static tacit_status make_model(void *context, tacit_error *err) {
  struct finish *finish = context;
  return tacit_train_model(finish->train, NULL, &finish->model, err);
}

tacit_status tacit_train_finish(tacit_train *train, tacit_model **out,
                                tacit_error *err) {
  if (train == NULL || out == NULL) return tacit_fail(err, TACIT_EINVAL, "no run");
  TACIT_TRY(tacit_train_step(train, check_complete, train, err));
  if (train->plan->gradient != NULL) {
    return tacit_fail(
        err, TACIT_EINVAL,
        "a run with a gradient of your own has no model: take its weights");
  }
  struct finish finish = {.train = train};
  tacit_status status = tacit_ranks_step(&train->ranks, make_model, &finish, err);
  if (status == TACIT_OK)
    status = tacit_run_enter(&train->state, TACIT_RUN_ENDED, err);
  else
    (void)tacit_run_enter(&train->state, TACIT_RUN_DEAD, NULL);
  return TACIT_HAND_OVER(status, finish.model, tacit_model_free, out);
}

tacit_status tacit_train_weights(tacit_train *train, size_t dim, double *out,
                                 tacit_error *err) {
  if (train == NULL || out == NULL) return tacit_fail(err, TACIT_EINVAL, "no run");
  if (train->plan->centred)
    return tacit_fail(err, TACIT_EINVAL, "a centred run has a model: take that");
  if (dim != train->plan->dim)
    return tacit_fail(err, TACIT_EINVAL, "the run has %zu weights", train->plan->dim);
  TACIT_TRY(tacit_train_step(train, check_complete, train, err));
  memcpy(out, tacit_algorithm1_x(train->algorithm1), dim * sizeof *out);
  return tacit_run_enter(&train->state, TACIT_RUN_ENDED, err);
}

const char *tacit_train_id(const tacit_train *train) { return train->log.id; }

const tacit_plan *tacit_train_plan(const tacit_train *train) { return train->plan; }

int tacit_train_noise_begun(const tacit_train *train) {
  return train->released > tacit_train_before(train);
}
