/* SPDX-License-Identifier: MIT */
#include "vault/integers.h"

#include <string.h>

static double clear_chunk(void *context, size_t first, size_t end) {
  int64_t *raw_integers = context;
  memset(raw_integers + first, 0, (end - first) * sizeof *raw_integers);
  return 0;
}

void tacit_integers_clear(tacit_pool *pool, int64_t *raw_integers, size_t n) {
  (void)tacit_parallel_sum(pool, n, clear_chunk, raw_integers);
}

struct move {
  int64_t *raw_from, *raw_into;
};

static double move_chunk(void *context, size_t first, size_t end) {
  const struct move *move = context;
  for (size_t i = first; i < end; ++i)
    move->raw_into[i] += move->raw_from[i];
  memset(move->raw_from + first, 0, (end - first) * sizeof *move->raw_from);
  return 0;
}

void tacit_integers_move(tacit_pool *pool, int64_t *raw_from, size_t n,
                         int64_t *raw_into) {
  struct move move = {raw_from, raw_into};
  (void)tacit_parallel_sum(pool, n, move_chunk, &move);
}

struct range {
  const int64_t *raw_integers;
  int64_t max;
};

static double any_beyond(void *context, size_t first, size_t end) {
  const struct range *range = context;
  const int64_t *raw_integers = range->raw_integers;
  int raw_beyond = 0;
  for (size_t i = first; i < end; ++i)
    raw_beyond |= (raw_integers[i] > range->max) | (raw_integers[i] < -range->max);
  return raw_beyond;
}

int tacit_integers_within(tacit_pool *pool, const int64_t *raw_integers, size_t n,
                          int64_t max) {
  struct range range = {raw_integers, max};
  return !(tacit_parallel_max(pool, n, any_beyond, &range) > 0);
}
