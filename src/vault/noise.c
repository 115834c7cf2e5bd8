/* SPDX-License-Identifier: MIT */
/*
 * The rounded Gaussian. Karney's method ("Sampling exactly from the normal
 * distribution", ACM TOMS 42, 2016) draws |Z| = k + x with comparisons of uniform
 * numbers only; the digits of x are 64-bit words, and further words are drawn when, and
 * only when, a comparison or the final rounding needs them. No floating point, no
 * approximation.
 */
#include "vault/noise.h"

#include <math.h>

/* A uniform number on (0,1), known to `n` words; more are drawn when asked for. */
enum { DIGITS_MOST = 8 };
struct uniform {
  uint64_t digit[DIGITS_MOST];
  int n;
};

static void uniform_draw(struct uniform *u, tacit_words *words) {
  u->digit[0] = tacit_words_next(words);
  u->n = 1;
}

static uint64_t uniform_digit(struct uniform *u, int i, tacit_words *words) {
  while (u->n <= i)
    u->digit[u->n++] = tacit_words_next(words);
  return u->digit[i];
}

/* a >= b. Equal through all digits has probability 2^-512: either answer will do. */
static int uniform_at_least(struct uniform *a, struct uniform *b, tacit_words *words) {
  for (int i = 0; i < DIGITS_MOST; ++i) {
    uint64_t digit_a = uniform_digit(a, i, words);
    uint64_t digit_b = uniform_digit(b, i, words);
    if (digit_a != digit_b) return digit_a > digit_b;
  }
  return 1;
}

/* True with probability exp(-1/2): the length of a decreasing run below 1/2 is even. */
static int bernoulli_exp_half(tacit_words *words) {
  struct uniform u, v;
  uniform_draw(&u, words);
  if (u.digit[0] >> 63) return 1;
  for (int even = 0;; even = !even) {
    uniform_draw(&v, words);
    if (uniform_at_least(&v, &u, words)) return even;
    u = v;
  }
}

/* True with probability exp(-x (2k + x)/(2k + 2)). */
static int bernoulli_step(uint64_t k, struct uniform *x, tacit_words *words) {
  /* y starts as x itself, not as a copy: a digit drawn for one is a digit of the other.
   */
  struct uniform pair[2], r;
  struct uniform *y = x;
  for (int n = 0;; ++n) {
    struct uniform *z = &pair[n % 2];
    uniform_draw(z, words);
    if (uniform_at_least(z, y, words)) return n % 2 == 0;
    uint64_t j = tacit_words_below(words, 2 * k + 2);
    if (j == 2 * k + 1) return n % 2 == 0;
    if (j == 2 * k) {
      uniform_draw(&r, words);
      if (uniform_at_least(&r, x, words)) return n % 2 == 0;
    }
    y = z;
  }
}

/* |Z| = k + x, exactly: Karney's algorithm N. */
static uint64_t half_normal(struct uniform *x, tacit_words *words) {
  for (;;) {
    uint64_t k = 0;
    while (bernoulli_exp_half(words))
      ++k;
    uint64_t left = k * (k - 1); /* 0 for k = 0 and 1 */
    while (left > 0 && bernoulli_exp_half(words))
      --left;
    if (left > 0) continue;
    uniform_draw(x, words);
    uint64_t passed = 0;
    while (passed <= k && bernoulli_step(k, x, words))
      ++passed;
    if (passed > k) return k;
  }
}

/* 1 when scale * (0.d_i d_{i+1} …) >= need, in units where 1 is the last place so far;
   1 <= need. Draws digits of x until the answer is certain. */
static int product_reaches(struct uniform *x, int i, uint64_t scale, uint64_t need,
                           tacit_words *words) {
  for (; i < DIGITS_MOST; ++i) {
    if (need > scale) return 0; /* the product is below scale */
    tacit_u128 product = (tacit_u128)scale * uniform_digit(x, i, words);
    uint64_t whole = (uint64_t)(product >> 64), rest = (uint64_t)product;
    if (whole >= need) return 1;
    if (need - whole > 1 || rest == 0)
      return 0;      /* the digits to come add less than 1 */
    need = 0 - rest; /* 2^64 - rest */
  }
  return 0;
}

/* floor(scale (k + x) + 1/2). Proof: docs/proofs/tacit_noise_exact.md */
static tacit_u128 scale_and_round(uint64_t k, struct uniform *x, uint64_t scale,
                                  tacit_words *words) {
  const uint64_t half = (uint64_t)1 << 63;
  tacit_u128 product = (tacit_u128)scale * x->digit[0];
  uint64_t rest = (uint64_t)product;
  tacit_u128 rounded = (tacit_u128)scale * k + (uint64_t)(product >> 64);
  /* The digits to come add less than scale <= 2^57 to rest, so a rest past one half
     cannot reach one and a half. */
  if (rest >= half || product_reaches(x, 1, scale, half - rest, words)) ++rounded;
  return rounded;
}

/* Proof: docs/proofs/tacit_noise_exact.md */
tacit_i128 tacit_noise_exact(tacit_words *words, uint64_t scale) {
  struct uniform x;
  uint64_t k = half_normal(&x, words);
  tacit_i128 magnitude = (tacit_i128)scale_and_round(k, &x, scale, words);
  return tacit_words_next(words) >> 63 ? -magnitude : magnitude;
}

tacit_i128 tacit_noise_fast(tacit_words *words, uint64_t scale) {
  /* Box-Muller; u is never 0. */
  double u = ((double)(tacit_words_next(words) >> 11) + 0.5) * 0x1p-53;
  double angle =
      2 * 3.14159265358979323846 * ((double)(tacit_words_next(words) >> 11) * 0x1p-53);
  double z = sqrt(-2 * log(u)) * cos(angle);
  return (tacit_i128)llround((double)scale * z);
}
