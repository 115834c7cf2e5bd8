/* SPDX-License-Identifier: MIT */
/* The cursor of a store: the order says which rows are at the places of a range, and
   the store gives the rows. */
#include "admit/store.h"

#include <stdatomic.h>

#include "base/error.h"
#include "base/memory.h"

/* What one thread reads with. */
struct thread_rows {
  void *builder;
  int64_t at, end;    /* places of its block that are not listed yet */
  int64_t next, rows; /* the next row of the list to take, and the length of the list */
  int64_t raw_rows[TACIT_CURSOR_ROWS], places[TACIT_CURSOR_ROWS];
  double *weights; /* TACIT_CURSOR_ROWS numbers; NULL if the store has no weights */
  tacit_batch view;
};

struct store_cursor {
  tacit_cursor base;
  const tacit_store *store;
  const tacit_order *order;
  tacit_order_group group; /* the group of the order that was needed last */
  int64_t *raw_rows;       /* rows of the range; NULL without an order */
  size_t capacity;
  int64_t block_rows;
  size_t threads;
  struct thread_rows *by_thread;
  int64_t first, end; /* the range */
  int64_t n_blocks;
  _Atomic int64_t next_block; /* the first block that is not dealt yet */
};

static void store_cursor_free(tacit_cursor *base) {
  struct store_cursor *cursor = (struct store_cursor *)base;
  for (size_t i = 0; cursor->by_thread != NULL && i < cursor->threads; ++i) {
    void *builder = cursor->by_thread[i].builder;
    if (builder != NULL) cursor->store->ops->builder_fini(builder);
    TACIT_RAW_FREE(builder, cursor->by_thread[i].weights);
  }
  TACIT_RAW_FREE(cursor->by_thread, cursor->raw_rows);
  tacit_order_group_fini(&cursor->group);
  tacit_array_free(cursor);
}

static tacit_status list_range(struct store_cursor *cursor, int64_t first, int64_t end,
                               tacit_error *err) {
  int64_t count = end - first;
  if (cursor->order == NULL || count <= 0) return TACIT_OK;
  if (!tacit_raw_reserve(&cursor->raw_rows, &cursor->capacity, (size_t)count,
                         sizeof *cursor->raw_rows))
    return tacit_fail_memory(err);
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
    struct thread_rows *own = &cursor->by_thread[i];
    own->at = own->end = own->next = own->rows = 0;
  }
  return TACIT_OK;
}

/* Gives the thread a block of its own. Returns 0 if no block is left. */
static int deal_block(struct store_cursor *cursor, struct thread_rows *own) {
  int64_t block = atomic_fetch_add(&cursor->next_block, 1);
  if (block >= cursor->n_blocks) return 0;
  own->at = cursor->first + block * cursor->block_rows;
  own->end = cursor->end - own->at < cursor->block_rows ? cursor->end
                                                        : own->at + cursor->block_rows;
  return 1;
}

/* Returns how many places, from own->at on, have rows that all belong to this process,
   or all to others. */
static int64_t same_owner(const struct store_cursor *cursor,
                          const struct thread_rows *own, int *out_ours) {
  const tacit_store *store = cursor->store;
  int64_t left = own->end - own->at;
  *out_ours = 1;
  if (!store->is_partitioned) return left;
  if (cursor->order == NULL)
    return store->ops->partition(store->self, own->at, left, out_ours);
  const int64_t *raw_rows = cursor->raw_rows + (own->at - cursor->first);
  int64_t first = raw_rows[0], count = 1;
  int64_t rows = store->ops->partition(store->self, first, INT64_MAX - first, out_ours);
  while (count < left && raw_rows[count] >= first && raw_rows[count] - first < rows)
    ++count;
  return count;
}

/* Lists rows of the thread's block, as many as fit. */
static void list_rows(const struct store_cursor *cursor, struct thread_rows *own) {
  own->next = own->rows = 0;
  while (own->at < own->end && own->rows < TACIT_CURSOR_ROWS) {
    int ours;
    int64_t count = same_owner(cursor, own, &ours);
    if (ours && count > TACIT_CURSOR_ROWS - own->rows)
      count = TACIT_CURSOR_ROWS - own->rows;
    for (int64_t i = 0; ours && i < count; ++i) {
      int64_t place = own->at + i;
      own->raw_rows[own->rows] =
          cursor->order != NULL ? cursor->raw_rows[place - cursor->first] : place;
      own->places[own->rows++] = place;
    }
    own->at += count;
  }
}

/* Takes the next rows of the thread's block out of the store, in the secret order. */
static tacit_status store_cursor_next(tacit_cursor *base, size_t thread,
                                      int64_t *reached, tacit_cursor_rows *out,
                                      tacit_error *err) {
  struct store_cursor *cursor = (struct store_cursor *)base;
  struct thread_rows *own = &cursor->by_thread[thread];
  const tacit_store *store = cursor->store;
  store->ops->clear(own->builder);
  while (own->next == own->rows) { /* again if all rows of a block belong to other
                                      processes */
    if (own->at == own->end && !deal_block(cursor, own)) break;
    list_rows(cursor, own);
  }
  const int64_t *places = own->places + own->next;
  if (own->next < own->rows) {
    int64_t taken;
    *reached = places[0];
    TACIT_TRY(store->ops->take(store->self, own->builder, own->raw_rows + own->next,
                               own->rows - own->next, &taken, err));
    for (int64_t i = 0; own->weights != NULL && i < taken; ++i)
      own->weights[i] = store->weights[own->raw_rows[own->next + i]];
    own->next += taken;
  }
  own->view = *store->ops->view(own->builder);
  if (own->weights != NULL) own->view.raw_weights = own->weights;
  *out = (tacit_cursor_rows){&own->view, places};
  return TACIT_OK;
}

static const struct tacit_cursor_ops store_cursor_ops = {
    .range = store_cursor_range,
    .next = store_cursor_next,
    .free = store_cursor_free,
};

static tacit_status init_thread_rows(struct store_cursor *cursor, tacit_error *err) {
  const tacit_store *store = cursor->store;
  TACIT_TRY(TACIT_RAW_NEW(cursor->by_thread, cursor->threads, err));
  for (size_t i = 0; i < cursor->threads; ++i) {
    void *builder = tacit_raw_new(1, store->ops->builder_size);
    if (builder == NULL) return tacit_fail_memory(err);
    cursor->by_thread[i].builder = builder;
    TACIT_TRY(store->ops->builder_init(builder, store->self, err));
    if (store->weights == NULL) continue;
    TACIT_TRY(TACIT_RAW_NEW(cursor->by_thread[i].weights, TACIT_CURSOR_ROWS, err));
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
  if (status == TACIT_OK) status = init_thread_rows(cursor, err);
  return TACIT_HAND_OVER(status, &cursor->base, tacit_cursor_free, out);
}
