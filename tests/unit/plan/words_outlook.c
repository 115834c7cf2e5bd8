/* SPDX-License-Identifier: MIT */
/* plan/words_outlook.c: plans of any number of rounds. Cells are compared with
   following every round, and bounds on the sensitivity with counting; plans of 10^12
   rounds take no time. */
#include "made.h"

#include "mechanism/blt.h"
#include "mechanism/decode.h"
#include "mechanism/mechanism.h"
#include "not_private/laws.h"
#include "plan/plan.h"

static tacit_schema *schema;

static int make_schema(void **state) {
  (void)state;
  return tacit_schema_memory(10, 2, 0, 0, &schema, NULL) != TACIT_OK;
}

static int free_schema(void **state) {
  (void)state;
  tacit_schema_free(schema);
  return 0;
}

static tacit_config of_rows(int64_t rows) {
  tacit_config config = made_config(schema, rows);
  config.batch = 1;
  return config;
}

struct sums {
  double regret, sampling, noise, last, noisy;
};

/* The three terms by their definitions, round by round. */
static struct sums followed(const tacit_plan *plan) {
  const tacit_vault_facts *vault = &plan->vault;
  tacit_encoder_facts shape = vault->shape;
  tacit_decoder *decoder;
  tacit_error err;
  shape.dim = 0;
  CHECK_OK(tacit_decoder_new(vault->encoder, &shape, &decoder, &err), err);
  double unit = vault->kappa * ldexp(vault->lattice.sens, -vault->lattice.weight_bits) /
                vault->budget;
  double rows = (double)plan->rows / (double)plan->per_pass;
  double root_v = sqrt(tacit_law_second_moment(vault->law, plan->dim, vault->exponent));
  double tail = sqrt(2 * log(1e3 * (double)plan->rounds));
  if (vault->law->pure) tail *= root_v;
  double squares = 0, steps = 0, g = plan->learner.grad_bound;
  double size = sqrt(plan->power + 0.5) / g; /* of learner osd, without 1/sqrt(t) */
  struct sums sums = {0};
  tacit_weights weights;
  tacit_weights_init(&weights, plan->power, plan->rounds);
  for (int64_t t = 1; t <= plan->rounds; ++t) {
    tacit_weights_next(&weights);
    double s = tacit_plan_bound(plan, &weights, plan->diameter, plan->diameter);
    double bound = s * plan->sens_norm_ratio;
    double std = vault->encoder->relative ? unit : unit * bound;
    double noise = tacit_decoder_open(decoder, t, bound, std) / rows;
    squares += s * s / rows;
    sums.sampling += sqrt(squares);
    sums.noise += root_v * noise;
    double grad = weights.share * g;
    steps += size / sqrt((double)t) / weights.share *
             (grad * grad + root_v * noise * root_v * noise) / 2;
    sums.noisy = fmax(sums.noisy, g + (root_v + tail) * noise / weights.share);
    sums.last = root_v * noise;
  }
  sums.regret = (sqrt((double)plan->rounds) / size / 2 + steps) / weights.horizon;
  sums.sampling /= weights.horizon;
  sums.noise /= weights.horizon;
  tacit_decoder_free(decoder);
  return sums;
}

/* The result of the cells is never smaller, and at most `more` times larger. */
static void check_between(const char *what, double cells, double rounds, double more) {
  if (!(cells >= rounds * (1 - 1e-6) && cells <= rounds * (1 + more)))
    fail_msg("%s: %.9g in cells, %.9g round by round", what, cells, rounds);
}

