/* SPDX-License-Identifier: MIT */
/* algorithm1/: weights in normalised form, decoding, Algorithm 1 against the plain
 * form.
 */
#include "made.h"

#include <stdlib.h>

#include "algorithm1/algorithm1.h"
#include "algorithm1/weights.h"
#include "mechanism/decode.h"
#include "mechanism/mechanism.h"
#include "vault/words.h"

static const unsigned char test_key[TACIT_KEY_BYTES] = "convert tests";

static void weights_at(tacit_weights *weights, double power, int64_t t) {
  tacit_weights_init(weights, power, 10);
  while (weights->t < t)
    tacit_weights_next(weights);
}

static void weights_have_the_stated_values(void **state) {
  (void)state;
  tacit_weights weights;
  weights_at(&weights, 2, 10);
  CHECK_RELATIVE(weights.horizon, 3.85, 1e-14);
  CHECK_RELATIVE(weights.share, 1, 1e-15);
  weights_at(&weights, 3, 4);
  CHECK_RELATIVE(weights.horizon, 1.5625, 1e-14);
  weights_at(&weights, 2, 4);
  CHECK_RELATIVE(weights.ratio, 0.5625, 1e-14);
  CHECK_RELATIVE(weights.rise, 0.4375, 1e-14);
  weights_at(&weights, 2, 1);
  assert_true(weights.ratio == 0 && weights.rise == 1 && weights.horizon == 1);
}

/* T = 1e5, k = 3: averages by the recursion equal those with plain beta_t. */
static void normalised_recursion_equals_the_direct_one(void **state) {
  (void)state;
  enum { T = 100000 };
  tacit_words words;
  tacit_words_init(&words, test_key);
  tacit_weights weights;
  tacit_weights_init(&weights, 3, T);
  double x = 0, g_hat = 0;
  long double weighted = 0, beta_sum = 0, g = 0, worst = 0;
  for (int t = 1; t <= T; ++t) {
    tacit_weights_next(&weights);
    double w = made_uniform(&words), d = made_uniform(&words);
    long double beta = (long double)t * t * t;
    x += (w - x) / weights.horizon;
    g_hat = weights.ratio * g_hat + d;
    weighted += beta * w;
    beta_sum += beta;
    g += beta * d;
    long double off_x = fabsl(x - weighted / beta_sum);
    long double off_g = fabsl(g_hat - g / beta) / (1 + fabsl(g / beta));
    if (off_x > worst) worst = off_x;
    if (off_g > worst) worst = off_g;
  }
  CHECK_AT_MAX((double)worst, 1e-12);
}

/* Noise of gbar_t through the stack equals the sum over I_t, t <= 4096; depth <= 13. */
static void tree_stack_is_the_sum_over_the_binary_expansion(void **state) {
  (void)state;
  enum { T = 4096 };
  tacit_words words;
  tacit_words_init(&words, test_key);
  double *noise = calloc(T + 1, sizeof *noise);
  for (int t = 1; t <= T; ++t)
    noise[t] = made_uniform(&words);
  tacit_decoder *decoder;
  tacit_error err;
  tacit_encoder_facts shape = {.dim = 1, .rounds = T, .per_pass = T};
  CHECK_OK(tacit_decoder_new(&tacit_encoder_tree, &shape, &decoder, &err), err);
  for (int t = 1; t <= T; ++t) {
    double gamma, direct = 0, size = 0;
    (void)tacit_decoder_open(decoder, t, 1, 1);
    tacit_decoder_sum(decoder, &noise[t], 0, 1, &gamma);
    int members = 0, covered = 0;
    for (int bit = 12, partial = 0; bit >= 0; --bit) { /* I_t, by definition */
      if (!(t >> bit & 1)) continue;
      partial += 1 << bit;
      direct += noise[partial];
      size += fabs(noise[partial]);
      covered += partial & -partial; /* |S_i|: together they partition 1 … t */
      ++members;
    }
    assert_true(members <= 13);
    assert_int_equal(covered, t);
    CHECK_WITHIN(gamma, direct, 1e-12 * (1 + size));
  }
  tacit_decoder_free(decoder);
  free(noise);
}

