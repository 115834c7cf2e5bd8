/* SPDX-License-Identifier: MIT */
/*
 * blt_long [LOG2_ROUNDS [DIM]]: a very long stream through the vault. T = 2^LOG2_ROUNDS
 * rounds of the buffered mechanism with exact noise are released one after the other
 * and decoded to running sums, with one record per round, mu = 1, zero-out. The records
 * are zero, so the running sum is the noise itself. Prints the time per round, the peak
 * memory after 1% of the rounds and at the end (it must not grow: O(buffers * dim)),
 * and the noise of the running sum compared with that of a binary tree.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/threads.h"
#include "mechanism/blt.h"
#include "mechanism/decode.h"
#include "mechanism/lattice.h"
#include "mechanism/mechanism.h"
#include "vault/vault.h"

enum { LOG2_ROUNDS = 26, LOG2_MAX = 30, DIM = 16, DIM_MAX = 1024, SAMPLES = 4096 };

static const double mu = 1;

static void check(tacit_status status, const tacit_error *err) {
  if (status == TACIT_OK) return;
  fprintf(stderr, "blt_long: %s\n", err->message);
  exit(1);
}

static double now_s(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static long peak_kb(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

/* 1 + 1/4 + …: the squared error of the square root of the prefix-sum matrix, the
   smallest of all Toeplitz matrices. */
static double best_squared(int64_t rounds) {
  double sum = 0, c = 1;
  for (int64_t k = 1; k <= rounds; ++k) {
    sum += c * c;
    c *= (double)(2 * k - 1) / (double)(2 * k);
  }
  return sum;
}

static tacit_vault_facts facts_of(size_t dim, int64_t rounds) {
  tacit_lattice_facts wanted = {
      .rows_round = 1,
      .rows_run = rounds,
      .s_max = 1,
      .s_min = 1,
      .kappa = 1,
      .encoder = &tacit_encoder_blt,
      .shape = {.dim = dim, .rounds = rounds, .per_pass = rounds},
      .budget = mu,
  };
  tacit_vault_facts facts = {.encoder = wanted.encoder,
                             .shape = wanted.shape,
                             .law = &tacit_law_gaussian,
                             .exponent = 2,
                             .kappa = wanted.kappa,
                             .budget = mu};
  tacit_error err;
  check(tacit_lattice_new(&wanted, &facts.lattice, &err), &err);
  facts.shape.weight_bits = facts.lattice.weight_bits;
  facts.shape.clip_max = facts.lattice.clip_max;
  return facts;
}

struct outcome {
  double time_s, noise_squared; /* mean over samples and coordinates */
  long early_kb, peak_kb;
};

static struct outcome run(const tacit_vault_facts *facts) {
  size_t dim = facts->shape.dim;
  int64_t rounds = facts->shape.rounds;
  int64_t every = rounds > 2 * SAMPLES ? rounds / 2 / SAMPLES : 1;
  int64_t n_samples = 0;
  int terminal = isatty(STDERR_FILENO);
  double y[DIM_MAX], sum[DIM_MAX];
  struct outcome outcome = {0};
  tacit_release release = {.y = y};
  tacit_error err;
  tacit_pool *pool;
  tacit_vault *vault;
  tacit_decoder *decoder;
  tacit_key key;
  tacit_sum *zero;
  const tacit_shape flat = {.rule = {.features = dim, .outputs = 1}};
  check(tacit_sum_new(&flat, NULL, &zero, &err), &err);
  check(tacit_sum_open(zero, NULL, facts->lattice.clip_max, 2, NULL, &err), &err);
  (void)tacit_sum_raw_load(zero, 1);
  check(tacit_pool_new(1, &pool, &err), &err);
  check(tacit_key_from_os(&key, &err), &err);
  check(tacit_vault_new(facts, &key, 0, facts->shape.dim, &vault, &err), &err);
  check(tacit_decoder_new(facts->encoder, &facts->shape, &decoder, &err), &err);

  double start = now_s();
  for (int64_t t = 1; t <= rounds; ++t) {
    check(tacit_round_release(vault, pool, t, zero, &release, &err), &err);
    (void)tacit_decoder_open(decoder, t, 1, release.noise_scale);
    tacit_decoder_sum(decoder, y, 0, dim, sum);
    if (t == rounds / 100 + 1) outcome.early_kb = peak_kb();
    if (t > rounds / 2 && t % every == 0) {
      ++n_samples;
      for (size_t i = 0; i < dim; ++i)
        outcome.noise_squared += sum[i] * sum[i];
    }
    if (terminal && rounds > SAMPLES && t % (rounds / SAMPLES) == 0)
      fprintf(stderr, "\r%5.1f%%", 100 * (double)t / (double)rounds);
  }
  outcome.time_s = now_s() - start;
  outcome.peak_kb = peak_kb();
  outcome.noise_squared /= (double)n_samples * (double)dim;
  if (terminal) fprintf(stderr, "\r      \r");
  tacit_decoder_free(decoder);
  tacit_vault_free(vault);
  tacit_sum_free(zero);
  tacit_key_wipe(&key);
  tacit_pool_free(pool);
  return outcome;
}

static long argument(const char *text, long max) {
  char *end;
  long value = strtol(text, &end, 10);
  if (*end != '\0' || value < 1 || value > max) {
    fprintf(stderr, "blt_long [LOG2_ROUNDS (1 to %d) [DIM (1 to %d)]]\n", LOG2_MAX,
            DIM_MAX);
    exit(2);
  }
  return value;
}

int main(int argc, char **argv) {
  long log2_rounds = argc > 1 ? argument(argv[1], LOG2_MAX) : LOG2_ROUNDS;
  long dim = argc > 2 ? argument(argv[2], DIM_MAX) : DIM;
  int64_t rounds = (int64_t)1 << log2_rounds;
  tacit_vault_facts facts = facts_of((size_t)dim, rounds);
  tacit_blt matrix;
  tacit_error err;
  check(tacit_blt_init(&matrix, &facts.shape, &err), &err);
  struct outcome outcome = run(&facts);

  /* A tree: sigma^2 is the log2 T + 1 nodes per record; a sum has half as many nodes.
   */
  double levels = (double)log2_rounds + 1;
  printf("rounds                     2^%ld = %lld\n", log2_rounds, (long long)rounds);
  printf("coordinates                %ld\n", dim);
  printf("buffers                    %d, of 128 bits: %ld bytes\n", matrix.buffers,
         16L * matrix.buffers * dim);
  printf("time                       %.1f s, %.2f us a round\n", outcome.time_s,
         1e6 * outcome.time_s / (double)rounds);
  printf("peak memory, 1%% of rounds  %ld kB\n", outcome.early_kb);
  printf("peak memory, all rounds    %ld kB\n", outcome.peak_kb);
  printf("noise of the running sum   %.3f (rms over its second half; mu = 1, clip 1)\n",
         sqrt(outcome.noise_squared));
  printf("  square root, dense       %.3f at the last round, without column scaling\n",
         best_squared(rounds));
  printf("  binary tree              %.3f rms\n",
         sqrt(levels * ((double)log2_rounds) / 2));
  return 0;
}
