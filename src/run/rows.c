/* SPDX-License-Identifier: MIT */
/*
 * The rows of a round are divided into blocks by their place in the pass. A thread
 * reads and parses a block and adds up its contributions while the block is in its
 * cache. Sums are integers and digests do not depend on the order of rows, so it does
 * not matter which thread takes which block.
 */
#include "run/rows.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/reader/reader.h"
#include "data/text/store.h"
#include "run/run.h"

enum {
  ROWS_PER_BLOCK = 1024,
  BLOCKS_PER_THREAD = 16, /* between two calls of the progress callback */
  CHUNKS_PER_THREAD = 4   /* of a stream, read before they are parsed */
};

/* Some chunks of a stream, cut and ready to be parsed. */
struct load {
  tacit_chunk *chunks;
  int64_t *places; /* of the first row of each */
  size_t count;
  int64_t end; /* place after the last row */
  tacit_error error;
};

struct tacit_row_threads {
  tacit_train *train;
  tacit_reader *reader;
  size_t count;                 /* threads */
  tacit_cursor **cursors;       /* of a store: one per thread */
  int64_t first, end;           /* places they work on */
  tacit_text_builder *builders; /* of a stream: one per thread, */
  struct load loads[2];         /* what they parse, and what is read meanwhile */
  int at;                       /* which of the two they parse */
};

static size_t load_max(const tacit_row_threads *threads) {
  return CHUNKS_PER_THREAD * threads->count;
}

void tacit_row_threads_free(tacit_row_threads *threads) {
  if (threads == NULL) return;
  for (size_t i = 0; i < threads->count; ++i) {
    if (threads->cursors != NULL) tacit_cursor_free(threads->cursors[i]);
    if (threads->builders != NULL) tacit_text_builder_fini(&threads->builders[i]);
  }
  for (int k = 0; k < 2; ++k) {
    struct load *load = &threads->loads[k];
    for (size_t i = 0; load->chunks != NULL && i < load_max(threads); ++i)
      tacit_chunk_fini(&load->chunks[i]);
    tacit_raw_free(load->chunks);
    tacit_array_free(load->places);
  }
  tacit_array_free(threads->cursors);
  tacit_raw_free(threads->builders);
  tacit_array_free(threads);
}

static tacit_status init_store(tacit_row_threads *threads, tacit_error *err) {
  const tacit_reader *reader = threads->reader;
  threads->cursors = tacit_array_new(threads->count, sizeof *threads->cursors);
  if (threads->cursors == NULL) return tacit_fail_memory(err);
  for (size_t i = 0; i < threads->count; ++i)
    TACIT_TRY(
        tacit_cursor_new(&reader->store, reader->order, &threads->cursors[i], err));
  return TACIT_OK;
}

static tacit_status init_stream(tacit_row_threads *threads, tacit_error *err) {
  const tacit_reader *reader = threads->reader;
  threads->builders = tacit_raw_new(threads->count, sizeof *threads->builders);
  if (threads->builders == NULL) return tacit_fail_memory(err);
  for (int k = 0; k < 2; ++k) {
    struct load *load = &threads->loads[k];
    load->chunks = tacit_raw_new(load_max(threads), sizeof *load->chunks);
    load->places = tacit_array_new(load_max(threads), sizeof *load->places);
    if (load->chunks == NULL || load->places == NULL) return tacit_fail_memory(err);
  }
  for (size_t i = 0; i < threads->count; ++i)
    TACIT_TRY(tacit_text_builder_init(&threads->builders[i], reader->schema,
                                      reader->labels, err));
  return TACIT_OK;
}

tacit_status tacit_row_threads_new(tacit_train *train, tacit_reader *reader,
                                   tacit_row_threads **out, tacit_error *err) {
  tacit_row_threads *threads = tacit_array_new(1, sizeof *threads);
  if (threads == NULL) return tacit_fail_memory(err);
  threads->train = train;
  threads->reader = reader;
  threads->count = tacit_pool_workers(train->pool);
  tacit_status status =
      reader->store.ops != NULL ? init_store(threads, err) : init_stream(threads, err);
  if (status != TACIT_OK) {
    tacit_row_threads_free(threads);
    return status;
  }
  *out = threads;
  return TACIT_OK;
}

static tacit_status add_block(const tacit_row_threads *threads, size_t block,
                              size_t worker, tacit_error *err) {
  tacit_train *train = threads->train;
  tacit_cursor *cursor = threads->cursors[worker];
  int64_t first = threads->first + (int64_t)block * ROWS_PER_BLOCK;
  int64_t end =
      first + ROWS_PER_BLOCK < threads->end ? first + ROWS_PER_BLOCK : threads->end;
  tacit_cursor_range(cursor, first, end);
  for (;;) {
    const tacit_batch *batch;
    const int64_t *places;
    TACIT_TRY(tacit_cursor_next(cursor, &batch, &places, err));
    if (batch->n_rows == 0) return TACIT_OK;
    TACIT_TRY(tacit_batch_check(batch, train->plan->row.features, 1, err));
    TACIT_TRY(tacit_round_add(train, &train->partials[worker], batch, 0, batch->n_rows,
                              places, 0, err));
  }
}

