/* SPDX-License-Identifier: MIT */
/* The exact sampler digit by digit: its table against MPFR, and, on streams written by
   hand, every way a tie is extended. Each script ends where the sampler must stop
   reading. The law is in tests/stats/noise.c. */
#include "check.h"

#include <gmp.h>
#include <mpfr.h>

#include "vault/gaussian_table.h"
#include "vault/law.h"

enum { BITS = 16 + 64 * CUT_WORDS, COIN_KEEPS = 511 };
static const uint64_t top_bit = (uint64_t)1 << 63;
static const uint64_t scale40 = (uint64_t)1 << 40;

/* ---- the table ---- */

/* sum += exp(-(c/16)^2/2) */
static void add_weight(mpfr_t sum, int c) {
  mpfr_t x;
  mpfr_init_set_si(x, c, MPFR_RNDN);
  mpfr_sqr(x, x, MPFR_RNDN);
  mpfr_div_si(x, x, -512, MPFR_RNDN);
  mpfr_exp(x, x, MPFR_RNDN);
  mpfr_add(sum, sum, x, MPFR_RNDN);
  mpfr_clear(x);
}

/* 16 times the integral of exp(-t^2/2) from 4 on: 16 sqrt(pi/2) erfc(sqrt(8)) */
static void add_tail(mpfr_t sum) {
  mpfr_t x, pi;
  mpfr_inits(x, pi, (mpfr_ptr)0);
  mpfr_sqrt_ui(x, 8, MPFR_RNDN);
  mpfr_erfc(x, x, MPFR_RNDN);
  mpfr_const_pi(pi, MPFR_RNDN);
  mpfr_div_ui(pi, pi, 2, MPFR_RNDN);
  mpfr_sqrt(pi, pi, MPFR_RNDN);
  mpfr_mul(x, x, pi, MPFR_RNDN);
  mpfr_mul_ui(x, x, 16, MPFR_RNDN);
  mpfr_add(sum, sum, x, MPFR_RNDN);
  mpfr_clears(x, pi, (mpfr_ptr)0);
}

static void cuts_are_right_to_the_last_bit(void **state) {
  (void)state;
  mpfr_set_default_prec(600);
  mpfr_t whole, part, cut;
  mpz_t stored, expected;
  mpfr_inits(whole, part, cut, (mpfr_ptr)0);
  mpz_inits(stored, expected, (mpz_ptr)0);
  mpfr_set_zero(whole, 1);
  mpfr_set_zero(part, 1);
  for (int c = 0; c < CELLS; ++c)
    add_weight(whole, c);
  add_tail(whole);
  for (int c = 0; c < CELLS; ++c) {
    add_weight(part, c);
    mpfr_div(cut, part, whole, MPFR_RNDN);
    mpfr_mul_2ui(cut, cut, BITS, MPFR_RNDN);
    mpfr_get_z(expected, cut, MPFR_RNDD);
    mpz_set_ui(stored, cut_head[c]);
    for (int i = 0; i < CUT_WORDS; ++i) {
      mpz_mul_2exp(stored, stored, 64);
      mpz_add_ui(stored, stored, cut_rest[c][i]);
    }
    if (mpz_cmp(stored, expected) != 0) fail_msg("cut %d is wrong", c);
  }
  mpfr_clears(whole, part, cut, (mpfr_ptr)0);
  mpz_clears(stored, expected, (mpz_ptr)0);
  mpfr_free_cache();
}

static void guide_counts_the_cuts_below(void **state) {
  (void)state;
  for (int b = 0; b < 256; ++b) {
    int below = 0;
    for (int c = 0; c < CELLS; ++c)
      below += cut_head[c] < 256 * b;
    assert_int_equal(cell_guide[b], below);
  }
  assert_int_equal(cut_head[CELLS], 0xffff);
}

/* ---- scripts ---- */

struct script {
  tacit_words words;
  size_t n;
};

static void script_start(struct script *s) { memset(s, 0, sizeof *s); }

static void script_half(struct script *s, uint32_t half) {
  assert_true(s->n < TACIT_WORDS_BUFFER);
  s->words.buffer[s->n++] = half;
}

static void script_word(struct script *s, uint64_t word) {
  script_half(s, (uint32_t)word);
  script_half(s, (uint32_t)(word >> 32));
}

static void script_trial(struct script *s, uint32_t head, uint32_t coin, int negative) {
  script_half(s, head | coin << 16 | (uint32_t)negative << 31);
}

