/* SPDX-License-Identifier: MIT */
/*
 * One round of Algorithm 1 (algorithm1/algorithm1.c lists its lines), in three steps:
 *   open      line 1: x_t; then bound and clip of the round, from released numbers only
 *   add rows  line 2: the clipped differences delta_t of the rows, added up as integers
 *   close     lines 3 and 4: the vault releases the sum, the learner receives it
 * Threads have partial sums of their own. Sums are integers, and digests do not depend
 * on the order of rows, so the bits are equal for any number of threads.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "gradient/interleave.h"
#include "mechanism/lattice.h"
#include "not_private/laws.h"
#include "run/archive.h"
#include "run/run.h"

/* Returns the lattice steps in one unit of beta_R, and writes `bound` in steps to
 *out_clip. */
static double steps_of(const tacit_vault_facts *facts, double bound,
                       int64_t *out_clip) {
  const tacit_lattice *lattice = &facts->lattice;
  *out_clip = tacit_lattice_clip(lattice, bound);
  if (!facts->encoder->relative) return ldexp(1, lattice->exponent);
  *out_clip = lattice->clip_max;
  return (double)lattice->clip_max / bound;
}

tacit_delta tacit_plan_delta(const tacit_plan *plan) {
  return (tacit_delta){
      .gradient = plan->gradient,
      .loss = plan->loss,
      .row = plan->row,
      .label = plan->label,
      .class_weights = plan->class_weights,
      .sens_norm = plan->sens_norm,
      .kernel = plan->kernel,
  };
}

/* Fixes all that the contributions of the round depend on besides the rows. */
static void set_delta(tacit_train *train) {
  const tacit_plan *plan = train->plan;
  const tacit_frame *frame = train->mean.frame;
  tacit_run_round *open = &train->open;
  const tacit_weights *weights = tacit_algorithm1_weights(train->algorithm1);
  double longest, step = tacit_algorithm1_step_length(train->algorithm1, &longest);
  double bound = tacit_plan_bound(plan, weights, step, longest);
  if (frame != NULL) bound *= frame->reach / plan->clip;
  open->bound = bound * plan->sens_norm_ratio;
  tacit_delta *delta = &open->delta;
  *delta = tacit_plan_delta(plan);
  double steps = steps_of(&plan->vault, open->bound, &delta->clip);
  delta->x = tacit_algorithm1_x(train->algorithm1);
  delta->x_prev = tacit_algorithm1_x_prev(train->algorithm1);
  delta->ratio = weights->ratio;
  delta->steps = weights->share * steps;
  delta->clip_dual = bound * steps;
  delta->map = train->second.map;
  if (frame != NULL) delta->row = frame->row;
  if (frame != NULL)
    tacit_frame_delta(frame, train->pool, weights->rise, open->offsets, delta);
  if (plan->gradient == NULL) tacit_interleave(delta, train->pool, open->interleaved);
}

/* Fixes all that the contributions of a round before round 1 depend on besides the
   rows. */
static void set_early(tacit_train *train) {
  const tacit_plan *plan = train->plan;
  tacit_run_round *open = &train->open;
  int products = tacit_plan_has_products(plan, train->t);
  open->bound = products ? 1 : plan->moments.reach;
  open->delta = tacit_plan_delta(plan);
  double steps =
      steps_of(tacit_plan_vault(plan, train->t), open->bound, &open->delta.clip);
  open->delta.steps = steps;
  if (products)
    tacit_products_delta(train->mean.frame, steps, &open->delta);
  else
    tacit_moments_delta(&plan->moments, &open->delta);
}

static tacit_status open_sums(tacit_train *train, tacit_error *err) {
  for (size_t w = 0; w < tacit_pool_workers(train->pool); ++w)
    TACIT_TRY(tacit_delta_open(&train->open.delta, train->pool,
                               train->open.partials[w].sum, err));
  return TACIT_OK;
}

/* Returns the rows that the open round must have. Returns 0 if the number is a secret
   (tacit_round_batch) or depends on the day. */
static int64_t rows_due(const tacit_train *train) {
  const tacit_config *config = &train->plan->config;
  if (config->units > 0 || train->plan->days.horizon > 0) return 0;
  return tacit_plan_round_rows(train->plan, train->t);
}

