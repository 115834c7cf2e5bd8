/* SPDX-License-Identifier: MIT */
/* A small fork-join pool. Results never depend on which worker ran which task, because
   tasks only add integers or write to disjoint memory. Runs follow each other within
   microseconds, which is less than the system needs to wake a thread. So waiting
   threads poll for a while before they sleep, and a run does not wait for workers that
   wake after its last task was taken. */
#include "base/threads.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

/* POLLS: how often a thread polls before it sleeps, about 50 microseconds. */
enum { MAX_WORKERS = 256, POLLS = 2000 };

struct worker {
  tacit_pool *pool;
  size_t number;
  pthread_t thread;
};

struct tacit_pool {
  size_t n_workers; /* the calling thread is worker 0 */
  struct worker *workers;
  int polls; /* POLLS, or 0 if there are more workers than cores, because others then
                need the core */
  pthread_mutex_t lock;
  pthread_cond_t start, done;
  /* The current run. It is changed only with the lock held and no worker busy. */
  tacit_task_fn task;
  void *context;
  size_t n_tasks;
  atomic_size_t next_task;
  /* Changed with the lock held, and read without it. */
  atomic_size_t busy; /* workers in the run, without the calling thread */
  atomic_ulong run;   /* number of the run, so that a worker sees a new one */
  atomic_int stop;
};

/* Tells the processor that this is a waiting loop. */
static void relax(void) {
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
    for (int i = 0; i < pool->polls && !is_called(pool, seen); ++i)
      relax();
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
  pool->polls = wanted <= cores ? POLLS : 0;

  /* Workers block signals, which are for the threads of the program. Faults stay
     unblocked: they are sent to the thread that causes them, and a blocked fault kills
     the process even if the program has a handler. */
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
    /* Fewer threads than requested are slower, not wrong. */
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
  for (size_t i = 1; i < pool->n_workers; ++i)
    pthread_join(pool->workers[i].thread, NULL);
  pthread_cond_destroy(&pool->done);
  pthread_cond_destroy(&pool->start);
  pthread_mutex_destroy(&pool->lock);
  TACIT_FREE(pool->workers, pool);
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
  for (int i = 0; i < pool->polls && atomic_load(&pool->busy) > 0; ++i)
    relax();
  /* Under the lock every worker that joins the run has done so; a worker that comes
     later finds no task. */
  pthread_mutex_lock(&pool->lock);
  while (atomic_load(&pool->busy) > 0)
    pthread_cond_wait(&pool->done, &pool->lock);
  pthread_mutex_unlock(&pool->lock);
}
