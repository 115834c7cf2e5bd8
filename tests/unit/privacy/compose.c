/* SPDX-License-Identifier: MIT */
/* How guarantees add up, and that statements claim no more than the sum. */
#include "unit/privacy/statement_example.h"

#include <math.h>
#include <tacit/account.h>

static tacit_guarantee of(int persons, int zero_out) {
  tacit_guarantee g = {.unit = persons ? "person (column id)" : "row",
                       .persons = persons,
                       .zero_out = zero_out,
                       .as_sets = 1,
                       .delta = 1e-9,
                       .mu = 0.2};
  tacit_error err;
  CHECK_OK(tacit_epsilon_from_mu_up(g.mu, g.delta, &g.epsilon, &err), err);
  return g;
}

static tacit_guarantee pure_of(double epsilon) {
  tacit_guarantee g = of(0, 0);
  tacit_error err;
  g.pure = 1;
  g.epsilon = epsilon;
  g.delta = 0;
  CHECK_OK(tacit_mu_from_pure_up(epsilon, &g.mu, &err), err);
  return g;
}

static tacit_guarantee sum_of(tacit_guarantee first, tacit_guarantee second) {
  tacit_guarantee parts[] = {first, second}, swapped[] = {second, first}, sum, other;
  tacit_error err;
  CHECK_OK(tacit_guarantee_sum(parts, 2, &sum, &err), err);
  CHECK_OK(tacit_guarantee_sum(swapped, 2, &other, &err), err);
  CHECK_RELATIVE(sum.mu, other.mu, 1e-15); /* the order does not matter */
  assert_string_equal(sum.unit, other.unit);
  return sum;
}

static void refuses(tacit_guarantee first, tacit_guarantee second) {
  tacit_guarantee parts[] = {first, second}, sum;
  tacit_error err = {TACIT_OK, ""};
  assert_int_equal(tacit_guarantee_sum(parts, 2, &sum, &err), TACIT_EPRIVACY);
  assert_non_null(strstr(err.message, "do not add up"));
}

static void check_mu(tacit_guarantee sum, double first, double second) {
  double exact = sqrt(first * first + second * second), epsilon;
  tacit_error err;
  assert_true(sum.mu >= exact * (1 - 1e-15));
  CHECK_RELATIVE(sum.mu, exact, 1e-9);
  CHECK_OK(tacit_epsilon_from_mu_up(sum.mu, sum.delta, &epsilon, &err), err);
  assert_true(sum.epsilon == epsilon);
}

static void rows_add_up_as_squares(void **state) {
  (void)state;
  check_mu(sum_of(of(0, 0), of(0, 0)), 0.2, 0.2);
  check_mu(sum_of(of(0, 1), of(0, 1)), 0.2, 0.2);
  tacit_guarantee mixed = sum_of(of(0, 0), of(0, 1));
  assert_false(mixed.zero_out);
  check_mu(mixed, 0.2, 0.4); /* zero-out counts twice under replace */
}

static void persons_add_up_if_the_column_is_the_same(void **state) {
  (void)state;
  tacit_guarantee day = of(1, 0), other = of(1, 0);
  check_mu(sum_of(of(1, 0), of(1, 0)), 0.2, 0.2);
  day.unit = "person on one day (column id)";
  day.day_only = 1;
  assert_true(sum_of(of(1, 0), day).day_only);
  other.unit = "person (column household)";
  refuses(of(1, 0), other);
}

/* A row of a person may be replaced by one of another person: two persons change. */
static void persons_join_rows_at_the_level_of_rows_only(void **state) {
  (void)state;
  tacit_guarantee sum = sum_of(of(0, 0), of(1, 0));
  assert_string_equal(sum.unit, "row");
  assert_false(sum.persons);
  check_mu(sum, 0.2, 0.4);
  check_mu(sum_of(of(0, 0), of(1, 1)), 0.2, 0.8);
  check_mu(sum_of(of(0, 1), of(1, 1)), 0.2, 0.4);
  tacit_guarantee person = of(1, 0), row = of(0, 0);
  tacit_error err;
  assert_int_equal(tacit_guarantee_add(&person, &row, &err), TACIT_EPRIVACY);
}

static void the_weaker_neighbours_stay(void **state) {
  (void)state;
  tacit_guarantee list = of(0, 0), day = of(0, 0);
  list.as_sets = 0;
  day.day_only = 1;
  assert_true(sum_of(of(0, 0), of(0, 0)).as_sets);
  assert_false(sum_of(of(0, 0), list).as_sets);
  assert_false(sum_of(of(0, 0), of(0, 0)).day_only);
  assert_true(sum_of(of(0, 0), day).day_only);
}

static void pure_epsilons_add_up(void **state) {
  (void)state;
  tacit_guarantee sum = sum_of(pure_of(0.5), pure_of(0.25));
  assert_true(sum.pure && sum.epsilon == 0.75 && sum.delta == 0);
  sum = sum_of(pure_of(0.5), of(0, 0)); /* with a delta only in mu */
  assert_false(sum.pure);
  check_mu(sum, pure_of(0.5).mu, 0.2);
  tacit_guarantee pure = pure_of(0.5), other = of(0, 0);
  tacit_error err;
  assert_int_equal(tacit_guarantee_add(&pure, &other, &err), TACIT_EPRIVACY);
  other = pure_of(0.25);
  other.zero_out = 1; /* counts twice under replace */
  sum = sum_of(pure, other);
  assert_true(sum.pure && !sum.zero_out && sum.epsilon == 1);
  CHECK_RELATIVE(sum.mu, pure_of(1).mu, 1e-12);
}

