/* SPDX-License-Identifier: MIT */
/*
 * A whole run over the rows of a reader: the loop of Algorithm 1 (convert/algorithm1.c
 * lists its lines; docs/theory.md has them beside the paper).
 *
 * A cursor deals the rows of a round to the threads in blocks. A thread reads and
 * parses a block and adds up its contributions while the rows are in its cache. Sums
 * are integers and digests do not depend on order, so it does not matter which thread
 * gets which block.
 */
#include "run/run.h"

#include "base/error.h"
#include "data/batch/row.h"
#include "data/reader/reader.h"

enum {
  ROWS_PER_BLOCK = 1024,
  BLOCKS_PER_THREAD = 16 /* between two calls of the progress callback */
};

struct run {
  tacit_train *train;
  tacit_reader *reader;
  tacit_order *order; /* NULL: the rows are used as they are stored */
  tacit_cursor *cursor;
};

static tacit_status add_rows(struct run *run, tacit_error *err);

static tacit_status run_rounds(struct run *run, tacit_error *err) {
  tacit_train *train = run->train;
  int64_t skipped = tacit_replay_skip_passes(train); /* 0 unless the run is resumed */
  for (int64_t t = 1 + skipped; t <= train->plan->rounds; ++t) {
    TACIT_TRY(tacit_round_open(train, err));  /* line 1: w_t and x_t */
    TACIT_TRY(add_rows(run, err));            /* line 2: delta_t of every row */
    TACIT_TRY(tacit_round_close(train, err)); /* line 3: the release of gbar_t, */
                                              /* line 4: which the learner receives */
    TACIT_TRY(tacit_train_report(train, err));
  }
  return TACIT_OK;
}

/* Adds the next rows of a thread; *out_more is 0 at the end of the range. */
static tacit_status add_next(const struct run *run, size_t worker, int *out_more,
                             tacit_error *err) {
  tacit_train *train = run->train;
  tacit_cursor_rows rows;
  TACIT_TRY(tacit_cursor_next(run->cursor, worker, &rows, err));
  *out_more = rows.batch->n_rows > 0;
  if (!*out_more) return TACIT_OK;
  TACIT_TRY(tacit_batch_check(rows.batch, train->plan->row.features, 1, err));
  return tacit_round_add(train, &train->partials[worker], rows.batch, 0,
                         rows.batch->n_rows, rows.places, 0, err);
}

static void add_task(void *context, size_t task, size_t worker) {
  const struct run *run = context;
  tacit_partial *partial = &run->train->partials[worker];
  int more = partial->error.status == TACIT_OK;
  (void)task;
  while (more) {
    tacit_error error = {TACIT_OK, ""};
    if (add_next(run, worker, &more, &error) == TACIT_OK) continue;
    tacit_partial_fail(partial, tacit_cursor_reached(run->cursor, worker), &error);
    return;
  }
}

/* All rows of the open round. */
static tacit_status add_rows(struct run *run, tacit_error *err) {
  tacit_train *train = run->train;
  int64_t first = tacit_plan_round_first(train->plan, train->t);
  int64_t end = first + train->rows_due;
  size_t threads = tacit_pool_workers(train->pool);
  int64_t max = (int64_t)(BLOCKS_PER_THREAD * threads) * ROWS_PER_BLOCK;
  if (first == 0 && train->t > 1) TACIT_TRY(tacit_reader_rewind(run->reader, err));
  while (first < end) {
    int64_t next = end - first < max ? end : first + max;
    size_t blocks = (size_t)((next - first + ROWS_PER_BLOCK - 1) / ROWS_PER_BLOCK);
    TACIT_TRY(tacit_cursor_range(run->cursor, first, next, err));
    tacit_pool_run(train->pool, blocks < threads ? blocks : threads, add_task, run);
    TACIT_TRY(tacit_partials_check(train, err));
    train->rows_in += next - first;
    train->rows_fed += next - first;
    first = next;
    if (first < end) TACIT_TRY(tacit_train_report(train, err));
  }
  /* The last round of a pass is released only if the files are those that were counted.
   */
  return end == train->plan->rows ? tacit_reader_check(run->reader, err) : TACIT_OK;
}

static tacit_status check_reader(const tacit_train *train, const tacit_reader *reader,
                                 tacit_error *err) {
  if (train->plan->passes > 1 && !tacit_reader_rewinds(reader)) {
    return tacit_fail(err, TACIT_EINVAL,
                      "a pipe can be read once: use 1 pass or a regular file");
  }
  if (train->checkpoint != NULL && !tacit_reader_rewinds(reader)) {
    return tacit_fail(err, TACIT_EINVAL,
                      "a run from a pipe cannot be resumed: store the rows in a file, "
                      "or drop the checkpoint");
  }
  if (train->plan->config.shuffled && !tacit_reader_shuffled(reader)) {
    return tacit_fail(err, TACIT_EPRIVACY,
                      "the statement says that the order of the rows does not matter, "
                      "and the reader keeps the order it has: set shuffled to 0");
  }
  if (train->rows_fed > 0) {
    return tacit_fail(err, TACIT_ESTATE,
                      "rows were fed already: run takes a fresh run");
  }
  int64_t rows = tacit_reader_rows(reader);
  if (rows >= 0 && rows != train->plan->rows) {
    return tacit_fail(err, TACIT_EDATA, "the reader has %lld rows, %lld are declared",
                      (long long)rows, (long long)train->plan->rows);
  }
  return TACIT_OK;
}

/* The rows of all files and ranks are dealt to the batches together. */
static tacit_status open_cursor(struct run *run, tacit_error *err) {
  const tacit_train *train = run->train;
  if (run->reader->takes_order)
    TACIT_TRY(tacit_order_new(train->plan->rows, train->plan->per_pass,
                              train->order_key.bytes, &run->order, err));
  return tacit_reader_cursor(run->reader, run->order, tacit_pool_workers(train->pool),
                             ROWS_PER_BLOCK, &run->cursor, err);
}

static tacit_status run_reader(void *context, tacit_error *err) {
  struct run *run = context;
  tacit_train *train = run->train;
  TACIT_TRY(check_reader(train, run->reader, err));
  train->is_partitioned = run->reader->is_partitioned;
  TACIT_TRY(tacit_replay_bind(train, run->reader, 1, err));
  tacit_status status = open_cursor(run, err);
  if (status == TACIT_OK) status = run_rounds(run, err);
  tacit_cursor_free(run->cursor);
  tacit_order_free(run->order);
  return status;
}

tacit_status tacit_train_run(tacit_train *train, tacit_reader *reader,
                             tacit_error *err) {
  if (train == NULL || reader == NULL) return tacit_fail(err, TACIT_EINVAL, "no run");
  TACIT_TRY(tacit_run_alive(train->state, err));
  struct run run = {train, reader, NULL, NULL};
  tacit_status status = tacit_train_step(train, run_reader, &run, err);
  if (status != TACIT_OK) (void)tacit_reader_kill(reader, status);
  return status;
}
