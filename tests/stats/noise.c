/* SPDX-License-Identifier: MIT */
/* The rounded Gaussian: its law. Seeds are fixed, so these tests do not flicker; the
   tolerances are at least 3.1 standard errors, a false alarm for a fresh seed below
   2e-3. */
#include "check.h"

#include <stdlib.h>

#include "mechanism/decode.h"
#include "mechanism/mechanism.h"
#include "not_private/laws.h"
#include "not_private/seed.h"
#include "vault/key.h"
#include "vault/law.h"

static void words_for(tacit_words *words, uint64_t seed) {
  tacit_key key;
  tacit_error err;
  CHECK_OK(tacit_key_from_seed(seed, &key, &err), err);
  tacit_words_init(words, key.bytes);
}

typedef void sampler(tacit_words *, uint64_t, tacit_i128 *, size_t);

static void check_moments(sampler *add, uint64_t scale, uint64_t seed, int samples) {
  enum { ROW = 1000 };
  tacit_i128 row[ROW];
  tacit_words words;
  words_for(&words, seed);
  double s = (double)scale, sum = 0, squares = 0, fourth = 0;
  int in_tenth = 0, in_one = 0, in_two = 0, positive = 0;
  for (int i = 0; i < samples; ++i) {
    if (i % ROW == 0) {
      memset(row, 0, sizeof row);
      add(&words, scale, row, ROW);
    }
    double z = (double)row[i % ROW] / s;
    sum += z;
    squares += z * z;
    fourth += z * z * z * z;
    in_tenth += fabs(z) < 0.1;
    in_one += fabs(z) < 1;
    in_two += fabs(z) < 2;
    positive += z > 0;
  }
  double n = samples, loose = sqrt(1e7 / n);
  CHECK_WITHIN(sum / n, 0, 1e-3 * loose);
  CHECK_WITHIN(squares / n, 1, 0.0015 * loose);
  CHECK_WITHIN(fourth / n, 3, 0.0125 * loose);
  CHECK_WITHIN(in_tenth / n, 0.0796557, 0.0004 * loose);
  CHECK_WITHIN(in_one / n, 0.6826895, 0.0005 * loose);
  CHECK_WITHIN(in_two / n, 0.9544997, 0.0003 * loose);
  CHECK_WITHIN(positive / n, 0.5, 0.0007 * loose);
}

static void exact_noise_is_gaussian(void **state) {
  (void)state;
  check_moments(tacit_law_gaussian.add, (uint64_t)1 << 40, 1, 10000000);
}

static void exact_noise_is_gaussian_at_other_scales(void **state) {
  (void)state;
  check_moments(tacit_law_gaussian.add, TACIT_NOISE_SCALE_MAX, 2, 1000000);
  check_moments(tacit_law_gaussian.add, 1000003 * (uint64_t)1000, 3, 1000000);
}

static double normal_cdf(double x) { return erfc(-x / sqrt(2)) / 2; }

/* Small scales, where rounding shows: P(N = j) = Phi((j+1/2)/s) - Phi((j-1/2)/s). */
static void exact_noise_rounds(void **state) {
  (void)state;
  enum { N = 2000000, J = 12 };
  static const uint64_t scales[] = {1, 2, 3};
  for (int which = 0; which < 3; ++which) {
    tacit_words words;
    words_for(&words, 10 + scales[which]);
    double s = (double)scales[which];
    int count[2 * J + 1] = {0};
    for (int i = 0; i < N; ++i) {
      tacit_i128 value = tacit_noise_exact(&words, scales[which]);
      if (value >= -J && value <= J) ++count[value + J];
    }
    for (int j = -J; j <= J; ++j) {
      double p = normal_cdf((j + 0.5) / s) - normal_cdf((j - 0.5) / s);
      CHECK_WITHIN(count[j + J] / (double)N, p, 5 * sqrt(p / N) + 2.0 / N);
    }
    if (scales[which] == 1) CHECK_WITHIN(count[J] / (double)N, 0.382925, 0.0015);
  }
}

/* Kolmogorov-Smirnov at the 1e-6 level: D sqrt(n) < 2.7. */
static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void exact_noise_passes_kolmogorov_smirnov(void **state) {
  (void)state;
  enum { N = 400000 };
  double *z = calloc(N, sizeof *z), worst = 0;
  tacit_words words;
  words_for(&words, 77);
  for (int i = 0; i < N; ++i)
    z[i] = (double)tacit_noise_exact(&words, (uint64_t)1 << 50) * 0x1p-50;
  qsort(z, N, sizeof *z, by_value);
  for (int i = 0; i < N; ++i) {
    double p = normal_cdf(z[i]);
    worst = fmax(worst, fmax(p - (double)i / N, (i + 1.0) / N - p));
  }
  CHECK_AT_MAX(worst * sqrt(N), 2.7);
  free(z);
}

