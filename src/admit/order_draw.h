/* SPDX-License-Identifier: MIT */
#ifndef TACIT_ADMIT_ORDER_DRAW_H
#define TACIT_ADMIT_ORDER_DRAW_H

#include "admit/order.h"
#include "admit/rounds.h"
#include "vault/words.h"

/* What order.c and order_draw.c share. */

/*
 * Rows are stored in segments. A segment has the low parts of its row numbers, sorted
 * by part, in 2 bytes each: the rows of a part come out in ascending order.
 */
struct tacit_order {
  const struct tacit_roster
      *roster; /* NULL for a drawn order; otherwise it says which row is at which place,
                  and nothing below is used */
  int64_t n_rows, batches;
  int64_t per_part, parts; /* batches per part, and number of parts */
  int64_t segments, capacity;
  int64_t *raw_first;     /* first row of each segment, and n_rows at the end */
  uint16_t *raw_start;    /* segments x parts: where a part begins in its segment */
  uint16_t *raw_low;      /* low part of each row number, sorted by part within each
                             segment */
  uint32_t *raw_places32; /* place of each row if there are fewer than 2^32; NULL unless
                             tacit_order_open made it */
  int64_t *raw_places;
  unsigned char raw_key[TACIT_ORDER_KEY_BYTES];
};

/* Returns the first place of a part. */
static inline int64_t tacit_order_part(const tacit_order *order, int64_t part) {
  int64_t batch = part * order->per_part;
  if (batch > order->batches) batch = order->batches;
  return tacit_rounds_batch(order->n_rows, order->batches, batch);
}

/* Returns the number of rows of a segment. */
static inline int64_t tacit_order_segment(const tacit_order *order, int64_t segment) {
  return order->raw_first[segment + 1] - order->raw_first[segment];
}

/* Draws the part that each row is in: fills segments, raw_first, raw_start and
   raw_low. */
tacit_status tacit_order_draw(tacit_order *order, tacit_pool *pool, tacit_error *err);

/* What random words are for. Each segment and each group of batches has words of its
   own. */
enum tacit_order_use { TACIT_ORDER_SPLIT, TACIT_ORDER_SEGMENT, TACIT_ORDER_GROUP };

void tacit_order_words(const tacit_order *order, enum tacit_order_use use,
                       int64_t number, tacit_words *out);

/* Returns a uniform number of {0, …, bound-1}, exactly: the high half of the product of
   a random half and `bound`, drawn again if its low half would favour a number. `bound`
   must be below 2^32. */
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