/* S_i for i in I_t are disjoint and cover 1 … t. */
static void tree_nodes_partition_the_prefix(void **state) {
  (void)state;
  for (int t = 1; t <= 4096; ++t) {
    int upto = t;
    for (int i = t; i > 0; i -= i & -i) {
      assert_int_equal(i, upto); /* node i ends where the next one begins */
      upto = i - (i & -i);
    }
    assert_int_equal(upto, 0);
  }
}

static double tree_squared(int64_t rounds, int64_t per_pass) {
  tacit_encoder_facts facts = {.dim = 1, .rounds = rounds, .per_pass = per_pass};
  tacit_encoder_sens sens;
  tacit_error err;
  CHECK_OK(tacit_encoder_tree.sens(NULL, &facts, &sens, &err), err);
  double squared = round(sens.squares * sens.squares);
  assert_true(sens.squares >= sqrt(squared));
  CHECK_RELATIVE(sens.squares, sqrt(squared), 1e-15);
  return squared;
}

static void tree_sensitivity_has_the_stated_values(void **state) {
  (void)state;
  assert_true(tree_squared(1, 1) == 1);
  assert_true(tree_squared(3, 3) == 2);
  assert_true(tree_squared(4, 4) == 3);
  assert_true(tree_squared(1000, 1000) == 10);
  assert_true(tree_squared(1024, 1024) == 11);
  assert_true(tree_squared(64, 64) == 7);
  assert_true(tree_squared(128, 64) == 17);
  assert_true(tree_squared(256, 64) == 46);
  assert_true(tree_squared(512, 64) == 140);
}

/* Against counting by hand: every phase, every node, every round in it. */
static void tree_sensitivity_equals_brute_force(void **state) {
  (void)state;
  for (int b = 1; b <= 12; ++b) {
    for (int passes = 1; passes <= 9; ++passes) {
      int rounds = b * passes, largest = 0;
      for (int q = 1; q <= b; ++q) {
        int sum = 0;
        for (int t = 1; t <= rounds; ++t) {
          int inside = 0;
          for (int i = t - (t & -t) + 1; i <= t; ++i)
            inside += (i - 1) % b == q - 1;
          sum += inside * inside;
        }
        if (sum > largest) largest = sum;
      }
      assert_true(tree_squared(rounds, b) == largest);
    }
  }
}

/* Algorithm 1 on a fixed noiseless stream of gradients of |x - z|^2/2, against the
   paper's form with plain weights and OSD written out. */
static void run_quadratic(const double *start, double shift, double *out, int rounds) {
  enum { DIM = 2 };
  tacit_algorithm1_facts facts = {
      .learner = {.dim = DIM,
                  .rounds = rounds,
                  .power = 2,
                  .grad_bound = 1,
                  .radius = 5,
                  .norm = 2},
      .learner_spec = "osd:power=1",
      .encoder = &tacit_encoder_none,
      .shape = {.dim = DIM, .rounds = rounds, .per_pass = rounds},
      .rows_mean = 1,
      .start = start,
  };
  tacit_words words;
  tacit_words_init(&words, test_key);
  tacit_algorithm1 *algorithm1;
  tacit_error err;
  CHECK_OK(tacit_algorithm1_new(&facts, &algorithm1, &err), err);
  for (int t = 1; t <= rounds; ++t) {
    tacit_algorithm1_begin(algorithm1);
    const tacit_weights *weights = tacit_algorithm1_weights(algorithm1);
    const double *x = tacit_algorithm1_x(algorithm1),
                 *x_prev = tacit_algorithm1_x_prev(algorithm1);
    double y[DIM];
    for (int i = 0; i < DIM; ++i) {
      double z = made_uniform(&words) + shift;
      y[i] = weights->share * ((x[i] - z) - weights->ratio * (x_prev[i] - z));
    }
    tacit_algorithm1_end(algorithm1, 1, y, 0);
    for (int i = 0; i < DIM; ++i)
      out[(t - 1) * DIM + i] = x[i];
  }
  tacit_algorithm1_free(algorithm1);
}

