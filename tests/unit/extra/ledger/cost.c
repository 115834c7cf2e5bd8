/* SPDX-License-Identifier: MIT */
/* What a run costs in a data set of a ledger, and which runs it does not take. */
#include "unit/privacy/statement_example.h"

#include "extra/ledger/terms.h"

static tacit_ledger_terms rows_under(tacit_adjacency adjacency) {
  return (tacit_ledger_terms){
      .dataset = "d", .epsilon = 4, .delta = 1e-6, .adjacency = adjacency};
}

static tacit_status cost_of(const tacit_statement_parts *run,
                            const tacit_ledger_terms *terms, double *out_mu) {
  tacit_ledger_cost_facts cost = {0};
  tacit_error err = {TACIT_OK, ""};
  json_t *object = object_of(run);
  tacit_status status = tacit_ledger_cost_of(object, terms, &cost, &err);
  *out_mu = cost.mu;
  json_decref(object);
  return status;
}

static void zero_out_counts_twice_under_replace_only(void **state) {
  (void)state;
  const tacit_ledger_terms replace = rows_under(TACIT_REPLACE),
                           zero_out = rows_under(TACIT_ZERO_OUT);
  tacit_statement_parts run = example();
  double mu;
  assert_int_equal(cost_of(&run, &replace, &mu), TACIT_OK);
  assert_true(mu == run.mu);
  assert_int_equal(cost_of(&run, &zero_out, &mu), TACIT_OK);
  assert_true(mu == run.mu);
  run.adjacency = TACIT_ZERO_OUT;
  assert_int_equal(cost_of(&run, &replace, &mu), TACIT_OK);
  assert_true(mu == 2 * run.mu);
  assert_int_equal(cost_of(&run, &zero_out, &mu), TACIT_OK);
  assert_true(mu == run.mu);
}

static void other_units_and_neighbours_are_refused(void **state) {
  (void)state;
  tacit_ledger_terms rows = rows_under(TACIT_REPLACE), persons = rows;
  tacit_statement_parts run = example();
  double mu;
  persons.persons = 1;
  assert_int_equal(cost_of(&run, &persons, &mu), TACIT_EINVAL);
  run.as_sets = 0;
  assert_int_equal(cost_of(&run, &rows, &mu), TACIT_EPRIVACY);
  rows.in_place = 1;
  assert_int_equal(cost_of(&run, &rows, &mu), TACIT_OK);

  run = example();
  run.persons = 1;
  run.unit = "person (column id)";
  assert_int_equal(cost_of(&run, &persons, &mu), TACIT_OK);
  assert_int_equal(cost_of(&run, &rows, &mu), TACIT_EINVAL);
  run.unit = "person on one day (column id)";
  run.days = "days";
  run.day_only = 1;
  assert_int_equal(cost_of(&run, &persons, &mu), TACIT_EPRIVACY);
}

static void what_is_not_private_has_no_cost(void **state) {
  (void)state;
  const tacit_ledger_terms rows = rows_under(TACIT_REPLACE);
  tacit_statement_parts run = example();
  double mu;
  run.is_private = 0;
  run.reasons[run.n_reasons++] = "the noise comes from a seed";
  assert_int_equal(cost_of(&run, &rows, &mu), TACIT_EPRIVACY);
}

static void a_release_without_a_statement_has_the_same_rules(void **state) {
  (void)state;
  const tacit_ledger_terms replace = rows_under(TACIT_REPLACE),
                           zero_out = rows_under(TACIT_ZERO_OUT);
  double mu = 0;
  assert_int_equal(tacit_ledger_cost_mu(0.5, TACIT_ZERO_OUT, 0, &replace, &mu, NULL),
                   TACIT_OK);
  assert_true(mu == 1);
  assert_int_equal(tacit_ledger_cost_mu(0.5, TACIT_REPLACE, 0, &zero_out, &mu, NULL),
                   TACIT_OK);
  assert_true(mu == 0.5);
  assert_int_equal(tacit_ledger_cost_mu(0.5, TACIT_REPLACE, 1, &replace, &mu, NULL),
                   TACIT_EINVAL);
  assert_int_equal(tacit_ledger_cost_mu(-1, TACIT_REPLACE, 0, &replace, &mu, NULL),
                   TACIT_EINVAL);
  assert_true(mu == 0.5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(zero_out_counts_twice_under_replace_only),
      cmocka_unit_test(other_units_and_neighbours_are_refused),
      cmocka_unit_test(what_is_not_private_has_no_cost),
      cmocka_unit_test(a_release_without_a_statement_has_the_same_rules),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
