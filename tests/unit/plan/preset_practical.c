/* SPDX-License-Identifier: MIT */
/* What the practical preset chooses, by public numbers, and what it leaves alone. */
#include "made.h"

#include "plan/plan.h"

struct fixture {
  tacit_schema *classes, *number, *ten;
};

static int make_schemas(void **state) {
  static struct fixture fixture;
  *state = &fixture;
  return tacit_schema_memory(123, 2, 0, 0, &fixture.classes, NULL) != TACIT_OK ||
         tacit_schema_memory(20, 0, 0, 10, &fixture.number, NULL) != TACIT_OK ||
         tacit_schema_memory(784, 10, 0, 0, &fixture.ten, NULL) != TACIT_OK;
}

static int free_schemas(void **state) {
  struct fixture *fixture = *state;
  tacit_schema_free(fixture->classes);
  tacit_schema_free(fixture->number);
  tacit_schema_free(fixture->ten);
  return 0;
}

static tacit_config config_of(const tacit_schema *schema) {
  tacit_config config = made_config(schema, 32560);
  config.rereadable = true;
  return config;
}

static void check_plan(const tacit_config *config, const char *learner, int passes,
                       int64_t per_pass, double power, int centred) {
  tacit_plan *plan = made_plan(config);
  assert_string_equal(plan->learner_spec, learner);
  assert_int_equal(plan->passes, passes);
  assert_int_equal(plan->per_pass, per_pass);
  assert_true(plan->power == power);
  assert_int_equal(plan->centred, centred);
  tacit_plan_free(plan);
}

static void rounds_follow_the_passes(void **state) {
  const struct fixture *fixture = *state;
  static const struct {
    int passes;
    int64_t smooth, stiff;
  } cases[] = {{1, 24, 32}, {2, 16, 16}, {3, 16, 16}, {4, 16, 16},
               {5, 8, 8},   {8, 8, 8},   {16, 4, 4},  {1000, 1, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    tacit_config config = config_of(fixture->classes);
    config.passes = cases[i].passes;
    check_plan(&config, "bettor", cases[i].passes, cases[i].smooth,
               cases[i].passes == 1 ? 1.25 : 1.5, 1);
    config.loss = "hinge";
    check_plan(&config, "heavy-ball", cases[i].passes, cases[i].stiff, 0, 1);
  }
}

static void passes_follow_rows_columns_and_classes(void **state) {
  const struct fixture *fixture = *state;
  static const struct {
    int64_t rows;
    int passes;
    int64_t per_pass;
  } cases[] = {{1000, 8, 8},       {1600000, 8, 8},    {1700000, 3, 16},
               {16000000, 3, 16},  {160000000, 3, 16}, {1600000000, 2, 16},
               {1700000000, 1, 24}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    tacit_config config = config_of(fixture->classes);
    config.rows = cases[i].rows;
    tacit_plan *plan = made_plan(&config);
    assert_int_equal(plan->passes, cases[i].passes);
    assert_int_equal(plan->per_pass, cases[i].per_pass);
    tacit_plan_free(plan);
  }
  tacit_config config = config_of(fixture->ten);
  config.rows = 60000;
  check_plan(&config, "bettor", 8, 8, 1.5, 1);
}

/* The sum of so many rows does not fit into round 0: there is none, unless it was asked
   for. Rounds hold 2^28 rows at most. */
static void rows_beyond_the_integers_of_a_round(void **state) {
  const struct fixture *fixture = *state;
  tacit_error err;
  tacit_plan *plan = NULL;
  for (int64_t rows = INT64_C(1) << 29; rows <= INT64_C(1) << 34; rows *= 2) {
    tacit_config config = config_of(fixture->classes);
    config.rows = rows;
    plan = made_plan(&config);
    assert_int_equal(plan->centred, rows <= INT64_C(1) << 29);
    assert_true(plan->recipe && rows / plan->per_pass <= INT64_C(1) << 28);
    tacit_plan_free(plan);
    config.centre = TACIT_CENTRE_ON;
    if (rows == INT64_C(1) << 29) continue;
    assert_int_equal(tacit_plan_new(&config, &plan, &err), TACIT_EINVAL);
    assert_non_null(strstr(err.message, "leave it off"));
  }
}

static void the_label_decides_about_the_loss(void **state) {
  const struct fixture *fixture = *state;
  const struct {
    const tacit_schema *schema;
    const char *loss;
  } cases[] = {{fixture->classes, "logistic"},
               {fixture->number, "squared"},
               {fixture->ten, "softmax"}};
  for (int preset = TACIT_PRACTICAL; preset <= TACIT_ANYTIME; ++preset) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
      tacit_config config = config_of(cases[i].schema);
      config.preset = (tacit_preset)preset;
      tacit_plan *plan = made_plan(&config);
      assert_true(strncmp(plan->loss_spec, cases[i].loss, strlen(cases[i].loss)) == 0);
      tacit_plan_free(plan);
    }
  }
}