static void algorithm_equals_the_paper_in_plain_form(void **state) {
  (void)state;
  enum { DIM = 2, T = 200 };
  double fast[T * DIM];
  run_quadratic(NULL, 0, fast, T);
  tacit_words words;
  tacit_words_init(&words, test_key);
  double w[DIM] = {0}, x[DIM] = {0}, g[DIM] = {0}, beta_sum = 0, beta_before = 0;
  for (int t = 1; t <= T; ++t) {
    double beta = (double)t * t, x_before[DIM], norm = 0;
    for (int i = 0; i < DIM; ++i) {
      double z = made_uniform(&words);
      x_before[i] = x[i];
      x[i] = (beta_sum * x[i] + beta * w[i]) / (beta_sum + beta);
      g[i] += beta * (x[i] - z) - beta_before * (x_before[i] - z);
      CHECK_WITHIN(fast[(t - 1) * DIM + i], x[i], 1e-10);
    }
    beta_sum += beta;
    beta_before = beta;
    for (int i = 0; i < DIM; ++i) {
      w[i] -= 10 * sqrt(2.5) / pow(t, 2.5) * g[i];
      norm += w[i] * w[i];
    }
    for (int i = 0; i < DIM && norm > 25; ++i)
      w[i] *= 5 / sqrt(norm);
  }
}

static void first_point_is_the_first_play_and_shifts_carry_over(void **state) {
  (void)state;
  enum { DIM = 2, T = 100 };
  double plain[T * DIM], shifted[T * DIM], start[DIM] = {3, 3};
  run_quadratic(NULL, 0, plain, T);
  run_quadratic(start, 3, shifted, T);
  assert_true(plain[0] == 0 && shifted[0] == 3 && shifted[1] == 3); /* x_1 = w_1 */
  for (int i = 0; i < T * DIM; ++i)
    CHECK_WITHIN(shifted[i], plain[i] + 3, 1e-10);
}

/* x_{T+1} is one more averaging step, and the L2 term does not change the noise. */
static void last_step_is_one_more_average(void **state) {
  (void)state;
  tacit_algorithm1_facts facts = {
      .learner =
          {.dim = 1, .rounds = 1, .power = 2, .grad_bound = 1, .radius = 5, .norm = 2},
      .learner_spec = "osd:power=1",
      .encoder = &tacit_encoder_tree,
      .shape = {.dim = 1, .rounds = 1, .per_pass = 1},
      .rows_mean = 4,
      .l2 = 0.5,
      .l2_dim = 1,
  };
  tacit_algorithm1 *algorithm1;
  tacit_error err;
  CHECK_OK(tacit_algorithm1_new(&facts, &algorithm1, &err), err);
  tacit_algorithm1_begin(algorithm1);
  assert_true(tacit_algorithm1_x(algorithm1)[0] == 0);
  double y = -0.4, longest;
  CHECK_RELATIVE(tacit_algorithm1_end(algorithm1, 1, &y, 2), 0.5,
                 1e-15); /* std 2 over 4 rows */
  tacit_algorithm1_last_step(algorithm1);
  /* w_2 = 10 sqrt(2.5) 0.1; beta_2/beta_{1:2} = 4/5 */
  CHECK_RELATIVE(tacit_algorithm1_x(algorithm1)[0], 0.8 * sqrt(2.5), 1e-12);
  CHECK_RELATIVE(tacit_algorithm1_step_length(algorithm1, &longest), sqrt(2.5), 1e-12);
  tacit_algorithm1_free(algorithm1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(weights_have_the_stated_values),
      cmocka_unit_test(normalised_recursion_equals_the_direct_one),
      cmocka_unit_test(tree_stack_is_the_sum_over_the_binary_expansion),
      cmocka_unit_test(tree_nodes_partition_the_prefix),
      cmocka_unit_test(tree_sensitivity_has_the_stated_values),
      cmocka_unit_test(tree_sensitivity_equals_brute_force),
      cmocka_unit_test(algorithm_equals_the_paper_in_plain_form),
      cmocka_unit_test(first_point_is_the_first_play_and_shifts_carry_over),
      cmocka_unit_test(last_step_is_one_more_average),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
