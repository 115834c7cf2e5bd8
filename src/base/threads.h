/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BASE_THREADS_H
#define TACIT_BASE_THREADS_H

#include <stddef.h>
#include <tacit/status.h>

/* A pool of worker threads that share numbered tasks. */
typedef struct tacit_pool tacit_pool;

/* Runs task number `task` on worker `worker`, 0 … workers-1. A worker runs one task at
   a time, so buffers per worker need no lock. */
typedef void (*tacit_task_fn)(void *context, size_t task, size_t worker);

/* Makes a pool of so many threads, one per core if `threads` is 0. A pool of one thread
   runs everything in the calling thread. */
tacit_status tacit_pool_new(unsigned threads, tacit_pool **out, tacit_error *err);
void tacit_pool_free(tacit_pool *pool);
size_t tacit_pool_workers(const tacit_pool *pool);
/* Runs tasks 0 … n_tasks-1 and returns when all have ended. The calling thread also
   works. */
void tacit_pool_run(tacit_pool *pool, size_t n_tasks, tacit_task_fn task,
                    void *context);

/*
 * A loop over the coordinates 0 … n-1 of long vectors, in chunks first … end-1. The
 * borders of chunks depend on n alone, so sums over chunks have the same bits for any
 * number of threads. Short vectors stay in the calling thread, and all vectors if the
 * pool is NULL.
 */
typedef double (*tacit_chunk_fn)(void *context, size_t first, size_t end);

/* A chunk has TACIT_CHUNK coordinates, so that a few vectors of it fit a core's cache.
   It has more if there would be more than TACIT_CHUNKS_MAX chunks. */
enum { TACIT_CHUNK = 4096, TACIT_CHUNKS_MAX = 256 };

/* Calls `chunk` on every chunk and returns the sum of the results, added up in the
   order of the chunks. */
double tacit_parallel_sum(tacit_pool *pool, size_t n, tacit_chunk_fn chunk,
                          void *context);
/* Calls `chunk` on every chunk and returns the largest result, or 0 without chunks.
   Returns NaN if one result is NaN. */
double tacit_parallel_max(tacit_pool *pool, size_t n, tacit_chunk_fn chunk,
                          void *context);

#endif