static void stiff_losses_on_numbers_have_sharp_corners(void **state) {
  const struct fixture *fixture = *state;
  tacit_config config = config_of(fixture->number);
  config.loss = "quantile";
  tacit_plan *plan = made_plan(&config);
  assert_string_equal(plan->learner_spec, "heavy-ball");
  assert_non_null(strstr(plan->loss_spec, "kappa=0.02"));
  assert_true(plan->row.scale > 0); /* and one scale for all rows */
  tacit_plan_free(plan);
  config.preset = TACIT_ANYTIME;
  plan = made_plan(&config);
  assert_non_null(strstr(plan->loss_spec, "kappa=0.1"));
  tacit_plan_free(plan);
  config.preset = TACIT_PRACTICAL;
  config.moments = TACIT_MOMENTS_OFF;
  static const char *const smooth[] = {"huber", "squared", "poisson"};
  for (size_t i = 0; i < sizeof smooth / sizeof *smooth; ++i) {
    config.loss = smooth[i];
    check_plan(&config, "bettor", 8, 8, 1.5, 1);
  }
  config.loss = "huber:tau=0.1";
  check_plan(&config, "heavy-ball", 8, 8, 0, 1);
}

static void what_is_given_is_kept(void **state) {
  const struct fixture *fixture = *state;
  tacit_config config = config_of(fixture->classes);
  config.power = 3;
  config.batch = 4000;
  config.centre = TACIT_CENTRE_OFF;
  check_plan(&config, "bettor", 8, 9, 3, 0);
  config = config_of(fixture->classes);
  config.mechanism = "blt";
  tacit_plan *plan = made_plan(&config);
  assert_string_equal(plan->vault.encoder->name, "blt");
  tacit_plan_free(plan);
  config.mechanism = NULL;
  config.learner = "osd"; /* the rules of anytime, one pass */
  check_plan(&config, "osd", 1, 32, 2, 0);
}

/* Whoever hands the matrix of the table in as one of their own gets the same run. */
static void a_matrix_of_ones_own_changes_the_matrix_only(void **state) {
  const struct fixture *fixture = *state;
  static const char *const losses[] = {"logistic", "hinge"};
  for (int which = 0; which < 4; ++which) {
    tacit_error err;
    tacit_config config = config_of(fixture->classes);
    config.loss = losses[which % 2];
    config.passes = which < 2 ? 1 : 8;
    tacit_plan *plan = made_plan(&config);
    tacit_encoder_facts shape = plan->vault.shape;
    shape.weight_bits = 12; /* those of the table */
    int64_t *entries = calloc((size_t)(plan->rounds * plan->rounds), sizeof *entries);
    CHECK_OK(plan->vault.encoder->fill(&shape, entries, &err), err);
    const tacit_matrix matrix = {plan->rounds, 12, entries};
    config.matrix = &matrix;
    for (int named = 0; named < 2; ++named) { /* as the command line names it, or not */
      config.mechanism = named ? "matrix" : NULL;
      tacit_plan *own = made_plan(&config);
      assert_true(own->recipe && own->centred && own->vault.shape.matrix != NULL);
      assert_string_equal(own->learner_spec, plan->learner_spec);
      assert_true(json_equal(own->training, plan->training));
      assert_true(json_equal(own->statement, plan->statement));
      assert_true(own->rounds == plan->rounds && own->passes == plan->passes);
      assert_true(own->noise_last == plan->noise_last);
      tacit_plan_free(own);
    }
    free(entries);
    tacit_plan_free(plan);
  }
}