/* A statement that starts from a model for lists, or for one day, says so. */
static void a_statement_keeps_the_weaker_neighbours_of_its_initial_model(void **state) {
  (void)state;
  tacit_statement_parts first = example();
  first.as_sets = 0;
  json_t *init = object_of(&first);
  tacit_statement_parts statement = started(init);
  not_claimed(&statement, TACIT_EPRIVACY);
  statement.as_sets = 0;
  json_t *object = object_of(&statement);
  json_object_set_new(object, "as_sets", json_true()); /* again when it is read */
  check_hostile(object);
  json_decref(object);
  statement.as_sets = 1;
  statement.init_public = 1;
  object = object_of(&statement);
  json_decref(object);
  json_object_del(init, "as_sets"); /* a statement without the field is about lists */
  statement.init_public = 0;
  not_claimed(&statement, TACIT_EPRIVACY);
  json_decref(init);

  first = example();
  first.days = "days";
  first.day_only = 1;
  init = object_of(&first);
  statement = started(init);
  not_claimed(&statement, TACIT_EPRIVACY);
  statement.day_only = 1;
  object = object_of(&statement);
  char *text = text_of(object);
  check_says(text, "on one day only of the stream");
  tacit_array_free(text);
  json_object_del(object, "day_only");
  check_hostile(object);
  json_decref(object);
  json_decref(init);
}

static void a_statement_covers_its_initial_model_when_it_is_read(void **state) {
  (void)state;
  tacit_statement_parts first = example();
  json_t *init = object_of(&first);
  tacit_statement_parts statement = started(init);
  json_t *object = object_of(&statement);
  json_object_set_new(object, "mu", json_real(statement.run_mu));
  json_object_set_new(object, "epsilon", json_real(1));
  check_hostile(object);
  json_decref(object);
  json_decref(init);
}

/* The counts that a schema was made from are one more release. */
static void a_statement_covers_the_counts_behind_its_schema(void **state) {
  (void)state;
  tacit_statement_parts counts = example(), statement = example();
  json_t *of_counts = object_of(&counts), *described = NULL, *object;
  tacit_error err;
  CHECK_OK(tacit_described_json(of_counts, "0123", &described, &err), err);
  statement.described = described;
  statement.run_mu = statement.mu;
  statement.run_epsilon = statement.epsilon;
  not_claimed(&statement, TACIT_EPRIVACY);
  statement.mu = mu_composed(statement.run_mu, counts.mu);
  CHECK_OK(
      tacit_epsilon_from_mu_up(statement.mu, statement.delta, &statement.epsilon, &err),
      err);
  object = object_of(&statement);
  char *text = text_of(object);
  check_says(text, "Schema: made from private counts");
  widths_are_at_most(text, 100);
  tacit_array_free(text);

  /* A run that starts from this model, with the same schema, counts them once. */
  tacit_statement_parts next = started(object);
  next.described = described;
  json_t *second = object_of(&next);
  json_decref(second);
  json_object_set_new(described, "digest", json_string("4567"));
  not_claimed(&next, TACIT_EPRIVACY); /* other counts: once more */

  json_object_set_new(object, "mu", json_real(statement.run_mu));
  json_object_set_new(object, "epsilon", json_real(1));
  check_hostile(object);
  json_decref(object);
  json_decref(described);
  CHECK_OK(tacit_described_json(NULL, "0123", &described, &err), err);
  statement.described = described; /* counts without noise */
  not_claimed(&statement, TACIT_EPRIVACY);
  json_decref(described);
  json_decref(of_counts);
}

/* Returns what a schema keeps of counts with this statement. */
static tacit_described described_of(const tacit_statement_parts *counts) {
  json_t *of_counts = object_of(counts), *described = NULL;
  tacit_described read;
  tacit_error err;
  CHECK_OK(tacit_described_json(of_counts, "0123", &described, &err), err);
  CHECK_OK(tacit_described_read(described, &read, &err), err);
  assert_int_equal(read.persons, counts->persons);
  assert_int_equal(read.zero_out, counts->adjacency == TACIT_ZERO_OUT);
  assert_int_equal(read.as_sets, counts->as_sets);
  json_decref(of_counts);
  read.digest = "0123"; /* the texts were those of the object */
  read.unit = counts->unit;
  json_decref(described);
  return read;
}

/* A schema keeps whom its counts protect: counts under zero-out, or about persons,
   count more often for a row that is replaced. */
static void counts_keep_their_neighbours(void **state) {
  (void)state;
  tacit_statement_parts counts = example();
  tacit_error err;
  for (int way = 0; way < 4; ++way) {
    counts.adjacency = way & 1 ? TACIT_ZERO_OUT : TACIT_REPLACE;
    counts.persons = way >> 1;
    counts.unit = counts.persons ? "person (column id)" : "row";
    const tacit_described described = described_of(&counts);
    tacit_guarantee run = of(0, 0);
    CHECK_OK(tacit_guarantee_build_on(&run, NULL, &described, &err), err);
    check_mu(run, 0.2, (way & 1 ? 2 : 1) * (counts.persons ? 2 : 1) * counts.mu);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_add_up_as_squares),
      cmocka_unit_test(persons_add_up_if_the_column_is_the_same),
      cmocka_unit_test(persons_join_rows_at_the_level_of_rows_only),
      cmocka_unit_test(the_weaker_neighbours_stay),
      cmocka_unit_test(pure_epsilons_add_up),
      cmocka_unit_test(a_statement_keeps_the_weaker_neighbours_of_its_initial_model),
      cmocka_unit_test(a_statement_covers_its_initial_model_when_it_is_read),
      cmocka_unit_test(a_statement_covers_the_counts_behind_its_schema),
      cmocka_unit_test(counts_keep_their_neighbours),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
