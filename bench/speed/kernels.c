/* SPDX-License-Identifier: MIT */
/*
 * kernels [--json] [--mib N] [--runs N] [--features D]: the cost of a pass over a dense
 * float32 array in memory (tacit_train_feed of the whole array: margins, slopes, clip,
 * sums, exact noise; one pass, defaults), compared with a sum of the same array in
 * vectors of the same dispatch level, for 128 and 1024 features (or D), 1 and 2
 * threads. Best of RUNS (7) with an array of N MiB (256; it should be at least eight
 * times the last-level cache). TACIT_DISPATCH chooses the level.
 *
 * --json: one object: level, mib, runs, and under "dense" a list of objects with
 *   features, rows, threads,
 *   sum_s (seconds of the one-thread sum), sum_gb_s (its bandwidth),
 *   sum_threads_s (of the sum on as many threads),
 *   pass_s (seconds of a pass), ratio (pass_s / sum_s),
 *   ratio_threads (pass_s / sum_threads_s);
 * and under "outputs", for 10 and 100 outputs on one thread, features, outputs, row_ns
 * (nanoseconds per row in tacit_delta_add), gflop_s (6 features outputs / row_ns) and
 * peak_gflop_s, what the core does at this level if it only multiplies and adds
 * doubles: fused where the level has that, measured in the same run (0: unknown level).
 *
 * --count KERNEL: runs a few thousand rows through one kernel, for kernels.sh to count
 * instructions; prints the number of rows.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tacit/catalog.h>
#include <tacit/tacit.h>
#include <time.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "gradient/delta.h"
#include "gradient/interleave.h"
#include "loss/loss.h"
#include "vault/words.h"

/* One thread is timed by its own processor time, which does not include the time of
   others; two threads by wall-clock time. */
static double now_s(int threads) {
  struct timespec t;
  clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fail(const char *what) {
  fprintf(stderr, "kernels: %s\n", what);
  exit(1);
}

static void check(tacit_status status, const tacit_error *err) {
  if (status != TACIT_OK) fail(err->message);
}

static void *room(size_t bytes) {
  void *place = aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (place == NULL) fail("out of memory");
  return place;
}

/* The limit to compare with: only additions of floats, in eight vectors. */
#define SUM(name, level, width)                                                        \
  typedef float vector_##name __attribute__((vector_size(4 * (width)), may_alias));    \
  __attribute__((target(level), noinline)) static float sum_##name(const float *from,  \
                                                                   size_t count) {     \
    vector_##name part[8];                                                             \
    memset(part, 0, sizeof part);                                                      \
    for (size_t i = 0; i + 8 * (width) <= count; i += 8 * (width)) {                   \
      const vector_##name *at = (const vector_##name *)(from + i);                     \
      for (int k = 0; k < 8; ++k)                                                      \
        part[k] += at[k];                                                              \
    }                                                                                  \
    float all = 0, numbers[8 * (width)];                                               \
    memcpy(numbers, part, sizeof numbers);                                             \
    for (int k = 0; k < 8 * (width); ++k)                                              \
      all += numbers[k];                                                               \
    return all;                                                                        \
  }
#if defined(__x86_64__)
SUM(baseline, "sse2", 4)
SUM(avx2, "avx2", 8)
SUM(avx512, "avx512f", 16)
#endif

static float sum_of(const float *from, size_t count) {
#if defined(__x86_64__)
  const char *level = tacit_catalog_dispatch();
  if (level != NULL && strcmp(level, "avx512") == 0) return sum_avx512(from, count);
  if (level != NULL && strcmp(level, "avx2") == 0) return sum_avx2(from, count);
  return sum_baseline(from, count);
#else
  float all[8] = {0};
  for (size_t i = 0; i + 8 <= count; i += 8)
    for (size_t k = 0; k < 8; ++k)
      all[k] += from[i + k];
  return all[0] + all[1] + all[2] + all[3] + all[4] + all[5] + all[6] + all[7];
#endif
}

struct share {
  const float *from;
  size_t count;
  float sum;
};

static void *sum_share(void *context) {
  struct share *share = context;
  share->sum = sum_of(share->from, share->count);
  return NULL;
}

static volatile float kept;

/* The peak: multiplications and additions of doubles in registers, and nothing else.
   Twelve vectors hide the latency of the operation. */