/* Sixteen bins in each of the sampler's cells, [0, 4), and the tail: chi-square with
   1024 degrees of freedom, 5 standard deviations. Cells with a flat density, as without
   their coins, would be 150 of them off. */
static void exact_noise_fits_inside_its_cells(void **state) {
  (void)state;
  enum { N = 10000000, BINS = 1024 };
  int *count = calloc(BINS + 1, sizeof *count);
  tacit_words words;
  words_for(&words, 78);
  for (int i = 0; i < N; ++i) {
    double z = fabs((double)tacit_noise_exact(&words, (uint64_t)1 << 50) * 0x1p-50);
    ++count[z < 4 ? (int)(z * 256) : BINS];
  }
  double chi_square = 0;
  for (int b = 0; b <= BINS; ++b) {
    double to = b < BINS ? normal_cdf(-(b + 1) / 256.0) : 0;
    double expected = 2 * N * (normal_cdf(-b / 256.0) - to);
    chi_square += (count[b] - expected) * (count[b] - expected) / expected;
  }
  CHECK_WITHIN(chi_square, BINS, 5 * sqrt(2.0 * BINS));
  CHECK_WITHIN(count[BINS], 633.4, 5 * sqrt(633.4));
  free(count);
}

/* One sample in 16,000 is beyond 4. Here all are: the half that chooses the cell is
   written by hand, what follows is the key stream. Kolmogorov-Smirnov as above. */
static void exact_noise_has_the_tail_of_the_gaussian(void **state) {
  (void)state;
  enum { N = 400000 };
  double *z = calloc(N, sizeof *z), worst = 0;
  tacit_words words;
  words_for(&words, 79);
  for (int i = 0; i < N; ++i) {
    words.used = TACIT_WORDS_BUFFER - 1;
    words.buffer[words.used] = 0xffff;
    z[i] = (double)tacit_noise_exact(&words, (uint64_t)1 << 50) * 0x1p-50;
  }
  qsort(z, N, sizeof *z, by_value);
  assert_true(z[0] >= 4);
  for (int i = 0; i < N; ++i) {
    double p = 1 - erfc(z[i] / sqrt(2)) / erfc(4 / sqrt(2));
    worst = fmax(worst, fmax(p - (double)i / N, (i + 1.0) / N - p));
  }
  CHECK_AT_MAX(worst * sqrt(N), 2.7);
  /* 400000 * P(Z >= 5 | Z >= 4) = 3620.3 */
  int beyond = 0;
  for (int i = 0; i < N; ++i)
    beyond += z[i] >= 5;
  CHECK_WITHIN(beyond, 3620.3, 5 * sqrt(3620.3));
  free(z);
}

/* The stream layout fixes the bits: t, block, count, scale and every bit of the content
   count, whichever chunk it is in; same in, same out. */
static uint64_t word_at_scale(const tacit_noise_key *key, uint64_t t, uint64_t block,
                              uint64_t scale, const tacit_i128 *content, size_t count) {
  tacit_words words;
  tacit_noise_words(key, t, block, scale, content, count, &words);
  return tacit_words_next(&words);
}

static uint64_t first_word(const tacit_noise_key *key, uint64_t t, uint64_t block,
                           const tacit_i128 *content, size_t count) {
  return word_at_scale(key, t, block, 77, content, count);
}

