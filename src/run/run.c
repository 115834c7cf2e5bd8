/* SPDX-License-Identifier: MIT */
/*
 * A whole run over the rows of a reader: the loop of Algorithm 1
 * (algorithm1/algorithm1.c lists its lines; docs/theory.md has them beside the paper).
 *
 * A cursor deals the rows of a round to the threads in blocks. A thread reads and
 * parses a block and adds up its contributions while the rows are in its cache. Sums
 * are integers, and digests do not depend on order, so it does not matter which thread
 * gets which block.
 */
#include "run/run.h"
#include "run/archive.h"
#include "run/worker.h"

#include "admit/keep.h"
#include "base/error.h"
#include "base/memory.h"
#include "batch/row.h"
#include "data/reader/units.h"

enum {
  ROWS_PER_BLOCK = 1024,
  BLOCKS_PER_THREAD = 16, /* between two calls of the progress callback */
  BLOCKS_IF_SHORT = 64,   /* if rows have at most SHORT_ROW weights: threads wait for
                             each other at every call */
  SHORT_ROW = 1 << 12
};

/* What a worker adds to rows of persons: their numbers in the files, and the m of
   each. */
struct shares {
  int64_t rows[TACIT_CURSOR_ROWS];
  uint32_t raw_unit_rows[TACIT_CURSOR_ROWS];
};

struct run {
  tacit_train *train;
  tacit_reader *reader;
  tacit_order *order; /* NULL if the rows are used as they are stored */
  tacit_cursor *cursor;
  struct shares *shares; /* one per worker; NULL without persons */
};

/* Adds rows of persons with their shares. Each row is known by its number, because
   places depend on the number of ranks. */
static tacit_status add_persons(const struct run *run, size_t worker,
                                const tacit_cursor_rows *rows, tacit_error *err) {
  tacit_train *train = run->train;
  struct shares *shares = &run->shares[worker];
  tacit_batch batch = *rows->batch;
  int numbers = tacit_round_numbers(train); /* only if needed, because looking numbers
                                               up takes long */
  for (int64_t i = 0; numbers && i < batch.n_rows; ++i)
    shares->rows[i] = tacit_roster_row(train->rows.roster, rows->places[i]);
  batch.raw_unit_rows = tacit_roster_shares(train->rows.roster, rows->places,
                                            batch.n_rows, shares->raw_unit_rows);
  return tacit_round_add(train, &train->open.partials[worker], &batch, 0, batch.n_rows,
                         numbers ? shares->rows : rows->places, 0, err);
}

/* Adds the next rows of a thread to the open round. *out_more becomes 0 at the end of
   the range. */
static tacit_status add_next(const struct run *run, size_t worker, int *out_more,
                             tacit_error *err) {
  tacit_train *train = run->train;
  tacit_cursor_rows rows;
  TACIT_TRY(tacit_cursor_next(run->cursor, worker, &rows, err));
  *out_more = rows.batch->n_rows > 0;
  if (!*out_more) return TACIT_OK;
  TACIT_TRY(tacit_batch_check(rows.batch, train->plan->row.features, 1, err));
  if (train->rows.roster != NULL) return add_persons(run, worker, &rows, err);
  return tacit_round_add(train, &train->open.partials[worker], rows.batch, 0,
                         rows.batch->n_rows, rows.places, 0, err);
}

/* Adds the rows that the cursor deals to a thread to the open round. */
static void add_task(void *context, size_t task, size_t worker) {
  const struct run *run = context;
  tacit_partial *partial = &run->train->open.partials[worker];
  int more = partial->error.status == TACIT_OK;
  (void)task;
  while (more) {
    tacit_error error = {TACIT_OK, ""};
    if (add_next(run, worker, &more, &error) == TACIT_OK) continue;
    tacit_partial_fail(partial, tacit_cursor_reached(run->cursor, worker), &error);
    return;
  }
}

/* Adds the rows at places first … end-1 to the open round. */
static tacit_status add_range(struct run *run, int64_t first, int64_t end,
                              tacit_error *err) {
  tacit_train *train = run->train;
  size_t threads = tacit_pool_workers(train->pool);
  int is_short = train->plan->dim <= SHORT_ROW;
  int64_t max = (int64_t)((is_short ? BLOCKS_IF_SHORT : BLOCKS_PER_THREAD) * threads) *
                ROWS_PER_BLOCK;
  while (first < end) {
    int64_t next = end - first < max ? end : first + max;
    size_t blocks = (size_t)((next - first + ROWS_PER_BLOCK - 1) / ROWS_PER_BLOCK);
    TACIT_TRY(tacit_cursor_range(run->cursor, first, next, err));
    tacit_pool_run(train->pool, blocks < threads ? blocks : threads, add_task, run);
    TACIT_TRY(tacit_partials_check(train, err));
    train->open.rows_in += next - first;
    train->rows.fed += next - first;
    first = next;
    if (first < end) TACIT_TRY(tacit_train_report(train, err));
  }
  return TACIT_OK;
}

