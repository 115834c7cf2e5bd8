/* SPDX-License-Identifier: MIT */
/* Rows kept between the readings of a run. Each thread copies the batches that it gets
   to shelves of its own. When all places have been given out, the copies are sorted by
   place, and later readings deal them out. */
#include "admit/keep.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "admit/packed.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "batch/row.h"

enum {
  SHELF_LEAST = 1 << 18, /* bytes of the first shelf of a thread */
  SHELF_MOST = 1 << 26,  /* shelves double up to this size: larger ones get large pages,
                            which would have to be cleared and gain nothing here */
  AHEAD = 1 << 21        /* bytes whose pages are asked for together */
};

/* What one thread has kept, and the rows that it gave out last. */
struct thread_rows {
  unsigned char **shelves;
  size_t n_shelves, size, used; /* number of shelves; bytes of the last shelf, and how
                                   many of them are used */
  size_t expected;              /* bytes of the last shelf that have pages */
  tacit_packed *kept;
  size_t n_kept, kept_room;
  tacit_packed_room room;
  tacit_batch view;
};

enum keep_state { KEEP_OFF, KEEP_WAITS, KEEP_COPIES, KEEP_WHOLE };

struct keep {
  tacit_cursor base;
  tacit_cursor *below;
  size_t threads;
  struct thread_rows *by_thread;
  int64_t rows, max_bytes;
  enum keep_state state;
  _Atomic int64_t bytes;   /* bytes of all shelves */
  _Atomic int is_too_much; /* 1 if keeping has failed */
  tacit_packed *all;       /* batches of all threads by place, once everything is
                              kept */
  size_t n_all;
  int64_t first, end;  /* the range */
  size_t range_end;    /* end of the range's batches in `all` */
  _Atomic size_t next; /* the next batch in `all` that is not dealt */
};

static void empty_thread_rows(struct thread_rows *own) {
  for (size_t i = 0; i < own->n_shelves; ++i)
    tacit_raw_free(own->shelves[i]);
  TACIT_FREE(own->shelves, own->kept);
  tacit_packed_room_fini(&own->room);
  *own = (struct thread_rows){0};
}

static void empty(struct keep *keep) {
  for (size_t i = 0; keep->by_thread != NULL && i < keep->threads; ++i)
    empty_thread_rows(&keep->by_thread[i]);
  tacit_array_free(keep->all);
  keep->all = NULL;
  keep->n_all = 0;
  atomic_store(&keep->bytes, 0);
}

/* Adds a shelf with room for `needed` bytes. Returns 0 if memory or the limit does not
   allow it. */
static int add_shelf(struct keep *keep, struct thread_rows *own, size_t needed) {
  size_t size = own->size == 0 ? SHELF_LEAST : 2 * own->size;
  int64_t left = keep->max_bytes - atomic_load(&keep->bytes);
  if (size > SHELF_MOST) size = SHELF_MOST;
  if ((int64_t)size > left) size = left > 0 ? (size_t)left : 0;
  if (size < needed) size = needed;
  unsigned char **shelves =
      tacit_array_grow(own->shelves, own->n_shelves + 1, sizeof *shelves);
  if (shelves == NULL) return 0;
  own->shelves = shelves;
  if (atomic_fetch_add(&keep->bytes, (int64_t)size) + (int64_t)size > keep->max_bytes)
    return 0;
  unsigned char *shelf = tacit_raw_new(size, 1);
  if (shelf == NULL) return 0;
  shelves[own->n_shelves++] = shelf;
  own->size = size;
  own->used = own->expected = 0;
  return 1;
}

/* Tells the system that the next bytes of the last shelf will be used. */
static void expect(struct thread_rows *own, size_t bytes) {
  if (own->used + bytes <= own->expected) return;
  size_t ahead = own->size - own->expected;
  if (ahead > AHEAD + bytes) ahead = AHEAD + bytes;
  tacit_raw_expect(own->shelves[own->n_shelves - 1], own->expected, ahead);
  own->expected += ahead;
}

