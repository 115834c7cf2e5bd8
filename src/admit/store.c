/* SPDX-License-Identifier: MIT */
/* The cursor of a store. The order maps places to row numbers, the store gives the
   rows. Rows that are neighbours in the store are taken together. */
#include "admit/store.h"

#include <stdatomic.h>

#include "base/error.h"
#include "base/memory.h"

enum { AHEAD = 8 }; /* rows to prefetch ahead, at least */

/* What one thread reads with. */
struct lane {
  void *builder;
  int64_t at, end; /* places of its block that are left */
  int64_t places[TACIT_CURSOR_ROWS];
  double *weights; /* TACIT_CURSOR_ROWS; NULL if the store has none */
  tacit_batch view;
};

struct store_cursor {
  tacit_cursor base;
  const tacit_store *store;
  const tacit_order *order;
  int64_t block_rows;
  size_t threads;
  struct lane *lanes;
  int64_t first, end; /* the range */
  int64_t n_blocks;
  _Atomic int64_t next_block; /* not dealt yet */
};

static void store_cursor_free(tacit_cursor *base) {
  struct store_cursor *cursor = (struct store_cursor *)base;
  for (size_t i = 0; cursor->lanes != NULL && i < cursor->threads; ++i) {
    void *builder = cursor->lanes[i].builder;
    if (builder != NULL) cursor->store->ops->builder_fini(builder);
    tacit_raw_free(builder);
    tacit_raw_free(cursor->lanes[i].weights);
  }
  tacit_array_free(cursor->lanes);
  tacit_array_free(cursor);
}

static void store_cursor_range(tacit_cursor *base, int64_t first, int64_t end) {
  struct store_cursor *cursor = (struct store_cursor *)base;
  cursor->first = first;
  cursor->end = end;
  cursor->n_blocks = end > first ? (end - first - 1) / cursor->block_rows + 1 : 0;
  atomic_store(&cursor->next_block, 0);
  for (size_t i = 0; i < cursor->threads; ++i)
    cursor->lanes[i].at = cursor->lanes[i].end = 0;
}

/* Gives the thread a block of its own; 0: none is left. */
static int deal_block(struct store_cursor *cursor, struct lane *lane) {
  int64_t block = atomic_fetch_add(&cursor->next_block, 1);
  if (block >= cursor->n_blocks) return 0;
  lane->at = cursor->first + block * cursor->block_rows;
  lane->end = cursor->end - lane->at < cursor->block_rows
                  ? cursor->end
                  : lane->at + cursor->block_rows;
  return 1;
}

static int64_t row_at(const struct store_cursor *cursor, int64_t place) {
  return cursor->order != NULL ? tacit_order_row(cursor->order, place) : place;
}

/* The row at the lane's place, the number of rows that follow it both in the store and
   in the pass, and whether they belong to this process. */
static int64_t next_run(const struct store_cursor *cursor, const struct lane *lane,
                        int64_t *out_row, int *out_ours) {
  int64_t count = lane->end - lane->at;
  *out_row = row_at(cursor, lane->at);
  if (cursor->order != NULL) {
    int64_t block = tacit_order_block_rows(cursor->order);
    int64_t left = block - lane->at % block;
    if (left < count) count = left;
  }
  *out_ours = 1;
  if (!cursor->store->is_partitioned) return count;
  return cursor->store->ops->partition(cursor->store->self, *out_row, count, out_ours);
}

/* In the public order, neighbours of the pass are far apart in memory. */
static void prefetch(const struct store_cursor *cursor, const struct lane *lane) {
  const struct tacit_store_ops *ops = cursor->store->ops;
  if (ops->prefetch == NULL || cursor->order == NULL) return;
  int64_t block = tacit_order_block_rows(cursor->order);
  int64_t ahead = block > AHEAD ? block : AHEAD;
  int64_t soon = lane->at + ahead, later = soon + ahead;
  if (later < lane->end)
    ops->prefetch(cursor->store->self, row_at(cursor, later), block,
                  TACIT_PREFETCH_INDEX);
  if (soon < lane->end)
    ops->prefetch(cursor->store->self, row_at(cursor, soon), block,
                  TACIT_PREFETCH_ROWS);
}