/* A head strictly inside cell c. */
static uint32_t head_in(int c) {
  uint32_t from = c > 0 ? cut_head[c - 1] : 0;
  assert_true(from + 1 < cut_head[c]);
  return from + 1;
}

static void expect(struct script *s, uint64_t scale, tacit_i128 expected) {
  tacit_i128 value = tacit_noise_exact(&s->words, scale);
  if (s->words.used != s->n) fail_msg("%zu halves read of %zu", s->words.used, s->n);
  if (value != expected) fail_msg("%.17g, not %.17g", (double)value, (double)expected);
}

/* A row is its samples one after the other: the short way to the common ones gives what
   the long way gives, and reads as much. */
static void rows_are_samples_one_by_one(void **state) {
  (void)state;
  enum { ROW = 1000, ROWS = 300 };
  static const uint64_t scales[] = {1,
                                    3,
                                    1 << 20,
                                    1000003 * (uint64_t)1000,
                                    TACIT_NOISE_SCALE_MAX - 1,
                                    TACIT_NOISE_SCALE_MAX};
  for (unsigned char which = 0; which < sizeof scales / sizeof scales[0]; ++which) {
    unsigned char key[TACIT_KEY_BYTES] = {which};
    tacit_words one, other;
    tacit_words_init(&one, key);
    tacit_words_init(&other, key);
    for (int r = 0; r < ROWS; ++r) {
      tacit_i128 row[ROW];
      for (int i = 0; i < ROW; ++i)
        row[i] = i;
      tacit_law_gaussian.add(&one, scales[which], row, ROW);
      for (int i = 0; i < ROW; ++i)
        assert_true(row[i] == i + tacit_noise_exact(&other, scales[which]));
      assert_true(one.block == other.block && one.used == other.used);
    }
  }
}

static void max_samples_take_three_halves(void **state) {
  (void)state;
  for (int c = 0; c < CELLS - 4; ++c) {
    for (int negative = 0; negative < 2; ++negative) {
      struct script s;
      script_start(&s);
      script_trial(&s, head_in(c), (uint32_t)(2 * c + 1), negative);
      script_word(&s, top_bit);
      tacit_i128 size = ((tacit_i128)(2 * c + 1) * (int64_t)scale40) >> 5;
      expect(&s, scale40, negative ? -size : size);
    }
  }
}

/* A head equal to that of a cut: the words after it decide, at whichever they differ.
 */
static void ties_with_a_cut_are_extended(void **state) {
  (void)state;
  for (int c = 0; c < CELLS - 1; ++c) {
    for (int at = 0; at <= CUT_WORDS; ++at) {
      for (int above = at == CUT_WORDS; above < 2; ++above) {
        struct script s;
        script_start(&s);
        script_trial(&s, cut_head[c], COIN_KEEPS, 0);
        for (int i = 0; i < at; ++i)
          script_word(&s, cut_rest[c][i]);
        if (at < CUT_WORDS) script_word(&s, cut_rest[c][at] + (above ? 1 : UINT64_MAX));
        script_word(&s, 0);
        expect(&s, scale40, (tacit_i128)(c + above) << 36);
      }
    }
  }
}

/* keep(): exp(-x (2a + x)/b) by the parity of the run. Cell 10: coins below 20 go on,
   20 asks r < x. */
static void coins_decide_by_parity(void **state) {
  (void)state;
  enum { C = 10 };
  const tacit_i128 kept = ((tacit_i128)C << 36) + ((tacit_i128)1 << 35);
  struct script s;

  script_start(&s); /* coin 20, r >= x: kept */
  script_trial(&s, head_in(C), 20, 0);
  script_word(&s, top_bit);
  script_word(&s, top_bit + 1);
  expect(&s, scale40, kept);

  script_start(&s); /* coin 20, r < x, z >= x: kept */
  script_trial(&s, head_in(C), 20, 0);
  script_word(&s, top_bit);
  script_word(&s, top_bit - 1);
  script_word(&s, top_bit + 1);
  expect(&s, scale40, kept);

  script_start(&s); /* coin 19, z < x, coin 21: dropped; the next trial counts */
  script_trial(&s, head_in(C), 19, 0);
  script_word(&s, top_bit);
  script_word(&s, top_bit - 1);
  script_word(&s, 512 + 21);
  script_trial(&s, head_in(3), 7, 1);
  script_word(&s, 0);
  expect(&s, scale40, -((tacit_i128)3 << 36));

  script_start(&s); /* coin 0, z < x, coin 20, r < x, z' >= z: dropped */
  script_trial(&s, head_in(C), 0, 0);
  script_word(&s, top_bit);
  script_word(&s, 1000);
  script_word(&s, 20);
  script_word(&s, top_bit - 1);
  script_word(&s, 1001);
  script_trial(&s, head_in(3), 7, 0);
  script_word(&s, 0);
  expect(&s, scale40, (tacit_i128)3 << 36);

  script_start(&s); /* coin 0, z < x, coin 0, z' < z, coin 21: kept */
  script_trial(&s, head_in(C), 0, 0);
  script_word(&s, top_bit);
  script_word(&s, 1000);
  script_word(&s, 0);
  script_word(&s, 999);
  script_word(&s, 21);
  expect(&s, scale40, kept);
}

