/* SPDX-License-Identifier: MIT */
/* The two points of a round side by side, as the kernels take them. They are released
   numbers. */
#include "gradient/interleave.h"

#include "kernel/margins.h"

size_t tacit_interleave_size(const tacit_row_rule *rule) {
  return rule->outputs == 1 ? 2 * rule->features : tacit_wide_size(rule, 2);
}

struct points {
  const double *x, *x_prev;
  double *room;
};

static double interleave_chunk(void *context, size_t first, size_t end) {
  const struct points *points = context;
  const double *x = points->x, *x_prev = points->x_prev;
  double *room = points->room;
  for (size_t j = first; j < end; ++j) {
    room[2 * j] = x[j];
    room[2 * j + 1] = x_prev[j];
  }
  return 0;
}

void tacit_interleave(tacit_delta *delta, tacit_pool *pool, double *room) {
  const tacit_row_rule *rule = &delta->row;
  delta->pairs = room;
  /* x_0 has weight 0 and may lie outside W: never evaluated. */
  const double *x = delta->x, *x_prev = delta->ratio > 0 ? delta->x_prev : delta->x;
  if (rule->outputs > 1) {
    tacit_wide_fill(pool, rule, x, 0, 2, room);
    tacit_wide_fill(pool, rule, x_prev, 1, 2, room);
    return;
  }
  struct points points = {x, x_prev, room};
  (void)tacit_parallel_sum(pool, rule->features, interleave_chunk, &points);
}
