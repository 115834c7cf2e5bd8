/* SPDX-License-Identifier: MIT */
/*
 * One round, seen from the engine: before its rows are read the bound and the lattice
 * clip are fixed from released values; after them the vault releases and Algorithm 1
 * goes on. Ask and tell expose the same two moments to other engines.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "gradient/interleave.h"
#include "mechanism/lattice.h"
#include "run/run.h"
#include "run/worker.h"

void tacit_train_open_round(tacit_train *train) {
  const tacit_plan *plan = train->plan;
  const tacit_weights *weights = tacit_algorithm1_weights(train->algorithm1);
  if (weights->t == plan->rounds) {
    if (plan->free_last_step) tacit_algorithm1_last_step(train->algorithm1);
    train->complete = train->done = 1;
    return;
  }
  tacit_algorithm1_begin(train->algorithm1);
  double longest, step = tacit_algorithm1_step_length(train->algorithm1, &longest);
  double bound = tacit_plan_bound(plan, weights, step, longest);
  const tacit_lattice *lattice = &plan->vault.lattice;
  train->bound = bound * plan->sens_norm_ratio;
  /* Lattice steps in one unit of beta_R, and the bound in steps. */
  double steps = ldexp(1, lattice->exponent);
  int64_t clip = tacit_lattice_clip(lattice, train->bound);
  if (plan->vault.encoder->relative) {
    steps = (double)lattice->clip_max / train->bound;
    clip = lattice->clip_max;
  }
  train->delta = (tacit_delta){
      .gradient = plan->gradient,
      .loss = plan->loss,
      .row = plan->row,
      .label = plan->label,
      .x = tacit_algorithm1_x(train->algorithm1),
      .x_prev = tacit_algorithm1_x_prev(train->algorithm1),
      .ratio = weights->ratio,
      .steps = weights->share * steps,
      .clip = clip,
      .sens_norm = plan->sens_norm,
      .clip_dual = bound * steps,
      .kernel = plan->kernel,
  };
  if (plan->gradient == NULL)
    tacit_interleave(&train->delta, train->pool, train->spread);
  train->rows_due = tacit_plan_round_rows(plan, weights->t);
  train->rows_in = 0;
}

tacit_status tacit_train_meet(tacit_train *train, tacit_partial *partial,
                              tacit_error *err) {
  const tacit_delta *delta = &train->delta;
  double numbers[] = {delta->ratio, delta->steps, (double)delta->clip, delta->clip_dual,
                      train->bound};
  tacit_meeting meeting = {
      .t = tacit_algorithm1_weights(train->algorithm1)->t,
      .public_check =
          tacit_team_check(&train->team, numbers, sizeof numbers / sizeof numbers[0],
                           delta->x, train->plan->dim),
      .raw_rows = partial->rows,
      .raw_digest = partial->raw_digest,
  };
  TACIT_TRY(tacit_team_meet(&train->team, &meeting, err));
  partial->rows = meeting.raw_rows;
  partial->raw_digest = meeting.raw_digest;
  if (partial->rows == train->rows_due) return TACIT_OK;
  return tacit_fail(err, TACIT_EPRIVACY,
                    "the sums of round %lld are not those of its rows: the run ends",
                    (long long)meeting.t);
}

void tacit_train_open_sums(tacit_train *train) {
  for (size_t w = 0; w < tacit_pool_workers(train->pool); ++w)
    tacit_sum_open(train->sums[w], train->pool, train->delta.clip,
                   train->delta.sens_norm);
}

tacit_status tacit_train_close_round(tacit_train *train, int64_t raw_count,
                                     tacit_error *err) {
  tacit_release release = {.y = train->y};
  int64_t t = tacit_algorithm1_weights(train->algorithm1)->t;
  train->noise_begun = 1;
  TACIT_TRY(tacit_team_close(&train->team, train->vault, train->pool, t, raw_count,
                             train->sums[0], &release, err));
  train->noise_last = tacit_algorithm1_end(train->algorithm1, train->bound, release.y,
                                           release.noise_std);
  tacit_train_open_round(train);
  return TACIT_OK;
}

void tacit_round_init(tacit_round *round) {
  if (round == NULL) return;
  memset(round, 0, sizeof *round);
  round->struct_size = sizeof *round;
}

/* What a program built against an older header knows of a round. */
static const size_t round_size_min = offsetof(tacit_round, first);

tacit_status tacit_round_ask(tacit_train *train, tacit_round *out, tacit_error *err) {
  if (train == NULL || out == NULL) return tacit_fail(err, TACIT_EINVAL, "no run");
  if (out->struct_size < round_size_min) {
    return tacit_fail(err, TACIT_EINVAL, "round: not filled with tacit_round_init");
  }
  TACIT_TRY(tacit_train_alive(train, err));
  TACIT_TRY(tacit_train_skip_rows(train, err));
  if (train->done || train->rows_in > 0) {
    return tacit_fail(err, TACIT_ESTATE,
                      train->done ? "all rounds are done: finish the run"
                                  : "a round is half fed: end it before asking");
  }
  int64_t t = tacit_algorithm1_weights(train->algorithm1)->t;
  size_t size = out->struct_size < sizeof *out ? out->struct_size : sizeof *out;
  tacit_round whole = {
      .struct_size = size,
      .t = t,
      .rounds = train->plan->rounds,
      .n_rows = train->rows_due,
      .dim = train->plan->dim,
      .x = train->delta.x,
      .x_prev = train->delta.x_prev,
      .ratio = train->delta.ratio,
      .lattice_scale = train->delta.steps,
      .lattice_clip = train->delta.clip,
      .first = tacit_plan_round_first(train->plan, t),
      .lattice_clip_dual = train->delta.clip_dual,
  };
  tacit_plan_digest(train->plan, whole.problem);
  memcpy(out, &whole, size);
  return TACIT_OK;
}

