/* SPDX-License-Identifier: MIT */
/*
 * Rows that the caller feeds, in batches of any size. They are cut at the borders of
 * the rounds, and threads add them up.
 */
#include "base/error.h"
#include "run/run.h"
#include "run/worker.h"

enum { ROWS_PER_TASK = 256 };

/* Some rows of a batch, which the threads share. */
struct slice {
  tacit_train *train;
  const tacit_batch *batch;
  int64_t first, end;
  int64_t place; /* place of row 0 of the batch in the pass */
};

/* Adds rows from a copy of them, for sums and digests, because the caller's memory may
   change meanwhile. */
static tacit_status add_copies(const struct slice *slice, tacit_partial *partial,
                               int64_t first, int64_t end, tacit_error *err) {
  tacit_own *own = &partial->own;
  while (first < end) {
    int64_t next = tacit_own_end(slice->batch, first, end);
    TACIT_TRY(tacit_own_rows(own, slice->batch, first, next, 0, err));
    partial->raw_prefetch = tacit_own_prefetch(slice->batch, next, next - first);
    TACIT_TRY(tacit_round_add(slice->train, partial, &own->view, 0, own->view.n_rows,
                              NULL, slice->place + first, err));
    first = next;
  }
  return TACIT_OK;
}

static void add_slice(void *context, size_t task, size_t worker) {
  const struct slice *slice = context;
  tacit_partial *partial = &slice->train->open.partials[worker];
  int64_t first = slice->first + (int64_t)task * ROWS_PER_TASK;
  int64_t end = first + ROWS_PER_TASK < slice->end ? first + ROWS_PER_TASK : slice->end;
  tacit_error error = {TACIT_OK, ""};
  if (add_copies(slice, partial, first, end, &error) != TACIT_OK)
    tacit_partial_fail(partial, (int64_t)task, &error);
}

static tacit_status add_rows(tacit_train *train, const tacit_batch *batch,
                             int64_t first, int64_t end, tacit_error *err) {
  int64_t all = tacit_plan_rows_all(train->plan);
  struct slice slice = {train, batch, first, end, train->rows.fed % all - first};
  size_t tasks = (size_t)((end - first + ROWS_PER_TASK - 1) / ROWS_PER_TASK);
  tacit_pool_run(train->pool, tasks, add_slice, &slice);
  TACIT_TRY(tacit_partials_check(train, err));
  train->open.rows_in += end - first;
  train->rows.fed += end - first;
  return TACIT_OK;
}

/* Goes on with the loop of Algorithm 1 (run/run.c) as far as the rows of this batch
   last. */
static tacit_status feed_rows(tacit_train *train, const tacit_batch *batch,
                              tacit_error *err) {
  TACIT_TRY(tacit_replay_bind(train, NULL, 1, err));
  for (int64_t first = 0; first < batch->n_rows;) {
    if (train->state == TACIT_RUN_COMPLETE) {
      return tacit_fail(err, TACIT_EDATA, "more rows than the %lld declared",
                        (long long)tacit_plan_rows_all(train->plan));
    }
    if (!tacit_run_is_open(train->state)) TACIT_TRY(tacit_round_open(train, err));
    int64_t take = batch->n_rows - first,
            due = train->open.rows_due - train->open.rows_in;
    if (take > due) take = due;
    TACIT_TRY(add_rows(train, batch, first, first + take, err));
    first += take;
    if (train->open.rows_in == train->open.rows_due)
      TACIT_TRY(tacit_round_close(train, err));
    TACIT_TRY(tacit_train_report(train, err));
  }
  return TACIT_OK;
}

struct feed {
  tacit_train *train;
  const tacit_batch *batch;
};

static tacit_status feed(void *context, tacit_error *err) {
  const struct feed *feed = context;
  tacit_batch taken;
  if (feed->train->plan->config.units > 0)
    return tacit_fail(err, TACIT_EINVAL,
                      "rows of persons cannot be fed: a run must know all ids before "
                      "the first row");
  TACIT_TRY(
      tacit_batch_take(feed->batch, feed->train->plan->row.features, 1, &taken, err));
  tacit_status status = tacit_rows_declared(
      feed->train->plan, taken.raw_weights != NULL, taken.raw_unit_rows != NULL, err);
  if (status == TACIT_OK) status = feed_rows(feed->train, &taken, err);
  tacit_batch_drop(&taken);
  return status;
}

tacit_status tacit_train_feed(tacit_train *train, const tacit_batch *batch,
                              tacit_error *err) {
  if (train == NULL) return tacit_fail(err, TACIT_EINVAL, "no run");
  if (train->plan->config.shuffled)
    return tacit_fail(err, TACIT_EPRIVACY,
                      "rows that are fed keep their order, and the statement says that "
                      "it does not matter: set shuffled to 0");
  struct feed context = {train, batch};
  return tacit_train_step(train, feed, &context, err);
}
