/* SPDX-License-Identifier: MIT */
/*
 * Ask and tell: the three steps of a round for programs that add up the rows elsewhere.
 * Ask opens the round, delta adds rows to a sum of the caller, tell closes the round.
 */
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "run/run.h"
#include "run/worker.h"

void tacit_round_init(tacit_round *round) {
  if (round == NULL) return;
  memset(round, 0, sizeof *round);
  round->struct_size = sizeof *round;
}

/* The size of a round in the oldest header that programs may be built with. */
static const size_t round_size_min = offsetof(tacit_round, first);

tacit_status tacit_train_order_key(tacit_train *train,
                                   unsigned char raw_key[TACIT_ORDER_KEY_BYTES],
                                   tacit_error *err) {
  if (train == NULL || raw_key == NULL)
    return tacit_fail(err, TACIT_EINVAL, "no run, or no place for the key");
  TACIT_TRY(tacit_run_alive(train->state, err));
  memcpy(raw_key, train->rows.order_key.bytes, TACIT_ORDER_KEY_BYTES);
  train->rows.order_given = 1;
  return TACIT_OK;
}

static void fill_centred(const tacit_delta *delta, tacit_round *out) {
  if (delta->offset == NULL) return;
  out->offset = delta->offset->values;
  out->offset_bits = delta->offset->bits;
  out->margins = delta->offsets;
  out->margins_prev = delta->offsets_prev;
  out->radius = delta->radius;
  out->stretch = delta->stretch;
  out->stretch_count = delta->stretch != NULL ? delta->row.features : 0;
  out->slope_max = delta->slope_max;
  out->square_scale = delta->square_scale;
  out->square_max = delta->square_max;
  out->offset_count = delta->row.features + (delta->row.bias ? 1 : 0) + 1;
  out->outputs = delta->row.outputs;
}

tacit_status tacit_round_ask(tacit_train *train, tacit_round *out, tacit_error *err) {
  if (train == NULL || out == NULL) return tacit_fail(err, TACIT_EINVAL, "no run");
  if (out->struct_size < round_size_min)
    return tacit_fail(err, TACIT_EINVAL, "round: not filled with tacit_round_init");
  TACIT_TRY(tacit_run_alive(train->state, err));
  if (train->plan->config.shuffled && !train->rows.order_given)
    return tacit_fail(err, TACIT_EPRIVACY,
                      "the statement says that the order of the rows does not matter: "
                      "deal them by the run's order (tacit_train_order_key), or set "
                      "shuffled to 0");
  if (tacit_plan_maps(train->plan))
    return tacit_fail(
        err, TACIT_EINVAL,
        "a round that is asked for carries no map of rows: set moments to "
        "auto or off for classes");
  TACIT_TRY(tacit_replay_skip_rows(train, err));
  if (train->state == TACIT_RUN_COMPLETE)
    return tacit_fail(err, TACIT_ESTATE, "all rounds are done: finish the run");
  if (!tacit_run_is_open(train->state)) TACIT_TRY(tacit_round_open(train, err));
  if (train->open.rows_in > 0)
    return tacit_fail(err, TACIT_ESTATE, "a round is half fed: end it before asking");
  size_t size = out->struct_size < sizeof *out ? out->struct_size : sizeof *out;
  tacit_round whole = {
      .struct_size = size,
      .t = train->t,
      .rounds = train->plan->rounds,
      .n_rows = train->open.rows_due,
      .dim = tacit_train_stage(train)->facts->shape.dim,
      .x = train->open.delta.x,
      .x_prev = train->open.delta.x_prev,
      .ratio = train->open.delta.ratio,
      .lattice_scale = train->open.delta.steps,
      .lattice_clip = train->open.delta.clip,
      .first = train->plan->config.units > 0
                   ? 0
                   : tacit_plan_round_first(train->plan, train->t),
      .lattice_clip_dual = train->open.delta.clip_dual,
      .weights = train->open.delta.x != NULL ? train->plan->dim : 0,
  };
  fill_centred(&train->open.delta, &whole);
  tacit_plan_digest(train->plan, whole.problem);
  memcpy(out, &whole, size);
  return TACIT_OK;
}

tacit_status tacit_round_delta(const tacit_train *train, const tacit_round *round,
                               const tacit_batch *shard, int64_t *raw_sum,
                               int64_t *raw_count, tacit_error *err) {
  if (train == NULL || round == NULL || raw_sum == NULL || raw_count == NULL)
    return tacit_fail(err, TACIT_EINVAL, "run, round, sum and count are needed");
  if (train->state != TACIT_RUN_OPEN || round->t != train->t)
    return tacit_fail(err, TACIT_ESTATE, "the round asked for is over");
  return tacit_shard_add(train->plan, &train->open.delta, round->n_rows, shard, raw_sum,
                         raw_count, err);
}

