/* SPDX-License-Identifier: MIT */
/*
 * A whole run from a reader: pass after pass, round after round. The rows of a round
 * are shared out in blocks by their place in the pass; a worker reads and parses a
 * block and adds up its contributions while it is in its cache. Sums are integers and
 * digests do not care for order, so who takes which block changes no bit.
 */
#include "run/run.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/reader/reader.h"
#include "data/text/store.h"

enum {
  BLOCK_ROWS = 1024,    /* places in a block */
  BLOCKS_A_WORKER = 16, /* between two looks at the caller's wish to stop */
  CHUNKS_A_WORKER = 4   /* of a stream, read before they are parsed */
};

/* Some chunks of a stream, cut and ready to be parsed. */
struct load {
  tacit_chunk *chunks;
  int64_t *places; /* of the first row of each */
  size_t count;
  int64_t end; /* place behind the last row */
  tacit_error error;
};

/* What the workers share. */
struct crew {
  tacit_train *train;
  tacit_reader *reader;
  size_t workers;
  tacit_cursor **cursors;       /* of a store: one a worker */
  int64_t first, end;           /* places they work on */
  tacit_text_builder *builders; /* of a stream: one a worker, */
  struct load loads[2];         /* what they parse, and what is read meanwhile */
  int at;                       /* the one they parse */
};

static size_t load_max(const struct crew *crew) {
  return CHUNKS_A_WORKER * crew->workers;
}

static void crew_fini(struct crew *crew) {
  for (size_t i = 0; i < crew->workers; ++i) {
    if (crew->cursors != NULL) tacit_cursor_free(crew->cursors[i]);
    if (crew->builders != NULL) tacit_text_builder_fini(&crew->builders[i]);
  }
  for (int k = 0; k < 2; ++k) {
    struct load *load = &crew->loads[k];
    for (size_t i = 0; load->chunks != NULL && i < load_max(crew); ++i)
      tacit_chunk_fini(&load->chunks[i]);
    tacit_raw_free(load->chunks);
    tacit_array_free(load->places);
  }
  tacit_array_free(crew->cursors);
  tacit_raw_free(crew->builders);
}

static tacit_status crew_init(struct crew *crew, tacit_error *err) {
  const tacit_reader *reader = crew->reader;
  crew->workers = tacit_pool_workers(crew->train->pool);
  if (reader->store.ops != NULL) {
    crew->cursors = tacit_array_new(crew->workers, sizeof *crew->cursors);
    if (crew->cursors == NULL) return tacit_fail_memory(err);
    for (size_t i = 0; i < crew->workers; ++i)
      TACIT_TRY(
          tacit_cursor_new(&reader->store, reader->order, &crew->cursors[i], err));
    return TACIT_OK;
  }
  crew->builders = tacit_raw_new(crew->workers, sizeof *crew->builders);
  if (crew->builders == NULL) return tacit_fail_memory(err);
  for (int k = 0; k < 2; ++k) {
    struct load *load = &crew->loads[k];
    load->chunks = tacit_raw_new(load_max(crew), sizeof *load->chunks);
    load->places = tacit_array_new(load_max(crew), sizeof *load->places);
    if (load->chunks == NULL || load->places == NULL) return tacit_fail_memory(err);
  }
  for (size_t i = 0; i < crew->workers; ++i)
    TACIT_TRY(tacit_text_builder_init(&crew->builders[i], reader->schema,
                                      reader->labels, err));
  return TACIT_OK;
}

static tacit_status add_block(const struct crew *crew, size_t block, size_t worker,
                              tacit_error *err) {
  tacit_cursor *cursor = crew->cursors[worker];
  int64_t first = crew->first + (int64_t)block * BLOCK_ROWS;
  int64_t end = first + BLOCK_ROWS < crew->end ? first + BLOCK_ROWS : crew->end;
  tacit_cursor_range(cursor, first, end);
  for (;;) {
    const tacit_batch *batch;
    const int64_t *places;
    TACIT_TRY(tacit_cursor_next(cursor, &batch, &places, err));
    if (batch->n_rows == 0) return TACIT_OK;
    TACIT_TRY(tacit_batch_check(batch, crew->train->plan->row.features, 1, err));
    TACIT_TRY(tacit_train_add(crew->train, &crew->train->partials[worker], batch, 0,
                              batch->n_rows, places, 0, err));
  }
}

static tacit_status add_chunk(const struct crew *crew, size_t number, size_t worker,
                              tacit_error *err) {
  const struct load *load = &crew->loads[crew->at];
  const tacit_chunk *chunk = &load->chunks[number];
  tacit_text text = {chunk->text, chunk->text + chunk->size, chunk->line};
  int64_t place = load->places[number];
  while (text.at < text.end) {
    const tacit_batch *batch;
    TACIT_TRY(tacit_stream_parse(crew->reader, chunk, &crew->builders[worker], &text,
                                 &batch, err));
    TACIT_TRY(tacit_batch_check(batch, crew->train->plan->row.features, 1, err));
    TACIT_TRY(tacit_train_add(crew->train, &crew->train->partials[worker], batch, 0,
                              batch->n_rows, NULL, place, err));
    place += batch->n_rows;
  }
  return TACIT_OK;
}