tacit_status tacit_round_open(tacit_train *train, tacit_error *err) {
  int is_old = train->t < train->released; /* 1 if the round came from the checkpoint */
  TACIT_TRY(tacit_run_enter(&train->state,
                            is_old ? TACIT_RUN_COMPARING : TACIT_RUN_OPEN, err));
  ++train->t;
  train->open.rows_due = rows_due(train);
  train->open.rows_in = 0;
  if (is_old) return TACIT_OK;
  if (train->t < 1) {
    set_early(train);
  } else {
    tacit_algorithm1_begin(train->algorithm1); /* line 1 */
    set_delta(train);
  }
  return open_sums(train, err);
}

tacit_status tacit_round_empty(tacit_train *train, tacit_error *err) {
  for (size_t w = 0; w < tacit_pool_workers(train->pool); ++w) {
    train->open.partials[w].rows = 0;
    train->open.partials[w].error = (tacit_error){TACIT_OK, ""};
  }
  train->open.rows_in = 0;
  return open_sums(train, err);
}

/* Returns 1 if the open round takes digests of rows. Passes are compared with each
   other, unless they take their rows from memory. Round 0 is not compared, because its
   guarantee does not rest on which round a row is in. A run with a checkpoint compares
   every round with it. */
static int takes_digests(const tacit_train *train) {
  if (train->rows.digests == NULL) return 0;
  return train->plan->checkpoint != NULL || (train->t > 0 && !train->rows.is_kept);
}

int tacit_round_numbers(const tacit_train *train) {
  return takes_digests(train) ||
         (train->ranks.group != NULL && !train->rows.is_partitioned);
}

/* Adds rows that belong to this rank to the partial sum and digest of a thread. */
static tacit_status add_own(const tacit_train *train, tacit_partial *partial,
                            const tacit_batch *batch, int64_t first, int64_t end,
                            const int64_t *places, int64_t place, tacit_error *err) {
  if (train->state == TACIT_RUN_OPEN) {
    tacit_delta delta = train->open.delta;
    delta.row_base = partial->own.first; /* 0 and NULL if rows come from a reader */
    delta.raw_prefetch = partial->raw_prefetch;
    TACIT_TRY(tacit_delta_add(&delta, batch, first, end, partial->sum, err));
  }
  partial->rows += end - first;
  for (int64_t i = first; takes_digests(train) && i < end; ++i) {
    TACIT_TRY(tacit_digest_add(train->rows.digests, batch, i,
                               places != NULL ? places[i] : place + i, &partial->room,
                               &partial->raw_digest, err));
  }
  return TACIT_OK;
}

/* Adds rows to the partial sum of a thread, if this rank has to add them. */
tacit_status tacit_round_add(const tacit_train *train, tacit_partial *partial,
                             const tacit_batch *batch, int64_t first, int64_t end,
                             const int64_t *places, int64_t place, tacit_error *err) {
  const tacit_ranks *ranks = &train->ranks;
  if (ranks->group == NULL || train->rows.is_partitioned)
    return add_own(train, partial, batch, first, end, places, place, err);
  /* All ranks see these rows; each adds up the rows whose turn is its own. */
  while (first < end) {
    int64_t next = first + 1;
    int takes =
        tacit_ranks_takes(ranks, places != NULL ? places[first] : place + first);
    while (next < end &&
           takes ==
               tacit_ranks_takes(ranks, places != NULL ? places[next] : place + next))
      ++next;
    if (takes)
      TACIT_TRY(add_own(train, partial, batch, first, next, places, place, err));
    first = next;
  }
  return TACIT_OK;
}

void tacit_partial_fail(tacit_partial *partial, int64_t at, const tacit_error *error) {
  if (partial->error.status != TACIT_OK) return;
  partial->error = *error;
  partial->error_at = at;
}

tacit_status tacit_partials_check(const tacit_train *train, tacit_error *err) {
  const tacit_partial *found = NULL;
  for (size_t i = 0; i < tacit_pool_workers(train->pool); ++i) {
    const tacit_partial *partial = &train->open.partials[i];
    if (partial->error.status == TACIT_OK) continue;
    if (found == NULL || partial->error_at < found->error_at) found = partial;
  }
  if (found == NULL) return TACIT_OK;
  if (err != NULL) *err = found->error;
  return found->error.status;
}

/* Merges the sums and digests of all threads into the first one. Rows that are only
   compared are in no sum. */
