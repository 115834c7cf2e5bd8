/* SPDX-License-Identifier: MIT */
#ifndef TACIT_ADMIT_ORDER_DRAW_H
#define TACIT_ADMIT_ORDER_DRAW_H

#include "admit/order.h"
#include "admit/rounds.h"
#include "vault/words.h"

/* What order.c and order_draw.c share. */

/*
 * Rows are stored in segments. A segment has the low parts of its row numbers, sorted
 * by batch, in 2 bytes each: the rows of a batch come out in ascending order.
 */
struct tacit_order {
  const struct tacit_roster
      *roster; /* who says which row is where; NULL: what follows */
  int64_t n_rows, batches;
  int64_t per_part, parts; /* batches of a part, and parts */
  int64_t segments, capacity;
  int64_t *raw_first;     /* row of each segment, and at the end n_rows */
  uint16_t *raw_start;    /* segments x parts: where a part begins in its segment */
  uint16_t *raw_low;      /* of each row number, sorted by part in each segment */
  uint32_t *raw_places32; /* of rows, if there are fewer than 2^32; NULL: not asked */
  int64_t *raw_places;
  unsigned char raw_key[TACIT_ORDER_KEY_BYTES];
};

/* The first place of a part. */
static inline int64_t tacit_order_part(const tacit_order *order, int64_t part) {
  int64_t batch = part * order->per_part;
  if (batch > order->batches) batch = order->batches;
  return tacit_rounds_batch(order->n_rows, order->batches, batch);
}

/* Rows of a segment. */
static inline int64_t tacit_order_segment(const tacit_order *order, int64_t segment) {
  return order->raw_first[segment + 1] - order->raw_first[segment];
}

/* Draws which part each row is in: fills segments, raw_first, raw_start and raw_low. */
tacit_status tacit_order_draw(tacit_order *order, tacit_pool *pool, tacit_error *err);

/* What random words are for. Each segment and each group of batches has its own. */
enum tacit_order_use { TACIT_ORDER_SPLIT, TACIT_ORDER_SEGMENT, TACIT_ORDER_GROUP };

void tacit_order_words(const tacit_order *order, enum tacit_order_use use,
                       int64_t number, tacit_words *out);

/* Uniform on {0, …, bound-1}, exactly: the product of a random half and the bound, its
   low half dropped unless that would favour a number. bound < 2^32. */
static inline uint32_t tacit_order_below(tacit_words *words, uint32_t bound) {
  uint64_t product = (uint64_t)tacit_words_half(words) * bound;
  if ((uint32_t)product < bound) {
    uint32_t first_kept = (0 - bound) % bound;
    while ((uint32_t)product < first_kept)
      product = (uint64_t)tacit_words_half(words) * bound;
  }
  return (uint32_t)(product >> 32);
}

#endif