static void add_task(void *context, size_t task, size_t worker) {
  const struct crew *crew = context;
  tacit_partial *partial = &crew->train->partials[worker];
  if (partial->error.status != TACIT_OK) return; /* it met a fault in a lower task */
  tacit_error error = {TACIT_OK, ""};
  tacit_status status = crew->cursors != NULL ? add_block(crew, task, worker, &error)
                                              : add_chunk(crew, task, worker, &error);
  if (status != TACIT_OK) tacit_partial_fault(partial, task, &error);
}

/* Some blocks from place `first` on; *out_end is where they end. */
static tacit_status add_places(struct crew *crew, int64_t first, int64_t end,
                               int64_t *out_end, tacit_error *err) {
  int64_t max = (int64_t)(BLOCKS_A_WORKER * crew->workers) * BLOCK_ROWS;
  crew->first = first;
  crew->end = end - first < max ? end : first + max;
  size_t blocks = (size_t)((crew->end - first + BLOCK_ROWS - 1) / BLOCK_ROWS);
  tacit_pool_run(crew->train->pool, blocks, add_task, crew);
  *out_end = crew->end;
  return tacit_train_fault(crew->train, err);
}

/* Cuts the next rows of a stream up to place `end`; a fault is kept for when they are
   due. */
static void cut_load(const struct crew *crew, struct load *load, int64_t first,
                     int64_t end) {
  tacit_status status = TACIT_OK;
  load->error.status = TACIT_OK;
  for (load->count = 0;
       status == TACIT_OK && first < end && load->count < load_max(crew);) {
    tacit_chunk *chunk = &load->chunks[load->count];
    int64_t max = end - first < BLOCK_ROWS ? end - first : BLOCK_ROWS;
    status = tacit_stream_cut(crew->reader, max, chunk, &load->error);
    if (status == TACIT_OK && chunk->rows == 0)
      status =
          tacit_fail(&load->error, TACIT_EDATA, "a pass has fewer rows than declared");
    if (status != TACIT_OK) break;
    load->places[load->count++] = first;
    first += chunk->rows;
  }
  load->end = first;
}

/* Task 0 reads on, so that there is text when the workers are done; the others parse.
 */
static void stream_task(void *context, size_t task, size_t worker) {
  struct crew *crew = context;
  if (task == 0) {
    const struct load *now = &crew->loads[crew->at];
    cut_load(crew, &crew->loads[1 - crew->at], now->end, crew->end);
  } else {
    add_task(context, task - 1, worker);
  }
}

/* The same for the next rows of a stream. */
static tacit_status add_stream(struct crew *crew, int64_t first, int64_t end,
                               int64_t *out_end, tacit_error *err) {
  crew->end = end;
  struct load *now = &crew->loads[crew->at];
  if (first == crew->first) cut_load(crew, now, first, end); /* of a round */
  if (now->error.status != TACIT_OK) {
    if (err != NULL) *err = now->error;
    return now->error.status;
  }
  tacit_pool_run(crew->train->pool, 1 + now->count, stream_task, crew);
  *out_end = now->end;
  crew->at = 1 - crew->at;
  return tacit_train_fault(crew->train, err);
}

static tacit_status run_round(struct crew *crew, int64_t first, int64_t end,
                              tacit_error *err) {
  tacit_train *train = crew->train;
  crew->first = first;
  while (first < end) {
    int64_t reached = first;
    TACIT_TRY(crew->cursors != NULL ? add_places(crew, first, end, &reached, err)
                                    : add_stream(crew, first, end, &reached, err));
    train->rows_in += reached - first;
    train->rows_fed += reached - first;
    first = reached;
    if (first < end) TACIT_TRY(tacit_train_report(train, err));
  }
  return TACIT_OK;
}

/* Every pass must be whole, and of the files that were counted, before its last round
   is released. */
static tacit_status end_pass(const struct crew *crew, tacit_error *err) {
  const tacit_store *store = &crew->reader->store;
  if (store->ops == NULL || store->ops->check == NULL) return TACIT_OK;
  return store->ops->check(store->self, err);
}

static tacit_status run_passes(struct crew *crew, tacit_error *err) {
  tacit_train *train = crew->train;
  const tacit_plan *plan = train->plan;
  for (int pass = tacit_train_skip_passes(train); pass <= plan->passes; ++pass) {
    if (pass > 1) TACIT_TRY(tacit_reader_rewind(crew->reader, err));
    for (int64_t first = 0; first < plan->rows;) {
      int64_t end = first + train->rows_due;
      TACIT_TRY(run_round(crew, first, end, err));
      if (end == plan->rows) TACIT_TRY(end_pass(crew, err));
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
  struct crew crew = {.train = train, .reader = reader};
  train->rows_are_ours = reader->store.is_partitioned;
  tacit_status status = check_reader(train, reader, err);
  if (status == TACIT_OK) status = tacit_train_begin(train, reader, 1, err);
  if (status == TACIT_OK) status = crew_init(&crew, err);
  if (status == TACIT_OK) status = run_passes(&crew, err);
  crew_fini(&crew);
  if (status == TACIT_OK) return TACIT_OK;
  (void)tacit_reader_kill(reader, status);
  return tacit_train_kill(train, status, err);
}
