/* SPDX-License-Identifier: MIT */
/* Round 0 in a plan: what it costs, and when there is one. */
#include "made.h"

#include "plan/plan.h"

enum { PAYS = 100 }; /* least n mu / (kappa columns) of second moments */

struct fixture {
  tacit_schema *classes, *number;
};

static int make_schemas(void **state) {
  static struct fixture fixture;
  *state = &fixture;
  return tacit_schema_memory(20, 2, 0, 0, &fixture.classes, NULL) != TACIT_OK ||
         tacit_schema_memory(20, 0, 0, 10, &fixture.number, NULL) != TACIT_OK;
}

static int free_schemas(void **state) {
  struct fixture *fixture = *state;
  tacit_schema_free(fixture->classes);
  tacit_schema_free(fixture->number);
  return 0;
}

static tacit_config config_of(const tacit_schema *schema, const char *loss) {
  tacit_config config = made_config(schema, 20000);
  config.loss = loss;
  config.passes = 4;
  config.centre = TACIT_CENTRE_ON;
  return config;
}

static void the_mean_is_charged(void **state) {
  const struct fixture *fixture = *state;
  static const double epsilons[] = {0.1, 0.3, 1, 2.7, 8, 40};
  int few = 0;
  for (size_t i = 0; i < 2 * sizeof epsilons / sizeof epsilons[0]; ++i) {
    int number = i % 2 == 1;
    tacit_config config = config_of(number ? fixture->number : fixture->classes,
                                    number ? "squared" : "logistic");
    config.epsilon = epsilons[i / 2];
    config.adjacency = i % 3 == 0 ? TACIT_ZERO_OUT : TACIT_REPLACE;
    tacit_plan *plan = made_plan(&config);
    double total, first = plan->mean.budget, rest = plan->vault.budget;
    tacit_error err;
    assert_true(plan->centred);
    CHECK_OK(tacit_mu_compose_up(first, rest, &total, &err), err);
    assert_true(total <= plan->mu);
    assert_true(total >= plan->mu * (1 - 1e-12)); /* and nothing is given away */
    /* The noise of the mean row, for a share of 0.2, decides about the share. */
    double noise = sqrt(21) * plan->mean.kappa * sqrt(1.18) /
                   (0.2 * plan->mu * (double)config.rows);
    CHECK_RELATIVE(first / plan->mu, number ? 0.45 : noise > 0.05 ? 0.3 : 0.2, 1e-12);
    few += !number && noise > 0.05;
    assert_int_equal(plan->mean.kappa, plan->vault.kappa);
    assert_int_equal(plan->mean.shape.dim, number ? 21 + 3 + 17 : 21 + 1 + 40);
    assert_int_equal(plan->dim, 22);
    assert_int_equal(plan->sums, 23);
    assert_non_null(strstr(plan->statement_text, "Round 0"));
    assert_non_null(strstr(plan->text, "centre        round 0"));
    tacit_plan_free(plan);
  }
  assert_true(few > 0 && few < 6);
}

static tacit_config config_of_moments(const tacit_schema *schema) {
  tacit_config config = config_of(schema, "squared");
  config.passes = 8;
  config.centre = TACIT_CENTRE_DEFAULT;
  config.rereadable = true;
  return config;
}

