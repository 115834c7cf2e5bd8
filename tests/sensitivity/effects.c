/* SPDX-License-Identifier: MIT */
/*
 * Contributions to the joint release of a table of effects: no row and no person that
 * is made by the rules is clipped by the vault, and a replaced one moves the sum, in
 * exact integers, by no more than the noise that the vault adds at mu = 1. Units that
 * lie about their length are clipped. The same harness with 0.9 of that noise must find
 * a violation, or it sees nothing.
 */
#include "check.h"

#include "base/memory.h"
#include "extra/infer/joint.h"
#include "vault/words.h"

enum { D_MAX = 5, ROWS_MAX = 4, DIM_MAX = D_MAX + D_MAX * (D_MAX + 1) + 1 };

static double uniform(tacit_words *words) {
  return ldexp((double)(tacit_words_next(words) >> 11), -53);
}

static const double theta[D_MAX] = {0.3, -0.7, 0.2, 1.1, -0.4};

static tacit_joint_facts facts_of(int i) {
  static const size_t ds[] = {1, 2, D_MAX};
  return (tacit_joint_facts){.loss = (tacit_effects_loss)(i % 3),
                             .d = ds[i / 3 % 3],
                             .has_meat = i / 9 % 2,
                             .kappa = 1 + i / 18 % 2,
                             .r = 2,
                             .tau = 0.5,
                             .most = 1.5,
                             .theta = theta};
}

/* A row as bad as it can be: of the norm r or longer, with a slope of any size. */
static void worst_row(tacit_words *words, const tacit_joint_facts *facts, double *z,
                      double *y) {
  double square = 0, eta = 0, length = facts->r;
  for (size_t j = 0; j < facts->d; ++j) {
    z[j] = uniform(words) - 0.5;
    if (tacit_words_next(words) % 4 == 0) z[j] = 0;
    square += z[j] * z[j];
  }
  if (tacit_words_next(words) % 3 == 0) length *= exp(3 * uniform(words));
  for (size_t j = 0; square > 0 && j < facts->d; ++j) {
    z[j] *= length / sqrt(square);
    eta += z[j] * theta[j];
  }
  *y = tacit_words_next(words) % 2 ? 1 : -1;
  if (facts->loss == TACIT_EFFECTS_SQUARED) /* errors around the worst slopes */
    *y = eta + facts->tau * 4 * (uniform(words) - 0.5);
  if (facts->loss == TACIT_EFFECTS_POISSON) *y = 20 * uniform(words);
}

static tacit_once_facts once_of(const tacit_joint_facts *facts) {
  return (tacit_once_facts){.columns = tacit_joint_dim(facts),
                            .twice = tacit_joint_twice(facts),
                            .units = 100,
                            .kappa = facts->kappa,
                            .mu = 1};
}

/* A unit of 1 to ROWS_MAX rows, alike or not. */
static void worst_unit(tacit_words *words, const tacit_joint_facts *facts,
                       double *unit) {
  double z[D_MAX], y;
  size_t rows =
      tacit_words_next(words) % 2 ? 1 : 1 + tacit_words_next(words) % ROWS_MAX;
  int alike = tacit_words_next(words) % 2;
  double weight = tacit_words_next(words) % 4 ? 1 : uniform(words);
  tacit_joint_scale scale = tacit_joint_scale_of(facts);
  worst_row(words, facts, z, &y);
  for (size_t i = 0; i < rows; ++i) {
    if (!alike) worst_row(words, facts, z, &y);
    tacit_sums sums = {0};
    for (size_t j = 0; j < facts->d; ++j) {
      sums.raw_square += z[j] * z[j];
      sums.raw_dot += z[j] * theta[j];
    }
    tacit_joint_row(facts, &scale, z, &sums, y, weight, 1 / (double)rows, i == 0, unit);
  }
  tacit_joint_unit(facts, &scale, unit);
}

static void add(tacit_once *once, const double *unit, size_t dim) {
  tacit_batch batch = dense_rows(unit, NULL, 1, dim);
  const tacit_points none = {0};
  double steps = tacit_once_steps(once);
  const tacit_contribution raw = {.raw_factors = &steps};
  tacit_measures measures;
  tacit_error err;
  assert_int_equal(tacit_sum_measure(once->sums[0], &batch, 0, 1, &none, &measures), 1);
  CHECK_OK(tacit_sum_add(once->sums[0], &raw, NULL, &err), err);
}