static void cells_agree_with_rounds(void **state) {
  (void)state;
  static const char *const mechanisms[] = {"tree", "blt"};
  for (int i = 0; i < 24; ++i) {
    tacit_config config = of_rows(i % 3 == 0 ? 66000 : 100003);
    config.mechanism = mechanisms[i % 2];
    config.bound = i % 4 == 0   ? TACIT_BOUND_TIGHT
                   : i % 4 == 1 ? TACIT_BOUND_PAPER
                                : TACIT_BOUND_CLIP;
    config.power = 1 + i / 2 % (i % 2 == 0 ? 2 : 3); /* as far as the tree goes */
    config.passes = i % 5 == 4 ? 3 : 1;
    config.adjacency = i % 7 == 0 ? TACIT_ZERO_OUT : TACIT_REPLACE;
    config.pure = i == 22;
    tacit_plan *plan;
    tacit_error err;
    CHECK_OK(tacit_plan_new(&config, &plan, &err), err);
    assert_true(plan->rounds > 1 << 16);
    struct sums sums = followed(plan);
    check_between("regret", plan->term_regret, sums.regret, 0.02);
    check_between("sampling", plan->term_sampling, sums.sampling, 0.02);
    check_between("noise", plan->term_noise, sums.noise, 0.02);
    check_between("largest noise", plan->learner.noisy_bound, sums.noisy, 0.05);
    CHECK_RELATIVE(plan->noise_last_norm, sums.last, 1e-9);
    tacit_plan_free(plan);
  }
}

/* Up to 2^16 rounds every one is followed: the bits of seeded models depend on it. */
static void fewer_rounds_are_followed_one_by_one(void **state) {
  (void)state;
  tacit_config config = of_rows(1 << 16);
  config.mechanism = "tree";
  tacit_plan *plan;
  tacit_error err;
  CHECK_OK(tacit_plan_new(&config, &plan, &err), err);
  struct sums sums = followed(plan);
  CHECK_RELATIVE(plan->term_noise, sums.noise, 1e-14);
  CHECK_RELATIVE(plan->learner.noisy_bound, sums.noisy, 1e-14);
  tacit_plan_free(plan);
}

