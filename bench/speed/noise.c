/* SPDX-License-Identifier: MIT */
/*
 * noise [RUNS]: the time per sample of noise on one core, best of RUNS (25), with the
 * parts for the key stream (ChaCha20) and for the key of each block.
 *
 * noise --count: draws 100 blocks and does nothing else, for noise.sh to count
 * instructions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "not_private/seed.h"
#include "vault/key.h"
#include "vault/law.h"
#include "vault/words.h"

enum { BLOCKS = 100, SAMPLES = BLOCKS * TACIT_NOISE_BLOCK };
#define SCALE ((uint64_t)1 << 40)

static tacit_i128 row[TACIT_NOISE_BLOCK];
static tacit_key key;
static tacit_noise_key noise_key;

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Draws as the vault does, through the table of the law. Returns bytes of key stream.
 */
static double draw(void) {
  const struct tacit_law_ops *law = &tacit_law_gaussian;
  tacit_words words;
  tacit_words_init(&words, key.bytes);
  for (int b = 0; b < BLOCKS; ++b)
    law->add(&words, SCALE, row, TACIT_NOISE_BLOCK);
  double bytes = 64 * (double)words.block;
  tacit_words_wipe(&words);
  return bytes;
}

static double stream(void) {
  tacit_words words;
  tacit_words_init(&words, key.bytes);
  for (int i = 0; i < BLOCKS; ++i)
    tacit_words_refill(&words);
  double bytes = 64 * (double)words.block;
  tacit_words_wipe(&words);
  return bytes;
}

static double hash(void) {
  tacit_words words;
  for (uint64_t b = 0; b < BLOCKS; ++b)
    tacit_noise_words(&noise_key, 1, b, 1, row, TACIT_NOISE_BLOCK, &words);
  tacit_words_wipe(&words);
  return 0;
}

static double best_ns(double (*run)(void), int runs, double *bytes) {
  double best = 0;
  for (int r = 0; r < runs; ++r) {
    double start = now_ns();
    *bytes = run();
    double took = now_ns() - start;
    if (r == 0 || took < best) best = took;
  }
  return best;
}

int main(int argc, char **argv) {
  tacit_error err;
  if (tacit_key_from_seed(1, &key, &err) != TACIT_OK) return 1;
  tacit_noise_key_fill(&key, &noise_key);
  if (argc == 2 && strcmp(argv[1], "--count") == 0) {
    (void)draw();
    printf("%d\n", SAMPLES);
    return 0;
  }
  int runs = argc > 1 ? atoi(argv[1]) : 25;
  double bytes, bytes_stream, none;
  double sample = best_ns(draw, runs, &bytes) / SAMPLES;
  double per_byte = best_ns(stream, runs, &bytes_stream) / bytes_stream;
  double hashed = best_ns(hash, runs, &none) / SAMPLES;

  printf("%-36s %8s %8s\n", "", "ns", "bytes");
  printf("%-36s %8.2f %8.2f\n", "one sample", sample, bytes / SAMPLES);
  printf("%-36s %8.2f\n", "  of it ChaCha20", per_byte * bytes / SAMPLES);
  printf("%-36s %8.2f\n", "key of a block", hashed);
  printf("%-36s %8.2f\n", "sample with key", sample + hashed);
  return 0;
}