/* ---- rounding ---- */

/* floor(scale (a + 0.digits)/16 + 1/2) in integers of any size */
static tacit_i128 rounded(uint64_t scale, uint64_t a, const uint64_t *digits, int n) {
  mpz_t v;
  mpz_init_set_ui(v, a);
  for (int i = 0; i < n; ++i) {
    mpz_mul_2exp(v, v, 64);
    mpz_add_ui(v, v, digits[i]);
  }
  mpz_mul_ui(v, v, scale);
  mpz_tdiv_q_2exp(v, v, (mp_bitcnt_t)(64 * n + 3));
  mpz_add_ui(v, v, 1);
  mpz_tdiv_q_2exp(v, v, 1);
  tacit_i128 value = (tacit_i128)mpz_get_ui(v);
  mpz_clear(v);
  return value;
}

static void expect_rounding(uint64_t scale, int c, const uint64_t *digits, int n) {
  struct script s;
  script_start(&s);
  script_trial(&s, head_in(c), COIN_KEEPS, 0);
  for (int i = 0; i < n; ++i)
    script_word(&s, digits[i]);
  expect(&s, scale, rounded(scale, (uint64_t)c, digits, n));
}

/* A first word that leaves the carry open, with all low bits set so that it counts. */
static uint64_t open_digit(uint64_t scale, uint64_t c, uint64_t seed) {
  for (uint64_t digit = seed * UINT64_C(0x9e3779b97f4a7c15);; ++digit) {
    tacit_u128 product = (tacit_u128)scale * digit;
    uint64_t whole = scale * c + (uint64_t)(product >> 64);
    if ((uint64_t)product > 0 - scale && whole % 16 == 7) return digit;
  }
}

static void rounding_draws_digits_until_it_is_sure(void **state) {
  (void)state;
  static const uint64_t scales[] = {TACIT_NOISE_SCALE_MAX - 1,
                                    TACIT_NOISE_SCALE_MAX - 12345,
                                    TACIT_NOISE_SCALE_MAX / 3};
  int carries = 0, stays = 0;
  for (int which = 0; which < 3; ++which) {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      uint64_t scale = scales[which], c = seed % 40;
      uint64_t d0 = open_digit(scale, c, seed), need = 0 - scale * d0;
      /* hi(scale d1) = need - 1, and again open at the next digit */
      uint64_t d1 = (uint64_t)(((tacit_u128)need << 64) / scale);
      uint64_t need2 = 0 - scale * d1;
      assert_true(need2 > 0 && need2 <= scale);
      uint64_t sure[][3] = {{d0, 0, 0}, {d0, UINT64_MAX, 0}, {d0, d1 - 999, 0}};
      for (int i = 0; i < 3; ++i)
        expect_rounding(scale, (int)c, sure[i], 2);
      uint64_t later[][3] = {{d0, d1, 0}, {d0, d1, UINT64_MAX}};
      for (int i = 0; i < 2; ++i) {
        expect_rounding(scale, (int)c, later[i], 3);
        int up = rounded(scale, c, later[i], 3) != rounded(scale, c, &d0, 1);
        carries += up;
        stays += !up;
      }
    }
  }
  assert_int_equal(stays, 60);
  assert_int_equal(carries, 60);
}