/* Returns 1 if all rows would take too much memory, if they are like these. */
static int looks_too_much(const struct keep *keep, size_t bytes, int64_t rows) {
  return (double)bytes / (double)rows * (double)keep->rows > (double)keep->max_bytes;
}

/* Copies the rows that the cursor below gave out. Returns 0 if they cannot be kept. */
static int copy(struct keep *keep, struct thread_rows *own,
                const tacit_cursor_rows *rows) {
  const tacit_batch *batch = rows->batch;
  tacit_packing packing = tacit_packing_of(batch, rows->places);
  size_t bytes = tacit_packing_bytes(&packing);
  if (own->n_kept == 0 && looks_too_much(keep, bytes, batch->n_rows)) return 0;
  if (bytes > own->size - own->used && !add_shelf(keep, own, bytes)) return 0;
  if (!tacit_array_reserve(&own->kept, &own->kept_room, own->n_kept + 1,
                           sizeof *own->kept))
    return 0;
  expect(own, bytes);
  unsigned char *raw_memory = own->shelves[own->n_shelves - 1] + own->used;
  tacit_pack_batch(&packing, batch, rows->places, raw_memory);
  own->kept[own->n_kept++] = tacit_packed_at(&packing, raw_memory);
  own->used += bytes;
  return 1;
}

static tacit_status next_below(struct keep *keep, size_t thread, int64_t *reached,
                               tacit_cursor_rows *out, tacit_error *err) {
  tacit_status status = tacit_cursor_next(keep->below, thread, out, err);
  *reached = tacit_cursor_reached(keep->below, thread);
  if (status != TACIT_OK || keep->state != KEEP_COPIES || out->batch->n_rows == 0)
    return status;
  if (atomic_load(&keep->is_too_much))
    empty_thread_rows(&keep->by_thread[thread]);
  else if (!copy(keep, &keep->by_thread[thread], out))
    atomic_store(&keep->is_too_much, 1);
  return TACIT_OK;
}

/* Finds the rows of a kept batch that are in the range: *out_from … *out_to - 1. */
static void find_rows(const struct keep *keep, const tacit_packed *kept,
                      int64_t *out_from, int64_t *out_to) {
  int64_t from = 0, to = kept->packing.rows;
  while (from < to && tacit_packed_place(kept, from) < keep->first)
    ++from;
  while (to > from && tacit_packed_place(kept, to - 1) >= keep->end)
    --to;
  *out_from = from;
  *out_to = to;
}

/* Gives out kept rows; in the first reading takes rows from the cursor below and keeps
   copies. */
static tacit_status keep_next(tacit_cursor *base, size_t thread, int64_t *reached,
                              tacit_cursor_rows *out, tacit_error *err) {
  struct keep *keep = (struct keep *)base;
  if (keep->state != KEEP_WHOLE) return next_below(keep, thread, reached, out, err);
  struct thread_rows *own = &keep->by_thread[thread];
  const tacit_packed *kept;
  int64_t from, to;
  do { /* again if no place of the batch is in the range */
    size_t which = atomic_fetch_add(&keep->next, 1);
    if (which >= keep->range_end) {
      tacit_batch_init(&own->view);
      *out = (tacit_cursor_rows){&own->view, NULL};
      return TACIT_OK;
    }
    kept = &keep->all[which];
    find_rows(keep, kept, &from, &to);
  } while (from == to);
  const int64_t *places;
  *reached = tacit_packed_place(kept, from);
  if (!tacit_unpack(kept, &own->room, &own->view, &places))
    return tacit_fail_memory(err);
  if (to - from < kept->packing.rows)
    own->view = tacit_batch_part(&own->view, from, to);
  *out = (tacit_cursor_rows){&own->view, places + from};
  return TACIT_OK;
}

static int64_t last_place(const tacit_packed *kept) {
  return tacit_packed_place(kept, kept->packing.rows - 1);
}

/* Returns the first kept batch with a row at `place` or after it. */
static size_t find(const struct keep *keep, int64_t place) {
  int64_t low = -1, high = (int64_t)keep->n_all;
  TACIT_HALVE(int64_t, low, high, last_place(&keep->all[middle]) < place);
  return (size_t)high;
}

