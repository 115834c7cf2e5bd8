/* SPDX-License-Identifier: MIT */
/* The public order of rows: a Fisher-Yates shuffle of blocks, with random words from a
   fixed public key. The key is the BLAKE2b digest of the text below, so nobody can have
   chosen it with certain data in mind. */
#include "admit/order.h"

#include "admit/roster.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "vault/words.h"

struct tacit_order {
  const tacit_roster *roster; /* NULL: what follows */
  int64_t n_rows, block_rows;
  int64_t full_blocks, blocks;
  uint32_t *permuted; /* full_blocks of them */
  uint32_t *places;   /* the inverse permutation; NULL: not needed */
};

static void public_key(unsigned char key[TACIT_KEY_BYTES]) {
  static const unsigned char text[] = "tacit: public order of rows, version 1";
  tacit_hash_of(text, sizeof text - 1, NULL, NULL, 0, key, TACIT_KEY_BYTES);
}

static void shuffle(uint32_t *items, int64_t count) {
  unsigned char key[TACIT_KEY_BYTES];
  tacit_words words;
  public_key(key);
  tacit_words_init(&words, key);
  for (int64_t i = count - 1; i > 0; --i) {
    uint64_t j = tacit_words_below(&words, (uint64_t)i + 1);
    uint32_t kept = items[i];
    items[i] = items[j];
    items[j] = kept;
  }
}

tacit_status tacit_order_new(int64_t n_rows, int64_t max_blocks, tacit_order **out,
                             tacit_error *err) {
  if (n_rows < 1 || max_blocks < 1 || max_blocks > (INT64_C(1) << 31))
    return tacit_fail(err, TACIT_EINVAL, "an order needs at least one row");
  tacit_order *order = tacit_array_new(1, sizeof *order);
  if (order == NULL) return tacit_fail_memory(err);
  int bits = 0;
  while ((n_rows >> bits) > max_blocks)
    ++bits;
  order->n_rows = n_rows;
  order->block_rows = INT64_C(1) << bits;
  order->full_blocks = n_rows >> bits;
  order->blocks = order->full_blocks + (n_rows % order->block_rows != 0);
  order->permuted =
      tacit_array_new((size_t)order->full_blocks, sizeof *order->permuted);
  if (order->permuted == NULL) {
    tacit_array_free(order);
    return tacit_fail_memory(err);
  }
  for (int64_t i = 0; i < order->full_blocks; ++i)
    order->permuted[i] = (uint32_t)i;
  shuffle(order->permuted, order->full_blocks);
  *out = order;
  return TACIT_OK;
}

tacit_status tacit_order_of_roster(const tacit_roster *roster, tacit_order **out,
                                   tacit_error *err) {
  tacit_order *order = tacit_array_new(1, sizeof *order);
  if (order == NULL) return tacit_fail_memory(err);
  order->roster = roster;
  order->block_rows = 1;
  *out = order;
  return TACIT_OK;
}

void tacit_order_free(tacit_order *order) {
  if (order == NULL) return;
  tacit_array_free(order->permuted);
  tacit_array_free(order->places);
  tacit_array_free(order);
}

tacit_status tacit_order_open(int64_t n_rows, tacit_order **out, tacit_error *err) {
  tacit_order *order = NULL;
  if (out == NULL) return tacit_fail(err, TACIT_EINVAL, "no place for the order");
  TACIT_TRY(tacit_order_new(n_rows, TACIT_ORDER_BLOCKS, &order, err));
  order->places = tacit_array_new((size_t)order->full_blocks, sizeof *order->places);
  if (order->places == NULL) {
    tacit_order_free(order);
    return tacit_fail_memory(err);
  }
  for (int64_t i = 0; i < order->full_blocks; ++i)
    order->places[order->permuted[i]] = (uint32_t)i;
  *out = order;
  return TACIT_OK;
}

int64_t tacit_order_place(const tacit_order *order, int64_t row) {
  if (order->places == NULL || row < 0 || row >= order->n_rows) return -1;
  int64_t block = row / order->block_rows;
  int64_t place = block < order->full_blocks ? (int64_t)order->places[block] : block;
  return place * order->block_rows + row % order->block_rows;
}

int64_t tacit_order_block_rows(const tacit_order *order) { return order->block_rows; }

int64_t tacit_order_blocks(const tacit_order *order) { return order->blocks; }

int64_t tacit_order_block(const tacit_order *order, int64_t position) {
  return position < order->full_blocks ? (int64_t)order->permuted[position] : position;
}

int64_t tacit_order_row(const tacit_order *order, int64_t position) {
  if (order->roster != NULL) return tacit_roster_row(order->roster, position);
  int64_t block = tacit_order_block(order, position / order->block_rows);
  return block * order->block_rows + position % order->block_rows;
}
