/* SPDX-License-Identifier: MIT */
/* From places of a pass to rows: the public order says which row stands where, the
   store gives it. Rows that follow each other in the store are taken together. */
#include "admit/cursor.h"

#include "base/error.h"
#include "base/memory.h"

enum { PLACES = 4096, AHEAD = 8 };

struct tacit_fetch {
  const tacit_store *store;
  const tacit_order *order;
  void *hand;
  int64_t at, end;
  int64_t places[PLACES];
};

tacit_status tacit_fetch_new(const tacit_store *store, const tacit_order *order,
                             tacit_fetch **out, tacit_error *err) {
  tacit_fetch *fetch = tacit_array_new(1, sizeof *fetch);
  if (fetch == NULL) return tacit_fail_memory(err);
  fetch->store = store;
  fetch->order = order;
  fetch->hand = tacit_raw_new(1, store->ops->hand_size);
  tacit_status status = fetch->hand != NULL
                            ? store->ops->hand_init(fetch->hand, store->self, err)
                            : tacit_fail_memory(err);
  if (status != TACIT_OK) {
    tacit_fetch_free(fetch);
    return status;
  }
  *out = fetch;
  return TACIT_OK;
}

void tacit_fetch_free(tacit_fetch *fetch) {
  if (fetch == NULL) return;
  if (fetch->hand != NULL) fetch->store->ops->hand_fini(fetch->hand);
  tacit_raw_free(fetch->hand);
  tacit_array_free(fetch);
}

void tacit_fetch_start(tacit_fetch *fetch, int64_t first, int64_t end) {
  fetch->at = first;
  fetch->end = end;
}

static int64_t row_at(const tacit_fetch *fetch, int64_t place) {
  return fetch->order != NULL ? tacit_order_row(fetch->order, place) : place;
}

/* The row at hand, how many follow it in the store as they do in the pass, and whether
   these are ours. */
static int64_t next_run(const tacit_fetch *fetch, int64_t *out_row, int *out_ours) {
  int64_t count = fetch->end - fetch->at;
  *out_row = row_at(fetch, fetch->at);
  if (fetch->order != NULL) {
    int64_t block = tacit_order_block_rows(fetch->order);
    int64_t left = block - fetch->at % block;
    if (left < count) count = left;
  }
  *out_ours = 1;
  if (!fetch->store->is_shared) return count;
  return fetch->store->ops->share(fetch->store->self, *out_row, count, out_ours);
}

/* Rows in the public order are all over memory: what comes next is asked for early. */
static void hint(const tacit_fetch *fetch) {
  const struct tacit_store_ops *ops = fetch->store->ops;
  if (ops->hint == NULL || fetch->order == NULL) return;
  int64_t block = tacit_order_block_rows(fetch->order);
  int64_t ahead = block > AHEAD ? block : AHEAD;
  if (fetch->at + 2 * ahead < fetch->end)
    ops->hint(fetch->store->self, row_at(fetch, fetch->at + 2 * ahead), block, 0);
  if (fetch->at + ahead < fetch->end)
    ops->hint(fetch->store->self, row_at(fetch, fetch->at + ahead), block, 1);
}

tacit_status tacit_fetch_next(tacit_fetch *fetch, const tacit_batch **out,
                              const int64_t **out_places, tacit_error *err) {
  const struct tacit_store_ops *ops = fetch->store->ops;
  int64_t rows = 0;
  ops->clear(fetch->hand);
  while (fetch->at < fetch->end && rows < PLACES) {
    int64_t row;
    int ours;
    int64_t count = next_run(fetch, &row, &ours);
    if (!ours) {
      fetch->at += count;
      continue;
    }
    if (count > PLACES - rows) count = PLACES - rows;
    hint(fetch);
    int64_t taken;
    TACIT_TRY(ops->take(fetch->store->self, fetch->hand, row, count, &taken, err));
    for (int64_t i = 0; i < taken; ++i)
      fetch->places[rows++] = fetch->at++;
    if (taken < count) break;
  }
  *out = ops->view(fetch->hand);
  if (out_places != NULL) *out_places = fetch->places;
  return TACIT_OK;
}
