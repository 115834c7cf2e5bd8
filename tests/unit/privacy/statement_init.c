/* SPDX-License-Identifier: MIT */
/* privacy/statement with an initial model: what people spent there counts here, and the
   statements in one another, which come from files, may be as hostile as they like. */
#include "unit/privacy/statement_example.h"

#include <stdlib.h>

static void an_initial_model_is_part_of_the_guarantee(void **state) {
  (void)state;
  tacit_statement_parts first = example();
  json_t *init = object_of(&first);
  tacit_statement_parts statement = started(init);
  json_t *object = object_of(&statement);
  const json_t *inside = json_object_get(object, "init");
  assert_true(json_is_false(json_object_get(inside, "public")));
  assert_true(json_equal(json_object_get(inside, "statement"), init));
  assert_true(json_real_value(json_object_get(object, "run_epsilon")) == 1);
  assert_true(json_real_value(json_object_get(object, "run_mu")) == first.mu);
  CHECK_RELATIVE(json_real_value(json_object_get(object, "mu")), first.mu * sqrt(2),
                 1e-14);
  char *text = text_of(object);
  check_says(text,
             "Starts from: a private model (epsilon = 1, delta = 1e-09, mu = "
             "0.181975),\n  whose people may be in this data: the guarantee above "
             "covers both.\n");
  check_says(text, "This run alone: epsilon = 1, mu = 0.181975.\n");
  assert_null(strstr(text, "twice"));
  widths_are_at_most(text, 100);
  tacit_array_free(text);

  /* declared public: it costs nothing */
  statement.init_public = 1;
  statement.epsilon = statement.run_epsilon;
  statement.mu = statement.run_mu;
  json_t *from_public = object_of(&statement);
  text = text_of(from_public);
  check_says(text, "Starts from: a model declared public (made without these");
  tacit_array_free(text);
  json_decref(from_public);

  /* a third one on top of both */
  statement = started(object);
  json_t *third = object_of(&statement);
  CHECK_RELATIVE(json_real_value(json_object_get(third, "mu")), first.mu * sqrt(3),
                 1e-14);
  text = text_of(third);
  check_says(text, "Starts from: a private model (epsilon = 1.4");
  tacit_array_free(text);
  json_decref(third);
  json_decref(object);
  json_decref(init);
}

static void an_initial_model_that_is_not_private_is_said(void **state) {
  (void)state;
  tacit_statement_parts first = example();
  first.is_private = 0;
  first.reasons[0] = "the noise comes from a seed";
  first.n_reasons = 1;
  json_t *init = object_of(&first);
  tacit_statement_parts statement = started(init);
  not_claimed(&statement, TACIT_EPRIVACY);
  statement.is_private = 0;
  statement.reasons[0] = "the initial model is not private";
  statement.n_reasons = 1;
  json_t *object = object_of(&statement);
  char *text = text_of(object);
  check_says(text, "Starts from: a model that is not private.\n");
  check_says(text, "This run's noise as if for: epsilon = 1, mu = 0.181975.\n");
  tacit_array_free(text);
  json_decref(object);
  /* unless it is public */
  statement = started(init);
  statement.init_public = 1;
  json_decref(object_of(&statement));
  json_decref(init);
}