/* The integers of the sum of one unit. */
static void integers_of(const tacit_joint_facts *facts, tacit_pool *pool,
                        const double *unit, int64_t *out, double *out_steps) {
  const tacit_once_facts sum = once_of(facts);
  size_t dim = tacit_joint_dim(facts);
  tacit_once once;
  tacit_error err;
  CHECK_OK(tacit_once_init(&once, &sum, pool, &err), err);
  add(&once, unit, dim);
  memcpy(out, tacit_sum_raw_integers(once.sums[0]), dim * sizeof *out);
  *out_steps = tacit_once_steps(&once);
  tacit_once_fini(&once);
}

static void no_honest_unit_is_clipped(void **state) {
  static const unsigned char seed[TACIT_KEY_BYTES] = "honest units";
  tacit_words words;
  tacit_pool *pool = NULL;
  tacit_error err;
  (void)state;
  tacit_words_init(&words, seed);
  CHECK_OK(tacit_pool_new(1, &pool, &err), err);
  for (int i = 0; i < 36; ++i) {
    const tacit_joint_facts facts = facts_of(i);
    size_t dim = tacit_joint_dim(&facts);
    double longest = 0;
    for (int trial = 0; trial < 1500; ++trial) {
      double unit[DIM_MAX], steps, square = 0;
      int64_t integers[DIM_MAX];
      worst_unit(&words, &facts, unit);
      for (size_t j = 0; j < dim; ++j)
        square += unit[j] * unit[j] * (facts.kappa == 2 && j < facts.d ? 2 : 1);
      longest = fmax(longest, sqrt(square));
      if (trial % 50 > 0 && square < 0.985) continue;
      integers_of(&facts, pool, unit, integers, &steps);
      for (size_t j = 0; j < dim; ++j)
        assert_int_equal(integers[j], (int64_t)(unit[j] * steps));
    }
    CHECK_AT_MAX(longest, 0.9999);
    if (!(longest > 0.98)) fail_msg("setting %d: B could be larger: %g", i, longest);
  }
  tacit_pool_free(pool);
}

/* The noise that is added to a sum of these facts, in steps. */
static double noise_of(const tacit_joint_facts *facts, tacit_pool *pool) {
  static const tacit_key key;
  const tacit_once_facts sum = once_of(facts);
  double y[DIM_MAX], noise;
  tacit_once once;
  tacit_error err;
  CHECK_OK(tacit_once_init(&once, &sum, pool, &err), err);
  CHECK_OK(tacit_once_end(&once, pool, &key, "test", y, &noise, &err), err);
  noise *= tacit_once_steps(&once);
  tacit_once_fini(&once);
  return noise;
}

/* Two units that are as far apart as they can be: gradients of opposite sign, squares
   of directions at right angles; or long ones. */
static void apart(tacit_words *words, const tacit_joint_facts *facts, double *one,
                  double *two) {
  size_t dim = tacit_joint_dim(facts), d = facts->d;
  worst_unit(words, facts, one);
  worst_unit(words, facts, two);
  switch (tacit_words_next(words) % 4) {
  case 0: /* the same row with the other label */
    memcpy(two, one, dim * sizeof *two);
    for (size_t j = 0; j < d; ++j)
      two[j] = -two[j];
    break;
  case 1: /* gradients alone, too long */
    for (size_t j = 0; j < dim; ++j) {
      one[j] = j < d ? 1e6 * one[j] : 0;
      two[j] = j < d ? -one[j] : 0;
    }
    break;
  case 2: /* squares alone, too long */
    for (size_t j = 0; j < dim; ++j) {
      one[j] = j < d ? 0 : 1e6 * one[j];
      two[j] = j < d ? 0 : 1e6 * two[j];
    }
    break;
  default: break;
  }
}

static int violations(const tacit_joint_facts *facts, tacit_pool *pool, double share) {
  static const unsigned char seed[TACIT_KEY_BYTES] = "units apart";
  size_t dim = tacit_joint_dim(facts);
  double steps, bound = share * noise_of(facts, pool);
  tacit_words words;
  int found = 0;
  tacit_words_init(&words, seed);
  for (int trial = 0; trial < 120; ++trial) {
    double one[DIM_MAX], two[DIM_MAX], square = 0;
    int64_t first[DIM_MAX], second[DIM_MAX];
    apart(&words, facts, one, two);
    if (facts->kappa == 1) memset(two, 0, sizeof two);
    integers_of(facts, pool, one, first, &steps);
    integers_of(facts, pool, two, second, &steps);
    for (size_t j = 0; j < dim; ++j) {
      double change = (double)(first[j] - second[j]);
      square += change * change;
    }
    found += square > bound * bound;
  }
  return found;
}