/* Mean, second moments and rounds together have the whole budget, and no more. */
static void second_moments_are_charged(void **state) {
  const struct fixture *fixture = *state;
  static const double epsilons[] = {0.3, 1, 2.7, 8, 40};
  for (size_t i = 0; i < 2 * sizeof epsilons / sizeof epsilons[0]; ++i) {
    tacit_config config = config_of_moments(fixture->number);
    config.epsilon = epsilons[i / 2];
    config.adjacency = i % 2 == 0 ? TACIT_ZERO_OUT : TACIT_REPLACE;
    config.moments = TACIT_MOMENTS_ON;
    tacit_plan *plan = made_plan(&config);
    double mean = plan->mean.budget, second = plan->second.budget,
           rest = plan->vault.budget;
    double total = sqrt(mean * mean + second * second + rest * rest);
    assert_true(plan->products && second > 0);
    assert_true(total <= plan->mu);
    assert_true(total >= plan->mu * (1 - 1e-12));
    assert_true(plan->early_mu >= sqrt(mean * mean + second * second));
    CHECK_RELATIVE(mean / plan->mu, 0.3, 1e-12);
    assert_int_equal(plan->second.kappa, plan->vault.kappa);
    assert_int_equal(plan->second.shape.dim, 21 * 22);
    assert_true(plan->second.lattice.sens == plan->mean.lattice.sens);
    assert_int_equal(tacit_plan_first_round(plan), -1);
    assert_int_equal(tacit_plan_readings(plan), 10);
    assert_int_equal(tacit_plan_round_rows(plan, -1), 20000);
    assert_int_equal(tacit_plan_round_rows(plan, 0), 20000);
    assert_non_null(strstr(plan->statement_text, "second moments"));
    tacit_plan_free(plan);
  }
}

static int has_moments(const tacit_config *config) {
  tacit_plan *plan = made_plan(config);
  int has = plan->products;
  assert_true(has == (tacit_plan_first_round(plan) == -1));
  tacit_plan_free(plan);
  return has;
}

/* Public numbers decide: n mu / (kappa columns), passes, loss, what the user names. */
static void second_moments_are_released_where_they_pay(void **state) {
  const struct fixture *fixture = *state;
  tacit_config config = config_of_moments(fixture->number);
  config.epsilon = 0;
  config.rho = 2 * PAYS * 21 * 1.001 / 20000.0;
  assert_true(has_moments(&config));
  config.rho = 2 * PAYS * 21 * 0.999 / 20000.0;
  assert_false(has_moments(&config));
  config.moments = TACIT_MOMENTS_ON;
  assert_true(has_moments(&config));
  config.moments = TACIT_MOMENTS_OFF;
  config.rho = 1;
  assert_false(has_moments(&config));
  config.moments = TACIT_MOMENTS_AUTO;
  assert_true(has_moments(&config));
  tacit_config other = config;
  other.passes = 4;
  assert_false(has_moments(&other));
  other = config;
  other.learner = "bettor";
  assert_false(has_moments(&other));
  other = config;
  other.loss = "huber";
  assert_false(has_moments(&other));
  other.moments = TACIT_MOMENTS_ON;
  tacit_plan *plan = NULL;
  tacit_error err;
  assert_int_equal(tacit_plan_new(&other, &plan, &err), TACIT_EINVAL);
  assert_non_null(strstr(err.message, "a loss other than squared"));
}

static void a_useless_mean_is_not_released(void **state) {
  const struct fixture *fixture = *state;
  tacit_config config = config_of(fixture->classes, "logistic");
  config.rows = 100;
  config.epsilon = 0.1;
  tacit_plan *plan = made_plan(&config);
  assert_false(plan->centred);
  assert_true(plan->vault.budget == plan->mu);
  assert_non_null(strstr(plan->text, "drown"));
  assert_null(strstr(plan->statement_text, "Round 0"));
  tacit_plan_free(plan);
}

static void off_is_as_before(void **state) {
  const struct fixture *fixture = *state;
  tacit_config config = config_of(fixture->classes, "logistic");
  config.centre = TACIT_CENTRE_DEFAULT;
  config.preset = TACIT_ANYTIME;
  tacit_plan *plan = made_plan(&config);
  config.centre = TACIT_CENTRE_OFF;
  tacit_plan *off = made_plan(&config);
  assert_false(plan->centred || off->centred);
  assert_string_equal(tacit_plan_json(plan), tacit_plan_json(off));
  assert_string_equal(tacit_plan_text(plan), tacit_plan_text(off));
  assert_true(plan->vault.budget == plan->mu && plan->sums == plan->dim);
  tacit_plan_free(plan);
  tacit_plan_free(off);
}