static tacit_status keep_range(tacit_cursor *base, int64_t first, int64_t end,
                               tacit_error *err) {
  struct keep *keep = (struct keep *)base;
  if (keep->state != KEEP_WHOLE)
    return tacit_cursor_range(keep->below, first, end, err);
  keep->first = first;
  keep->end = end;
  size_t begin = find(keep, first), stop = begin;
  while (stop < keep->n_all && keep->all[stop].packing.first < end)
    ++stop;
  keep->range_end = first < end ? stop : begin;
  atomic_store(&keep->next, begin);
  return TACIT_OK;
}

static void keep_free(tacit_cursor *base) {
  struct keep *keep = (struct keep *)base;
  tacit_cursor_free(keep->below);
  empty(keep);
  TACIT_FREE(keep->by_thread, keep);
}

static const struct tacit_cursor_ops keep_ops = {
    .range = keep_range,
    .next = keep_next,
    .free = keep_free,
};

tacit_status tacit_keep_new(tacit_cursor *below, size_t threads, int64_t rows,
                            int64_t max_bytes, tacit_cursor **out, tacit_error *err) {
  struct keep *keep = tacit_array_new(1, sizeof *keep);
  if (keep == NULL) {
    tacit_cursor_free(below);
    return tacit_fail_memory(err);
  }
  keep->below = below;
  keep->threads = threads;
  keep->rows = rows;
  keep->max_bytes = max_bytes;
  keep->state = KEEP_WAITS;
  tacit_status status = tacit_cursor_init(&keep->base, &keep_ops, threads, err);
  if (status == TACIT_OK) status = TACIT_NEW(keep->by_thread, threads, err);
  return TACIT_HAND_OVER(status, &keep->base, tacit_cursor_free, out);
}

static struct keep *keep_of(const tacit_cursor *cursor) {
  return cursor != NULL && cursor->ops == &keep_ops ? (struct keep *)cursor : NULL;
}

void tacit_keep_begin(tacit_cursor *cursor) {
  struct keep *keep = keep_of(cursor);
  if (keep == NULL || keep->state == KEEP_OFF || keep->state == KEEP_WHOLE) return;
  empty(keep);
  keep->state = KEEP_COPIES;
}

static int by_place(const void *left, const void *right) {
  int64_t a = ((const tacit_packed *)left)->packing.first;
  int64_t b = ((const tacit_packed *)right)->packing.first;
  return (a > b) - (a < b);
}

/* Lists the batches of all threads by place. Returns 0 if keeping has failed. */
static int gather(struct keep *keep) {
  size_t count = 0;
  if (atomic_load(&keep->is_too_much)) return 0;
  for (size_t i = 0; i < keep->threads; ++i)
    count += keep->by_thread[i].n_kept;
  keep->all = tacit_array_new(count, sizeof *keep->all);
  if (keep->all == NULL) return 0;
  for (size_t i = 0; i < keep->threads; ++i) {
    const struct thread_rows *own = &keep->by_thread[i];
    for (size_t j = 0; j < own->n_kept; ++j)
      keep->all[keep->n_all++] = own->kept[j];
  }
  qsort(keep->all, keep->n_all, sizeof *keep->all, by_place);
  return 1;
}

void tacit_keep_end(tacit_cursor *cursor) {
  struct keep *keep = keep_of(cursor);
  if (keep == NULL || keep->state != KEEP_COPIES) return;
  keep->state = gather(keep) ? KEEP_WHOLE : KEEP_OFF;
  if (keep->state == KEEP_OFF) empty(keep);
}

static void empty_task(void *context, size_t task, size_t worker) {
  (void)worker;
  empty_thread_rows(&((struct keep *)context)->by_thread[task]);
}

void tacit_keep_drop(tacit_cursor *cursor, tacit_pool *pool) {
  struct keep *keep = keep_of(cursor);
  if (keep == NULL) return;
  keep->state = KEEP_OFF;
  tacit_pool_run(pool, keep->threads, empty_task, keep);
}

int tacit_keep_is_whole(const tacit_cursor *cursor) {
  const struct keep *keep = keep_of(cursor);
  return keep != NULL && keep->state == KEEP_WHOLE;
}