static void a_replaced_unit_moves_the_sum_no_further_than_its_noise(void **state) {
  tacit_pool *pool = NULL;
  tacit_error err;
  (void)state;
  CHECK_OK(tacit_pool_new(1, &pool, &err), err);
  for (int i = 0; i < 36; ++i) {
    const tacit_joint_facts facts = facts_of(i);
    int found = violations(&facts, pool, 1);
    if (found > 0) fail_msg("setting %d: %d pairs", i, found);
    if (violations(&facts, pool, 0.9) == 0)
      fail_msg("setting %d: the harness sees nothing", i);
  }
  tacit_pool_free(pool);
}

/* A lattice so coarse that cutting integers matters: squares of directions at right
   angles, whose integers may have a negative inner product. */
static void cut_squares_stay_within_their_noise(void **state) {
  enum { D = 24, DIM = D + D * (D + 1) / 2, CLIP = 60 };
  static const unsigned char seed[TACIT_KEY_BYTES] = "coarse squares";
  const tacit_shape shape = {.rule = {DIM, 0, 1, 2, 1, 0}, .twice = D};
  const tacit_level *kernel = &tacit_level_plain;
  tacit_words words;
  tacit_error err;
  double most = 0;
  (void)state;
  tacit_words_init(&words, seed);
  for (int trial = 0; trial < 300; ++trial) {
    int64_t integers[2][DIM];
    double sign = trial % 2 ? 1 : -1, square = 0;
    for (int side = 0; side < 2; ++side) {
      double z[D], unit[DIM] = {0}, factor = 1e3, *to = unit + D;
      for (size_t j = 0; j < D; ++j)
        z[j] = (uniform(&words) < 0.5 ? 1 : -1) * (0.5 + uniform(&words));
      for (size_t j = 0; j < D; ++j)
        for (size_t k = j; k < D; ++k)
          *to++ = z[j] * z[k] * (j == k ? 1 : sqrt(2));
      unit[0] = trial % 3 == 0 ? sign * (side ? 9 : -9) : 0;
      tacit_sum *sum = NULL;
      CHECK_OK(tacit_sum_new(&shape, kernel, &sum, &err), err);
      CHECK_OK(tacit_sum_open(sum, NULL, CLIP, 2, NULL, &err), err);
      tacit_batch batch = dense_rows(unit, NULL, 1, DIM);
      const tacit_points none = {0};
      const tacit_contribution raw = {.raw_factors = &factor};
      tacit_measures measures;
      assert_int_equal(tacit_sum_measure(sum, &batch, 0, 1, &none, &measures), 1);
      CHECK_OK(tacit_sum_add(sum, &raw, NULL, &err), err);
      memcpy(integers[side], tacit_sum_raw_integers(sum), sizeof integers[side]);
      tacit_sum_free(sum);
    }
    for (size_t j = 0; j < DIM; ++j) {
      double change = (double)(integers[0][j] - integers[1][j]);
      square += change * change;
    }
    most = fmax(most, sqrt(square));
  }
  CHECK_AT_MAX(most, sqrt(2) * CLIP);
  assert_true(most > 0.3 * CLIP);
}

/* The smaller noise of squares rests on which numbers count twice. */
static void sums_merge_with_their_like(void **state) {
  const tacit_shape shapes[] = {{.rule = {5, 0, 1, 2, 1, 0}, .twice = 2},
                                {.rule = {5, 0, 1, 2, 1, 0}, .twice = 1},
                                {.rule = {5, 0, 1, 2, 1, 0}}};
  (void)state;
  for (size_t i = 0; i < 9; ++i) {
    tacit_sum *into = NULL, *from = NULL;
    tacit_error err;
    CHECK_OK(tacit_sum_new(&shapes[i / 3], &tacit_level_plain, &into, &err), err);
    CHECK_OK(tacit_sum_new(&shapes[i % 3], &tacit_level_plain, &from, &err), err);
    CHECK_OK(tacit_sum_open(into, NULL, 1000, 2, NULL, &err), err);
    CHECK_OK(tacit_sum_open(from, NULL, 1000, 2, NULL, &err), err);
    assert_int_equal(tacit_sum_merge(into, from, NULL, &err),
                     i / 3 == i % 3 ? TACIT_OK : TACIT_EPRIVACY);
    tacit_sum_free(into);
    tacit_sum_free(from);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_honest_unit_is_clipped),
      cmocka_unit_test(a_replaced_unit_moves_the_sum_no_further_than_its_noise),
      cmocka_unit_test(cut_squares_stay_within_their_noise),
      cmocka_unit_test(sums_merge_with_their_like),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