static void pure_models_add_their_epsilons(void **state) {
  (void)state;
  tacit_statement_parts first = pure_example();
  json_t *init = object_of(&first);
  tacit_statement_parts statement = pure_example();
  tacit_error err;
  statement.init = init;
  statement.run_epsilon = statement.epsilon;
  statement.run_mu = statement.mu;
  statement.epsilon = 2;
  CHECK_OK(tacit_mu_from_pure_up(2, &statement.mu, &err), err);
  json_t *object = object_of(&statement);
  char *text = text_of(object);
  check_says(text, "Guarantee: epsilon = 2, pure (delta = 0)");
  check_says(text, "Starts from: a private model (epsilon = 1, pure, mu = 1.23204)");
  tacit_array_free(text);
  json_decref(object);

  statement.epsilon = 1.9999999999;
  not_claimed(&statement, TACIT_EPRIVACY);
  statement.epsilon = 2;
  statement.mu *= 1 - 1e-12;
  not_claimed(&statement, TACIT_EPRIVACY);
  /* a Gaussian run from a pure model: mu composes */
  statement = started(init);
  json_decref(object_of(&statement));
  statement.mu = statement.run_mu;
  statement.epsilon = 1;
  not_claimed(&statement, TACIT_EPRIVACY);
  json_decref(init);
  /* a pure run from a model with a delta cannot be pure */
  first = example();
  init = object_of(&first);
  statement = pure_example();
  statement.init = init;
  statement.run_epsilon = statement.epsilon;
  statement.run_mu = statement.mu;
  statement.epsilon = 1000;
  CHECK_OK(tacit_mu_from_pure_up(1000, &statement.mu, &err), err);
  not_claimed(&statement, TACIT_EPRIVACY);
  json_decref(init);
}

static void an_initial_model_cannot_be_hidden(void **state) {
  (void)state;
  tacit_statement_parts first = example();
  json_t *init = object_of(&first);
  tacit_statement_parts statement = started(init);
  statement.mu = nextafter(statement.mu, 0);
  not_claimed(&statement, TACIT_EPRIVACY);
  statement = started(init);
  statement.epsilon = statement.run_epsilon;
  not_claimed(&statement, TACIT_EPRIVACY);
  statement = started(init);
  statement.run_mu = 0;
  not_claimed(&statement, TACIT_EPRIVACY);
  statement = started(init);
  statement.run_epsilon = NAN;
  not_claimed(&statement, TACIT_EPRIVACY);
  statement = started(init);
  statement.unit = "person";
  not_claimed(&statement, TACIT_EPRIVACY);
  statement = started(init);
  statement.init_public = 1;
  statement.run_mu = statement.mu * 1.01;
  not_claimed(&statement, TACIT_EPRIVACY);
  statement = example();
  statement.init_public = 1;
  not_claimed(&statement, TACIT_EINVAL);
  /* numbers that cannot belong together */
  json_object_set_new(init, "epsilon", json_real(.5));
  statement = started(init);
  not_claimed(&statement, TACIT_EDATA);
  json_object_set_new(init, "epsilon", json_real(1));
  json_object_set_new(init, "mu", json_real(1e-300));
  statement = example();
  statement.init = init;
  statement.run_epsilon = 1;
  statement.run_mu = statement.mu;
  not_claimed(&statement, TACIT_EDATA);
  /* not whole */
  json_object_del(init, "unit");
  not_claimed(&statement, TACIT_EDATA);
  json_t *array = json_array();
  statement.init = array;
  not_claimed(&statement, TACIT_EDATA);
  statement.is_private = 0; /* even where nothing is claimed */
  statement.reasons[0] = "seed";
  statement.n_reasons = 1;
  not_claimed(&statement, TACIT_EDATA);
  json_decref(array);
  json_decref(init);
}