/* A digit drawn to compare x is a digit of x when it is rounded. */
static void digits_of_a_comparison_are_kept(void **state) {
  (void)state;
  enum { C = 10 };
  const uint64_t scale = TACIT_NOISE_SCALE_MAX - 1;
  const uint64_t d0 = open_digit(scale, C, 5);
  for (int up = 0; up < 2; ++up) {
    uint64_t digits[] = {d0, up ? UINT64_MAX - 1 : 1};
    struct script s;
    script_start(&s);
    script_trial(&s, head_in(C), 19, 0);
    script_word(&s, d0);
    script_word(&s, d0); /* z begins like x: the next digit of z, then that of x */
    script_word(&s, digits[1] + 1);
    script_word(&s, digits[1]);
    expect(&s, scale, rounded(scale, C, digits, 2));
    assert_true(rounded(scale, C, digits, 2) == rounded(scale, C, &d0, 1) + up);
  }
}

/* ---- the tail ---- */

static void script_coins_false(struct script *s) { /* exp(-1/2): u < 1/2, v >= u */
  script_word(s, 5);
  script_word(s, 6);
}

static void script_coins_true(struct script *s, int n) {
  for (int i = 0; i < n; ++i)
    script_word(s, top_bit);
}

/* x = 1/4, and all k + 1 steps kept at the first coin */
static void script_end_of_tail(struct script *s, uint64_t k) {
  script_word(s, top_bit / 2);
  for (uint64_t i = 0; i <= k; ++i)
    script_word(s, 100 * (2 * k + 2) + 2 * k + 1);
}

static tacit_i128 tail_value(uint64_t k) { return (tacit_i128)((4 * k + 1) << 38); }

static void tail_starts_at_four(void **state) {
  (void)state;
  struct script s;
  script_start(&s);
  script_trial(&s, 0xffff, 0, 0);
  script_coins_false(&s);
  script_end_of_tail(&s, 4);
  expect(&s, scale40, tail_value(4));

  script_start(&s); /* past the last cut by its last bit */
  script_trial(&s, cut_head[CELLS - 1], 0, 1);
  for (int i = 0; i < CUT_WORDS; ++i)
    script_word(&s, cut_rest[CELLS - 1][i] + (i == CUT_WORDS - 1));
  script_coins_false(&s);
  script_end_of_tail(&s, 4);
  expect(&s, scale40, -tail_value(4));
}

/* Nine coins a step; k - 4 = 2 asks two more, and starts the tail again if one fails.
 */
static void tail_weighs_its_steps(void **state) {
  (void)state;
  struct script s;
  script_start(&s);
  script_trial(&s, 0xfffe, 0, 0);
  script_coins_true(&s, 9 + 9 + 8);
  script_coins_false(&s);
  script_coins_true(&s, 2);
  script_end_of_tail(&s, 6);
  expect(&s, scale40, tail_value(6));

  script_start(&s);
  script_trial(&s, 0xfffe, 0, 0);
  script_coins_true(&s, 9 + 9);
  script_coins_false(&s);
  script_coins_true(&s, 1);
  script_coins_false(&s);
  script_coins_true(&s, 9);
  script_coins_false(&s); /* the second time k = 5 */
  script_end_of_tail(&s, 5);
  expect(&s, scale40, tail_value(5));
}

/* exp(-1/2): parity of the run, and ties of its members. */
static void tail_coins_are_extended(void **state) {
  (void)state;
  struct script s;
  script_start(&s);
  script_trial(&s, 0xfffe, 0, 0);
  script_word(&s, 7); /* u, then v with the same first digit: v's next, then u's */
  script_word(&s, 7);
  script_word(&s, 20);
  script_word(&s, 21); /* v < u: the run goes on with v = 7, 20 */
  script_word(&s, 7);
  script_word(&s, 20); /* its second digit is known: only one word, and equal */
  script_word(&s, 1);
  script_word(&s, 0); /* third digits: not below, run of length 2, true */
  script_coins_true(&s, 8);
  script_coins_false(&s);
  script_end_of_tail(&s, 5);
  expect(&s, scale40, tail_value(5));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cuts_are_right_to_the_last_bit),
      cmocka_unit_test(guide_counts_the_cuts_below),
      cmocka_unit_test(rows_are_samples_one_by_one),
      cmocka_unit_test(max_samples_take_three_halves),
      cmocka_unit_test(ties_with_a_cut_are_extended),
      cmocka_unit_test(coins_decide_by_parity),
      cmocka_unit_test(rounding_draws_digits_until_it_is_sure),
      cmocka_unit_test(digits_of_a_comparison_are_kept),
      cmocka_unit_test(tail_starts_at_four),
      cmocka_unit_test(tail_weighs_its_steps),
      cmocka_unit_test(tail_coins_are_extended),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