tacit_status tacit_round_merge(tacit_train *train, tacit_error *err) {
  tacit_partial *all = train->open.partials;
  int has_sums = train->state == TACIT_RUN_OPEN;
  for (size_t w = 1; w < tacit_pool_workers(train->pool); ++w) {
    if (has_sums) TACIT_TRY(tacit_sum_merge(all[0].sum, all[w].sum, train->pool, err));
    tacit_digest_merge(&all[0].raw_digest, &all[w].raw_digest);
    memset(&all[w].raw_digest, 0, sizeof all[w].raw_digest);
    all[0].rows += all[w].rows;
    all[w].rows = 0;
  }
  if (has_sums) tacit_sum_close(all[0].sum, train->pool);
  all[0].has_digest = takes_digests(train);
  return TACIT_OK;
}

void tacit_round_batch(const tacit_train *train, int64_t *out_first, int64_t *out_end) {
  int64_t t = train->t, per_pass = train->plan->per_pass, nothing;
  if (train->rows.roster != NULL && t > 0) {
    tacit_roster_batch(train->rows.roster, (t - 1) % per_pass, out_first, out_end);
    return;
  }
  if (train->rows.roster != NULL) { /* earlier rounds have all rows of all persons */
    tacit_roster_batch(train->rows.roster, 0, out_first, &nothing);
    tacit_roster_batch(train->rows.roster, per_pass - 1, &nothing, out_end);
    return;
  }
  *out_first = tacit_plan_round_first(train->plan, train->t);
  *out_end = *out_first + train->open.rows_due;
}

/* Returns how many rows this rank must bring: all rows of its roster. If every rank has
   all of them, rank 0 alone answers for them. */
static int64_t rows_of_roster(const tacit_train *train) {
  int64_t first, end;
  if (tacit_roster_is_whole(train->rows.roster) && !tacit_ranks_leads(&train->ranks))
    return 0;
  tacit_round_batch(train, &first, &end);
  return end - first;
}

/* Returns how many rows of the round are missing on this rank; a negative number if
   there are too many. Rows of persons in sums of other programs are not counted,
   because the vault limits such sums to N clips. */
static int64_t rows_missing(const tacit_train *train, const tacit_partial *sum) {
  if (train->plan->days.horizon > 0) return 0; /* a day has any number of rows */
  if (train->plan->config.units == 0)
    return (tacit_ranks_leads(&train->ranks) ? train->open.rows_due : 0) - sum->rows;
  return train->rows.roster != NULL ? rows_of_roster(train) - sum->rows : 0;
}

/* Replaces rows and digest in *sum by the totals of all ranks, and checks that they
   belong to the round. If the unit is a person, sum->rows becomes N, which bounds the
   sums of any batch. Rows or persons of a day stay as the stream counted them. */
static tacit_status sync_rows(tacit_train *train, tacit_partial *sum,
                              tacit_error *err) {
  const tacit_delta *delta = &train->open.delta;
  double numbers[] = {delta->ratio,
                      delta->steps,
                      (double)delta->clip,
                      delta->clip_dual,
                      train->open.bound,
                      train->rows.is_partitioned,
                      delta->radius,
                      delta->slope_max,
                      delta->square_scale,
                      delta->square_max,
                      delta->offsets != NULL ? delta->offsets[0] : 0};
  tacit_sync sync = {
      .point = 2 * train->t,
      .differs = TACIT_EPRIVACY,
      .message = "computes other numbers than rank 0: all machines must have the same "
                 "build of the program and of libm",
      .raw_count = rows_missing(train, sum),
  };
  memcpy(sync.raw_digest, sum->raw_digest.raw_bytes, sizeof sync.raw_digest);
  if (train->ranks.group != NULL)
    sync.public_check =
        tacit_numbers_check(numbers, sizeof numbers / sizeof numbers[0], delta->x,
                            delta->x != NULL ? train->plan->dim : 0);
  TACIT_TRY(tacit_ranks_sync(&train->ranks, &sync, NULL, NULL, err));
  if (train->plan->days.horizon == 0)
    sum->rows =
        train->plan->config.units > 0 ? train->plan->rows : train->open.rows_due;
  memcpy(sum->raw_digest.raw_bytes, sync.raw_digest, sizeof sync.raw_digest);
  if (sync.raw_count == 0) return TACIT_OK;
  return tacit_fail(err, TACIT_EPRIVACY,
                    "the sums of round %lld are not those of its rows: the run ends",
                    (long long)train->t);
}