/* A replaced row is a blanked one and another one added: zero-out counts twice. */
static void zero_out_counts_twice_for_replace(void **state) {
  (void)state;
  tacit_error err;
  tacit_guarantee own, total;
  tacit_statement_parts first = example();
  first.adjacency = TACIT_ZERO_OUT;
  json_t *init = object_of(&first);
  CHECK_OK(tacit_guarantee_of(init, &own, &err), err);
  tacit_guarantee terms = own;
  CHECK_OK(tacit_guarantee_restate(&own, &terms, &total, &err), err);
  assert_true(total.mu == first.mu);
  terms.zero_out = 0;
  CHECK_OK(tacit_guarantee_restate(&own, &terms, &total, &err), err);
  assert_true(total.mu == 2 * first.mu);
  double mu = total.mu;
  tacit_statement_parts statement = started(init);
  not_claimed(&statement, TACIT_EPRIVACY);
  statement.mu = mu_composed(statement.run_mu, mu);
  statement.epsilon = 3;
  json_t *object = object_of(&statement);
  char *text = text_of(object);
  check_says(text, "It counts twice, because it was made for adjacency zero-out.\n");
  widths_are_at_most(text, 100);
  tacit_array_free(text);
  json_decref(object);
  json_decref(init);

  first = pure_example();
  init = object_of(&first);
  CHECK_OK(tacit_guarantee_of(init, &own, &err), err);
  terms.zero_out = 1;
  CHECK_OK(tacit_guarantee_restate(&own, &terms, &total, &err), err);
  assert_true(total.epsilon == 1 && total.mu == first.mu); /* replace covers zero-out */
  json_decref(init);
}

static void check_hostile_init(const char *key, json_t *value) {
  tacit_statement_parts first = example();
  json_t *init = object_of(&first);
  tacit_statement_parts statement = started(init);
  json_t *object = object_of(&statement); /* shares init */
  assert_int_equal(json_object_set_new(init, key, value), 0);
  check_hostile(object);
  json_decref(object);
  json_decref(init);
}

static void hostile_initial_models_are_refused(void **state) {
  (void)state;
  check_hostile_init("private", json_string("true"));
  check_hostile_init("mu", json_string("0.1"));
  check_hostile_init("order", json_string("a\nPRIVATE"));
  check_hostile_init("init", json_integer(0));
  check_hostile_init("version", json_null());
  /* not private inside what claims to be, or a delta inside what claims none */
  tacit_statement_parts first = example();
  json_t *init = object_of(&first);
  tacit_statement_parts statement = started(init);
  json_t *object = object_of(&statement);
  json_object_set_new(object, "pure", json_true());
  json_object_set_new(object, "delta", json_integer(0));
  check_hostile(object);
  json_object_set_new(object, "pure", json_false());
  json_object_set_new(object, "delta", json_real(1e-9));
  json_object_set_new(init, "private", json_false());
  json_object_set_new(init, "reasons", json_pack("[s]", "seed"));
  check_hostile(object);
  json_object_set_new(json_object_get(object, "init"), "public", json_true());
  char *text = text_of(object);
  check_says(text, "declared public");
  tacit_array_free(text);
  json_object_set_new(json_object_get(object, "init"), "public", json_integer(1));
  check_hostile(object);
  json_decref(object);
  json_decref(init);
}

/* `levels` whole statements in one another, all but the innermost from a public one. */
static json_t *nested(int levels) {
  tacit_statement_parts statement = example();
  json_t *object = object_of(&statement);
  for (int i = 1; i < levels; ++i) {
    json_t *outer = json_copy(object);
    assert_int_equal(json_object_set_new(outer, "init",
                                         json_pack("{s:n, s:b, s:o}", "name", "public",
                                                   1, "statement", object)),
                     0);
    assert_int_equal(json_object_set_new(outer, "run_epsilon", json_real(1)), 0);
    assert_int_equal(json_object_set_new(outer, "run_mu", json_real(.18)), 0);
    object = outer;
  }
  return object;
}

