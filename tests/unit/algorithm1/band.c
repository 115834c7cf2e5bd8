/* SPDX-License-Identifier: MIT */
/* How far noise moves a model, against noise that goes through Algorithm 1 and its
   learner on a loss that is a parabola: 4000 weights of the same curvature. */
#include "made.h"

#include <stdlib.h>
#include <string.h>

#include "algorithm1/algorithm1.h"
#include "mechanism/mechanism.h"
#include "vault/words.h"

enum { DIM = 4000, ROUNDS = 24 };
static const unsigned char test_key[TACIT_KEY_BYTES] = "band tests";
static const double minimum = 0.4; /* of the parabola of every weight */

struct setting {
  const char *learner;
  int plain;
  double curvature;
};

static tacit_algorithm1 *algorithm_of(const struct setting *setting) {
  tacit_algorithm1_facts facts = {
      .learner = {.dim = DIM,
                  .rounds = ROUNDS,
                  .power = setting->plain ? 0 : 1.5,
                  .radius = 1e6,
                  .passes = 3},
      .learner_spec = setting->learner,
      .encoder = &tacit_encoder_none,
      .shape = {.dim = DIM, .rounds = ROUNDS, .per_pass = ROUNDS, .clip_max = 1 << 20},
      .rows_mean = 7,
      .band = {.curvature_max = 1},
  };
  tacit_algorithm1 *algorithm1;
  tacit_error err;
  CHECK_OK(tacit_algorithm1_new(&facts, &algorithm1, &err), err);
  return algorithm1;
}

/* The sum of a round as the rows would make it: the change of the weighted gradient, in
   units of beta_R, with noise of this deviation, uniform. */
static void play(tacit_algorithm1 *algorithm1, const struct setting *setting,
                 tacit_words *words, double std) {
  static double y[DIM];
  tacit_algorithm1_begin(algorithm1);
  const tacit_weights *weights = tacit_algorithm1_weights(algorithm1);
  const double *x = tacit_algorithm1_x(algorithm1),
               *before = tacit_algorithm1_x_prev(algorithm1);
  for (int i = 0; i < DIM; ++i) {
    double unit = made_uniform(words);
    double now = setting->curvature * (x[i] - minimum);
    double last = setting->curvature * (before[i] - minimum);
    y[i] = 7 * weights->share * (now - weights->ratio * last) + unit * std * sqrt(3);
  }
  (void)tacit_algorithm1_end(algorithm1, 1, y, std);
}

static double deviation_of(const double *x) {
  double mean = 0, squares = 0;
  for (int i = 0; i < DIM; ++i)
    mean += x[i] / DIM;
  for (int i = 0; i < DIM; ++i)
    squares += (x[i] - mean) * (x[i] - mean) / DIM;
  return sqrt(squares);
}

static void deviations_are_those_of_the_weights(void **state) {
  static const struct setting settings[] = {
      {"bettor:tau=5", 0, 0},        {"bettor:tau=5", 0, 0.01},
      {"bettor:tau=5", 0, 0.3},      {"bettor", 0, 0.1},
      {"heavy-ball:tau=5", 1, 0},    {"heavy-ball:tau=5", 1, 0.03},
      {"heavy-ball:tau=20", 1, 0.5}, {"heavy-ball:tau=5,average=3", 1, 0.2},
  };
  tacit_words words;
  (void)state;
  tacit_words_init(&words, test_key);
  for (size_t s = 0; s < sizeof settings / sizeof settings[0]; ++s) {
    tacit_algorithm1 *algorithm1 = algorithm_of(&settings[s]);
    for (int t = 1; t <= ROUNDS; ++t)
      play(algorithm1, &settings[s], &words, 0.1 + 0.2 / t);
    tacit_algorithm1_last_step(algorithm1);
    const tacit_band *band = tacit_algorithm1_band(algorithm1);
    assert_non_null(band);
    /* 4% is 3.6 standard errors, and the grid of curvatures is not exact. */
    CHECK_RELATIVE(deviation_of(tacit_algorithm1_x(algorithm1)),
                   tacit_band_std(band, settings[s].curvature), 0.04);
    tacit_algorithm1_free(algorithm1);
  }
}

/* A learner of a user's may have no such slot. */
static void learners_that_cannot_carry_have_no_band(void **state) {
  (void)state;
  tacit_algorithm1 *algorithm1 = algorithm_of(&(struct setting){"kt", 0, 0});
  assert_null(tacit_algorithm1_band(algorithm1));
  tacit_algorithm1_free(algorithm1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(deviations_are_those_of_the_weights),
      cmocka_unit_test(learners_that_cannot_carry_have_no_band),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
