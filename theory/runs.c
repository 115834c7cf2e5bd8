/* SPDX-License-Identifier: MIT */
/*
 * Makes runs of Algorithm 1 with one record per round and several seeds on two threads.
 * x_T is taken as in the paper: before the last record, on which it does not depend. A
 * result depends on its seed alone, so the order of the threads does not matter.
 */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "theory.h"

enum { WORKERS = 2 };

static _Noreturn void refuse(const char *what) {
  fprintf(stderr, "theory: %s\n", what);
  exit(2);
}

static void check(tacit_status status, const tacit_error *err) {
  if (status != TACIT_OK) refuse(err->message);
}

static void *numbers(int64_t n) {
  void *out = calloc((size_t)n, sizeof(double));
  if (out == NULL) refuse("out of memory");
  return out;
}

static tacit_config config_of(const setup *s, int64_t rounds, uint64_t seed,
                              const tacit_schema *schema,
                              const tacit_gradient_ops *gradient) {
  tacit_config config;
  tacit_config_init(&config);
  config.schema = schema;
  config.rows = rounds;
  config.batch = 1;
  config.bias = 0;
  config.rho = s->epsilon > 0 ? 0 : s->rho;
  config.epsilon = s->epsilon;
  config.pure = s->epsilon > 0;
  config.delta = s->rho > 0 ? 1e-6 : 0;
  config.mechanism = s->rho > 0 || s->epsilon > 0 ? "tree" : "none";
  config.law = s->law;
  config.learner = s->spy ? NULL : s->learner;
  config.learner_ops = s->spy ? &spy_learner : NULL;
  config.power = s->power;
  config.bound = s->bound == TACIT_BOUND_DEFAULT ? TACIT_BOUND_TIGHT : s->bound;
  config.domain = s->on.domain;
  config.radius = s->on.domain == TACIT_DOMAIN_SIMPLEX ? 0 : s->on.radius;
  config.norm = s->on.norm;
  config.seeded = 1;
  config.seed = seed;
  config.threads = 1;
  config.start = s->start;
  config.reg_scale = s->reg_scale;
  if (s->on.kind != LOGISTIC) config.gradient = gradient;
  return config;
}

/* Adds round t to sum beta_t <grad L(x_t), w_t - x*>, which is kept divided by beta_t.
   w_t - x_{t-1} is h_t (x_t - x_{t-1}). */
static void trace_round(const setup *s, const tacit_round *round, double *horizon,
                        double *lemma) {
  double slope[DIM_MAX], best[DIM_MAX], sum = 0;
  problem_slope(&s->on, round->x, slope);
  problem_best(&s->on, best);
  *horizon = 1 + round->ratio * *horizon;
  for (size_t i = 0; i < s->on.dim; ++i) {
    double w = round->t == 1
                   ? round->x[i]
                   : round->x_prev[i] + *horizon * (round->x[i] - round->x_prev[i]);
    sum += slope[i] * (w - best[i]);
  }
  *lemma = round->ratio * *lemma + sum;
}

static void feed_rows(tacit_train *train, const tacit_batch *all, int64_t first,
                      int64_t count) {
  tacit_error err;
  tacit_batch batch = *all;
  batch.n_rows = count;
  batch.raw_values += first * (int64_t)all->n_features;
  batch.raw_labels += first;
  check(tacit_train_feed(train, &batch, &err), &err);
}

/* Feeds records 1 … T-1, one by one if the run is traced. */
static void feed(const setup *s, tacit_train *train, const tacit_batch *all,
                 tacit_round *round, double *out_lemma) {
  tacit_error err;
  double horizon = 0, lemma = 0;
  for (int64_t t = 1; s->trace && t < all->n_rows; ++t) {
    check(tacit_round_ask(train, round, &err), &err);
    trace_round(s, round, &horizon, &lemma);
    feed_rows(train, all, t - 1, 1);
  }
  if (!s->trace) feed_rows(train, all, 0, all->n_rows - 1);
  check(tacit_round_ask(train, round, &err), &err);
  if (s->trace) trace_round(s, round, &horizon, &lemma);
  *out_lemma = s->trace ? lemma / horizon : 0;
}