static void chains_of_initial_models_end(void **state) {
  (void)state;
  static const struct {
    int levels, fine;
  } cases[] = {{2, 1}, {64, 1}, {65, 0}, {1000, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    json_t *object = nested(cases[i].levels);
    if (cases[i].fine) {
      char *text = text_of(object);
      check_says(text, "declared public");
      tacit_array_free(text);
    } else {
      check_hostile(object);
    }
    /* what is written can be read: one level less is left for a start */
    tacit_statement_parts statement = example();
    statement.init = object;
    statement.init_public = 1;
    statement.run_epsilon = 1;
    statement.run_mu = statement.mu;
    if (cases[i].levels < 64)
      json_decref(object_of(&statement));
    else
      not_claimed(&statement, cases[i].levels == 64 ? TACIT_EINVAL : TACIT_EDATA);
    json_decref(object);
  }
  /* and through a file */
  json_t *deep = nested(1000);
  char *dump = json_dumps(deep, 0);
  assert_non_null(dump);
  json_t *again = json_loads(dump, 0, NULL);
  assert_non_null(again);
  check_hostile(again);
  json_decref(again);
  json_decref(deep);
  free(dump);
}

static int requests_left = -1; /* below 0: none fails */

static void *limited_malloc(size_t size) {
  if (requests_left == 0) return NULL;
  if (requests_left > 0) --requests_left;
  return malloc(size);
}

static void no_memory_means_no_statement(void **state) {
  (void)state;
  tacit_statement_parts first = example();
  json_t *init = object_of(&first);
  tacit_statement_parts statement = started(init);
  json_set_alloc_funcs(limited_malloc, free);
  json_t *object = NULL;
  int failures = 0;
  while (object == NULL) {
    tacit_error err = {TACIT_OK, ""};
    requests_left = failures;
    tacit_status status = tacit_statement_json(&statement, &object, &err);
    requests_left = -1;
    if (status == TACIT_OK) break;
    assert_int_equal(status, TACIT_ENOMEM);
    assert_null(object);
    ++failures;
  }
  json_set_alloc_funcs(malloc, free);
  assert_in_range(failures, 50, 500);
  char *text = text_of(object);
  check_says(text, "This run alone");
  tacit_array_free(text);
  json_decref(object);
  json_decref(init);
}

static void round_0_is_part_of_the_total(void **state) {
  (void)state;
  tacit_statement_parts statement = example();
  statement.mean = "the mean row";
  statement.mean_mu = 0.2 * statement.mu;
  statement.rounds_mu = statement.mu;
  not_claimed(&statement, TACIT_EPRIVACY); /* the mean is not charged */
  statement.mean_rows = 2000;              /* a row is in one part */
  json_decref(object_of(&statement));
  statement.rounds_mu = 1.1 * statement.mu;
  not_claimed(&statement, TACIT_EPRIVACY);
  statement.mean_rows = 0;
  statement.rounds_mu = 0;
  not_claimed(&statement, TACIT_EPRIVACY);
  statement.rounds_mu = sqrt(0.9599999) * statement.mu;
  json_t *object = object_of(&statement);
  char *text = text_of(object);
  check_says(text, "Round 0, one more reading: releases the mean row.");
  check_says(text, "It has mu = 0.036395 of the total");
  tacit_array_free(text);
  json_t *mean = json_object_get(object, "round_0");
  assert_int_equal(json_object_set_new(mean, "mu", json_null()), 0);
  check_hostile(object); /* private, and nobody says what the mean took */
  assert_int_equal(json_object_set_new(object, "round_0", json_true()), 0);
  check_hostile(object);
  json_decref(object);
  /* With an initial model the two are parts of this run's mu. */
  tacit_statement_parts first = example();
  json_t *init = object_of(&first);
  statement = started(init);
  statement.mean = "the mean row";
  statement.mean_mu = 0.2 * statement.run_mu;
  statement.rounds_mu = statement.run_mu;
  not_claimed(&statement, TACIT_EPRIVACY);
  json_decref(init);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(round_0_is_part_of_the_total),
      cmocka_unit_test(an_initial_model_is_part_of_the_guarantee),
      cmocka_unit_test(an_initial_model_that_is_not_private_is_said),
      cmocka_unit_test(pure_models_add_their_epsilons),
      cmocka_unit_test(an_initial_model_cannot_be_hidden),
      cmocka_unit_test(zero_out_counts_twice_for_replace),
      cmocka_unit_test(hostile_initial_models_are_refused),
      cmocka_unit_test(chains_of_initial_models_end),
      cmocka_unit_test(no_memory_means_no_statement),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
