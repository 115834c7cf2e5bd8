/* SPDX-License-Identifier: MIT */
/* Rows kept between the readings of a run. Each thread copies the batches it is given
   to shelves of its own; when all places have been given out, the copies are sorted by
   place, and later readings deal them out. */
#include "admit/keep.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/batch/row.h"

enum {
  SHELF_LEAST = 1 << 18, /* bytes of the first shelf of a thread, */
  SHELF_MOST = 1 << 26,  /* doubled up to this: too large for large pages, which would
                            have to be cleared and gain nothing here */
  AHEAD = 1 << 21,       /* bytes whose pages are asked for together */
  ALIGN = 64
};

/* A batch in a shelf, with the places of its rows, which ascend. */
struct kept {
  tacit_batch view;
  const int64_t *places;
};

/* What one thread has kept, and the rows it has given out last. */
struct lane {
  unsigned char **shelves;
  size_t n_shelves, size, used; /* of the last shelf: bytes, and bytes in use */
  size_t expected;              /* … and bytes that have pages */
  struct kept *kept;
  size_t n_kept, kept_room;
  tacit_batch view;
};

enum keep_state { KEEP_OFF, KEEP_WAITS, KEEP_COPIES, KEEP_WHOLE };

struct keep {
  tacit_cursor base;
  tacit_cursor *below;
  size_t threads;
  struct lane *lanes;
  int64_t rows, max_bytes;
  enum keep_state state;
  _Atomic int64_t bytes;   /* in all shelves */
  _Atomic int is_too_much; /* keeping has failed */
  struct kept *all;        /* of all lanes by place, once whole */
  size_t n_all;
  int64_t first, end;  /* the range, */
  size_t range_end;    /* the end of its batches in `all`, */
  _Atomic size_t next; /* and the next one that is not dealt */
};

static void empty_lane(struct lane *lane) {
  for (size_t i = 0; i < lane->n_shelves; ++i)
    tacit_raw_free(lane->shelves[i]);
  tacit_array_free(lane->shelves);
  tacit_array_free(lane->kept);
  *lane = (struct lane){0};
}

static void empty(struct keep *keep) {
  for (size_t i = 0; keep->lanes != NULL && i < keep->threads; ++i)
    empty_lane(&keep->lanes[i]);
  tacit_array_free(keep->all);
  keep->all = NULL;
  keep->n_all = 0;
  atomic_store(&keep->bytes, 0);
}

/* A new shelf with room for `needed` bytes; 0: there is no memory. */
static int add_shelf(struct keep *keep, struct lane *lane, size_t needed) {
  size_t size = lane->size == 0 ? SHELF_LEAST : 2 * lane->size;
  int64_t left = keep->max_bytes - atomic_load(&keep->bytes);
  if (size > SHELF_MOST) size = SHELF_MOST;
  if ((int64_t)size > left) size = left > 0 ? (size_t)left : 0;
  if (size < needed) size = needed;
  unsigned char **shelves =
      tacit_array_grow(lane->shelves, lane->n_shelves + 1, sizeof *shelves);
  if (shelves == NULL) return 0;
  lane->shelves = shelves;
  if (atomic_fetch_add(&keep->bytes, (int64_t)size) + (int64_t)size > keep->max_bytes)
    return 0;
  unsigned char *shelf = tacit_raw_new(size, 1);
  if (shelf == NULL) return 0;
  shelves[lane->n_shelves++] = shelf;
  lane->size = size;
  lane->used = lane->expected = 0;
  return 1;
}

/* The next bytes of the last shelf will be used. */
static void expect(struct lane *lane, size_t bytes) {
  if (lane->used + bytes <= lane->expected) return;
  size_t ahead = lane->size - lane->expected;
  if (ahead > AHEAD + bytes) ahead = AHEAD + bytes;
  tacit_raw_expect(lane->shelves[lane->n_shelves - 1], lane->expected, ahead);
  lane->expected += ahead;
}

static size_t aligned(size_t bytes) { return (bytes + ALIGN - 1) / ALIGN * ALIGN; }

/* Copies `bytes` bytes to the shelf; NULL stays NULL. */
static const void *put(struct lane *lane, const void *raw_from, size_t bytes) {
  if (raw_from == NULL) return NULL;
  void *raw_to = lane->shelves[lane->n_shelves - 1] + lane->used;
  if (bytes > 0) memcpy(raw_to, raw_from, bytes);
  lane->used += aligned(bytes);
  return raw_to;
}

