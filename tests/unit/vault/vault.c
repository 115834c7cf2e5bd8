/* SPDX-License-Identifier: MIT */
/* vault/vault.c: what the wall does when nobody around it checks anything. */
#include "sums.h"

#include <stdlib.h>

#include "mechanism/lattice.h"
#include "mechanism/mechanism.h"
#include "not_private/laws.h"
#include "vault/law.h"
#include "vault/vault.h"

enum { DIM = 4 * TACIT_NOISE_BLOCK, ROUNDS = 4 };

static const tacit_key test_key = {"vault tests"};

static tacit_vault_facts facts_of(const struct tacit_encoder_ops *encoder,
                                  const struct tacit_law_ops *law) {
  tacit_lattice_facts lattice = {
      .rows_round = 100,
      .rows_run = 100 * ROUNDS,
      .s_max = 1,
      .s_min = 0x1p-10,
      .kappa = 2,
      .encoder = encoder,
      .shape = {.dim = DIM, .rounds = ROUNDS, .per_pass = ROUNDS},
      .pure = law->pure,
      .budget = 0.5,
  };
  for (int i = 0; encoder->params != NULL && encoder->params[i].name != NULL; ++i)
    lattice.shape.values[i] = encoder->params[i].fallback;
  tacit_vault_facts facts = {.encoder = encoder,
                             .shape = lattice.shape,
                             .law = law,
                             .exponent = law->sens_norm,
                             .kappa = lattice.kappa,
                             .budget = lattice.budget};
  tacit_error err;
  CHECK_OK(tacit_lattice_new(&lattice, &facts.lattice, &err), err);
  facts.shape.weight_bits = facts.lattice.weight_bits;
  facts.shape.clip_max = facts.lattice.clip_max;
  return facts;
}

static tacit_vault *vault_of(const tacit_vault_facts *facts) {
  tacit_vault *vault = NULL;
  tacit_error err;
  CHECK_OK(tacit_vault_new(facts, &test_key, 0, DIM, &vault, &err), err);
  return vault;
}

/* Releases sums of zero under a bound; the result is noise alone. */
static double release_noise(tacit_vault *vault, const tacit_vault_facts *facts,
                            tacit_pool *pool, int64_t t, int64_t clip, double *y) {
  static const int64_t raw_zero[DIM];
  tacit_release out = {.y = y};
  tacit_error err;
  CHECK_OK(release_integers(vault, facts, pool, t, clip, 100, raw_zero, &out, &err),
           err);
  return tacit_law_std(facts->law, DIM, facts->exponent) * out.noise_scale;
}

static size_t equal_places(const double *a, const double *b, size_t count) {
  size_t equal = 0;
  for (size_t i = 0; i < count; ++i)
    equal += a[i] == b[i];
  return equal;
}

static const struct tacit_encoder_ops *const encoders[] = {
    &tacit_encoder_tree,
    &tacit_encoder_banded,
    &tacit_encoder_blt,
    &tacit_encoder_tree,
};
static const struct tacit_law_ops *const laws[] = {
    &tacit_law_gaussian, &tacit_law_gaussian, &tacit_law_gaussian, &tacit_law_laplace};
enum { WAYS = 4 };

/* The sums of all blocks and rounds are the same, so that nothing but the number of the
   block and of the round can tell their noise apart. Scales are far above 1: two
   independent samples are equal once in thousands. */
static void equal_blocks_and_rounds_get_noise_of_their_own(void **state) {
  (void)state;
  static double y[ROUNDS][DIM];
  tacit_pool *pool;
  tacit_error err;
  CHECK_OK(tacit_pool_new(2, &pool, &err), err);
  for (int way = 0; way < WAYS; ++way) {
    tacit_vault_facts facts = facts_of(encoders[way], laws[way]);
    tacit_vault *vault = vault_of(&facts);
    for (int t = 0; t < ROUNDS; ++t)
      (void)release_noise(vault, &facts, pool, t + 1, facts.lattice.clip_max, y[t]);
    for (int t = 0; t < ROUNDS; ++t) {
      for (size_t a = 0; a < DIM; a += TACIT_NOISE_BLOCK)
        for (size_t b = 0; b < a; b += TACIT_NOISE_BLOCK)
          assert_true(equal_places(y[t] + a, y[t] + b, TACIT_NOISE_BLOCK) < 20);
      for (int s = 0; s < t; ++s)
        assert_true(equal_places(y[s], y[t], DIM) < 20);
    }
    tacit_vault_free(vault);
  }
  tacit_pool_free(pool);
}