tacit_status tacit_round_delta(const tacit_train *train, const tacit_round *round,
                               const tacit_batch *shard, int64_t *raw_sum,
                               int64_t *raw_count, tacit_error *err) {
  if (train == NULL || round == NULL || raw_sum == NULL || raw_count == NULL) {
    return tacit_fail(err, TACIT_EINVAL, "run, round, sum and count are needed");
  }
  if (round->t != tacit_algorithm1_weights(train->algorithm1)->t || train->done) {
    return tacit_fail(err, TACIT_ESTATE, "the round asked for is over");
  }
  return tacit_shard_add(&train->delta, train->plan->dim, round->n_rows, shard, raw_sum,
                         raw_count, err);
}

/* What is added is a copy of the rows: the caller's may change. */
static tacit_status add_copies(const tacit_delta *delta, const tacit_batch *shard,
                               tacit_sum *sum, tacit_error *err) {
  tacit_own own = {0};
  tacit_delta mine = *delta;
  tacit_status status = TACIT_OK;
  for (int64_t i = 0; i < shard->n_rows && status == TACIT_OK;) {
    int64_t next = tacit_own_end(shard, i, shard->n_rows);
    status = tacit_own_rows(&own, shard, i, next, 0, err);
    if (status != TACIT_OK) break;
    mine.row_base = i;
    mine.raw_prefetch = tacit_own_prefetch(shard, next, next - i);
    status = tacit_delta_add(&mine, &own.view, 0, own.view.n_rows, sum, err);
    i = next;
  }
  tacit_own_fini(&own);
  return status;
}

/* Through a scratch: a shard that fails half way must leave nothing behind, or its
   retry would count rows twice. */
static tacit_status add_taken(const tacit_delta *delta, size_t dim, int64_t n_rows,
                              const tacit_batch *shard, int64_t *raw_sum,
                              int64_t *raw_count, tacit_error *err) {
  int64_t raw_before = *raw_count;
  if (raw_before < 0 || shard->n_rows > n_rows - raw_before) {
    return tacit_fail(err, TACIT_EDATA, "more rows than the round has");
  }
  tacit_sum *scratch = NULL;
  TACIT_TRY(tacit_delta_sum_new(delta, &scratch, err));
  tacit_sum_open(scratch, NULL, delta->clip, delta->sens_norm);
  tacit_status status = add_copies(delta, shard, scratch, err);
  if (status == TACIT_OK) {
    const int64_t *raw_added = tacit_sum_raw_integers(scratch);
    for (size_t i = 0; i < dim; ++i)
      raw_sum[i] += raw_added[i];
    *raw_count = raw_before + shard->n_rows;
  }
  tacit_sum_free(scratch);
  return status;
}

tacit_status tacit_shard_add(const tacit_delta *delta, size_t dim, int64_t n_rows,
                             const tacit_batch *shard, int64_t *raw_sum,
                             int64_t *raw_count, tacit_error *err) {
  tacit_batch taken;
  TACIT_TRY(tacit_batch_take(shard, delta->row.features, 1, &taken, err));
  tacit_status status = add_taken(delta, dim, n_rows, &taken, raw_sum, raw_count, err);
  tacit_batch_drop(&taken);
  return status;
}

/* The integers are copied: what is checked, released and recorded is the same. */
static tacit_status tell(tacit_train *train, const int64_t *raw_sum, int64_t raw_count,
                         tacit_error *err) {
  tacit_partial told = {.rows = raw_count};
  if (train->done || train->reread > 0 || train->rows_in > 0 || raw_count < 0) {
    return tacit_fail(err, TACIT_EPRIVACY,
                      "the sums told are not those of the round's rows: the run ends");
  }
  TACIT_TRY(tacit_train_begin(train, NULL, 0, err));
  TACIT_TRY(tacit_train_meet(train, &told, err));
  memcpy(tacit_sum_raw_load(train->sums[0], told.rows), raw_sum,
         train->plan->dim * sizeof *raw_sum);
  TACIT_TRY(tacit_train_close_round(train, told.rows, err));
  TACIT_TRY(tacit_train_record(train, NULL, err));
  tacit_train_open_sums(train);
  train->rows_fed += told.rows;
  return tacit_train_report(train, err);
}

tacit_status tacit_round_tell(tacit_train *train, const int64_t *raw_sum,
                              int64_t raw_count, tacit_error *err) {
  if (train == NULL || raw_sum == NULL) return tacit_fail(err, TACIT_EINVAL, "no run");
  TACIT_TRY(tacit_train_alive(train, err));
  tacit_status status = tell(train, raw_sum, raw_count, err);
  return status == TACIT_OK ? status : tacit_train_kill(train, status, err);
}
