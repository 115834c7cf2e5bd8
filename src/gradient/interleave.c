/* SPDX-License-Identifier: MIT */
/* The two points of a round as the kernels take them: short numbers, side by side and,
   for the dense rows of one output, one after the other. They are released numbers. */
#include "gradient/interleave.h"

#include "kernel/margins.h"
#include "kernel/short.h"

size_t tacit_interleave_size(const tacit_row_rule *rule) {
  return rule->outputs == 1 ? 4 * rule->features : tacit_wide_size(rule, 2);
}

struct points {
  const double *x, *x_prev;
  double *pairs, *short_x, *short_x_prev;
};

static double interleave_chunk(void *context, size_t first, size_t end) {
  const struct points *points = context;
  for (size_t j = first; j < end; ++j) {
    points->pairs[2 * j] = points->short_x[j] = tacit_short(points->x[j]);
    points->pairs[2 * j + 1] = points->short_x_prev[j] = tacit_short(points->x_prev[j]);
  }
  return 0;
}

void tacit_interleave(tacit_delta *delta, tacit_pool *pool, double *room) {
  const tacit_row_rule *rule = &delta->row;
  delta->pairs = room;
  /* x_0 has weight 0 and may lie outside W: never evaluated. */
  const double *x = delta->x, *x_prev = delta->ratio > 0 ? delta->x_prev : delta->x;
  if (rule->outputs > 1) {
    tacit_wide_fill(pool, rule, x, 0, 2, 1, room);
    tacit_wide_fill(pool, rule, x_prev, 1, 2, 1, room);
    return;
  }
  size_t features = rule->features;
  struct points points = {x, x_prev, room, room + 2 * features, room + 3 * features};
  (void)tacit_parallel_sum(pool, rule->features, interleave_chunk, &points);
}

tacit_points tacit_interleaved(const tacit_delta *delta) {
  const double *after = delta->pairs + 2 * delta->row.features;
  return (tacit_points){.x = after,
                        .x_prev = delta->ratio > 0 ? after + delta->row.features : NULL,
                        .pairs = delta->pairs,
                        .are_short = 1};
}