#define PEAK(name, level, type, width, set, multiply_add)                              \
  __attribute__((target(level), noinline)) static double peak_##name(int rounds) {     \
    type part[12], by = set(0.999), plus = set(1e-9);                                  \
    for (int k = 0; k < 12; ++k)                                                       \
      part[k] = set(k);                                                                \
    double start = now_s(1);                                                           \
    for (int i = 0; i < rounds; ++i)                                                   \
      for (int k = 0; k < 12; ++k)                                                     \
        part[k] = multiply_add(part[k], by, plus);                                     \
    double time_s = now_s(1) - start, numbers[12 * (width)];                           \
    memcpy(numbers, part, sizeof numbers);                                             \
    for (int k = 0; k < 12 * (width); ++k)                                             \
      kept = (float)numbers[k];                                                        \
    return 2e-9 * 12 * (width)*rounds / time_s;                                        \
  }
#if defined(__x86_64__)
PEAK(avx2, "avx2,fma", __m256d, 4, _mm256_set1_pd, _mm256_fmadd_pd)
PEAK(avx512, "avx512f", __m512d, 8, _mm512_set1_pd, _mm512_fmadd_pd)
#endif

static double peak_gflop_s(int runs) {
  double best = 0;
#if defined(__x86_64__)
  const char *level = tacit_catalog_dispatch();
  for (int run = 0; level != NULL && run < 20 * runs; ++run) {
    double peak = strcmp(level, "avx512") == 0 ? peak_avx512(20000)
                  : strcmp(level, "avx2") == 0 ? peak_avx2(20000)
                                               : 0;
    if (peak > best) best = peak;
  }
#endif
  (void)runs;
  return best;
}

static double time_sum(const float *values, size_t count, int threads) {
  struct share halves[2] = {{values, count, 0}, {0}};
  pthread_t other;
  double start = now_s(threads);
  if (threads == 2) {
    halves[0].count = count / 2 / 512 * 512;
    halves[1] = (struct share){values + halves[0].count, count - halves[0].count, 0};
    if (pthread_create(&other, NULL, sum_share, &halves[1]) != 0) fail("no thread");
  }
  sum_share(&halves[0]);
  if (threads == 2) pthread_join(other, NULL);
  kept = halves[0].sum + halves[1].sum;
  return now_s(threads) - start;
}

static double time_pass(const tacit_batch *batch, unsigned threads) {
  tacit_error err;
  tacit_schema *schema = NULL;
  check(tacit_schema_memory(batch->n_features, 2, 0, 0, &schema, &err), &err);
  tacit_config config;
  tacit_config_init(&config);
  config.preset = TACIT_ANYTIME; /* one pass over rows that are not centred */
  config.schema = schema;
  config.rows = batch->n_rows;
  config.epsilon = 1;
  config.threads = threads;
  tacit_train *train = NULL;
  tacit_model *model = NULL;
  check(tacit_train_new(&config, &train, &err), &err);
  double start = now_s((int)threads);
  check(tacit_train_feed(train, batch, &err), &err);
  double time_s = now_s((int)threads) - start;
  check(tacit_train_finish(train, &model, &err), &err);
  tacit_model_free(model);
  tacit_train_free(train);
  tacit_schema_free(schema);
  return time_s;
}

static void min(double *best, double time_s) {
  if (!(*best <= time_s)) *best = time_s;
}

