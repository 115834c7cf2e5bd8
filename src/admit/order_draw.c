/* SPDX-License-Identifier: MIT */
/*
 * Draws the secret order: a uniform assignment of rows to batches of given sizes.
 *
 * The places of all batches are shuffled; row i is in the batch of place i of the
 * shuffled list. Each place goes to the left or right half of the list by a fair coin,
 * and so on in each half, until few places are left: a segment. Then each segment is
 * shuffled by itself, on any thread. Random numbers are exact and come from the key of
 * the order, which depends on no record. Proof: docs/proofs/secret_order.md
 */
#include "admit/order_draw.h"

#include <sodium.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/numbers.h"

enum { SEGMENT_ROWS = 65535 }; /* the most rows of a segment */

void tacit_order_words(const tacit_order *order, enum tacit_order_use use,
                       int64_t number, tacit_words *out) {
  unsigned char message[8], key[TACIT_KEY_BYTES];
  tacit_store_le64(message, (uint64_t)use << 62 | (uint64_t)number);
  tacit_hash_of(message, sizeof message, "tacit-order-1", order->raw_key,
                sizeof order->raw_key, key, sizeof key);
  tacit_words_init(out, key);
  sodium_memzero(key, sizeof key);
}

/* Returns how many of `coins` fair coins show heads. */
static int64_t heads(tacit_words *words, int64_t coins) {
  int64_t count = 0;
  for (; coins > 0; coins -= 64) {
    uint64_t word = tacit_words_next(words);
    if (coins < 64) word >>= 64 - coins;
    count += __builtin_popcountll(word);
  }
  return count;
}

/* Adds a segment with so many places of each part. */
static tacit_status add_segment(tacit_order *order, const int64_t *raw_counts,
                                tacit_error *err) {
  int64_t parts = order->parts, at = order->segments;
  if (at == order->capacity) {
    int64_t capacity = at + at / 8 + 1;
    int64_t *first =
        tacit_raw_grow(order->raw_first, (size_t)capacity + 1, sizeof *first);
    if (first == NULL) return tacit_fail_memory(err);
    order->raw_first = first;
    uint16_t *start =
        tacit_raw_grow(order->raw_start, (size_t)(capacity * parts), sizeof *start);
    if (start == NULL) return tacit_fail_memory(err);
    order->raw_start = start;
    order->capacity = capacity;
  }
  /* Stores where each part ends, because shuffle_segment counts down to its
     beginning. */
  int64_t end = 0;
  for (int64_t part = 0; part < parts; ++part) {
    end += raw_counts[part];
    order->raw_start[at * parts + part] = (uint16_t)end;
  }
  order->raw_first[at + 1] = order->raw_first[at] + end;
  ++order->segments;
  return TACIT_OK;
}

/* Cuts places, so many of each part, into segments. Places of a part are alike, so only
   the number of them that go left matters. */
static tacit_status split(tacit_order *order, tacit_words *words, int64_t *raw_counts,
                          tacit_error *err) {
  int64_t rows = 0;
  for (int64_t part = 0; part < order->parts; ++part)
    rows += raw_counts[part];
  if (rows <= SEGMENT_ROWS) return add_segment(order, raw_counts, err);
  int64_t *raw_left = tacit_raw_new((size_t)order->parts, sizeof *raw_left);
  if (raw_left == NULL) return tacit_fail_memory(err);
  for (int64_t part = 0; part < order->parts; ++part) {
    raw_left[part] = heads(words, raw_counts[part]);
    raw_counts[part] -= raw_left[part];
  }
  tacit_status status = split(order, words, raw_left, err);
  tacit_raw_free(raw_left);
  return status == TACIT_OK ? split(order, words, raw_counts, err) : status;
}

static tacit_status make_segments(tacit_order *order, tacit_error *err) {
  tacit_words words;
  int64_t *raw_counts = tacit_raw_new((size_t)order->parts, sizeof *raw_counts);
  if (raw_counts == NULL) return tacit_fail_memory(err);
  for (int64_t part = 0; part < order->parts; ++part)
    raw_counts[part] =
        tacit_order_part(order, part + 1) - tacit_order_part(order, part);
  tacit_order_words(order, TACIT_ORDER_SPLIT, 0, &words);
  tacit_status status = split(order, &words, raw_counts, err);
  tacit_words_wipe(&words);
  tacit_raw_free(raw_counts);
  return status;
}

struct shuffle {
  tacit_order *order;
  size_t room;        /* numbers per worker, for the places of one segment */
  uint16_t *raw_part; /* the part of each place that is left, `room` numbers per
                         worker */
};

/* Shuffles one segment: the last row draws one of the places, the row before it one of
   the places that are left, and so on (Fisher-Yates). */
static void shuffle_segment(void *context, size_t task, size_t worker) {
  const struct shuffle *shuffle = context;
  tacit_order *order = shuffle->order;
  uint16_t *part = shuffle->raw_part + worker * shuffle->room;
  uint16_t *end = order->raw_start + (int64_t)task * order->parts;
  uint16_t *low = order->raw_low + order->raw_first[task];
  uint32_t rows = 0;
  tacit_words words;
  for (int64_t j = 0; j < order->parts; ++j)
    for (; rows < end[j]; ++rows)
      part[rows] = (uint16_t)j;
  tacit_order_words(order, TACIT_ORDER_SEGMENT, (int64_t)task, &words);
  while (rows > 0) {
    uint32_t place = tacit_order_below(&words, rows--);
    low[--end[part[place]]] = (uint16_t)rows;
    part[place] = part[rows];
  }
  tacit_words_wipe(&words);
}

tacit_status tacit_order_draw(tacit_order *order, tacit_pool *pool, tacit_error *err) {
  size_t workers = pool != NULL ? tacit_pool_workers(pool) : 1;
  struct shuffle shuffle = {.order = order, .room = SEGMENT_ROWS};
  if (order->n_rows < SEGMENT_ROWS) shuffle.room = (size_t)order->n_rows;
  TACIT_TRY(make_segments(order, err));
  TACIT_TRY(TACIT_RAW_NEW(shuffle.raw_part, workers * shuffle.room, err));
  if (pool != NULL)
    tacit_pool_run(pool, (size_t)order->segments, shuffle_segment, &shuffle);
  for (int64_t i = 0; pool == NULL && i < order->segments; ++i)
    shuffle_segment(&shuffle, (size_t)i, 0);
  tacit_raw_free(shuffle.raw_part);
  return TACIT_OK;
}