/* Adds all rows of the open round. */
static tacit_status add_rows(struct run *run, tacit_error *err) {
  tacit_train *train = run->train;
  int64_t first, end, batch = (train->t - 1) % train->plan->per_pass;
  int begins = train->t < 1 || batch == 0, ends = batch + 1 == train->plan->per_pass;
  tacit_round_batch(train, &first, &end);
  if (begins) tacit_keep_begin(run->cursor);
  train->rows.is_kept = tacit_keep_is_whole(run->cursor);
  /* Rows that are apart are followed by the rows of the rounds, so nothing is read
     again. */
  if (begins && train->t > tacit_plan_first_round(train->plan) &&
      !(train->plan->apart && train->t == 1))
    TACIT_TRY(tacit_reader_rewind(run->reader, err));
  TACIT_TRY(add_range(run, first, end, err));
  if (!ends && (train->t > 0 || train->plan->apart)) return TACIT_OK;
  tacit_keep_end(run->cursor);
  /* The last round of a pass is released only if the files are still the files that
     were counted. */
  return tacit_reader_check(run->reader, err);
}

static tacit_status check_persons(const tacit_train *train, const tacit_reader *reader,
                                  tacit_error *err) {
  const tacit_config *config = &train->plan->config;
  if (reader->roster == NULL || config->units == 0 ||
      tacit_roster_cap(reader->roster) != config->unit_rows)
    return tacit_fail(err, TACIT_EINVAL,
                      "persons: units and unit-rows of the run are those that "
                      "tacit_reader_units counted");
  int64_t units = tacit_roster_units(reader->roster);
  if (units == config->units) return TACIT_OK;
  return tacit_fail(err, TACIT_EDATA, "the data has %lld persons, %lld are declared",
                    (long long)units, (long long)config->units);
}

static tacit_status check_reader(const tacit_train *train, const tacit_reader *reader,
                                 tacit_error *err) {
  if (train->plan->centred && !train->plan->apart && !tacit_reader_rewinds(reader)) {
    return tacit_fail(err, TACIT_EINVAL,
                      "a pipe can be read once, and a centred run reads the rows once "
                      "more: centre head or off, or a regular file");
  }
  if (train->plan->passes > 1 && !tacit_reader_rewinds(reader)) {
    return tacit_fail(err, TACIT_EINVAL,
                      "a pipe can be read once: use 1 pass or a regular file");
  }
  if (train->log.checkpoint != NULL && !tacit_reader_rewinds(reader)) {
    return tacit_fail(err, TACIT_EINVAL,
                      "a run from a pipe cannot be resumed: store the rows in a file, "
                      "or drop the checkpoint");
  }
  if (train->plan->config.shuffled && !tacit_reader_shuffled(reader)) {
    return tacit_fail(err, TACIT_EPRIVACY,
                      "the statement says that the order of the rows does not matter, "
                      "and the reader keeps the order it has: set shuffled to 0");
  }
  TACIT_TRY(
      tacit_rows_declared(train->plan, reader->is_weighted, reader->has_units, err));
  if (train->rows.fed > 0 || tacit_run_is_open(train->state)) {
    return tacit_fail(err, TACIT_ESTATE,
                      "rows were fed already, or a round was asked for: run takes a "
                      "fresh run");
  }
  int64_t rows = tacit_reader_rows(reader);
  if (train->plan->config.units > 0 || reader->roster != NULL)
    return check_persons(train, reader, err);
  if (rows >= 0 && rows != tacit_plan_rows_all(train->plan)) {
    return tacit_fail(err, TACIT_EDATA, "the reader has %lld rows, %lld are declared",
                      (long long)rows, (long long)tacit_plan_rows_all(train->plan));
  }
  return TACIT_OK;
}

/* Deals the persons to batches, and opens a cursor over their rows. */
static tacit_status open_persons(struct run *run, int64_t batches, tacit_error *err) {
  tacit_train *train = run->train;
  tacit_roster *roster = run->reader->roster;
  size_t workers = tacit_pool_workers(train->pool);
  const tacit_key *key = run->reader->has_hashes ? NULL : &train->rows.order_key;
  TACIT_TRY(tacit_roster_deal(roster, key, batches, err));
  train->rows.roster = roster;
  TACIT_TRY(TACIT_RAW_NEW(run->shares, workers, err));
  TACIT_TRY(tacit_order_of_roster(roster, &run->order, err));
  return tacit_reader_cursor(run->reader, run->order, workers, ROWS_PER_BLOCK,
                             &run->cursor, err);
}

