/* SPDX-License-Identifier: MIT */
/* The covariance that learners are told, against noise that goes through Algorithm 1:
   4000 coordinates of it, for every mechanism. */
#include "made.h"

#include <stdlib.h>

#include "algorithm1/algorithm1.h"
#include "algorithm1/covariance.h"
#include "mechanism/mechanism.h"
#include "vault/words.h"

enum { DIM = 4000 };
static const unsigned char test_key[TACIT_KEY_BYTES] = "covariance tests";

/* What a learner sees: sums over coordinates, and what it is told of them. */
static struct seen {
  double sum[DIM]; /* sum of gbar_i / beta_t */
  double grad, total, cross;
  double said_grad, said_sum, said_cross, said_squares;
} seen;

static void watch(void *self, const tacit_learner_facts *facts,
                  const tacit_learner_loss *loss, double *const *vectors, double *w) {
  (void)self;
  (void)vectors;
  (void)w;
  seen.grad = seen.total = seen.cross = 0;
  for (size_t i = 0; i < facts->dim; ++i) {
    double grad = loss->grad[i];
    seen.cross += grad * seen.sum[i] / DIM;
    seen.sum[i] = loss->ratio * seen.sum[i] + grad;
    seen.grad += grad * grad / DIM;
    seen.total += seen.sum[i] * seen.sum[i] / DIM;
  }
  seen.said_grad = loss->noise_grad;
  seen.said_sum = loss->noise_sum;
  seen.said_cross = loss->noise_cross;
  seen.said_squares = 0;
  for (int64_t j = 0; loss->noise_weights != NULL && j < loss->t; ++j)
    seen.said_squares += loss->noise_weights[j] * loss->noise_weights[j];
}

static tacit_learner_ops watcher = {.version = 2,
                                    .name = "watcher",
                                    .summary = "sees everything",
                                    .step = watch,
                                    .takes_noise = 1};

static tacit_encoder_facts shape_of(const struct tacit_encoder_ops *ops,
                                    int64_t per_pass, int64_t passes) {
  tacit_encoder_facts shape = {.dim = DIM,
                               .rounds = per_pass * passes,
                               .per_pass = per_pass,
                               .weight_bits = ops->weight_bits_max,
                               .clip_max = 1 << 20};
  for (int i = 0; ops->params != NULL && ops->params[i].name != NULL; ++i)
    shape.values[i] = ops->params[i].fallback;
  return shape;
}

static tacit_algorithm1 *algorithm_of(const struct tacit_encoder_ops *ops,
                                      int64_t per_pass, int64_t passes) {
  tacit_algorithm1_facts facts = {
      .learner = {.dim = DIM,
                  .rounds = per_pass * passes,
                  .power = watcher.plain ? 0 : 1.5,
                  .radius = 5},
      .encoder = ops,
      .shape = shape_of(ops, per_pass, passes),
      .rows_mean = 7,
      .learner_ops = &watcher,
  };
  tacit_algorithm1 *algorithm1;
  tacit_error err;
  CHECK_OK(tacit_algorithm1_new(&facts, &algorithm1, &err), err);
  seen = (struct seen){0};
  return algorithm1;
}

/* One round of noise of deviation `std` and nothing else. */
static void play_noise(tacit_algorithm1 *algorithm1, tacit_words *words, double bound,
                       double std) {
  static double y[DIM];
  for (int i = 0; i < DIM; ++i) { /* uniform on [-1, 1): variance 1/3 */
    double unit = made_uniform(words);
    y[i] = unit * std * sqrt(3);
  }
  tacit_algorithm1_begin(algorithm1);
  (void)tacit_algorithm1_end(algorithm1, bound, y, std);
}

static void check_covariance(void) {
  static const int64_t shapes[][2] = {{10, 3}, {8, 8}, {24, 1}, {1, 1}};
  tacit_words words;
  tacit_words_init(&words, test_key);
  const struct tacit_encoder_ops *ops;
  for (size_t which = 0; (ops = tacit_encoder_at(which)) != NULL; ++which) {
    for (int s = 0; s < 4; ++s) {
      int64_t rounds = shapes[s][0] * shapes[s][1];
      tacit_algorithm1 *algorithm1 = algorithm_of(ops, shapes[s][0], shapes[s][1]);
      for (int64_t t = 1; t <= rounds; ++t) {
        double before = seen.said_sum;
        play_noise(algorithm1, &words, sqrt((double)t), 1 + 1 / (double)t);
        CHECK_RELATIVE(seen.grad, seen.said_grad, 0.1); /* five standard errors */
        CHECK_RELATIVE(seen.total, seen.said_sum, 0.1);
        CHECK_RELATIVE(seen.said_squares, seen.said_grad, 1e-12);
        CHECK_WITHIN(seen.cross, seen.said_cross,
                     5 * sqrt(2 * seen.said_grad * before / DIM));
      }
      tacit_algorithm1_free(algorithm1);
    }
  }
}

static void covariance_is_that_of_the_noise(void **state) {
  (void)state;
  check_covariance();
}

static void covariance_of_plain_gradients_is_that_of_single_rounds(void **state) {
  (void)state;
  watcher.plain = 1;
  check_covariance();
  watcher.plain = 0;
}

/* Tables of version 1 have no such slot, and others may leave it empty. */
static void it_is_told_to_those_who_take_it(void **state) {
  (void)state;
  tacit_words words;
  tacit_words_init(&words, test_key);
  for (int version = 1; version <= 2; ++version) {
    watcher.version = version;
    watcher.takes_noise = version == 1;
    tacit_algorithm1 *algorithm1 = algorithm_of(&tacit_encoder_banded, 4, 1);
    play_noise(algorithm1, &words, 1, 1);
    assert_true(seen.grad > 0 && seen.said_grad == 0 && seen.said_sum == 0 &&
                seen.said_cross == 0 && seen.said_squares == 0);
    tacit_algorithm1_free(algorithm1);
  }
  watcher.version = 2;
  watcher.takes_noise = 1;
}

static void too_many_rounds_are_not_followed(void **state) {
  (void)state;
  for (int64_t more = 0; more < 2; ++more) {
    int64_t rounds = TACIT_COVARIANCE_ROUNDS_MAX + more;
    tacit_encoder_facts shape = shape_of(&tacit_encoder_blt, rounds, 1);
    tacit_covariance *covariance;
    tacit_noise_terms noise;
    tacit_error err;
    CHECK_OK(tacit_covariance_new(&tacit_encoder_blt, &shape, 0, &covariance, &err),
             err);
    tacit_covariance_next(covariance, 1, 1, 1, 1, 0, &noise);
    assert_true(more ? noise.grad == 0 && noise.sum == 0 : noise.grad > 0);
    assert_true(noise.cross == 0 && noise.sum == noise.grad);
    tacit_covariance_free(covariance);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(covariance_is_that_of_the_noise),
      cmocka_unit_test(covariance_of_plain_gradients_is_that_of_single_rounds),
      cmocka_unit_test(it_is_told_to_those_who_take_it),
      cmocka_unit_test(too_many_rounds_are_not_followed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