/* Sparse rows begin at entry 0 of their copy. */
static const int64_t *put_starts(struct lane *lane, const tacit_batch *batch) {
  if (batch->raw_row_start == NULL) return NULL;
  size_t count = (size_t)batch->n_rows + 1;
  int64_t *raw_to =
      (int64_t *)(void *)(lane->shelves[lane->n_shelves - 1] + lane->used);
  for (size_t i = 0; i < count; ++i)
    raw_to[i] = batch->raw_row_start[i] - batch->raw_row_start[0];
  lane->used += aligned(count * sizeof *raw_to);
  return raw_to;
}

/* Bytes of the parts of a batch that a run uses: not those of ids. */
struct sizes {
  size_t first, values, values32, indices, starts, labels, weights, places;
};

static struct sizes sizes_of(const tacit_batch *batch) {
  size_t rows = (size_t)batch->n_rows, first = 0, entries = rows * batch->n_features;
  const int64_t *starts = batch->raw_row_start;
  if (starts != NULL) {
    first = (size_t)starts[0];
    entries = (size_t)(starts[rows] - starts[0]);
  }
  return (struct sizes){
      .first = first,
      .values = batch->raw_values != NULL ? entries * sizeof(double) : 0,
      .values32 = batch->raw_values32 != NULL ? entries * sizeof(float) : 0,
      .indices = starts != NULL ? entries * sizeof(uint32_t) : 0,
      .starts = starts != NULL ? (rows + 1) * sizeof(int64_t) : 0,
      .labels = batch->raw_labels != NULL ? rows * sizeof(double) : 0,
      .weights = batch->raw_weights != NULL ? rows * sizeof(double) : 0,
      .places = rows * sizeof(int64_t),
  };
}

static size_t sum_of(const struct sizes *sizes) {
  return aligned(sizes->values) + aligned(sizes->values32) + aligned(sizes->indices) +
         aligned(sizes->starts) + aligned(sizes->labels) + aligned(sizes->weights) +
         aligned(sizes->places);
}

/* One more in the list of a lane; NULL: there is no memory. */
static struct kept *add_kept(struct lane *lane) {
  if (lane->n_kept == lane->kept_room) {
    size_t room = lane->kept_room == 0 ? 64 : 2 * lane->kept_room;
    struct kept *larger = tacit_array_grow(lane->kept, room, sizeof *larger);
    if (larger == NULL) return NULL;
    lane->kept = larger;
    lane->kept_room = room;
  }
  return &lane->kept[lane->n_kept++];
}

/* 1 if all rows would take too much when they are like these. */
static int looks_too_much(const struct keep *keep, size_t bytes, int64_t rows) {
  return (double)bytes / (double)rows * (double)keep->rows > (double)keep->max_bytes;
}

/* Copies what the cursor below gave out; 0: it cannot be kept. */
static int copy(struct keep *keep, struct lane *lane, const tacit_cursor_rows *rows) {
  const tacit_batch *batch = rows->batch;
  struct sizes sizes = sizes_of(batch);
  size_t bytes = sum_of(&sizes);
  if (lane->n_kept == 0 && looks_too_much(keep, bytes, batch->n_rows)) return 0;
  if (bytes > lane->size - lane->used && !add_shelf(keep, lane, bytes)) return 0;
  struct kept *kept = add_kept(lane);
  if (kept == NULL) return 0;
  expect(lane, bytes);
  tacit_batch_init(&kept->view);
  kept->view.n_rows = batch->n_rows;
  kept->view.n_features = batch->n_features;
  const double *values = batch->raw_values;
  const float *values32 = batch->raw_values32;
  const uint32_t *indices = batch->raw_indices;
  kept->view.raw_values =
      put(lane, values != NULL ? values + sizes.first : NULL, sizes.values);
  kept->view.raw_values32 =
      put(lane, values32 != NULL ? values32 + sizes.first : NULL, sizes.values32);
  kept->view.raw_indices =
      put(lane, sizes.starts > 0 ? indices + sizes.first : NULL, sizes.indices);
  kept->view.raw_row_start = put_starts(lane, batch);
  kept->view.raw_labels = put(lane, batch->raw_labels, sizes.labels);
  kept->view.raw_weights = put(lane, batch->raw_weights, sizes.weights);
  kept->places = put(lane, rows->places, sizes.places);
  return 1;
}

static tacit_status next_below(struct keep *keep, size_t thread, int64_t *reached,
                               tacit_cursor_rows *out, tacit_error *err) {
  tacit_status status = tacit_cursor_next(keep->below, thread, out, err);
  *reached = tacit_cursor_reached(keep->below, thread);
  if (status != TACIT_OK || keep->state != KEEP_COPIES || out->batch->n_rows == 0)
    return status;
  if (atomic_load(&keep->is_too_much)) {
    empty_lane(&keep->lanes[thread]);
  } else if (!copy(keep, &keep->lanes[thread], out)) {
    atomic_store(&keep->is_too_much, 1);
  }
  return TACIT_OK;
}

