/* SPDX-License-Identifier: MIT */
/*
 * Rows in other processes: the run asks for a round, workers that hold the rows add up
 * the clipped contributions as integers, and the sum is told to the run. Here the
 * workers are forked processes connected by pipes; a cluster would use a network. The
 * model is bit for bit that of one process with all rows.
 *
 *   cc workers.c $(pkg-config --cflags --libs tacit) -lm -o workers
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <tacit/tacit.h>
#include <unistd.h>

enum { ROWS = 20000, FEATURES = 8, DIM = FEATURES + 1, WORKERS = 3, PASSES = 2 };
enum { LONGEST = DIM + 64 }; /* round 0 adds up more than the weights: rates, spreads */

static double values[ROWS * FEATURES], labels[ROWS];

static void stop(const char *what) {
  (void)fprintf(stderr, "workers: %s\n", what);
  exit(1);
}

static void check(tacit_status status, const tacit_error *err) {
  if (status != TACIT_OK) stop(err->message);
}

static void make_rows(void) {
  unsigned long long state = 11;
  for (int i = 0; i < ROWS; ++i) {
    double sum = 0;
    for (int j = 0; j < FEATURES; ++j) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      double value = (double)(state >> 11) * 0x1p-53 - 0.5;
      values[i * FEATURES + j] = value;
      sum += j % 2 ? value : -value;
    }
    labels[i] = sum > 0 ? 1 : -1;
  }
}

/* The options on which the run and its workers must agree. */
static tacit_config options(const tacit_schema *schema) {
  tacit_config config;
  tacit_config_init(&config);
  config.schema = schema;
  config.rows = ROWS;
  config.passes = PASSES;
  return config;
}

/* The options that only the run needs. The seed is for comparing two runs: a private
   model must not have one. */
static tacit_config run_options(const tacit_schema *schema) {
  tacit_config config = options(schema);
  config.epsilon = 1;
  config.shuffled = 1;
  config.seeded = 1;
  config.seed = 7;
  return config;
}

static void put(int wire, const void *bytes, size_t size) {
  for (size_t done = 0; done < size;) {
    ssize_t count = write(wire, (const char *)bytes + done, size - done);
    if (count <= 0) stop("the other side is gone");
    done += (size_t)count;
  }
}

/* Returns 0 if the other side has closed the pipe. */
static int get(int wire, void *bytes, size_t size) {
  for (size_t done = 0; done < size;) {
    ssize_t count = read(wire, (char *)bytes + done, size - done);
    if (count <= 0) return 0;
    done += (size_t)count;
  }
  return 1;
}

/* The vectors of a round and their lengths. */
struct vectors {
  const double **all[5];
  size_t lengths[5];
};

static struct vectors vectors_of(tacit_round *round) {
  return (struct vectors){{&round->x, &round->x_prev, &round->offset, &round->margins,
                           &round->margins_prev},
                          {round->weights, round->weights, round->offset_count,
                           round->outputs, round->outputs}};
}

static void put_round(int wire, tacit_round round) {
  struct vectors vectors = vectors_of(&round);
  put(wire, &round, sizeof round);
  for (int i = 0; i < 5; ++i)
    if (*vectors.all[i] != NULL)
      put(wire, *vectors.all[i], vectors.lengths[i] * sizeof(double));
}

/* The pointers of a round that was received only say which vectors follow. */
static int get_round(int wire, tacit_round *round, double room[5][LONGEST]) {
  if (!get(wire, round, sizeof *round)) return 0;
  struct vectors vectors = vectors_of(round);
  if (round->dim > LONGEST) stop("a longer round");
  for (int i = 0; i < 5; ++i) {
    if (*vectors.all[i] == NULL) continue;
    if (vectors.lengths[i] > LONGEST) stop("a longer round");
    if (!get(wire, room[i], vectors.lengths[i] * sizeof(double))) return 0;
    *vectors.all[i] = room[i];
  }
  return 1;
}

/* A worker holds every WORKERS-th row. The secret order says which of them are in a
   round; its key comes first. This worker computes it in every round, a real engine
   would sort its rows once. */
static void work(int number, int in, int out) {
  tacit_error err;
  tacit_schema *schema = NULL;
  tacit_worker *worker = NULL;
  tacit_order *order = NULL;
  check(tacit_schema_memory(FEATURES, 2, 0, 0, &schema, &err), &err);
  tacit_config config = options(schema);
  check(tacit_worker_new(&config, &worker, &err), &err);
  int64_t batches;
  unsigned char raw_key[TACIT_ORDER_KEY_BYTES];
  if (!get(in, &batches, sizeof batches) || !get(in, raw_key, sizeof raw_key))
    stop("no order");
  check(tacit_order_open(ROWS, batches, raw_key, &order, &err), &err);
  tacit_round round;
  double room[5][LONGEST];
  while (get_round(in, &round, room)) {
    int64_t sum[LONGEST] = {0}, count = 0;
    for (int64_t row = number; row < ROWS; row += WORKERS) {
      int64_t place = tacit_order_place(order, row);
      if (place < round.first || place >= round.first + round.n_rows) continue;
      tacit_batch shard;
      tacit_batch_init(&shard);
      shard.n_rows = 1;
      shard.n_features = FEATURES;
      shard.raw_values = values + row * FEATURES;
      shard.raw_labels = labels + row;
      check(tacit_worker_delta(worker, &round, &shard, sum, &count, &err), &err);
    }
    put(out, &count, sizeof count);
    put(out, sum, sizeof sum);
  }
  tacit_order_free(order);
  tacit_worker_free(worker);
  tacit_schema_free(schema);
}

