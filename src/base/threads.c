/* SPDX-License-Identifier: MIT */
/* A small fork-join pool. Results never depend on which worker ran which task: tasks
   only add integers or write disjoint places.

   Runs follow each other within microseconds, much sooner than the system wakes a
   thread: who waits therefore looks for a while before it sleeps, and a run does not
   wait for workers that come when its tasks are given out. */
#include "base/threads.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

enum { MAX_WORKERS = 256, LOOKS = 2000 /* before sleeping: some 50 microseconds */ };

struct worker {
  tacit_pool *pool;
  size_t number;
  pthread_t thread;
};

struct tacit_pool {
  size_t n_workers; /* the calling thread is worker 0 */
  struct worker *workers;
  int looks; /* LOOKS, or 0 with more workers than cores: a core is wanted elsewhere */
  pthread_mutex_t lock;
  pthread_cond_t start, done;
  /* The run under way: changed with the lock held and nobody busy. */
  tacit_task_fn task;
  void *context;
  size_t n_tasks;
  atomic_size_t next_task;
  /* Changed with the lock held, looked at without. */
  atomic_size_t busy; /* workers that joined the run, the calling thread aside */
  atomic_ulong run;   /* number of the run, so that a worker sees a new one */
  atomic_int stop;
};

static void breathe(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static void work_on_tasks(tacit_pool *pool, size_t number) {
  for (;;) {
    size_t task = atomic_fetch_add(&pool->next_task, 1);
    if (task >= pool->n_tasks) return;
    pool->task(pool->context, task, number);
  }
}

static int is_called(tacit_pool *pool, unsigned long seen) {
  return atomic_load(&pool->stop) || atomic_load(&pool->run) != seen;
}

static void *worker_main(void *argument) {
  struct worker *self = argument;
  tacit_pool *pool = self->pool;
  unsigned long seen = 0;
  for (;;) {
    for (int i = 0; i < pool->looks && !is_called(pool, seen); ++i)
      breathe();
    pthread_mutex_lock(&pool->lock);
    while (!is_called(pool, seen))
      pthread_cond_wait(&pool->start, &pool->lock);
    seen = atomic_load(&pool->run);
    int stop = atomic_load(&pool->stop);
    int joins = !stop && atomic_load(&pool->next_task) < pool->n_tasks;
    if (joins) atomic_fetch_add(&pool->busy, 1);
    pthread_mutex_unlock(&pool->lock);
    if (stop) return NULL;
    if (!joins) continue;
    work_on_tasks(pool, self->number);
    pthread_mutex_lock(&pool->lock);
    if (atomic_fetch_sub(&pool->busy, 1) == 1) pthread_cond_signal(&pool->done);
    pthread_mutex_unlock(&pool->lock);
  }
}

tacit_status tacit_pool_new(unsigned threads, tacit_pool **out, tacit_error *err) {
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  size_t cores = online > 0 ? (size_t)online : 1;
  size_t wanted = threads > 0 ? threads : cores;
  if (wanted > MAX_WORKERS) wanted = MAX_WORKERS;

  tacit_pool *pool = tacit_array_new(1, sizeof *pool);
  if (pool == NULL) return tacit_fail_memory(err);
  pool->workers = tacit_array_new(wanted, sizeof *pool->workers);
  if (pool->workers == NULL) {
    tacit_array_free(pool);
    return tacit_fail_memory(err);
  }
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->start, NULL);
  pthread_cond_init(&pool->done, NULL);
  pool->n_workers = 1;
  pool->looks = wanted <= cores ? LOOKS : 0;

  /* Signals belong to the threads of the program, not to ours; but a fault is of the
     thread that meets it, and kills the process, handler or not, where it is blocked.
   */
  static const int faults[] = {SIGBUS, SIGSEGV, SIGFPE, SIGILL};
  sigset_t all, before;
  sigfillset(&all);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; ++i)
    sigdelset(&all, faults[i]);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (size_t i = 1; i < wanted; ++i) {
    struct worker *worker = &pool->workers[i];
    worker->pool = pool;
    worker->number = i;
    /* Fewer threads than asked for is slower, not wrong. */
    if (pthread_create(&worker->thread, NULL, worker_main, worker) != 0) break;
    ++pool->n_workers;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  *out = pool;
  return TACIT_OK;
}

