/* SPDX-License-Identifier: MIT */
/*
 * The rounded Gaussian, by comparisons of uniform numbers only. |Z| = (c + u)/16: a
 * table of cuts gives the cell c < 64, u is uniform, and the pair is kept with
 * probability exp(-(c u + u^2/2)/256), decided by coins as in Karney's method
 * ("Sampling exactly from the normal distribution", ACM TOMS 42, 2016). For |Z| >= 4 it
 * is Karney's algorithm N, started at k = 4. Digits are drawn only if a comparison
 * depends on them. There is no floating point and no approximation.
 *
 * A trial takes one half of the stream (16 bits for the cell, 9 for the first coin, the
 * top bit for the sign), then a word for u. Everything after that takes whole words.
 */
#include "vault/gaussian_table.h"
#include "vault/law.h"

#define LIKELY(x) __builtin_expect(x, 1)

enum { COINS = 2 << (2 * CELL_BITS), TAIL_FIRST = CELLS >> CELL_BITS };

/* A uniform number on (0,1) of which `n` words are known. More words are drawn if they
   are needed. */
enum { DIGITS_MAX = 8 };
struct uniform {
  uint64_t digit[DIGITS_MAX];
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

/* Returns 1 if a >= b. All digits are equal with probability 2^-512; either answer will
   then do. */
static int uniform_at_least(struct uniform *a, struct uniform *b, tacit_words *words) {
  for (int i = 0; i < DIGITS_MAX; ++i) {
    uint64_t digit_a = uniform_digit(a, i, words);
    uint64_t digit_b = uniform_digit(b, i, words);
    if (digit_a != digit_b) return digit_a > digit_b;
  }
  return 1;
}

/* Returns 1 with probability exp(-x (2a + x)/b), where 2a + 1 <= b. `coin` must be
   uniform below b. */
static int keep(uint64_t a, uint64_t b, uint64_t coin, struct uniform *x,
                tacit_words *words) {
  /* y starts as x itself and not as a copy, because both must have the same digits. */
  struct uniform pair[2], r;
  struct uniform *y = x;
  for (int n = 0;; ++n) {
    if (coin > 2 * a) return n % 2 == 0;
    if (coin == 2 * a) {
      uniform_draw(&r, words);
      if (uniform_at_least(&r, x, words)) return n % 2 == 0;
    }
    struct uniform *z = &pair[n % 2];
    uniform_draw(z, words);
    if (uniform_at_least(z, y, words)) return n % 2 == 0;
    y = z;
    coin = tacit_words_below(words, b);
  }
}

/* Returns 1 with probability exp(-1/2), because the length of a decreasing run below
   1/2 is then even. */
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

/* Returns 1 with probability exp(-n/2). */
static int bernoulli_exp_halves(uint64_t n, tacit_words *words) {
  while (n > 0 && bernoulli_exp_half(words))
    --n;
  return n == 0;
}

/* Draws |Z| = k + x, given that |Z| is at least 4. Returns k and sets x. */
static uint64_t tail(struct uniform *x, tacit_words *words) {
  for (;;) {
    uint64_t more = 0;
    while (bernoulli_exp_halves(2 * TAIL_FIRST + 1, words))
      ++more;
    if (more > 1 && !bernoulli_exp_halves(more * (more - 1), words)) continue;
    uint64_t k = TAIL_FIRST + more, b = 2 * k + 2, passed = 0;
    uniform_draw(x, words);
    while (passed <= k && keep(k, b, tacit_words_below(words, b), x, words))
      ++passed;
    if (passed > k) return k;
  }
}

/* Returns the cell of a uniform number whose first 16 bits, `head`, equal the head of a
   cut. The number equals all stored bits of a cut with probability 2^-272; either
   answer will then do. */
static uint64_t cell_of_tie(uint64_t cell, uint64_t head, tacit_words *words) {
  struct uniform rest = {.n = 0};
  for (; cell < CELLS && cut_head[cell] == head; ++cell) {
    for (int i = 0; i < CUT_WORDS; ++i) {
      uint64_t digit = uniform_digit(&rest, i, words);
      if (digit < cut_rest[cell][i]) return cell;
      if (digit > cut_rest[cell][i]) break;
    }
  }
  return cell;
}

/* Returns how many cuts lie at or below a uniform number that begins with `head`. */
static uint64_t cell_of(uint64_t head, tacit_words *words) {
  uint64_t cell = cell_guide[head >> 8];
  while (cut_head[cell] < head)
    ++cell;
  return cut_head[cell] != head ? cell : cell_of_tie(cell, head, words);
}

/* Returns 1 if scale * (0.d_1 d_2 …) >= need, in units where 1 is the last place so
   far. `need` must be at least 1. Draws digits of x until the answer is certain. */
static int product_reaches(struct uniform *x, uint64_t scale, uint64_t need,
                           tacit_words *words) {
  for (int i = 1; i < DIGITS_MAX; ++i) {
    if (need > scale) return 0; /* the product is below `scale` */
    tacit_u128 product = (tacit_u128)scale * uniform_digit(x, i, words);
    uint64_t whole = (uint64_t)(product >> 64), rest = (uint64_t)product;
    if (whole >= need) return 1;
    if (need - whole > 1 || rest == 0)
      return 0;      /* the digits to come add less than 1 */
    need = 0 - rest; /* 2^64 - rest */
  }
  return 0;
}

/* Returns floor(scale (a + x)/2^shift + 1/2); shift must be at least 1. Cutting scale
   (a + x) to an integer first does not change the result. */
static tacit_i128 scale_and_round(uint64_t a, struct uniform *x, uint64_t scale,
                                  int shift, tacit_words *words) {
  tacit_u128 product = (tacit_u128)scale * x->digit[0];
  uint64_t rest = (uint64_t)product;
  tacit_u128 whole = (tacit_u128)scale * a + (uint64_t)(product >> 64);
  /* The digits to come add less than `scale` to `rest`. */
  if (rest > 0 - scale && product_reaches(x, scale, 0 - rest, words)) ++whole;
  return (tacit_i128)((whole + (1 << (shift - 1))) >> shift);
}

/* Returns round(scale * Z) for an exact standard normal Z.
   Proof: docs/proofs/tacit_noise_exact.md */
tacit_i128 tacit_noise_exact(tacit_words *words, uint64_t scale) {
  for (;;) {
    uint32_t half = tacit_words_half(words);
    uint64_t cell = cell_of(half & 0xffff, words), coin = (half >> 16) % COINS;
    struct uniform x;
    tacit_i128 magnitude;
    if (cell < CELLS) {
      uniform_draw(&x, words);
      if (!keep(cell, COINS, coin, &x, words)) continue;
      magnitude = scale_and_round(cell, &x, scale, CELL_BITS, words);
    } else {
      uint64_t k = tail(&x, words);
      magnitude = scale_and_round(k, &x, 2 * scale, 1, words);
    }
    return half >> 31 ? -magnitude : magnitude;
  }
}

/* Adds exact Gaussian noise to each number. Nearly all samples take a path without
   branches: three halves of the stream are enough if the head lies between two cuts
   that the guide knows, the first coin keeps u, and no further digit changes the
   product. All other samples have taken nothing from the stream yet and go to
   tacit_noise_exact. */
static void exact_add(tacit_words *words, uint64_t scale, tacit_i128 *raw_row,
                      size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const uint32_t *half = words->buffer + words->used;
    if (LIKELY(words->used + 3 <= TACIT_WORDS_BUFFER)) {
      uint64_t head = half[0] & 0xffff, coin = (half[0] >> 16) % COINS;
      uint64_t cell = cell_guide[head >> 8];
      cell += cut_head[cell] < head;
      tacit_u128 product = (tacit_u128)scale * (half[1] | (uint64_t)half[2] << 32);
      if (LIKELY((cut_head[cell] > head) & (cell < CELLS) & (coin > 2 * cell) &
                 ((uint64_t)product <= 0 - scale))) {
        uint64_t whole = scale * cell + (uint64_t)(product >> 64); /* < 2^63 */
        int64_t size = (int64_t)((whole + (1 << (CELL_BITS - 1))) >> CELL_BITS);
        int64_t sign = -(int64_t)(half[0] >> 31); /* 0 or -1 */
        raw_row[i] += (size ^ sign) - sign;
        words->used += 3;
        continue;
      }
    }
    raw_row[i] += tacit_noise_exact(words, scale);
  }
}

const struct tacit_law_ops tacit_law_gaussian = {
    .name = "gaussian",
    .exact = 1,
    .pure = 0,
    .sens_norm = 2,
    .add = exact_add,
};