/* Options that exclude centred rows get the defaults of the preset anytime. */
static void elsewhere_it_is_anytime(void **state) {
  const struct fixture *fixture = *state;
  for (int which = 0; which < 5; ++which) {
    tacit_config config = config_of(fixture->classes);
    if (which == 0) config.pure = 1;
    if (which == 1) config.norm = 1.5;
    if (which == 2) config.domain = TACIT_DOMAIN_SIMPLEX;
    if (which == 3) config.bound = TACIT_BOUND_TIGHT;
    if (which == 4)
      config.batch = 1; /* more rounds than a learner knows its noise for */
    tacit_plan *plan = made_plan(&config);
    assert_false(plan->recipe || plan->centred);
    assert_int_equal(plan->passes, which == 4 ? 8 : 1);
    assert_string_not_equal(plan->learner_spec, "bettor");
    tacit_plan_free(plan);
  }
  tacit_config config = config_of(fixture->classes);
  config.rows = 200; /* n mu / kappa is below 35 */
  check_plan(&config, "adagrad", 8, 4, 3, 0);
  config.adjacency = TACIT_ZERO_OUT;
  check_plan(&config, "bettor", 8, 8, 1.5, 0); /* no round 0: its mean would drown */
  config = config_of(fixture->number);
  config.rows = 15; /* nor is the mean label seen */
  check_plan(&config, "bettor", 8, 8, 1.5, 0);
  config.rows = 60; /* here it is, though not the mean row */
  check_plan(&config, "bettor", 8, 8, 1.5, 1);
}

static void rows_that_come_once_are_read_once(void **state) {
  const struct fixture *fixture = *state;
  tacit_config config;
  tacit_config_init(&config); /* as a caller who feeds rows leaves it */
  config.schema = fixture->classes;
  config.rows = 32560;
  config.epsilon = 1;
  for (int passes = 0; passes <= 1; ++passes) {
    config.passes = passes;
    check_plan(&config, "bettor", 1, 24, 1.25, 1);
    tacit_plan *plan = made_plan(&config);
    assert_true(plan->apart && plan->mean_rows == 32560 / 16);
    assert_true(plan->vault.budget == plan->mu && plan->mean.budget == plan->mu);
    tacit_plan_free(plan);
  }
  config.passes = 2; /* the caller feeds all rows three times */
  check_plan(&config, "bettor", 2, 16, 1.5, 1);
  for (int which = 0; which < 3; ++which) {
    config.passes = 0;
    config.shuffled = which == 0;
    config.units = which == 1 ? 32560 : 0;
    config.centre = which == 2 ? TACIT_CENTRE_ON : TACIT_CENTRE_DEFAULT;
    tacit_plan *plan = made_plan(&config);
    assert_true(plan->passes == 8 && plan->centred && !plan->apart);
    tacit_plan_free(plan);
  }
}

/* What is noisier is never promised more; docs/results/outlook.md measures the words.
 */
static void the_outlook_follows_the_noise(void **state) {
  const struct fixture *fixture = *state;
  static const char *const words[] = {"near non-private", "a little", "clearly",
                                      "no promise"};
  static const char *const losses[] = {"logistic", "hinge"};
  for (int which = 0; which < 4; ++which) {
    size_t before = 0;
    tacit_config config = config_of(fixture->classes);
    config.loss = losses[which % 2];
    if (which >= 2) config.passes = 1;
    for (double epsilon = 8; epsilon > 0.01; epsilon /= 1.5) {
      config.epsilon = epsilon;
      tacit_plan *plan = made_plan(&config);
      const char *outlook = strstr(plan->text, "outlook");
      size_t at = 0;
      while (at < 4 && strstr(outlook, words[at]) == NULL)
        ++at;
      assert_true(at < 4 && at >= before && at <= before + 1);
      before = at;
      tacit_plan_free(plan);
    }
    assert_int_equal(before, 3);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rounds_follow_the_passes),
      cmocka_unit_test(passes_follow_rows_columns_and_classes),
      cmocka_unit_test(rows_beyond_the_integers_of_a_round),
      cmocka_unit_test(the_label_decides_about_the_loss),
      cmocka_unit_test(stiff_losses_on_numbers_have_sharp_corners),
      cmocka_unit_test(what_is_given_is_kept),
      cmocka_unit_test(a_matrix_of_ones_own_changes_the_matrix_only),
      cmocka_unit_test(elsewhere_it_is_anytime),
      cmocka_unit_test(rows_that_come_once_are_read_once),
      cmocka_unit_test(the_outlook_follows_the_noise),
  };
  return cmocka_run_group_tests(tests, make_schemas, free_schemas);
}