static void measure(const float *values, size_t count, size_t features, int runs,
                    int json, int last) {
  int64_t rows = (int64_t)(count / features);
  double *labels = room((size_t)rows * sizeof *labels);
  for (int64_t i = 0; i < rows; ++i)
    labels[i] = values[(size_t)i * features] > 0 ? 1 : -1;
  tacit_batch batch;
  tacit_batch_init(&batch);
  batch.n_rows = rows;
  batch.n_features = features;
  batch.raw_values32 = values;
  batch.raw_labels = labels;
  double sums[3] = {0, INFINITY, INFINITY}, passes[3] = {0, INFINITY, INFINITY};
  for (int run = 0; run < runs; ++run) {
    for (int threads = 1; threads <= 2; ++threads) {
      min(&sums[threads], time_sum(values, count, threads));
      min(&passes[threads], time_pass(&batch, (unsigned)threads));
    }
  }
  for (int threads = 1; threads <= 2; ++threads) {
    double ratio = passes[threads] / sums[1], same = passes[threads] / sums[threads];
    if (json)
      printf("%s{\"features\": %zu, \"rows\": %lld, \"threads\": %d, \"sum_s\": %.6f, "
             "\"sum_gb_s\": %.3f, \"sum_threads_s\": %.6f, \"pass_s\": %.6f, "
             "\"ratio\": %.3f, \"ratio_threads\": %.3f}%s",
             threads == 1 ? "\n  " : ", ", features, (long long)rows, threads, sums[1],
             4e-9 * (double)count / sums[1], sums[threads], passes[threads], ratio,
             same, threads == 2 && !last ? "," : "");
    else
      printf("%8zu %8d %10.1f %10.1f %10.2f %12.2f\n", features, threads,
             1e3 * sums[threads], 1e3 * passes[threads], ratio, same);
  }
  free(labels);
}

/* Rows and everything else that tacit_delta_add needs. */
struct problem {
  tacit_loss *loss;
  tacit_delta delta;
  tacit_batch batch;
  tacit_sum *sum;
};

static double signed_unit(tacit_words *words) {
  return ldexp((double)(int64_t)tacit_words_next(words), -63);
}

static void make_rows(struct problem *problem, int64_t rows, size_t features,
                      size_t entries, int is32, tacit_words *words) {
  size_t all = (size_t)rows * entries, part = features / entries;
  double *values = room(all * sizeof *values);
  float *values32 = room(all * sizeof *values32);
  uint32_t *indices = room(all * sizeof *indices);
  int64_t *starts = room((size_t)(rows + 1) * sizeof *starts);
  for (size_t i = 0; i < all; ++i) {
    values32[i] = (float)signed_unit(words);
    values[i] = (double)values32[i];
    indices[i] = (uint32_t)(i % entries * part + tacit_words_next(words) % part);
  }
  for (int64_t i = 0; i <= rows; ++i)
    starts[i] = i * (int64_t)entries;
  tacit_batch *batch = &problem->batch;
  tacit_batch_init(batch);
  batch->n_rows = rows;
  batch->n_features = features;
  batch->raw_values = is32 ? NULL : values;
  batch->raw_values32 = is32 ? values32 : NULL;
  batch->raw_row_start = entries < features ? starts : NULL;
  batch->raw_indices = entries < features ? indices : NULL;
}

/* The memory is never freed: the program ends soon. */
static void make_problem(struct problem *problem, int64_t rows, size_t features,
                         size_t entries, size_t outputs, int is32) {
  static const unsigned char key[TACIT_KEY_BYTES] = "kernels, counted";
  tacit_words words;
  tacit_words_init(&words, key);
  size_t dim = outputs * (features + 1);
  double *x = room(dim * sizeof *x), *labels = room((size_t)rows * sizeof *labels);
  for (size_t i = 0; i < dim; ++i)
    x[i] = signed_unit(&words) / 4;
  make_rows(problem, rows, features, entries, is32, &words);
  for (int64_t i = 0; i < rows; ++i)
    labels[i] = outputs > 1 ? (double)(i % (int64_t)outputs) : i % 2 ? 1 : -1;
  problem->batch.raw_labels = labels;
  tacit_error err;
  tacit_loss_facts facts = {10, 1, outputs > 1 ? outputs : 2};
  check(tacit_loss_new(outputs > 1 ? "softmax" : "logistic", &facts, &problem->loss,
                       &err),
        &err);
  problem->delta = (tacit_delta){
      .loss = problem->loss,
      .row = {features, 1, 1, 2, outputs},
      .label = {TACIT_LOSS_CLASSES, facts.classes, -1, 1},
      .x = x,
      .x_prev = x,
      .ratio = 0.9,
      .steps = 0x1p40,
      .clip = (int64_t)1 << 35,
      .sens_norm = 2,
  };
  check(tacit_kernel_pick(&problem->delta.kernel, &err), &err);
  double *spread = room(tacit_interleave_size(&problem->delta.row) * sizeof *spread);
  tacit_interleave(&problem->delta, NULL, spread);
  check(tacit_delta_sum_new(&problem->delta, &problem->sum, &err), &err);
  check(tacit_delta_open(&problem->delta, NULL, problem->sum, &err), &err);
}