static void noise_words_depend_on_round_block_scale_and_content(void **state) {
  (void)state;
  enum { MAX = 2 * TACIT_NOISE_CHUNK + 3 };
  tacit_key run_key;
  tacit_noise_key key, other_key;
  tacit_error err;
  CHECK_OK(tacit_key_from_seed(5, &run_key, &err), err);
  tacit_noise_key_fill(&run_key, &key);
  CHECK_OK(tacit_key_from_seed(6, &run_key, &err), err);
  tacit_noise_key_fill(&run_key, &other_key);
  tacit_i128 content[MAX] = {0};
  for (int i = 0; i < MAX - 1; ++i)
    content[i] = (tacit_i128)(i - 300) * ((int64_t)1 << 60);
  uint64_t first = first_word(&key, 1, 0, content, MAX - 1);
  assert_true(first_word(&key, 1, 0, content, MAX - 1) == first);
  assert_true(first_word(&other_key, 1, 0, content, MAX - 1) != first);
  assert_true(first_word(&key, 2, 0, content, MAX - 1) != first);
  assert_true(first_word(&key, 1, 1, content, MAX - 1) != first);
  assert_true(word_at_scale(&key, 1, 0, 78, content, MAX - 1) != first);
  assert_true(word_at_scale(&key, 1, 0, UINT64_C(77) << 32, content, MAX - 1) != first);
  assert_true(first_word(&key, 1, 0, content, MAX - 2) != first);
  assert_true(first_word(&key, 1, 0, content, MAX) != first); /* one 0 more */
  for (int i = 0; i < MAX - 1; ++i) {
    for (int bit = 0; bit < 128; bit += 21) {
      content[i] ^= (tacit_i128)((tacit_u128)1 << bit);
      assert_true(first_word(&key, 1, 0, content, MAX - 1) != first);
      content[i] ^= (tacit_i128)((tacit_u128)1 << bit);
    }
  }
}

/* Made once by tests/stats/noise_words.py, from docs/design.md and not from the code.
 */
static void noise_words_are_those_of_the_layout(void **state) {
  (void)state;
  enum { COUNT = TACIT_NOISE_CHUNK + 5 };
  tacit_key run_key;
  tacit_noise_key key;
  tacit_error err;
  CHECK_OK(tacit_key_from_seed(5, &run_key, &err), err);
  tacit_noise_key_fill(&run_key, &key);
  tacit_i128 content[COUNT];
  for (int i = 0; i < COUNT; ++i)
    content[i] = (tacit_i128)(i - 100) * ((int64_t)1 << 58);
  assert_true(first_word(&key, 3, 7, content, COUNT) == UINT64_C(0xf6a23b24d245e918));
}

/* Var gamma_t = popcount(t) for unit node noise, through the decoder: each
   coordinate is one replica. At t = 1023 only the nodes of I_1023 get noise, because no
   other noise reaches gamma_1023 (tests/unit/algorithm1/algorithm1.c); drawing all of
   it would take a minute. */
static double variance_of_gamma(int t_last, uint64_t seed) {
  enum { REPLICAS = 200000 };
  tacit_words words;
  words_for(&words, seed);
  tacit_decoder *decoder;
  tacit_error err;
  tacit_encoder_facts shape = {.dim = REPLICAS, .rounds = t_last, .per_pass = t_last};
  CHECK_OK(tacit_decoder_new(&tacit_encoder_tree, &shape, &decoder, &err), err);
  double *noise = calloc(REPLICAS, sizeof *noise),
         *gamma = calloc(REPLICAS, sizeof *gamma);
  double squares = 0;
  for (int t = 1; t <= t_last; ++t) {
    int lowbit = t & -t, needed = t_last < 16 || (t_last / lowbit) * lowbit == t;
    for (int i = 0; i < REPLICAS; ++i)
      noise[i] = needed ? (double)tacit_noise_exact(&words, 1 << 30) * 0x1p-30 : 0;
    (void)tacit_decoder_open(decoder, t, 1, 1);
    tacit_decoder_sum(decoder, noise, 0, REPLICAS, gamma);
  }
  for (int i = 0; i < REPLICAS; ++i)
    squares += gamma[i] * gamma[i];
  tacit_decoder_free(decoder);
  free(noise);
  free(gamma);
  return squares / REPLICAS;
}

static void tree_noise_has_the_popcount_variance(void **state) {
  (void)state;
  CHECK_RELATIVE(variance_of_gamma(7, 21), 3, 0.01);
  CHECK_RELATIVE(variance_of_gamma(8, 22), 1, 0.01);
  CHECK_RELATIVE(variance_of_gamma(1023, 23), 10, 0.01);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_noise_is_gaussian),
      cmocka_unit_test(exact_noise_is_gaussian_at_other_scales),
      cmocka_unit_test(exact_noise_rounds),
      cmocka_unit_test(exact_noise_passes_kolmogorov_smirnov),
      cmocka_unit_test(exact_noise_fits_inside_its_cells),
      cmocka_unit_test(exact_noise_has_the_tail_of_the_gaussian),
      cmocka_unit_test(noise_words_depend_on_round_block_scale_and_content),
      cmocka_unit_test(noise_words_are_those_of_the_layout),
      cmocka_unit_test(tree_noise_has_the_popcount_variance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
