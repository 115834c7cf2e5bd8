/* SPDX-License-Identifier: MIT */
/* A cache as a store of rows. A batch is a window on one decoded block: nothing is
   copied, and a block that a worker goes through row by row is decoded once. */
#include "data/cache/store.h"

#include <inttypes.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/cache/cache.h"

struct cached {
  tacit_cache *cache;
  int labels; /* 1: they are handed out */
};

struct hand {
  tacit_cache_bytes bytes;
  tacit_cache_rows rows; /* the block at hand */
  int labels, has_block;
  int64_t block_first; /* its first row */
  int64_t begin, end;  /* the window: rows of the file */
  tacit_batch view;
};

static tacit_status hand_init(void *raw_hand, const void *self, tacit_error *err) {
  (void)err;
  ((struct hand *)raw_hand)->labels = ((const struct cached *)self)->labels;
  return TACIT_OK;
}

static void hand_fini(void *raw_hand) {
  struct hand *hand = raw_hand;
  tacit_cache_bytes_fini(&hand->bytes);
  tacit_cache_rows_fini(&hand->rows);
}

static void clear(void *raw_hand) {
  struct hand *hand = raw_hand;
  hand->begin = hand->end = 0;
}

static int holds(const struct hand *hand, int64_t row) {
  return hand->has_block && row >= hand->block_first &&
         row < hand->block_first + hand->rows.view.n_rows;
}

static tacit_status take(const void *self, void *raw_hand, int64_t first, int64_t count,
                         int64_t *out_taken, tacit_error *err) {
  const struct cached *cached = self;
  struct hand *hand = raw_hand;
  int is_empty = hand->begin == hand->end;
  *out_taken = 0;
  if (!is_empty && (first != hand->end || !holds(hand, first))) return TACIT_OK;
  if (!holds(hand, first)) {
    hand->has_block = 0;
    int64_t block = tacit_cache_block_of(cached->cache, first, &hand->block_first);
    TACIT_TRY(tacit_cache_read(cached->cache, block, &hand->bytes, &hand->rows, err));
    hand->has_block = 1;
  }
  int64_t left = hand->block_first + hand->rows.view.n_rows - first;
  if (is_empty) hand->begin = first;
  *out_taken = count < left ? count : left;
  hand->end = first + *out_taken;
  return TACIT_OK;
}

static const tacit_batch *view(void *raw_hand) {
  struct hand *hand = raw_hand;
  const tacit_batch *block = &hand->rows.view;
  int64_t from = hand->begin - hand->block_first;
  if (hand->begin == hand->end) {
    tacit_batch_init(&hand->view);
    return &hand->view;
  }
  hand->view = *block;
  hand->view.n_rows = hand->end - hand->begin;
  if (block->raw_row_start != NULL)
    hand->view.raw_row_start = block->raw_row_start + from;
  else
    hand->view.raw_values = block->raw_values + (size_t)from * block->n_features;
  hand->view.raw_labels =
      hand->labels && block->raw_labels != NULL ? block->raw_labels + from : NULL;
  return &hand->view;
}

static void digest(const void *self, unsigned char raw_out[TACIT_STORE_DIGEST]) {
  tacit_cache_digest(((const struct cached *)self)->cache, raw_out);
}

static void free_store(void *self) {
  struct cached *cached = self;
  tacit_cache_free(cached->cache);
  tacit_array_free(cached);
}

static const struct tacit_store_ops store_cache = {
    .hand_size = sizeof(struct hand),
    .hand_init = hand_init,
    .hand_fini = hand_fini,
    .clear = clear,
    .take = take,
    .view = view,
    .digest = digest,
    .free = free_store,
};

static tacit_status check_options(const tacit_cache *cache,
                                  const tacit_reader_options *options,
                                  tacit_error *err) {
  const tacit_cache_head *head = tacit_cache_head_of(cache);
  const char *name = tacit_cache_name(cache);
  int agrees;
  TACIT_TRY(tacit_cache_agrees(cache, options->schema, &agrees, err));
  if (!agrees)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: the cache was made with another schema (columns, label or "
                      "classes) than this one",
                      name);
  if (options->labels && !head->has_labels)
    return tacit_fail(err, TACIT_EDATA, "%s: the cache was made without labels", name);
  if (options->shuffle == 0 && head->is_shuffled)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: the cache holds the rows in shuffled order, and here they "
                      "are needed in file order: make one with --no-shuffle",
                      name);
  if (options->rows >= 0 && options->rows != head->n_rows)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: declared %" PRId64 " rows, found %" PRId64
                      "; correct --rows or the file",
                      name, options->rows, head->n_rows);
  return TACIT_OK;
}

tacit_status tacit_cache_store_open(const char *path,
                                    const tacit_reader_options *options,
                                    tacit_store *out, int64_t *out_rows,
                                    int *out_shuffled, tacit_error *err) {
  tacit_cache *cache = NULL;
  TACIT_TRY(tacit_cache_open(path, &cache, err));
  tacit_status status = check_options(cache, options, err);
  struct cached *cached = NULL;
  if (status == TACIT_OK) {
    cached = tacit_array_new(1, sizeof *cached);
    if (cached == NULL) status = tacit_fail_memory(err);
  }
  if (status != TACIT_OK) {
    tacit_cache_free(cache);
    return status;
  }
  cached->cache = cache;
  cached->labels = options->labels != 0;
  *out = (tacit_store){.ops = &store_cache, .self = cached};
  *out_rows = tacit_cache_head_of(cache)->n_rows;
  *out_shuffled = tacit_cache_head_of(cache)->is_shuffled;
  return TACIT_OK;
}