/* Adds rows from a copy of them, because the caller's memory may change meanwhile. */
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

/* Adds a shard to a scratch sum first. A shard that fails half way must leave nothing
   in raw_sum, because its retry would count rows twice. */
static tacit_status add_taken(const tacit_delta *delta, int64_t n_rows,
                              const tacit_batch *shard, int64_t *raw_sum,
                              int64_t *raw_count, tacit_error *err) {
  int64_t raw_before = *raw_count;
  if (raw_before < 0 || (n_rows > 0 && shard->n_rows > n_rows - raw_before))
    return tacit_fail(err, TACIT_EDATA, "more rows than the round has");
  tacit_sum *scratch = NULL;
  TACIT_TRY(tacit_delta_sum_new(delta, &scratch, err));
  tacit_status status = tacit_delta_open(delta, NULL, scratch, err);
  if (status == TACIT_OK) status = add_copies(delta, shard, scratch, err);
  if (status == TACIT_OK) {
    tacit_sum_close(scratch, NULL);
    const int64_t *raw_added = tacit_sum_raw_integers(scratch);
    for (size_t i = 0; i < tacit_sum_dim(scratch); ++i)
      raw_sum[i] += raw_added[i];
    *raw_count = raw_before + shard->n_rows;
  }
  tacit_sum_free(scratch);
  return status;
}

tacit_status tacit_rows_declared(const tacit_plan *plan, int are_weighted,
                                 int have_units, tacit_error *err) {
  if (are_weighted && !plan->config.weighted)
    return tacit_fail(err, TACIT_EINVAL,
                      "the rows have weights, and the run was not told: set weighted");
  if (have_units && plan->config.units == 0)
    return tacit_fail(
        err, TACIT_EINVAL,
        "the rows belong to persons, and the run was not told: set units");
  return TACIT_OK;
}

tacit_status tacit_shard_add(const tacit_plan *plan, const tacit_delta *delta,
                             int64_t n_rows, const tacit_batch *shard, int64_t *raw_sum,
                             int64_t *raw_count, tacit_error *err) {
  tacit_batch taken;
  TACIT_TRY(tacit_batch_take(shard, delta->row.features, 1, &taken, err));
  tacit_status status = tacit_rows_declared(plan, taken.raw_weights != NULL,
                                            taken.raw_unit_rows != NULL, err);
  if (status == TACIT_OK)
    status = add_taken(delta, n_rows, &taken, raw_sum, raw_count, err);
  tacit_batch_drop(&taken);
  return status;
}

struct tell {
  tacit_train *train;
  const int64_t *raw_sum;
  int64_t raw_count;
};

/* Closes a round with the sum of the caller. The sum is copied, so that what is checked
   is what is released and recorded. */
static tacit_status tell(void *context, tacit_error *err) {
  const struct tell *tell = context;
  tacit_train *train = tell->train;
  int is_ready = train->state == TACIT_RUN_OPEN ||
                 (train->state == TACIT_RUN_BETWEEN && train->t == train->released);
  if (!is_ready || train->open.rows_in > 0 || tell->raw_count < 0) {
    return tacit_fail(err, TACIT_EPRIVACY,
                      "the sums told are not those of the round's rows: the run ends");
  }
  tacit_partial sum = {.sum = train->open.partials[0].sum, .rows = tell->raw_count};
  TACIT_TRY(tacit_replay_bind(train, NULL, 0, err));
  if (!tacit_run_is_open(train->state)) TACIT_TRY(tacit_round_open(train, err));
  memcpy(tacit_sum_raw_load(sum.sum, sum.rows), tell->raw_sum,
         tacit_sum_dim(sum.sum) * sizeof *tell->raw_sum);
  TACIT_TRY(tacit_round_close_with(train, &sum, err));
  train->rows.fed += sum.rows;
  return tacit_train_report(train, err);
}

tacit_status tacit_round_tell(tacit_train *train, const int64_t *raw_sum,
                              int64_t raw_count, tacit_error *err) {
  if (train == NULL || raw_sum == NULL) return tacit_fail(err, TACIT_EINVAL, "no run");
  struct tell context = {train, raw_sum, raw_count};
  return tacit_train_step(train, tell, &context, err);
}