/* Rows of the lane's block into its empty builder, as many as fit. */
static tacit_status fill(const struct store_cursor *cursor, struct lane *lane,
                         tacit_error *err) {
  const tacit_store *store = cursor->store;
  int64_t rows = 0;
  while (lane->at < lane->end && rows < TACIT_CURSOR_ROWS) {
    int64_t row, taken;
    int ours;
    int64_t count = next_run(cursor, lane, &row, &ours);
    if (!ours) {
      lane->at += count;
      continue;
    }
    if (count > TACIT_CURSOR_ROWS - rows) count = TACIT_CURSOR_ROWS - rows;
    prefetch(cursor, lane);
    TACIT_TRY(store->ops->take(store->self, lane->builder, row, count, &taken, err));
    for (int64_t i = 0; i < taken; ++i) {
      if (lane->weights != NULL) lane->weights[rows] = store->weights[row + i];
      lane->places[rows++] = lane->at++;
    }
    if (taken < count) break;
  }
  return TACIT_OK;
}

static tacit_status store_cursor_next(tacit_cursor *base, size_t thread,
                                      int64_t *reached, tacit_cursor_rows *out,
                                      tacit_error *err) {
  struct store_cursor *cursor = (struct store_cursor *)base;
  struct lane *lane = &cursor->lanes[thread];
  const tacit_batch *batch;
  cursor->store->ops->clear(lane->builder);
  do {
    if (lane->at == lane->end && !deal_block(cursor, lane)) {
      batch = cursor->store->ops->view(lane->builder); /* empty */
      break;
    }
    *reached = lane->at;
    TACIT_TRY(fill(cursor, lane, err));
    batch = cursor->store->ops->view(lane->builder);
  } while (batch->n_rows == 0); /* a block of other processes */
  lane->view = *batch;
  if (lane->weights != NULL) lane->view.raw_weights = lane->weights;
  *out = (tacit_cursor_rows){&lane->view, lane->places};
  return TACIT_OK;
}

static const struct tacit_cursor_ops store_cursor_ops = {
    .range = store_cursor_range,
    .next = store_cursor_next,
    .free = store_cursor_free,
};

static tacit_status init_lanes(struct store_cursor *cursor, tacit_error *err) {
  const tacit_store *store = cursor->store;
  cursor->lanes = tacit_array_new(cursor->threads, sizeof *cursor->lanes);
  if (cursor->lanes == NULL) return tacit_fail_memory(err);
  for (size_t i = 0; i < cursor->threads; ++i) {
    void *builder = tacit_raw_new(1, store->ops->builder_size);
    if (builder == NULL) return tacit_fail_memory(err);
    cursor->lanes[i].builder = builder;
    TACIT_TRY(store->ops->builder_init(builder, store->self, err));
    if (store->weights == NULL) continue;
    cursor->lanes[i].weights = tacit_raw_new(TACIT_CURSOR_ROWS, sizeof(double));
    if (cursor->lanes[i].weights == NULL) return tacit_fail_memory(err);
  }
  return TACIT_OK;
}

tacit_status tacit_store_cursor_new(const tacit_store *store, const tacit_order *order,
                                    size_t threads, int64_t block_rows,
                                    tacit_cursor **out, tacit_error *err) {
  struct store_cursor *cursor = tacit_array_new(1, sizeof *cursor);
  if (cursor == NULL) return tacit_fail_memory(err);
  cursor->store = store;
  cursor->order = order;
  cursor->threads = threads;
  cursor->block_rows = block_rows;
  tacit_status status =
      tacit_cursor_init(&cursor->base, &store_cursor_ops, threads, err);
  if (status == TACIT_OK) status = init_lanes(cursor, err);
  if (status != TACIT_OK) {
    tacit_cursor_free(&cursor->base);
    return status;
  }
  *out = &cursor->base;
  return TACIT_OK;
}
