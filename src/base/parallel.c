/* SPDX-License-Identifier: MIT */
/* Loops over long vectors, chunk by chunk. */
#include <math.h>

#include "base/threads.h"

struct loop {
  tacit_chunk_fn chunk;
  void *context;
  size_t n, length;
  double parts[TACIT_CHUNKS_MAX];
};

static void run_task(void *context, size_t task, size_t worker) {
  struct loop *loop = context;
  size_t first = task * loop->length, end = first + loop->length;
  (void)worker;
  if (end > loop->n) end = loop->n;
  loop->parts[task] = loop->chunk(loop->context, first, end);
}

/* Calls `chunk` on every chunk and keeps what it returns. Returns the number of
   chunks. */
static size_t run_chunks(tacit_pool *pool, size_t n, tacit_chunk_fn chunk,
                         void *context, struct loop *loop) {
  /* Below this length waking threads costs more than they save. */
  static const size_t shared_min = (size_t)1 << 15;
  size_t max = (n + TACIT_CHUNKS_MAX - 1) / TACIT_CHUNKS_MAX;
  loop->chunk = chunk;
  loop->context = context;
  loop->n = n;
  loop->length = max <= TACIT_CHUNK ? TACIT_CHUNK : max;
  size_t tasks = (n + loop->length - 1) / loop->length;
  if (pool != NULL && n >= shared_min)
    tacit_pool_run(pool, tasks, run_task, loop);
  else
    for (size_t i = 0; i < tasks; ++i)
      run_task(loop, i, 0);
  return tasks;
}

double tacit_parallel_sum(tacit_pool *pool, size_t n, tacit_chunk_fn chunk,
                          void *context) {
  struct loop loop; /* large and mostly unused, so it is not cleared */
  size_t parts = run_chunks(pool, n, chunk, context, &loop);
  double sum = parts > 0 ? loop.parts[0] : 0;
  for (size_t i = 1; i < parts; ++i)
    sum += loop.parts[i];
  return sum;
}

double tacit_parallel_max(tacit_pool *pool, size_t n, tacit_chunk_fn chunk,
                          void *context) {
  struct loop loop; /* large and mostly unused, so it is not cleared */
  size_t parts = run_chunks(pool, n, chunk, context, &loop);
  double max = 0;
  for (size_t i = 0; i < parts && !isnan(max); ++i)
    if (!(loop.parts[i] <= max)) max = loop.parts[i];
  return max;
}