/* Keeps the rows of the first reading for later ones, if that saves work. */
static tacit_status keep_rows(struct run *run, tacit_error *err) {
  tacit_cursor *below = run->cursor;
  const tacit_train *train = run->train;
  const tacit_reader *reader = run->reader;
  if (tacit_plan_readings(train->plan) == 1 || train->plan->apart ||
      train->ranks.group != NULL || reader->keep_max <= 0)
    return TACIT_OK;
  run->cursor = NULL;
  return tacit_keep_new(below, tacit_pool_workers(train->pool), reader->rows,
                        reader->keep_max, &run->cursor, err);
}

/* Opens a cursor over the rows in the secret order, which deals the rows of all files
   and ranks together. */
static tacit_status open_cursor(struct run *run, tacit_error *err) {
  const tacit_train *train = run->train;
  if (run->reader->roster != NULL) return open_persons(run, train->plan->per_pass, err);
  if (run->reader->takes_order)
    TACIT_TRY(tacit_order_new(train->plan->rows, train->plan->per_pass,
                              train->rows.order_key.bytes, train->pool, &run->order,
                              err));
  return tacit_reader_cursor(run->reader, run->order, tacit_pool_workers(train->pool),
                             ROWS_PER_BLOCK, &run->cursor, err);
}

static void close_cursor(struct run *run) {
  run->train->rows.roster = NULL;
  tacit_keep_drop(run->cursor, run->train->pool);
  tacit_cursor_free(run->cursor);
  tacit_order_free(run->order);
  tacit_raw_free(run->shares);
}

static tacit_status run_rounds(struct run *run, tacit_error *err) {
  tacit_train *train = run->train;
  int64_t t = tacit_replay_skip_passes(train); /* no round unless the run is resumed */
  while (++t <= train->plan->rounds) {
    TACIT_TRY(tacit_round_open(train, err));  /* line 1: w_t and x_t */
    TACIT_TRY(add_rows(run, err));            /* line 2: delta_t of every row */
    TACIT_TRY(tacit_round_close(train, err)); /* line 3: the release of gbar_t */
                                              /* line 4: the learner receives it */
    TACIT_TRY(tacit_train_report(train, err));
  }
  return TACIT_OK;
}

static tacit_status run_reader(void *context, tacit_error *err) {
  struct run *run = context;
  tacit_train *train = run->train;
  TACIT_TRY(check_reader(train, run->reader, err));
  train->rows.is_partitioned = run->reader->is_partitioned;
  TACIT_TRY(tacit_replay_bind(train, run->reader, 1, err));
  tacit_status status = open_cursor(run, err);
  if (status == TACIT_OK) status = keep_rows(run, err);
  if (status == TACIT_OK) status = run_rounds(run, err);
  close_cursor(run);
  return status;
}

/* Adds the rows of a day. A day of persons is one batch of all persons but those who
   were left out. */
static tacit_status read_day(struct run *run, tacit_error *err) {
  int64_t first = 0, end = run->reader->rows;
  tacit_train *train = run->train;
  if (run->reader->roster != NULL) {
    TACIT_TRY(open_persons(run, 1, err));
    tacit_roster_batch(train->rows.roster, 0, &first, &end);
  } else {
    TACIT_TRY(tacit_reader_cursor(run->reader, NULL, tacit_pool_workers(train->pool),
                                  ROWS_PER_BLOCK, &run->cursor, err));
  }
  TACIT_TRY(add_range(run, first, end, err));
  return tacit_reader_check(run->reader, err);
}

tacit_status tacit_round_read(tacit_train *train, tacit_reader *reader,
                              tacit_error *err) {
  struct run run = {.train = train, .reader = reader};
  TACIT_TRY(
      tacit_rows_declared(train->plan, reader->is_weighted, reader->has_units, err));
  if (reader->rows == 0) return TACIT_OK;
  tacit_status status = read_day(&run, err);
  close_cursor(&run);
  return status;
}

tacit_status tacit_train_run(tacit_train *train, tacit_reader *reader,
                             tacit_error *err) {
  if (train == NULL || reader == NULL) return tacit_fail(err, TACIT_EINVAL, "no run");
  TACIT_TRY(tacit_run_alive(train->state, err));
  struct run run = {.train = train, .reader = reader};
  tacit_status status = tacit_train_step(train, run_reader, &run, err);
  if (status != TACIT_OK) tacit_reader_first_fault(reader, err);
  if (status != TACIT_OK) (void)tacit_reader_kill(reader, status);
  return status;
}