/* The noise of every row is at least what the largest bound of its rounds asks for, and
   the released numbers have the standard deviation that is said. 6 standard errors:
   false alarm 2e-9, and the key is fixed. */
static void noise_covers_every_round_of_a_row(void **state) {
  (void)state;
  static double y[DIM];
  tacit_pool *pool;
  tacit_error err;
  CHECK_OK(tacit_pool_new(1, &pool, &err), err);
  for (int way = 0; way < WAYS; ++way) {
    tacit_vault_facts facts = facts_of(encoders[way], laws[way]);
    tacit_vault *vault = vault_of(&facts);
    /* Costs of pure DP add up, those of mu-GDP as squares. */
    tacit_encoder_sens sens = sens_of(encoders[way], &facts.shape);
    double factor = laws[way]->pure ? sens.sum : sens.squares;
    int64_t high = facts.lattice.clip_max;
    int64_t low = high / 100;
    const int64_t clips[ROUNDS] = {high, low, low, low};
    /* Rows 1, 2 and 4 of the tree hold round 1; row 3 holds only round 3. All rows of
       the others hold round 1. */
    const int tree = encoders[way] == &tacit_encoder_tree;
    const int64_t covers[ROUNDS] = {high, high, tree ? low : high, high};
    for (int t = 0; t < ROUNDS; ++t) {
      double said = release_noise(vault, &facts, pool, t + 1, clips[t], y);
      double scale = facts.kappa * factor * (double)covers[t] / facts.budget;
      double asked = tacit_law_std(facts.law, DIM, facts.exponent) *
                     ldexp(scale, -facts.lattice.exponent);
      CHECK_AT_MAX(asked, said * (1 + 1e-12));
      double squares = 0;
      for (int i = 0; i < DIM; ++i)
        squares += y[i] * y[i];
      /* Kurtosis 3 and 6: the variance of a square is 2 and 5 in units of its mean. */
      double error = 6 * sqrt((facts.law->pure ? 5. : 2.) / DIM);
      CHECK_RELATIVE(squares / DIM, said * said, error);
    }
    tacit_vault_free(vault);
  }
  tacit_pool_free(pool);
}

/* Releases rounds 1 … done of a new vault, then tries round t. */
static tacit_status release_after(const tacit_vault_facts *facts, tacit_pool *pool,
                                  int64_t done, int64_t t, tacit_error *err) {
  static double y[DIM];
  static int64_t raw_sum[DIM];
  tacit_vault *vault = vault_of(facts);
  tacit_release out = {.y = y};
  for (int64_t r = 1; r <= done; ++r)
    CHECK_OK(release_integers(vault, facts, pool, r, 100, 100, raw_sum, &out, err),
             *err);
  raw_sum[0] = 50; /* another sum would not help a second try */
  tacit_status status =
      release_integers(vault, facts, pool, t, 100, 100, raw_sum, &out, err);
  raw_sum[0] = 0;
  tacit_vault_free(vault);
  return status;
}

static void rounds_are_released_once_and_in_order(void **state) {
  (void)state;
  tacit_vault_facts facts = facts_of(&tacit_encoder_tree, &tacit_law_gaussian);
  tacit_pool *pool;
  tacit_error err;
  CHECK_OK(tacit_pool_new(1, &pool, &err), err);
  for (int64_t done = 0; done <= ROUNDS; ++done) {
    for (int64_t t = 0; t <= ROUNDS + 1; ++t)
      assert_int_equal(release_after(&facts, pool, done, t, &err),
                       t == done + 1 && t <= ROUNDS ? TACIT_OK : TACIT_EPRIVACY);
  }
  tacit_pool_free(pool);
}

/* A sum that no rows of the round can have, and a sum of another kind. */
struct fault {
  int64_t raw_last, clip;
  double exponent;
  size_t dim;
  int64_t rows;
};

static tacit_status release_fault(const struct fault *fault, tacit_vault *vault,
                                  tacit_pool *pool, tacit_error *err) {
  static double y[DIM];
  tacit_release out = {.y = y};
  tacit_sum *sum = NULL;
  const tacit_shape flat = {.rule = {.features = fault->dim, .outputs = 1}};
  CHECK_OK(tacit_sum_new(&flat, NULL, &sum, err), *err);
  CHECK_OK(tacit_sum_open(sum, NULL, fault->clip, fault->exponent, NULL, err), *err);
  tacit_sum_raw_load(sum, fault->rows)[fault->dim - 1] = fault->raw_last;
  tacit_status status = tacit_round_release(vault, pool, 1, sum, &out, err);
  tacit_sum_free(sum);
  return status;
}