static void start(int number, int *to, int *from) {
  int in[2], out[2];
  if (pipe(in) != 0 || pipe(out) != 0) stop("no pipe");
  pid_t child = fork();
  if (child < 0) stop("no process");
  if (child == 0) {
    (void)close(in[1]);
    (void)close(out[0]);
    work(number, in[0], out[1]);
    exit(0);
  }
  (void)close(in[0]);
  (void)close(out[1]);
  *to = in[1];
  *from = out[0];
}

/* One round: sends the round to all workers and adds up their sums. The sums are
   secret: only what tell releases may leave the run. Returns 0 after the last round. */
static int one_round(tacit_train *train, const int *to, const int *from) {
  tacit_error err;
  tacit_round round;
  int64_t sum[LONGEST] = {0}, count = 0;
  tacit_round_init(&round);
  check(tacit_round_ask(train, &round, &err), &err);
  for (int w = 0; w < WORKERS; ++w)
    put_round(to[w], round);
  for (int w = 0; w < WORKERS; ++w) {
    int64_t part[LONGEST], part_count;
    if (!get(from[w], &part_count, sizeof part_count) ||
        !get(from[w], part, sizeof part))
      stop("a worker is gone: no model");
    count += part_count;
    for (int i = 0; i < LONGEST; ++i)
      sum[i] += part[i];
  }
  check(tacit_round_tell(train, sum, count, &err), &err);
  return round.t < round.rounds;
}

static void finish(tacit_train *train, double weights[DIM]) {
  tacit_error err;
  tacit_model *model = NULL;
  size_t count = 0;
  check(tacit_train_finish(train, &model, &err), &err);
  const double *all = tacit_model_weights(model, &count);
  if (count != DIM) stop("a model of another size");
  memcpy(weights, all, DIM * sizeof *weights);
  tacit_model_free(model);
  tacit_train_free(train);
}

static void with_workers(const tacit_schema *schema, double weights[DIM]) {
  tacit_error err;
  tacit_train *train = NULL;
  int to[WORKERS], from[WORKERS];
  tacit_config config = run_options(schema);
  /* Forked before the run has a key, which a fork would copy. */
  for (int w = 0; w < WORKERS; ++w)
    start(w, &to[w], &from[w]);
  check(tacit_train_new(&config, &train, &err), &err);
  int64_t batches = tacit_plan_statement(tacit_train_plan(train))->batches;
  unsigned char raw_key[TACIT_ORDER_KEY_BYTES];
  check(tacit_train_order_key(train, raw_key, &err), &err);
  for (int w = 0; w < WORKERS; ++w) {
    put(to[w], &batches, sizeof batches);
    put(to[w], raw_key, sizeof raw_key);
  }
  while (one_round(train, to, from)) {
  }
  /* The last ones first: later workers have copies of the pipes to earlier ones. */
  for (int w = WORKERS - 1; w >= 0; --w)
    (void)close(to[w]);
  for (int w = 0; w < WORKERS; ++w)
    (void)wait(NULL);
  finish(train, weights);
}

static void alone(const tacit_schema *schema, double weights[DIM]) {
  tacit_error err;
  tacit_train *train = NULL;
  tacit_reader *reader = NULL;
  tacit_arrays arrays;
  tacit_reader_options how;
  tacit_config config = run_options(schema);
  tacit_arrays_init(&arrays);
  arrays.n_rows = ROWS;
  arrays.n_features = FEATURES;
  arrays.raw_values = values;
  arrays.row_stride = FEATURES * (int64_t)sizeof *values;
  arrays.column_stride = (int64_t)sizeof *values;
  arrays.raw_labels = labels;
  tacit_reader_options_init(&how);
  how.schema = schema;
  check(tacit_reader_open_arrays(&arrays, &how, &reader, &err), &err);
  check(tacit_train_new(&config, &train, &err), &err);
  check(tacit_train_run(train, reader, &err), &err);
  tacit_reader_free(reader);
  finish(train, weights);
}

int main(void) {
  tacit_error err;
  tacit_schema *schema = NULL;
  double shared[DIM], own[DIM];
  make_rows();
  check(tacit_schema_memory(FEATURES, 2, 0, 0, &schema, &err), &err);
  with_workers(schema, shared);
  alone(schema, own);
  tacit_schema_free(schema);
  int same = memcmp(shared, own, sizeof own) == 0;
  (void)printf("%d workers and one process give %s model\n", WORKERS,
               same ? "the same" : "another");
  return same ? 0 : 1;
}
