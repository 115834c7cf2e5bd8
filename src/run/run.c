/* SPDX-License-Identifier: MIT */
/*
 * A whole run from a reader: pass after pass, round after round. A cursor deals the
 * rows of a round to the workers in blocks; a worker reads and parses a block and adds
 * up its contributions while the rows are in its cache. Sums are integers and digests
 * do not depend on order, so which worker gets which block changes no bit.
 */
#include "run/run.h"
#include "base/error.h"
#include "data/batch/row.h"
#include "data/reader/reader.h"

enum {
  BLOCK_ROWS = 1024,     /* places of a block */
  BLOCKS_PER_WORKER = 16 /* between two calls of the progress callback */
};

struct run {
  tacit_train *train;
  tacit_reader *reader;
  tacit_cursor *cursor;
};

/* Adds the worker's next rows; *out_more is 0 at the end of the range. */
static tacit_status add_rows(const struct run *run, size_t worker, int *out_more,
                             tacit_error *err) {
  tacit_train *train = run->train;
  tacit_cursor_rows rows;
  TACIT_TRY(tacit_cursor_next(run->cursor, worker, &rows, err));
  *out_more = rows.batch->n_rows > 0;
  if (!*out_more) return TACIT_OK;
  TACIT_TRY(tacit_batch_check(rows.batch, train->plan->row.features, 1, err));
  return tacit_train_add(train, &train->partials[worker], rows.batch, 0,
                         rows.batch->n_rows, rows.places, 0, err);
}

static void add_task(void *context, size_t task, size_t worker) {
  const struct run *run = context;
  tacit_partial *partial = &run->train->partials[worker];
  int more = partial->error.status == TACIT_OK;
  (void)task;
  while (more) {
    tacit_error error = {TACIT_OK, ""};
    if (add_rows(run, worker, &more, &error) == TACIT_OK) continue;
    int64_t place = tacit_cursor_reached(run->cursor, worker);
    tacit_partial_fault(partial, (size_t)place, &error);
    return;
  }
}

static tacit_status run_round(struct run *run, int64_t first, int64_t end,
                              tacit_error *err) {
  tacit_train *train = run->train;
  size_t workers = tacit_pool_workers(train->pool);
  int64_t max = (int64_t)(BLOCKS_PER_WORKER * workers) * BLOCK_ROWS;
  while (first < end) {
    int64_t next = end - first < max ? end : first + max;
    size_t blocks = (size_t)((next - first + BLOCK_ROWS - 1) / BLOCK_ROWS);
    tacit_cursor_range(run->cursor, first, next);
    tacit_pool_run(train->pool, blocks < workers ? blocks : workers, add_task, run);
    TACIT_TRY(tacit_train_fault(train, err));
    train->rows_in += next - first;
    train->rows_fed += next - first;
    first = next;
    if (first < end) TACIT_TRY(tacit_train_report(train, err));
  }
  return TACIT_OK;
}

static tacit_status run_passes(struct run *run, tacit_error *err) {
  tacit_train *train = run->train;
  const tacit_plan *plan = train->plan;
  for (int pass = tacit_train_skip_passes(train); pass <= plan->passes; ++pass) {
    if (pass > 1) TACIT_TRY(tacit_reader_rewind(run->reader, err));
    for (int64_t first = 0; first < plan->rows;) {
      int64_t end = first + train->rows_due;
      TACIT_TRY(run_round(run, first, end, err));
      /* The files must be those that were counted before the last round of a pass is
         released. */
      if (end == plan->rows) TACIT_TRY(tacit_reader_check(run->reader, err));
      TACIT_TRY(tacit_train_end_round(train, err));
      TACIT_TRY(tacit_train_report(train, err));
      first = end;
    }
  }
  return TACIT_OK;
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

tacit_status tacit_train_run(tacit_train *train, tacit_reader *reader,
                             tacit_error *err) {
  if (train == NULL || reader == NULL) return tacit_fail(err, TACIT_EINVAL, "no run");
  TACIT_TRY(tacit_train_alive(train, err));
  struct run run = {.train = train, .reader = reader};
  train->rows_are_ours = reader->is_partitioned;
  tacit_status status = check_reader(train, reader, err);
  if (status == TACIT_OK) status = tacit_train_begin(train, reader, 1, err);
  if (status == TACIT_OK)
    status = tacit_reader_cursor(reader, tacit_pool_workers(train->pool), BLOCK_ROWS,
                                 &run.cursor, err);
  if (status == TACIT_OK) status = run_passes(&run, err);
  tacit_cursor_free(run.cursor);
  if (status == TACIT_OK) return TACIT_OK;
  (void)tacit_reader_kill(reader, status);
  return tacit_train_kill(train, status, err);
}