static void add_problem(struct problem *problem) {
  tacit_error err;
  check(tacit_delta_add(&problem->delta, &problem->batch, 0, problem->batch.n_rows,
                        problem->sum, &err),
        &err);
  kept = (float)tacit_sum_raw_integers(problem->sum)[0];
}

/* Runs rows through one kernel and does little else. */
static void count_kernel(const char *kernel) {
  int sparse = strstr(kernel, "sparse") != NULL, is32 = strstr(kernel, "32") != NULL;
  size_t outputs = strstr(kernel, "outputs") != NULL ? 10 : 1;
  struct problem problem;
  make_problem(&problem, 4096, sparse ? (size_t)1 << 20 : 128, sparse ? 40 : 128,
               outputs, is32);
  add_problem(&problem);
  printf("4096\n");
}

/* Several outputs, one thread. The two margins and the sums are three products of rows
   and weights, with two operations per pair. */
static void measure_outputs(size_t outputs, int runs, int json, int last) {
  double peak = peak_gflop_s(runs);
  enum { ROWS = 2048, FEATURES = 784 };
  struct problem problem;
  make_problem(&problem, ROWS, FEATURES, FEATURES, outputs, 1);
  double best = INFINITY;
  for (int run = 0; run < runs; ++run) {
    double start = now_s(1);
    add_problem(&problem);
    min(&best, now_s(1) - start);
  }
  double row_ns = 1e9 * best / ROWS;
  double gflop_s = 6.0 * FEATURES * (double)outputs / row_ns;
  if (json)
    printf("\n  {\"features\": %d, \"outputs\": %zu, \"row_ns\": %.0f, \"gflop_s\": "
           "%.2f, \"peak_gflop_s\": %.2f}%s",
           FEATURES, outputs, row_ns, gflop_s, peak, last ? "" : ",");
  else
    printf("%8d %8zu %10.0f %10.2f %10.2f\n", FEATURES, outputs, row_ns, gflop_s, peak);
}

int main(int argc, char **argv) {
  int json = 0, runs = 7;
  size_t mib = 256, features = 0;
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--json") == 0) {
      json = 1;
    } else if (i + 1 < argc && strcmp(argv[i], "--mib") == 0) {
      mib = (size_t)strtoul(argv[++i], NULL, 10);
    } else if (i + 1 < argc && strcmp(argv[i], "--features") == 0) {
      features = (size_t)strtoul(argv[++i], NULL, 10);
    } else if (i + 1 < argc && strcmp(argv[i], "--runs") == 0) {
      runs = (int)strtol(argv[++i], NULL, 10);
    } else if (i + 1 < argc && strcmp(argv[i], "--count") == 0) {
      count_kernel(argv[i + 1]);
      return 0;
    } else {
      fail("use kernels [--json] [--mib N] [--runs N] [--features D] | --count KERNEL");
    }
  }
  if (tacit_catalog_dispatch() == NULL) fail("TACIT_DISPATCH names no level");
  size_t count = mib << 18;
  float *values = room(count * sizeof *values);
  uint64_t state = 1;
  for (size_t i = 0; i < count; ++i) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    values[i] = (float)((double)(int64_t)state * 0x1p-63);
  }
  if (json)
    printf("{\"level\": \"%s\", \"mib\": %zu, \"runs\": %d, \"dense\": [",
           tacit_catalog_dispatch(), mib, runs);
  else
    printf("level %s, %zu MiB of float32\n%8s %8s %10s %10s %10s %12s\n",
           tacit_catalog_dispatch(), mib, "features", "threads", "sum ms", "pass ms",
           "pass/sum1", "pass/sum");
  if (features > 0) {
    measure(values, count, features, runs, json, 1);
  } else {
    measure(values, count, 128, runs, json, 0);
    measure(values, count, 1024, runs, json, 1);
  }
  if (json)
    printf("\n], \"outputs\": [");
  else
    printf("%8s %8s %10s %10s %10s\n", "features", "outputs", "ns a row", "Gflop/s",
           "peak");
  measure_outputs(10, runs, json, 0);
  measure_outputs(100, runs, json, 1);
  if (json) printf("\n]}\n");
  free(values);
  return 0;
}
