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

#endif