/* One step more than the rows can have, on either side, a clip above the lattice's, a
   norm that is not the law's, too few coordinates, so many rows that the sum may have
   wrapped around: none is released, and nothing after it. */
static void sums_past_their_rows_are_refused(void **state) {
  (void)state;
  tacit_vault_facts facts = facts_of(&tacit_encoder_tree, &tacit_law_gaussian);
  facts.lattice.clip_max = facts.shape.clip_max = (int64_t)1 << 60;
  /* Rows whose sum fits 64 bits, but whose encoded sums do not fit 128. */
  const int64_t far = (int64_t)1 << 62;
  const struct fault sound = {700, 100, 2, DIM, 7};
  const struct fault faults[] = {
      {701, 100, 2, DIM, 7}, {-701, 100, 2, DIM, 7},
      {0, 100, 1, DIM, 7},   {0, facts.lattice.clip_max + 1, 2, DIM, 7},
      {0, 100, 2, DIM, -1},  {0, 100, 2, DIM - TACIT_NOISE_BLOCK, 7},
      {0, 1, 2, DIM, far},   {0, (int64_t)1 << 50, 2, DIM, (1 << 14) + 1},
  };
  tacit_pool *pool;
  tacit_error err;
  CHECK_OK(tacit_pool_new(1, &pool, &err), err);
  tacit_vault *vault = vault_of(&facts);
  CHECK_OK(release_fault(&sound, vault, pool, &err), err);
  tacit_vault_free(vault);
  for (size_t i = 0; i < sizeof faults / sizeof faults[0]; ++i) {
    vault = vault_of(&facts);
    assert_int_equal(release_fault(&faults[i], vault, pool, &err), TACIT_EPRIVACY);
    assert_int_equal(release_fault(&sound, vault, pool, &err), TACIT_EPRIVACY);
    tacit_vault_free(vault);
  }
  tacit_pool_free(pool);
}

static void a_vault_opens_only_where_the_noise_covers(void **state) {
  (void)state;
  for (int way = 0; way < WAYS; ++way) {
    for (int fault = 0; fault < 4; ++fault) {
      tacit_vault_facts facts = facts_of(encoders[way], laws[way]);
      tacit_vault *vault = NULL;
      tacit_error err;
      if (fault == 0) facts.lattice.sens *= 1 - 1e-12;
      if (fault == 1) facts.budget = INFINITY;
      if (fault == 2) facts.budget = NAN;
      if (fault == 3) facts.shape.clip_max += 1;
      assert_int_equal(tacit_vault_new(&facts, &test_key, 0, DIM, &vault, &err),
                       TACIT_EPRIVACY);
      assert_null(vault);
    }
  }
}

/* The sensitivity of a mechanism is that of a row once per pass, and the scale has one
   kappa for each adjacency: anything else is refused, however much noise there is. */
static void a_vault_knows_its_passes_and_neighbours(void **state) {
  (void)state;
  static const int kappas[] = {0, -2, 3};
  tacit_vault *vault = NULL;
  tacit_error err;
  for (int way = 0; way < WAYS; ++way) {
    for (int fault = 0; fault < 4; ++fault) {
      tacit_vault_facts facts = facts_of(encoders[way], laws[way]);
      facts.lattice.sens *= 100;
      if (fault < 3) facts.kappa = kappas[fault];
      if (fault == 3) facts.shape.per_pass = ROUNDS - 1;
      assert_int_equal(tacit_vault_new(&facts, &test_key, 0, DIM, &vault, &err),
                       TACIT_EPRIVACY);
      assert_null(vault);
    }
  }
}

/* A model may be private with these two samplers, which are proven exact. */
static void exact_laws_draw_exactly(void **state) {
  (void)state;
  const struct tacit_law_ops *law;
  for (size_t i = 0; (law = tacit_law_at(i)) != NULL; ++i)
    assert_true(!law->exact || law == &tacit_law_gaussian || law == &tacit_law_laplace);
  assert_true(tacit_law_gaussian.add != tacit_law_laplace.add);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_blocks_and_rounds_get_noise_of_their_own),
      cmocka_unit_test(noise_covers_every_round_of_a_row),
      cmocka_unit_test(rounds_are_released_once_and_in_order),
      cmocka_unit_test(sums_past_their_rows_are_refused),
      cmocka_unit_test(a_vault_opens_only_where_the_noise_covers),
      cmocka_unit_test(a_vault_knows_its_passes_and_neighbours),
      cmocka_unit_test(exact_laws_draw_exactly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