void tacit_pool_free(tacit_pool *pool) {
  if (pool == NULL) return;
  pthread_mutex_lock(&pool->lock);
  atomic_store(&pool->stop, 1);
  pthread_cond_broadcast(&pool->start);
  pthread_mutex_unlock(&pool->lock);
  for (size_t i = 1; i < pool->n_workers; ++i) {
    pthread_join(pool->workers[i].thread, NULL);
  }
  pthread_cond_destroy(&pool->done);
  pthread_cond_destroy(&pool->start);
  pthread_mutex_destroy(&pool->lock);
  tacit_array_free(pool->workers);
  tacit_array_free(pool);
}

size_t tacit_pool_workers(const tacit_pool *pool) { return pool->n_workers; }

void tacit_pool_run(tacit_pool *pool, size_t n_tasks, tacit_task_fn task,
                    void *context) {
  if (pool->n_workers == 1 || n_tasks <= 1) {
    for (size_t i = 0; i < n_tasks; ++i)
      task(context, i, 0);
    return;
  }
  pthread_mutex_lock(&pool->lock);
  pool->task = task;
  pool->context = context;
  pool->n_tasks = n_tasks;
  atomic_store(&pool->next_task, 0);
  atomic_fetch_add(&pool->run, 1);
  pthread_cond_broadcast(&pool->start);
  pthread_mutex_unlock(&pool->lock);
  work_on_tasks(pool, 0);
  for (int i = 0; i < pool->looks && atomic_load(&pool->busy) > 0; ++i)
    breathe();
  /* With the lock: a worker that joins has done so before this, or finds no task. */
  pthread_mutex_lock(&pool->lock);
  while (atomic_load(&pool->busy) > 0)
    pthread_cond_wait(&pool->done, &pool->lock);
  pthread_mutex_unlock(&pool->lock);
}

struct sweep {
  tacit_chunk_fn chunk;
  void *context;
  size_t n, length;
  double parts[TACIT_STRETCHES];
};

static void sweep_task(void *context, size_t task, size_t worker) {
  struct sweep *sweep = context;
  size_t first = task * sweep->length, end = first + sweep->length;
  (void)worker;
  if (end > sweep->n) end = sweep->n;
  sweep->parts[task] = sweep->chunk(sweep->context, first, end);
}

/* Fills the parts; returns how many there are. */
static size_t run_sweep(tacit_pool *pool, size_t n, tacit_chunk_fn chunk, void *context,
                        struct sweep *sweep) {
  static const size_t shared_min = (size_t)1 << 15; /* else waking threads costs more */
  size_t max = (n + TACIT_STRETCHES - 1) / TACIT_STRETCHES;
  sweep->chunk = chunk;
  sweep->context = context;
  sweep->n = n;
  sweep->length = max <= TACIT_CHUNK ? TACIT_CHUNK : max;
  size_t tasks = (n + sweep->length - 1) / sweep->length;
  if (pool != NULL && n >= shared_min) {
    tacit_pool_run(pool, tasks, sweep_task, sweep);
  } else {
    for (size_t i = 0; i < tasks; ++i)
      sweep_task(sweep, i, 0);
  }
  return tasks;
}

double tacit_parallel_sum(tacit_pool *pool, size_t n, tacit_chunk_fn chunk,
                          void *context) {
  struct sweep sweep; /* short vectors need few of its parts: not cleared */
  size_t parts = run_sweep(pool, n, chunk, context, &sweep);
  double sum = parts > 0 ? sweep.parts[0] : 0;
  for (size_t i = 1; i < parts; ++i)
    sum += sweep.parts[i];
  return sum;
}

double tacit_parallel_max(tacit_pool *pool, size_t n, tacit_chunk_fn chunk,
                          void *context) {
  struct sweep sweep; /* short vectors need few of its parts: not cleared */
  size_t parts = run_sweep(pool, n, chunk, context, &sweep);
  double max = 0;
  for (size_t i = 0; i < parts && !isnan(max); ++i)
    if (!(sweep.parts[i] <= max)) max = sweep.parts[i];
  return max;
}
