/* SPDX-License-Identifier: MIT */
/*
 * The attacker of an audit knows every sum of a run: what is released, less what it
 * computes, is exactly nothing without noise, and has the size of the noise otherwise.
 * If it were not so, its likelihood ratio would prove nothing. And the canary is the
 * worst case: it moves all releases of a run by no more than mu in units of the noise,
 * and where one record is left out (zero-out), by hardly less. Seeds are fixed.
 */
#include "check.h"

#include "extra/audit/attacker.h"

enum { ROWS = 120, FEATURES = 3 };

struct setting {
  const char *loss, *learner, *mechanism;
  tacit_preset preset;
  tacit_centring centre;
  tacit_adjacency adjacency;
  size_t classes;
  double low, high; /* bounds of a number label */
  int passes, in_place, weighted, moments;
  int64_t units, unit_rows;
};

static const struct setting settings[] = {
    {.preset = TACIT_ANYTIME},
    {.preset = TACIT_ANYTIME, .passes = 4, .adjacency = TACIT_ZERO_OUT},
    {.preset = TACIT_ANYTIME, .passes = 2, .units = 100},
    {.preset = TACIT_ANYTIME,
     .units = 100,
     .unit_rows = 2,
     .adjacency = TACIT_ZERO_OUT},
    {.preset = TACIT_ANYTIME, .units = 100, .unit_rows = 5, .weighted = 1},
    {.preset = TACIT_ANYTIME, .in_place = 1, .mechanism = "tree"},
    {.preset = TACIT_ANYTIME, .mechanism = "blt", .weighted = 1},
    {.preset = TACIT_ANYTIME, .classes = 4, .passes = 2},
    {.preset = TACIT_ANYTIME, .classes = 3, .loss = "hinge"},
    {.preset = TACIT_ANYTIME, .loss = "huber", .low = -2, .high = 7},
    {.preset = TACIT_PAPER, .in_place = 1},
    {.preset = TACIT_PRACTICAL, .centre = TACIT_CENTRE_ON, .passes = 4},
    {.preset = TACIT_PRACTICAL, .centre = TACIT_CENTRE_ON, .adjacency = TACIT_ZERO_OUT},
    {.preset = TACIT_PRACTICAL, .centre = TACIT_CENTRE_ON, .weighted = 1, .units = 90},
    {.preset = TACIT_PRACTICAL,
     .centre = TACIT_CENTRE_ON,
     .loss = "squared",
     .low = 0,
     .high = 9},
    {.preset = TACIT_PRACTICAL,
     .centre = TACIT_CENTRE_ON,
     .loss = "hinge",
     .classes = 3},
    {.preset = TACIT_PRACTICAL,
     .centre = TACIT_CENTRE_ON,
     .loss = "hinge",
     .passes = 8,
     .adjacency = TACIT_ZERO_OUT},
    {.preset = TACIT_PRACTICAL,
     .centre = TACIT_CENTRE_ON,
     .units = 100,
     .passes = 8,
     .adjacency = TACIT_ZERO_OUT},
    {.preset = TACIT_PRACTICAL,
     .centre = TACIT_CENTRE_ON,
     .low = -1,
     .high = 1,
     .passes = 8,
     .moments = 1},
    {.preset = TACIT_PRACTICAL,
     .centre = TACIT_CENTRE_ON,
     .low = -1,
     .high = 1,
     .passes = 8,
     .moments = 1,
     .units = 90,
     .weighted = 1},
    {.preset = TACIT_PRACTICAL, .centre = TACIT_CENTRE_ON, .classes = 5},
    {.preset = TACIT_PRACTICAL,
     .centre = TACIT_CENTRE_ON,
     .loss = "poisson",
     .low = 0,
     .high = 9},
    {.preset = TACIT_PRACTICAL,
     .centre = TACIT_CENTRE_ON,
     .loss = "logistic",
     .learner = "heavy-ball",
     .mechanism = "matrix"},
};

/* One run on each file, with this budget; without noise if it is 0. */
static void run_both(const struct setting *s, double mu, uint64_t seed) {
  tacit_schema *schema = NULL;
  tacit_config config;
  tacit_plan *plan = NULL;
  tacit_neighbours *both = NULL;
  tacit_attacker attacker;
  tacit_error err;
  if (s->classes > 0)
    CHECK_OK(tacit_schema_memory(FEATURES, s->classes, 0, 0, &schema, &err), err);
  else
    CHECK_OK(tacit_schema_memory(FEATURES, s->high > s->low ? 0 : 2, s->low, s->high,
                                 &schema, &err),
             err);
  tacit_config_init(&config);
  config.schema = schema;
  config.rows = ROWS;
  config.units = s->units;
  config.unit_rows = s->unit_rows;
  config.weighted = s->weighted;
  config.shuffled = !s->in_place;
  config.loss = s->loss;
  config.learner = s->learner;
  config.mechanism = mu > 0 ? s->mechanism : "none";
  config.preset = s->preset;
  config.centre = s->centre;
  config.adjacency = s->adjacency;
  config.passes = s->passes > 0 ? s->passes : 1;
  config.rho = mu;
  if (s->moments && mu > 0) config.moments = TACIT_MOMENTS_ON;
  config.seeded = 1;
  config.seed = seed;
  CHECK_OK(tacit_plan_new(&config, &plan, &err), err);
  assert_int_equal(plan->centred, s->centre == TACIT_CENTRE_ON && mu > 0);
  assert_int_equal(plan->products, s->moments && mu > 0);
  CHECK_OK(tacit_neighbours_new(plan, &both, &err), err);
  CHECK_OK(tacit_attacker_init(&attacker, both, plan, &err), err);
  for (int which = 0; which < 2; ++which) {
    CHECK_OK(tacit_attacker_run(&attacker, &config, which, &err), err);
    double numbers = (double)attacker.numbers;
    assert_true(attacker.numbers >= plan->rounds * FEATURES);
    if (mu > 0)
      CHECK_WITHIN(attacker.noise / numbers, 1, 5 * sqrt(2 / numbers));
    else
      assert_true(attacker.noise == 0);
    CHECK_AT_MAX(attacker.distance, mu > 0 ? mu * mu * (1 + 1e-12) : INFINITY);
    if (s->adjacency == TACIT_ZERO_OUT && mu > 0)
      /* The radius follows the spread of the rows, which waves tell within a tenth. */
      CHECK_AT_MAX((plan->spreads ? 0.9 : 0.98) * mu * mu, attacker.distance);
  }
  tacit_attacker_fini(&attacker);
  tacit_neighbours_free(both);
  tacit_plan_free(plan);
  tacit_schema_free(schema);
}

static void the_attacker_knows_every_sum(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof settings / sizeof *settings; ++i)
    if (settings[i].centre != TACIT_CENTRE_ON) run_both(&settings[i], 0, i);
}

/* A budget of 1000 has so little noise that a row in the wrong round would show. */
static void what_is_left_is_the_noise(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof settings / sizeof *settings; ++i) {
    run_both(&settings[i], 1000, 100 + i);
    run_both(&settings[i], 2, 200 + i);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_attacker_knows_every_sum),
      cmocka_unit_test(what_is_left_is_the_noise),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