static tacit_status add_chunk(const tacit_row_threads *threads, size_t number,
                              size_t worker, tacit_error *err) {
  tacit_train *train = threads->train;
  const struct load *load = &threads->loads[threads->at];
  const tacit_chunk *chunk = &load->chunks[number];
  tacit_text text = {chunk->text, chunk->text + chunk->size, chunk->line};
  int64_t place = load->places[number];
  while (text.at < text.end) {
    const tacit_batch *batch;
    TACIT_TRY(tacit_stream_parse(threads->reader, chunk, &threads->builders[worker],
                                 &text, &batch, err));
    TACIT_TRY(tacit_batch_check(batch, train->plan->row.features, 1, err));
    TACIT_TRY(tacit_round_add(train, &train->partials[worker], batch, 0, batch->n_rows,
                              NULL, place, err));
    place += batch->n_rows;
  }
  return TACIT_OK;
}

static void add_task(void *context, size_t task, size_t worker) {
  const tacit_row_threads *threads = context;
  tacit_partial *partial = &threads->train->partials[worker];
  if (partial->error.status != TACIT_OK) return; /* it failed in a lower task */
  tacit_error error = {TACIT_OK, ""};
  tacit_status status = threads->cursors != NULL
                            ? add_block(threads, task, worker, &error)
                            : add_chunk(threads, task, worker, &error);
  if (status != TACIT_OK) tacit_partial_fail(partial, task, &error);
}

/* Adds some blocks from place `first` on; *out_end is where they end. */
static tacit_status add_blocks(tacit_row_threads *threads, int64_t first, int64_t end,
                               int64_t *out_end, tacit_error *err) {
  int64_t max = (int64_t)(BLOCKS_PER_THREAD * threads->count) * ROWS_PER_BLOCK;
  threads->first = first;
  threads->end = end - first < max ? end : first + max;
  size_t blocks =
      (size_t)((threads->end - first + ROWS_PER_BLOCK - 1) / ROWS_PER_BLOCK);
  tacit_pool_run(threads->train->pool, blocks, add_task, threads);
  *out_end = threads->end;
  return tacit_partials_check(threads->train, err);
}

/* Cuts the next rows of a stream up to place `end`. A failure is kept until these rows
   are due. */
static void cut_load(const tacit_row_threads *threads, struct load *load, int64_t first,
                     int64_t end) {
  tacit_status status = TACIT_OK;
  load->error.status = TACIT_OK;
  for (load->count = 0;
       status == TACIT_OK && first < end && load->count < load_max(threads);) {
    tacit_chunk *chunk = &load->chunks[load->count];
    int64_t max = end - first < ROWS_PER_BLOCK ? end - first : ROWS_PER_BLOCK;
    status = tacit_stream_cut(threads->reader, max, chunk, &load->error);
    if (status == TACIT_OK && chunk->rows == 0)
      status =
          tacit_fail(&load->error, TACIT_EDATA, "a pass has fewer rows than declared");
    if (status != TACIT_OK) break;
    load->places[load->count++] = first;
    first += chunk->rows;
  }
  load->end = first;
}

/* Task 0 reads on, so that there is text when the other threads are done parsing. */
static void stream_task(void *context, size_t task, size_t worker) {
  tacit_row_threads *threads = context;
  if (task == 0) {
    const struct load *now = &threads->loads[threads->at];
    cut_load(threads, &threads->loads[1 - threads->at], now->end, threads->end);
  } else {
    add_task(context, task - 1, worker);
  }
}

/* add_blocks for the next rows of a stream. */
static tacit_status add_chunks(tacit_row_threads *threads, int64_t first, int64_t end,
                               int64_t *out_end, tacit_error *err) {
  threads->end = end;
  struct load *now = &threads->loads[threads->at];
  if (first == threads->first) cut_load(threads, now, first, end); /* of a round */
  if (now->error.status != TACIT_OK) {
    if (err != NULL) *err = now->error;
    return now->error.status;
  }
  tacit_pool_run(threads->train->pool, 1 + now->count, stream_task, threads);
  *out_end = now->end;
  threads->at = 1 - threads->at;
  return tacit_partials_check(threads->train, err);
}

/* A pass must be whole, and of the files that were counted, before its last round is
   released. */
static tacit_status end_pass(const tacit_row_threads *threads, tacit_error *err) {
  const tacit_store *store = &threads->reader->store;
  if (store->ops == NULL || store->ops->check == NULL) return TACIT_OK;
  return store->ops->check(store->self, err);
}

tacit_status tacit_row_threads_add(tacit_row_threads *threads, tacit_error *err) {
  tacit_train *train = threads->train;
  int64_t first = tacit_plan_round_first(train->plan, train->t);
  int64_t end = first + train->rows_due;
  if (first == 0 && train->t > 1) TACIT_TRY(tacit_reader_rewind(threads->reader, err));
  threads->first = first;
  while (first < end) {
    int64_t reached = first;
    TACIT_TRY(threads->cursors != NULL
                  ? add_blocks(threads, first, end, &reached, err)
                  : add_chunks(threads, first, end, &reached, err));
    train->rows_in += reached - first;
    train->rows_fed += reached - first;
    first = reached;
    if (first < end) TACIT_TRY(tacit_train_report(train, err));
  }
  return end == train->plan->rows ? end_pass(threads, err) : TACIT_OK;
}