static outcome run_one(const setup *s, int64_t rounds, uint64_t seed) {
  size_t dim = s->on.dim;
  double *values = numbers(rounds * (int64_t)dim), *labels = numbers(rounds);
  stream source = {seed * 0x2545f4914f6cdd1du + 77};
  for (int64_t t = 0; t < rounds; ++t)
    problem_draw(&s->on, &source, values + t * (int64_t)dim, labels + t);

  tacit_error err;
  tacit_schema *schema = NULL;
  tacit_train *train = NULL;
  problem on = s->on;
  tacit_gradient_ops gradient = {.version = 1,
                                 .dim = dim,
                                 .self = &on,
                                 .gradient = problem_gradient,
                                 .lipschitz = on.G,
                                 .smooth = on.H};
  check(tacit_schema_memory(dim, 2, 0, 0, &schema, &err), &err);
  tacit_config config = config_of(s, rounds, seed, schema, &gradient);
  check(tacit_train_new(&config, &train, &err), &err);

  tacit_batch batch;
  tacit_round round = {.struct_size = sizeof round};
  tacit_batch_init(&batch);
  batch.n_rows = rounds;
  batch.n_features = dim;
  batch.raw_values = values;
  batch.raw_labels = labels;
  outcome out = {0};
  feed(s, train, &batch, &round, &out.lemma);
  out.excess = problem_excess(&on, round.x);
  for (size_t i = 0; i < dim; ++i)
    out.moved += pow(round.x[i] - (s->start != NULL ? s->start[i] : 0), 2);
  out.moved = sqrt(out.moved);
  if (s->spy) { /* the regret is over all T rounds */
    double best[DIM_MAX];
    problem_best(&on, best);
    feed_rows(train, &batch, rounds - 1, 1);
    out.regret = spy_regret(best);
  }
  tacit_train_free(train);
  tacit_schema_free(schema);
  free(values);
  free(labels);
  return out;
}

struct work {
  const setup *s;
  int64_t rounds;
  int seeds;
  atomic_int next;
  outcome *out;
};

static void *worker(void *context) {
  struct work *work = context;
  for (;;) {
    int i = atomic_fetch_add(&work->next, 1);
    if (i >= work->seeds) return NULL;
    work->out[i] = run_one(work->s, work->rounds, (uint64_t)i + 1);
  }
}

sample run_many(const setup *s, int64_t rounds, int seeds) {
  struct work work = {.s = s, .rounds = rounds, .seeds = seeds};
  work.out = calloc((size_t)seeds, sizeof *work.out);
  if (work.out == NULL) refuse("out of memory");
  pthread_t threads[WORKERS];
  for (int i = 0; i < WORKERS; ++i)
    if (pthread_create(&threads[i], NULL, worker, &work) != 0) refuse("no thread");
  for (int i = 0; i < WORKERS; ++i)
    (void)pthread_join(threads[i], NULL);

  sample sum = {.lemma_slack = INFINITY};
  double n = seeds, squares = 0;
  for (int i = 0; i < seeds; ++i) {
    sum.mean += work.out[i].excess / n;
    sum.moved += work.out[i].moved / n;
    sum.regret += work.out[i].regret / n;
    sum.lemma_slack = fmin(sum.lemma_slack, work.out[i].lemma - work.out[i].excess);
  }
  for (int i = 0; i < seeds; ++i)
    squares += pow(work.out[i].excess - sum.mean, 2);
  /* Student's quantile up to terms of order 1/n. */
  double quantile = 1.96 + 2.37 / (n - 1);
  sum.half = seeds > 1 ? quantile * sqrt(squares / (n - 1) / n) : 0;
  free(work.out);
  return sum;
}
