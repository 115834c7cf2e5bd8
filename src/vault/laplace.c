/* SPDX-License-Identifier: MIT */
/*
 * The discrete Laplace law P(N = j) proportional to exp(-|j|/scale) on the integers, by
 * the method of Canonne, Kamath and Steinke (2020). It is exact, because it uses only
 * uniform integers and comparisons. If contributions are bounded in the L1 norm, a
 * shift by v changes the probability of any outcome by a factor of at most
 * exp(|v|_1/scale): pure differential privacy.
 */
#include "vault/law.h"

/* Returns 1 with probability exp(-numerator/denominator), numerator <= denominator: the
   first K at which a coin of bias numerator/(denominator K) fails is then odd. */
static int bernoulli_exp(tacit_words *words, uint64_t numerator, uint64_t denominator) {
  for (uint64_t k = 1;; ++k) {
    int heads = tacit_words_below(words, denominator) < numerator &&
                tacit_words_below(words, k) == 0;
    if (!heads) return k % 2 == 1;
  }
}

/* Returns one sample. Proof: docs/proofs/laplace_draw.md */
static tacit_i128 laplace_draw(tacit_words *words, uint64_t scale) {
  for (;;) {
    uint64_t low = tacit_words_below(words, scale);
    if (!bernoulli_exp(words, low, scale)) continue;
    tacit_i128 magnitude = low;
    while (bernoulli_exp(words, 1, 1))
      magnitude += scale;
    int negative = (int)(tacit_words_next(words) >> 63);
    if (negative && magnitude == 0) continue; /* zero would count twice */
    return negative ? -magnitude : magnitude;
  }
}

/* Adds discrete Laplace noise to each number. */
static void laplace_add(tacit_words *words, uint64_t scale, tacit_i128 *raw_row,
                        size_t count) {
  for (size_t i = 0; i < count; ++i)
    raw_row[i] += laplace_draw(words, scale);
}

const struct tacit_law_ops tacit_law_laplace = {
    .name = "laplace",
    .exact = 1,
    .pure = 1,
    .sens_norm = 1,
    .add = laplace_add,
};