/* Compares the digest of a later pass with the first pass, because every pass must see
   equal rows. */
static tacit_status check_digest(tacit_train *train, const tacit_partial *sum,
                                 tacit_error *err) {
  if (train->rows.digests == NULL || !sum->has_digest) return TACIT_OK;
  return tacit_digests_end(train->rows.digests, tacit_replay_digest_of(train),
                           train->t <= train->plan->per_pass, &sum->raw_digest, err);
}

/* Takes up the release of a round before round 1. */
static tacit_status read_early(tacit_train *train, const tacit_release *release,
                               double noise_std, tacit_error *err) {
  const tacit_plan *plan = train->plan;
  tacit_frame_facts facts = tacit_plan_frame(plan, noise_std);
  tacit_products_facts products = {train->mean.frame, (double)plan->rows, noise_std,
                                   &facts};
  if (train->t == 0 && tacit_plan_maps(plan)) {
    products.rows = train->mean.frame->count;
    products.run = NULL;
    TACIT_TRY(tacit_map_read(&products, release->y, &train->second.map, err));
    tacit_map_frame(train->second.map, plan->constant, train->mean.frame);
  } else if (tacit_plan_has_products(plan, train->t)) {
    TACIT_TRY(
        tacit_products_read(&products, release->y, &train->second.precondition, err));
  } else {
    TACIT_TRY(tacit_frame_new(&facts, release->y, &train->mean.frame, err));
    if (plan->products) TACIT_TRY(tacit_products_begin(train->mean.frame, err));
  }
  return train->t == 0 ? tacit_train_algorithm1(train, err) : TACIT_OK;
}

/* Releases the sum of the round and gives the release to the learner, or before round 1
   to the frame or the precondition. */
static tacit_status release(tacit_train *train, const tacit_partial *sum,
                            tacit_error *err) {
  const tacit_plan *plan = train->plan;
  tacit_stage *stage = tacit_train_stage(train);
  tacit_release release = {.y = train->open.y};
  train->released = train->t;
  if (plan->config.units > 0 || plan->days.horizon > 0)
    tacit_sum_set_units(sum->sum, sum->rows);
  TACIT_TRY(tacit_split_close(&stage->split, &train->ranks, stage->vault, train->pool,
                              train->t, sum->rows, sum->sum, &release,
                              err)); /* line 3 */
  double noise_std = tacit_law_std(plan->vault.law, plan->dim, plan->vault.exponent) *
                     release.noise_scale;
  if (train->t < 1) return read_early(train, &release, noise_std, err);
  train->open.noise_last = tacit_algorithm1_end(train->algorithm1, train->open.bound,
                                                release.y, noise_std); /* line 4 */
  if (train->t == plan->rounds && plan->free_last_step)
    tacit_algorithm1_last_step(train->algorithm1);
  return TACIT_OK;
}

/* Closes the open round with a sum: checks its rows, releases it, and records the
   round. */
tacit_status tacit_round_close_with(tacit_train *train, tacit_partial *sum,
                                    tacit_error *err) {
  int is_old = train->state == TACIT_RUN_COMPARING;
  int is_last = train->t == train->plan->rounds;
  if (!tacit_run_is_open(train->state)) /* a callback of the user may have ended the
                                           run */
    return tacit_fail(err, TACIT_ESTATE, "no round is open");
  TACIT_TRY(sync_rows(train, sum, err));
  if (is_old) {
    TACIT_TRY(tacit_replay_compare(train, &sum->raw_digest, err));
  } else {
    TACIT_TRY(check_digest(train, sum, err));
    TACIT_TRY(release(train, sum, err));
  }
  TACIT_TRY(tacit_run_enter(&train->state,
                            is_last ? TACIT_RUN_COMPLETE : TACIT_RUN_BETWEEN, err));
  TACIT_TRY(tacit_replay_record(train, sum, err));
  return train->t < 1 && !is_old ? tacit_train_sums(train, err) : TACIT_OK;
}

/* Adds up the sums of all threads, releases them, and moves the learner on. */
tacit_status tacit_round_close(tacit_train *train, tacit_error *err) {
  tacit_partial *sum = &train->open.partials[0];
  TACIT_TRY(tacit_round_merge(train, err));
  TACIT_TRY(tacit_round_close_with(train, sum, err));
  memset(&sum->raw_digest, 0, sizeof sum->raw_digest);
  sum->rows = 0;
  return TACIT_OK;
}