/* Rows from … to-1 of a kept batch are those of the range. */
static void find_rows(const struct keep *keep, const struct kept *kept,
                      int64_t *out_from, int64_t *out_to) {
  int64_t from = 0, to = kept->view.n_rows;
  while (from < to && kept->places[from] < keep->first)
    ++from;
  while (to > from && kept->places[to - 1] >= keep->end)
    --to;
  *out_from = from;
  *out_to = to;
}

static tacit_status keep_next(tacit_cursor *base, size_t thread, int64_t *reached,
                              tacit_cursor_rows *out, tacit_error *err) {
  struct keep *keep = (struct keep *)base;
  if (keep->state != KEEP_WHOLE) return next_below(keep, thread, reached, out, err);
  struct lane *lane = &keep->lanes[thread];
  const struct kept *kept;
  int64_t from, to;
  do { /* again if none of its places is of the range */
    size_t which = atomic_fetch_add(&keep->next, 1);
    if (which >= keep->range_end) {
      tacit_batch_init(&lane->view);
      *out = (tacit_cursor_rows){&lane->view, NULL};
      return TACIT_OK;
    }
    kept = &keep->all[which];
    find_rows(keep, kept, &from, &to);
  } while (from == to);
  lane->view = tacit_batch_part(&kept->view, from, to);
  *reached = kept->places[from];
  *out = (tacit_cursor_rows){&lane->view, kept->places + from};
  return TACIT_OK;
}

/* The first kept batch with a row at `place` or after it. */
static size_t find(const struct keep *keep, int64_t place) {
  size_t low = 0, high = keep->n_all;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const struct kept *kept = &keep->all[middle];
    if (kept->places[kept->view.n_rows - 1] < place)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static tacit_status keep_range(tacit_cursor *base, int64_t first, int64_t end,
                               tacit_error *err) {
  struct keep *keep = (struct keep *)base;
  if (keep->state != KEEP_WHOLE)
    return tacit_cursor_range(keep->below, first, end, err);
  keep->first = first;
  keep->end = end;
  size_t begin = find(keep, first), stop = begin;
  while (stop < keep->n_all && keep->all[stop].places[0] < end)
    ++stop;
  keep->range_end = first < end ? stop : begin;
  atomic_store(&keep->next, begin);
  return TACIT_OK;
}

static void keep_free(tacit_cursor *base) {
  struct keep *keep = (struct keep *)base;
  tacit_cursor_free(keep->below);
  empty(keep);
  tacit_array_free(keep->lanes);
  tacit_array_free(keep);
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
  keep->lanes = tacit_array_new(threads, sizeof *keep->lanes);
  tacit_status status = tacit_cursor_init(&keep->base, &keep_ops, threads, err);
  if (status == TACIT_OK && keep->lanes == NULL) status = tacit_fail_memory(err);
  if (status != TACIT_OK) {
    tacit_cursor_free(&keep->base);
    return status;
  }
  *out = &keep->base;
  return TACIT_OK;
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
  int64_t a = ((const struct kept *)left)->places[0];
  int64_t b = ((const struct kept *)right)->places[0];
  return (a > b) - (a < b);
}

/* Lists what all lanes have, by place; 0: it cannot be kept. */
static int gather(struct keep *keep) {
  size_t count = 0;
  if (atomic_load(&keep->is_too_much)) return 0;
  for (size_t i = 0; i < keep->threads; ++i)
    count += keep->lanes[i].n_kept;
  keep->all = tacit_array_new(count, sizeof *keep->all);
  if (keep->all == NULL) return 0;
  for (size_t i = 0; i < keep->threads; ++i) {
    const struct lane *lane = &keep->lanes[i];
    for (size_t j = 0; j < lane->n_kept; ++j)
      keep->all[keep->n_all++] = lane->kept[j];
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

int tacit_keep_is_whole(const tacit_cursor *cursor) {
  const struct keep *keep = keep_of(cursor);
  return keep != NULL && keep->state == KEEP_WHOLE;
}

int64_t tacit_keep_take(tacit_cursor *cursor, size_t each) {
  struct keep *keep = keep_of(cursor);
  if (keep == NULL || keep->state != KEEP_WHOLE) return 0;
  double bytes = (double)each * (double)keep->rows;
  if (bytes > (double)(keep->max_bytes - atomic_load(&keep->bytes))) return 0;
  atomic_fetch_add(&keep->bytes, (int64_t)bytes);
  return keep->rows;
}