static void what_does_not_go_with_it_is_named(void **state) {
  const struct fixture *fixture = *state;
  for (int i = 0; i < 7; ++i) {
    tacit_config config = config_of(fixture->classes, "logistic");
    static const char *const words[] = {"preset paper", "pure",  "norm other than 2",
                                        "simplex",      "bound", "row norm",
                                        "so many rows"};
    if (i == 0) config.preset = TACIT_PAPER;
    if (i == 1) config.pure = 1;
    if (i == 2) config.norm = 1.5;
    if (i == 3) config.domain = TACIT_DOMAIN_SIMPLEX;
    if (i == 4) config.bound = TACIT_BOUND_TIGHT;
    if (i == 5) config.row_norm = 1e6;
    if (i == 6) config.rows = INT64_C(1) << 40;
    tacit_plan *plan = NULL;
    tacit_error err;
    assert_int_equal(tacit_plan_new(&config, &plan, &err), TACIT_EINVAL);
    assert_non_null(strstr(err.message, words[i]));
  }
}

static void without_noise_there_is_a_mean_too(void **state) {
  const struct fixture *fixture = *state;
  tacit_config config = config_of(fixture->classes, "logistic");
  config.epsilon = 0;
  config.mechanism = "none";
  tacit_plan *plan = made_plan(&config);
  assert_true(plan->centred && isinf(plan->mean.budget) && isinf(plan->vault.budget));
  assert_false(strncmp(plan->statement_text, "NOT PRIVATE", 11));
  tacit_plan_free(plan);
}

static void many_rows_leave_the_mean_fewer_bits(void **state) {
  const struct fixture *fixture = *state;
  int last = 13;
  for (int64_t rows = 1 << 12; rows <= INT64_C(1) << 28; rows *= 2) {
    tacit_config config = config_of(fixture->classes, "logistic");
    config.rows = rows;
    config.adjacency = TACIT_ZERO_OUT;
    tacit_plan *plan = made_plan(&config);
    assert_true(plan->offset_bits <= last && plan->offset_bits >= 6);
    last = plan->offset_bits;
    tacit_plan_free(plan);
  }
  assert_true(last < 12);
}

static void rows_apart_are_in_one_part(void **state) {
  const struct fixture *fixture = *state;
  tacit_config config = config_of(fixture->classes, "logistic");
  config.centre = TACIT_CENTRE_HEAD;
  config.passes = 1;
  tacit_plan *plan = made_plan(&config);
  tacit_error err;
  assert_true(plan->centred && plan->apart);
  assert_true(plan->mean.budget == plan->mu && plan->vault.budget == plan->mu);
  int64_t first, end, next = 0;
  for (int64_t t = 0; t <= tacit_plan_statement(plan)->rounds; ++t, next = end) {
    first = tacit_plan_round_first(plan, t);
    end = first + tacit_plan_round_rows(plan, t);
    assert_int_equal(first, next);
    if (t == 0) assert_int_equal(end, 20000 / 16);
  }
  assert_int_equal(next, 20000);
  assert_non_null(
      strstr(plan->statement_text, "of the first 1250 rows, which no other"));
  assert_non_null(strstr(plan->statement_text, "number of rows (20000)"));
  tacit_plan_free(plan);
  for (int i = 0; i < 3; ++i) {
    tacit_config other = config;
    if (i == 0) other.passes = 2;
    if (i == 1) other.shuffled = 1;
    if (i == 2) other.units = 20000;
    assert_int_equal(tacit_plan_new(&other, &plan, &err), TACIT_EINVAL);
    assert_non_null(strstr(err.message, "rows apart"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_mean_is_charged),
      cmocka_unit_test(second_moments_are_charged),
      cmocka_unit_test(second_moments_are_released_where_they_pay),
      cmocka_unit_test(a_useless_mean_is_not_released),
      cmocka_unit_test(off_is_as_before),
      cmocka_unit_test(rows_apart_are_in_one_part),
      cmocka_unit_test(what_does_not_go_with_it_is_named),
      cmocka_unit_test(without_noise_there_is_a_mean_too),
      cmocka_unit_test(many_rows_leave_the_mean_fewer_bits),
  };
  return cmocka_run_group_tests(tests, make_schemas, free_schemas);
}
