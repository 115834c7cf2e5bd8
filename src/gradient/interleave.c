/* SPDX-License-Identifier: MIT */
/* The two points of a round in the layout that the kernels take: as short numbers,
   interleaved, and then, for dense rows of one output, one point after the other. The
   points are released numbers. */
#include "gradient/interleave.h"

#include "kernel/margins.h"
#include "kernel/short.h"

/* Doubles per cache line. An AVX-512 vector that begins elsewhere lies in two lines,
   and loading it takes twice as long. */
enum { LINE = 8 };

static size_t padded(size_t features) { return (features + LINE - 1) / LINE * LINE; }

size_t tacit_interleave_size(const tacit_row_rule *rule) {
  return rule->outputs == 1 ? 4 * padded(rule->features) + LINE
                            : tacit_wide_size(rule, 2);
}

/* Returns the first place of the room at the beginning of a cache line. */
static double *line_start(double *room) {
  size_t past = (uintptr_t)room / sizeof *room % LINE;
  return past == 0 ? room : room + LINE - past;
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
  /* x_0 has weight 0 and may lie outside W, so it is never evaluated. */
  const double *x = delta->x, *x_prev = delta->ratio > 0 ? delta->x_prev : delta->x;
  if (rule->outputs > 1) {
    delta->pairs = room;
    tacit_wide_fill(pool, rule, x, 0, 2, 1, room);
    tacit_wide_fill(pool, rule, x_prev, 1, 2, 1, room);
    return;
  }
  double *pairs = line_start(room), *after = pairs + 2 * padded(rule->features);
  struct points points = {x, x_prev, pairs, after, after + padded(rule->features)};
  delta->pairs = pairs;
  (void)tacit_parallel_sum(pool, rule->features, interleave_chunk, &points);
}

tacit_points tacit_interleaved(const tacit_delta *delta) {
  size_t features = padded(delta->row.features);
  const double *after = delta->pairs + 2 * features;
  return (tacit_points){.x = after,
                        .x_prev = delta->ratio > 0 ? after + features : NULL,
                        .pairs = delta->pairs,
                        .are_short = 1};
}
