/* SPDX-License-Identifier: MIT */
/* From places of a pass to rows: the public order says which row stands where, the
   store gives it. Rows that follow each other in the store are taken together. */
#include "admit/cursor.h"

#include "base/error.h"
#include "base/memory.h"

enum { PLACES = 4096, AHEAD = 8 };

struct tacit_cursor {
  const tacit_store *store;
  const tacit_order *order;
  void *builder;
  int64_t at, end;
  int64_t places[PLACES];
};

tacit_status tacit_cursor_new(const tacit_store *store, const tacit_order *order,
                              tacit_cursor **out, tacit_error *err) {
  tacit_cursor *cursor = tacit_array_new(1, sizeof *cursor);
  if (cursor == NULL) return tacit_fail_memory(err);
  cursor->store = store;
  cursor->order = order;
  cursor->builder = tacit_raw_new(1, store->ops->builder_size);
  tacit_status status =
      cursor->builder != NULL
          ? store->ops->builder_init(cursor->builder, store->self, err)
          : tacit_fail_memory(err);
  if (status != TACIT_OK) {
    tacit_cursor_free(cursor);
    return status;
  }
  *out = cursor;
  return TACIT_OK;
}

void tacit_cursor_free(tacit_cursor *cursor) {
  if (cursor == NULL) return;
  if (cursor->builder != NULL) cursor->store->ops->builder_fini(cursor->builder);
  tacit_raw_free(cursor->builder);
  tacit_array_free(cursor);
}

void tacit_cursor_range(tacit_cursor *cursor, int64_t first, int64_t end) {
  cursor->at = first;
  cursor->end = end;
}

static int64_t row_at(const tacit_cursor *cursor, int64_t place) {
  return cursor->order != NULL ? tacit_order_row(cursor->order, place) : place;
}

/* The row at hand, how many follow it in the store as they do in the pass, and whether
   these are ours. */
static int64_t next_run(const tacit_cursor *cursor, int64_t *out_row, int *out_ours) {
  int64_t count = cursor->end - cursor->at;
  *out_row = row_at(cursor, cursor->at);
  if (cursor->order != NULL) {
    int64_t block = tacit_order_block_rows(cursor->order);
    int64_t left = block - cursor->at % block;
    if (left < count) count = left;
  }
  *out_ours = 1;
  if (!cursor->store->is_partitioned) return count;
  return cursor->store->ops->partition(cursor->store->self, *out_row, count, out_ours);
}

/* Rows in the public order are all over memory: what comes next is asked for early. */
static void prefetch(const tacit_cursor *cursor) {
  const struct tacit_store_ops *ops = cursor->store->ops;
  if (ops->prefetch == NULL || cursor->order == NULL) return;
  int64_t block = tacit_order_block_rows(cursor->order);
  int64_t ahead = block > AHEAD ? block : AHEAD;
  if (cursor->at + 2 * ahead < cursor->end)
    ops->prefetch(cursor->store->self, row_at(cursor, cursor->at + 2 * ahead), block,
                  0);
  if (cursor->at + ahead < cursor->end)
    ops->prefetch(cursor->store->self, row_at(cursor, cursor->at + ahead), block, 1);
}

tacit_status tacit_cursor_next(tacit_cursor *cursor, const tacit_batch **out,
                               const int64_t **out_places, tacit_error *err) {
  const struct tacit_store_ops *ops = cursor->store->ops;
  int64_t rows = 0;
  ops->clear(cursor->builder);
  while (cursor->at < cursor->end && rows < PLACES) {
    int64_t row;
    int ours;
    int64_t count = next_run(cursor, &row, &ours);
    if (!ours) {
      cursor->at += count;
      continue;
    }
    if (count > PLACES - rows) count = PLACES - rows;
    prefetch(cursor);
    int64_t taken;
    TACIT_TRY(ops->take(cursor->store->self, cursor->builder, row, count, &taken, err));
    for (int64_t i = 0; i < taken; ++i)
      cursor->places[rows++] = cursor->at++;
    if (taken < count) break;
  }
  *out = ops->view(cursor->builder);
  if (out_places != NULL) *out_places = cursor->places;
  return TACIT_OK;
}
