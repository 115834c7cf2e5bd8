/* SPDX-License-Identifier: MIT */
/* The cursor of a store. The order says which rows are at the places of a range, and
   the store gives the rows. */
#include "admit/store.h"

#include <stdatomic.h>

#include "base/error.h"
#include "base/memory.h"

/* What one thread reads with. */
struct lane {
  void *builder;
  int64_t at, end;    /* places of its block that are not listed yet */
  int64_t next, rows; /* rows of the list: the next one to take, and all */
  int64_t raw_rows[TACIT_CURSOR_ROWS], places[TACIT_CURSOR_ROWS];
  double *weights; /* TACIT_CURSOR_ROWS; NULL if the store has none */
  tacit_batch view;
};

struct store_cursor {
  tacit_cursor base;
  const tacit_store *store;
  const tacit_order *order;
  tacit_order_group group; /* of the order */
  int64_t *raw_rows;       /* of the range, if there is an order */
  int64_t capacity;
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
  tacit_raw_free(cursor->lanes);
  tacit_raw_free(cursor->raw_rows);
  tacit_order_group_fini(&cursor->group);
  tacit_array_free(cursor);
}

static tacit_status list_range(struct store_cursor *cursor, int64_t first, int64_t end,
                               tacit_error *err) {
  int64_t count = end - first;
  if (cursor->order == NULL || count <= 0) return TACIT_OK;
  if (count > cursor->capacity) {
    int64_t *larger = tacit_raw_grow(cursor->raw_rows, (size_t)count, sizeof *larger);
    if (larger == NULL) return tacit_fail_memory(err);
    cursor->raw_rows = larger;
    cursor->capacity = count;
  }
  return tacit_order_list(cursor->order, &cursor->group, first, count, cursor->raw_rows,
                          err);
}

static tacit_status store_cursor_range(tacit_cursor *base, int64_t first, int64_t end,
                                       tacit_error *err) {
  struct store_cursor *cursor = (struct store_cursor *)base;
  TACIT_TRY(list_range(cursor, first, end, err));
  cursor->first = first;
  cursor->end = end;
  cursor->n_blocks = end > first ? (end - first - 1) / cursor->block_rows + 1 : 0;
  atomic_store(&cursor->next_block, 0);
  for (size_t i = 0; i < cursor->threads; ++i) {
    struct lane *lane = &cursor->lanes[i];
    lane->at = lane->end = lane->next = lane->rows = 0;
  }
  return TACIT_OK;
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

/* How many places from lane->at on have rows that are all of this process, or all of
   others. */
static int64_t same_owner(const struct store_cursor *cursor, const struct lane *lane,
                          int *out_ours) {
  const tacit_store *store = cursor->store;
  int64_t left = lane->end - lane->at;
  *out_ours = 1;
  if (!store->is_partitioned) return left;
  if (cursor->order == NULL)
    return store->ops->partition(store->self, lane->at, left, out_ours);
  const int64_t *raw_rows = cursor->raw_rows + (lane->at - cursor->first);
  int64_t first = raw_rows[0], count = 1;
  int64_t rows = store->ops->partition(store->self, first, INT64_MAX - first, out_ours);
  while (count < left && raw_rows[count] >= first && raw_rows[count] - first < rows)
    ++count;
  return count;
}

/* Lists rows of the lane's block, as many as fit. */
static void list_rows(const struct store_cursor *cursor, struct lane *lane) {
  lane->next = lane->rows = 0;
  while (lane->at < lane->end && lane->rows < TACIT_CURSOR_ROWS) {
    int ours;
    int64_t count = same_owner(cursor, lane, &ours);
    if (ours && count > TACIT_CURSOR_ROWS - lane->rows)
      count = TACIT_CURSOR_ROWS - lane->rows;
    for (int64_t i = 0; ours && i < count; ++i) {
      int64_t place = lane->at + i;
      lane->raw_rows[lane->rows] =
          cursor->order != NULL ? cursor->raw_rows[place - cursor->first] : place;
      lane->places[lane->rows++] = place;
    }
    lane->at += count;
  }
}

static tacit_status store_cursor_next(tacit_cursor *base, size_t thread,
                                      int64_t *reached, tacit_cursor_rows *out,
                                      tacit_error *err) {
  struct store_cursor *cursor = (struct store_cursor *)base;
  struct lane *lane = &cursor->lanes[thread];
  const tacit_store *store = cursor->store;
  store->ops->clear(lane->builder);
  while (lane->next == lane->rows) { /* also when a block is of other processes */
    if (lane->at == lane->end && !deal_block(cursor, lane)) break;
    list_rows(cursor, lane);
  }
  const int64_t *places = lane->places + lane->next;
  if (lane->next < lane->rows) {
    int64_t taken;
    *reached = places[0];
    TACIT_TRY(store->ops->take(store->self, lane->builder, lane->raw_rows + lane->next,
                               lane->rows - lane->next, &taken, err));
    for (int64_t i = 0; lane->weights != NULL && i < taken; ++i)
      lane->weights[i] = store->weights[lane->raw_rows[lane->next + i]];
    lane->next += taken;
  }
  lane->view = *store->ops->view(lane->builder);
  if (lane->weights != NULL) lane->view.raw_weights = lane->weights;
  *out = (tacit_cursor_rows){&lane->view, places};
  return TACIT_OK;
}

static const struct tacit_cursor_ops store_cursor_ops = {
    .range = store_cursor_range,
    .next = store_cursor_next,
    .free = store_cursor_free,
};

static tacit_status init_lanes(struct store_cursor *cursor, tacit_error *err) {
  const tacit_store *store = cursor->store;
  cursor->lanes = tacit_raw_new(cursor->threads, sizeof *cursor->lanes);
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