/* 10^12 rounds and more. A loop over them would not end before the test is stopped. */
static void plans_of_any_length_end(void **state) {
  (void)state;
  static const int64_t million_million = INT64_C(1000000000000);
  static const struct {
    const char *mechanism;
    int64_t rows;
    tacit_preset preset;
    tacit_bound bound;
    tacit_adjacency adjacency;
    int passes, pure;
    double power;
  } cases[] = {
      {"auto", million_million, TACIT_PRACTICAL, TACIT_BOUND_CLIP, 0, 1, 0, 0},
      {"tree", million_million, TACIT_PAPER, TACIT_BOUND_PAPER, 0, 1, 0, 0},
      {"tree", million_million, TACIT_PRACTICAL, TACIT_BOUND_TIGHT, 0, 1, 0, 1},
      {"tree", million_million, TACIT_PRACTICAL, TACIT_BOUND_CLIP, 1, 3, 0, 1},
      {"tree", million_million, TACIT_PRACTICAL, TACIT_BOUND_CLIP, 0, 1000, 0, 1},
      {"tree", million_million, TACIT_PRACTICAL, TACIT_BOUND_CLIP, 1, 1, 1, 1},
      {"tree", million_million, TACIT_PAPER, TACIT_BOUND_PAPER, 0, 3, 1, 1},
      {"blt", 1 << 30, TACIT_PRACTICAL, TACIT_BOUND_CLIP, 0, 1, 0, 0},
      {"blt", 1 << 30, TACIT_PAPER, TACIT_BOUND_PAPER, 1, 1, 0, 0},
      {"blt", 300000000, TACIT_PRACTICAL, TACIT_BOUND_TIGHT, 0, 3, 0, 0},
      {"blt", 1000, TACIT_PRACTICAL, TACIT_BOUND_CLIP, 0, 1000000, 0, 0},
      {"none", million_million, TACIT_PRACTICAL, TACIT_BOUND_CLIP, 0, 1, 0, 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    tacit_config config = of_rows(cases[i].rows);
    config.mechanism = cases[i].mechanism;
    config.preset = cases[i].preset;
    config.bound = cases[i].bound;
    config.adjacency = cases[i].adjacency;
    config.passes = cases[i].passes;
    config.pure = cases[i].pure;
    config.power = cases[i].power;
    if (strcmp(cases[i].mechanism, "none") == 0) config.epsilon = 0;
    tacit_plan *plan;
    tacit_error err;
    CHECK_OK(tacit_plan_new(&config, &plan, &err), err);
    assert_true(plan->rounds == cases[i].rows * cases[i].passes);
    assert_true(isfinite(plan->term_noise) && isfinite(plan->learner.noisy_bound));
    assert_true(plan->term_noise > 0 || plan->vault.encoder == &tacit_encoder_none);
    tacit_plan_free(plan);
  }
}

/* A plan that does not fit says so instead of "out of memory". */
static void too_many_passes_are_refused(void **state) {
  (void)state;
  tacit_config config = of_rows(1000000);
  config.mechanism = "blt";
  config.passes = 1000000;
  config.batch = 1000; /* the weights of the encoder round down to 0 */
  tacit_plan *plan = NULL;
  tacit_error err = {TACIT_OK, ""};
  assert_int_equal(tacit_plan_new(&config, &plan, &err), TACIT_EPRIVACY);
  assert_non_null(strstr(err.message, "passes"));
}

/* Sum over nodes of m^power for one phase, m counted by division. */
static double phase_count(int64_t rounds, int64_t b, int64_t q, int power) {
  int64_t sum = 0;
  for (int64_t t = 1; t <= rounds; ++t) {
    int64_t first = t - (t & -t); /* the node is first+1 … t; phase q: q+1, q+1+b, … */
    int64_t m = (t - q - 1 + b) / b - (first - q - 1 + b) / b;
    sum += power == 2 ? m * m : m;
  }
  return (double)sum;
}

/* Past 2^22 rounds the tree uses a bound: at least the count, less than twice as large.
 */
static void the_bound_on_the_tree_holds(void **state) {
  (void)state;
  static const int64_t per_passes[] = {(1 << 21) + 1, 1500001, 70000, 999, 1024};
  for (size_t i = 0; i < sizeof per_passes / sizeof per_passes[0]; ++i) {
    int64_t b = per_passes[i], passes = (1 << 22) / b + 1;
    tacit_encoder_facts facts = {.dim = 1, .rounds = b * passes, .per_pass = b};
    tacit_encoder_sens sens;
    tacit_error err;
    CHECK_OK(tacit_encoder_tree.sens(NULL, &facts, &sens, &err), err);
    double squares = 0, sum = 0;
    const int64_t phases[] = {0, 1, b / 2, b - 1};
    for (size_t j = 0; j < sizeof phases / sizeof phases[0]; ++j) {
      squares = fmax(squares, phase_count(facts.rounds, b, phases[j], 2));
      sum = fmax(sum, phase_count(facts.rounds, b, phases[j], 1));
    }
    assert_true(sens.squares >= sqrt(squares) && sens.sum >= sum);
    assert_true(sens.squares <= sqrt(2.2 * squares) && sens.sum <= 2.2 * sum);
  }
}

/* For very many passes `blt` uses a bound: never below the norm of the coefficients. */
static void the_norm_of_many_passes_holds(void **state) {
  (void)state;
  enum { B = 4, PASSES = 900, ROUNDS = B * PASSES };
  tacit_encoder_facts facts = {.dim = 1,
                               .rounds = ROUNDS,
                               .per_pass = B,
                               .weight_bits = 30,
                               .clip_max = 1 << 20};
  tacit_blt blt;
  tacit_error err;
  CHECK_OK(tacit_blt_init(&blt, &facts, &err), err);
  static double c[ROUNDS], row[ROUNDS];
  c[0] = 1;
  for (int k = 1; k < ROUNDS; ++k)
    for (int j = 0; j < blt.buffers; ++j)
      c[k] += blt.omega[j] * pow(1 - blt.lambda[j], k - 1);
  for (int phase = 0; phase < B; ++phase) {
    double squares = 0;
    for (int t = 0; t < ROUNDS; ++t) {
      row[t] = 0;
      for (int i = phase; i <= t; i += B)
        row[t] += c[t - i];
      squares += row[t] * row[t];
    }
    double norm = tacit_blt_norm_up(&blt, phase + 1);
    assert_true(norm >= sqrt(squares));
    CHECK_RELATIVE(norm, sqrt(squares), 5e-3);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cells_agree_with_rounds),
      cmocka_unit_test(fewer_rounds_are_followed_one_by_one),
      cmocka_unit_test(plans_of_any_length_end),
      cmocka_unit_test(too_many_passes_are_refused),
      cmocka_unit_test(the_bound_on_the_tree_holds),
      cmocka_unit_test(the_norm_of_many_passes_holds),
  };
  return cmocka_run_group_tests(tests, make_schema, free_schema);
}
