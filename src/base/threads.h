/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BASE_THREADS_H
#define TACIT_BASE_THREADS_H

#include <stddef.h>
#include <tacit/status.h>

/* A pool of worker threads that share out numbered tasks. */
typedef struct tacit_pool tacit_pool;

/* Task `task` of a run, on worker `worker` (0 … workers-1): one worker runs one task at
   a time, so per-worker buffers need no lock. */
typedef void (*tacit_task_fn)(void *context, size_t task, size_t worker);

/* threads = 0: one per core. A pool of one runs everything in the calling thread. */
tacit_status tacit_pool_new(unsigned threads, tacit_pool **out, tacit_error *err);
void tacit_pool_free(tacit_pool *pool);
size_t tacit_pool_workers(const tacit_pool *pool);
/* Runs tasks 0 … n_tasks-1 and returns when all are done. The calling thread works too.
 */
void tacit_pool_run(tacit_pool *pool, size_t n_tasks, tacit_task_fn task,
                    void *context);

/*
 * Work on the coordinates 0 … n-1 of long vectors, in stretches whose borders depend on
 * n alone: what is added up over them has the same bits for any number of threads.
 * Short vectors, and those without a pool (NULL), stay in the calling thread.
 */
typedef double (*tacit_chunk_fn)(void *context, size_t first, size_t end);

/* Stretches are this long, or longer so that there are at most TACIT_STRETCHES: some
   vectors of such a stretch stay in a core's own cache. */
enum { TACIT_CHUNK = 4096, TACIT_STRETCHES = 256 };

/* Calls `stretch` on all of them and adds up what it returns, in their order. */
double tacit_parallel_sum(tacit_pool *pool, size_t n, tacit_chunk_fn chunk,
                          void *context);
/* The largest of what it returns, 0 if there is none; NaN if one is. */
double tacit_parallel_max(tacit_pool *pool, size_t n, tacit_chunk_fn chunk,
                          void *context);

#endif
