/* SPDX-License-Identifier: MIT */
/* privacy/statement: what it says, that it cannot say too much, and that its text
   survives objects that are incomplete or hostile. */
#include "unit/privacy/statement_example.h"

#include <stdlib.h>

static void a_private_statement_says_what_is_guaranteed(void **state) {
  (void)state;
  tacit_statement_parts statement = example();
  json_t *object = object_of(&statement);
  assert_true(json_is_true(json_object_get(object, "private")));
  assert_true(json_real_value(json_object_get(object, "mu")) == 0.1819748072953);
  assert_int_equal(json_integer_value(json_object_get(object, "rows")), 32560);
  CHECK_RELATIVE(json_real_value(json_object_get(object, "zcdp")),
                 0.1819748072953 * 0.1819748072953 / 2, 1e-15);
  CHECK_RELATIVE(json_real_value(json_object_get(object, "epsilon_exact")), 1, 1e-9);
  assert_true(json_real_value(json_object_get(object, "epsilon_zcdp")) > 1);

  char *text = text_of(object);
  assert_true(strncmp(text, "PRIVATE\n", 8) == 0);
  check_says(text, "epsilon = 1 and delta = 1e-09");
  check_says(text, "mu = 0.181975"); /* rounded up */
  check_says(text, "P(S) <= e^epsilon P'(S) + delta");
  check_says(text, "P'(S) <= e^epsilon P(S) + delta, where e^epsilon = 2.71829.\n");
  check_says(text, "Computational: the noise is made from a 256-bit key");
  assert_null(strstr(text, "chance of delta")); /* the ratio passes e^epsilon oftener */
  assert_null(strstr(text, "Caution"));
  assert_int_equal(json_array_size(json_object_get(object, "cautions")), 0);
  check_says(text, "replace any one row by any other");
  check_says(text, "as sets: the order of the file does not matter");
  check_says(text, "(32560)");
  check_says(text, "32 rounds; 1 pass of 32 batches; order: secret");
  check_says(text, "C = 0.7");
  check_says(text, "tree; noise: exact (rounded Gaussian, sampled exactly)");
  check_says(text, "sigma_t = 2 S max s_i / mu");
  check_says(text, "mu-GDP, exact Gaussian conversion");
  check_says(text, "Tacit 0.1.0, preset practical");
  /* Phi(mu - 1.64485) = 7.1750...%, rounded up */
  check_says(text, "at most 7.18%");
  widths_are_at_most(text, 100);
  size_t lines = 0;
  for (const char *at = text; *at != '\0'; ++at)
    lines += *at == '\n';
  assert_in_range(lines, 12, 22);
  assert_null(strstr(text, "V = ")); /* nothing about norms or starts by default */
  assert_null(strstr(text, "exponent"));
  assert_null(strstr(text, "Starts from"));
  assert_true(json_is_false(json_object_get(object, "pure")));
  assert_true(json_is_null(json_object_get(object, "init")));
  assert_true(json_is_null(json_object_get(object, "run_epsilon")));
  assert_true(json_is_null(json_object_get(object, "run_mu")));
  tacit_array_free(text);
  json_decref(object);
}

static void adjacency_is_explained(void **state) {
  (void)state;
  tacit_statement_parts statement = example();
  statement.adjacency = TACIT_ZERO_OUT;
  json_t *object = object_of(&statement);
  assert_string_equal(json_string_value(json_object_get(object, "adjacency")),
                      "zero-out");
  char *text = text_of(object);
  check_says(text, "let any one row contribute nothing");
  tacit_array_free(text);
  json_decref(object);
}

static void the_papers_accounting_shows_the_exact_epsilon_too(void **state) {
  (void)state;
  tacit_statement_parts statement = example();
  tacit_error err;
  CHECK_OK(tacit_rho_paper_from_dp_down(8, 1e-9, &statement.mu, &err), err);
  statement.epsilon = 8;
  statement.accounting = "RDP of the paper";
  json_t *object = object_of(&statement);
  char *text = text_of(object);
  check_says(text, "RDP of the paper");
  check_says(text, "the exact conversion of the same mu gives");
  tacit_array_free(text);
  json_decref(object);
}

static void a_statement_that_is_not_private_says_so_first(void **state) {
  (void)state;
  tacit_statement_parts statement = example();
  statement.is_private = 0;
  statement.reasons[0] = "the noise comes from a seed";
  statement.reasons[1] = "the noise is in double precision";
  statement.n_reasons = 2;
  statement.noise = "fast";
  json_t *object = object_of(&statement);
  char *text = text_of(object);
  assert_true(strncmp(text, "NOT PRIVATE\n", 12) == 0);
  check_says(text, "Reason: the noise comes from a seed\n");
  check_says(text, "Reason: the noise is in double precision\n");
  check_says(text, "Noise as if for: epsilon = 1,");
  assert_null(strstr(text, "(differential privacy)"));
  tacit_array_free(text);
  json_decref(object);

  /* no noise at all: no epsilon, no mu */
  statement.noise = statement.mechanism = "none";
  statement.noise_law = statement.sigma_formula = NULL;
  statement.epsilon = statement.delta = statement.mu = 0;
  statement.sensitivity_factor = statement.noise_multiplier = statement.clip = 0;
  statement.second_moment = 0;
  object = object_of(&statement);
  assert_true(json_is_null(json_object_get(object, "epsilon")));
  assert_true(json_is_null(json_object_get(object, "zcdp")));
  text = text_of(object);
  assert_true(strncmp(text, "NOT PRIVATE\n", 12) == 0);
  assert_null(strstr(text, "epsilon"));
  tacit_array_free(text);
  json_decref(object);
}

static void a_statement_cannot_claim_more_than_it_carries(void **state) {
  (void)state;
  tacit_statement_parts statement = example();
  statement.epsilon = 0.999999; /* mu gives 1 */
  not_claimed(&statement, TACIT_EPRIVACY);
  statement = example();
  statement.delta = 0.99e-9;
  not_claimed(&statement, TACIT_EPRIVACY);
  statement = example();
  statement.mu = 0.182;
  not_claimed(&statement, TACIT_EPRIVACY);
  statement = example();
  statement.epsilon = NAN;
  not_claimed(&statement, TACIT_EPRIVACY);
  statement = example();
  statement.noise = "fast";
  not_claimed(&statement, TACIT_EPRIVACY);
  statement = example();
  statement.reasons[0] = "seed";
  statement.n_reasons = 1;
  not_claimed(&statement, TACIT_EPRIVACY);
  statement = example();
  statement.noise_multiplier = 0;
  not_claimed(&statement, TACIT_EPRIVACY);
  statement = example();
  statement.mu = 0;
  not_claimed(&statement, TACIT_EINVAL);
  statement = example();
  statement.is_private = 0; /* without a reason */
  not_claimed(&statement, TACIT_EINVAL);
  statement = example();
  statement.rows = 0;
  not_claimed(&statement, TACIT_EINVAL);
  statement = example();
  statement.order = NULL;
  not_claimed(&statement, TACIT_EINVAL);
  statement = example();
  statement.norm_exponent = 0;
  not_claimed(&statement, TACIT_EINVAL);
  statement = example();
  statement.norm_exponent = NAN;
  not_claimed(&statement, TACIT_EINVAL);
  statement = example();
  statement.second_moment = INFINITY;
  not_claimed(&statement, TACIT_EPRIVACY);
  statement = example();
  statement.pure = 1; /* with a delta */
  not_claimed(&statement, TACIT_EINVAL);
  statement.delta = 0; /* with a mu that epsilon-DP does not give */
  not_claimed(&statement, TACIT_EPRIVACY);
  statement.mu = NAN;
  not_claimed(&statement, TACIT_EINVAL);
  statement.mu = 2;
  statement.epsilon = 0;
  not_claimed(&statement, TACIT_EINVAL);
}

/* A model file is text: what is read back must read the same. */
static void the_text_is_the_same_after_a_file(void **state) {
  (void)state;
  tacit_statement_parts statement = example();
  json_t *object = object_of(&statement);
  char *dump = json_dumps(object, JSON_REAL_PRECISION(17));
  json_t *again = json_loads(dump, 0, NULL);
  assert_non_null(again);
  char *text = text_of(object), *text_again = text_of(again);
  assert_string_equal(text, text_again);
  tacit_array_free(text);
  tacit_array_free(text_again);
  json_decref(object);
  json_decref(again);
  free(dump);
}

static void a_pure_statement_has_no_delta(void **state) {
  (void)state;
  tacit_statement_parts statement = pure_example();
  json_t *object = object_of(&statement);
  assert_true(json_is_true(json_object_get(object, "pure")));
  const json_t *delta = json_object_get(object, "delta");
  assert_true(json_is_real(delta) && json_real_value(delta) == 0);
  assert_true(json_real_value(json_object_get(object, "zcdp")) == .5);
  assert_true(json_is_null(json_object_get(object, "epsilon_exact")));
  assert_true(json_is_null(json_object_get(object, "epsilon_zcdp")));
  assert_true(json_number_value(json_object_get(object, "norm_exponent")) == 1);
  assert_true(json_number_value(json_object_get(object, "second_moment")) == 110);
  char *text = text_of(object);
  check_says(text, "Guarantee: epsilon = 1, pure (delta = 0)");
  check_says(text, "mu = 1.23204"); /* 1.232035... up */
  check_says(text, "zCDP 0.5.");
  check_says(text, "P'(S) <= e^epsilon P(S), where e^epsilon = 2.71829.\n");
  check_says(text, "at most 13.6%"); /* 5 e = 13.591 */
  check_says(text, "epsilon is up to m times");
  check_says(text, "norm with exponent 1,");
  check_says(text, "V = 110,");
  assert_null(strstr(text, "+ delta"));
  widths_are_at_most(text, 100);
  tacit_array_free(text);
  json_decref(object);

  /* a large epsilon: mu^2/2 is the smaller zCDP, and every row can be detected */
  statement.epsilon = 20;
  tacit_error err;
  CHECK_OK(tacit_mu_from_pure_up(20, &statement.mu, &err), err);
  statement.norm_exponent = INFINITY;
  object = object_of(&statement);
  CHECK_RELATIVE(json_real_value(json_object_get(object, "zcdp")),
                 statement.mu * statement.mu / 2, 1e-15);
  assert_string_equal(json_string_value(json_object_get(object, "norm_exponent")),
                      "infinity");
  text = text_of(object);
  check_says(text, "exponent infinity");
  check_says(text, "at most 100%");
  tacit_array_free(text);
  json_decref(object);

  /* a law that is only continuous */
  statement.is_private = 0;
  statement.reasons[0] = "the law is continuous";
  statement.n_reasons = 1;
  statement.noise = "fast";
  object = object_of(&statement);
  text = text_of(object);
  check_says(text, "Noise as if for: epsilon = 20, delta = 0,");
  tacit_array_free(text);
  json_decref(object);
}

static void norms_are_named_when_they_are_not_euclidean(void **state) {
  (void)state;
  tacit_statement_parts statement = example();
  statement.norm_exponent = 3;
  statement.second_moment = 12.5;
  json_t *object = object_of(&statement);
  char *text = text_of(object);
  check_says(text, "(C = 0.7),\n  in the norm with exponent 3, as the rows are.\n");
  check_says(text, "V = 12.5,");
  tacit_array_free(text);
  json_decref(object);
}

/* A small mu at a large delta: (0, delta)-DP, a guarantee and not a missing number. */
static void an_epsilon_of_0_is_a_guarantee(void **state) {
  (void)state;
  tacit_statement_parts statement = example();
  statement.delta = .3;
  statement.epsilon = 0;
  json_t *object = object_of(&statement);
  const json_t *epsilon = json_object_get(object, "epsilon");
  assert_true(json_is_real(epsilon) && json_real_value(epsilon) == 0);
  char *text = text_of(object);
  check_says(text, "epsilon = 0 and delta = 0.3 ");
  check_says(text, "where e^epsilon = 1.\n");
  tacit_array_free(text);
  json_decref(object);
}

/* The cautions of a statement, in its object and as lines of its text. */
static void check_cautions(const tacit_statement_parts *statement,
                           const char *const *words, size_t count) {
  json_t *object = object_of(statement);
  const json_t *cautions = json_object_get(object, "cautions");
  char *text = text_of(object);
  assert_int_equal(json_array_size(cautions), count);
  const char *at = text;
  for (size_t i = 0; i < count; ++i) {
    const char *caution = json_string_value(json_array_get(cautions, i));
    check_says(caution, words[i]);
    at = strstr(at, "Caution: ");
    assert_non_null(at);
    at += strlen("Caution: ");
    assert_int_equal(strncmp(at, caution, strlen(caution)), 0);
  }
  assert_null(strstr(at, "Caution: "));
  widths_are_at_most(text, 100);
  tacit_array_free(text);
  json_decref(object);
}

static void weak_guarantees_carry_cautions(void **state) {
  (void)state;
  const char *const words[] = {"epsilon is above 10", "delta is above 1e-5",
                               "fewer than 1000 rows"};
  tacit_error err;
  tacit_statement_parts statement = example();
  statement.epsilon = 10;
  statement.delta = 1e-5;
  statement.rows = 1000;
  check_cautions(&statement, words, 0); /* the edge is not yet cautioned */
  statement.epsilon = nextafter(10, 11);
  check_cautions(&statement, words, 1);
  statement.delta = nextafter(1e-5, 1);
  check_cautions(&statement, words, 2);
  statement.rows = 999;
  check_cautions(&statement, words, 3);
  statement.epsilon = 10;
  check_cautions(&statement, words + 1, 2);
  statement.delta = 1e-5;
  check_cautions(&statement, words + 2, 1);

  statement = pure_example();
  statement.epsilon = 11;
  CHECK_OK(tacit_mu_from_pure_up(statement.epsilon, &statement.mu, &err), err);
  check_cautions(&statement, words, 1);

  statement.is_private = 0; /* says worse than a caution */
  statement.reasons[0] = "the noise comes from a seed";
  statement.n_reasons = 1;
  check_cautions(&statement, words, 0);
}

/* A statement of 0.1.0 has no list of cautions; its text has them all the same. */
static void old_statements_are_cautioned_too(void **state) {
  (void)state;
  tacit_statement_parts statement = example();
  statement.rows = 10;
  json_t *object = object_of(&statement);
  assert_int_equal(json_object_del(object, "cautions"), 0);
  char *text = text_of(object);
  check_says(text, "Caution: fewer than 1000 rows");
  tacit_array_free(text);
  json_decref(object);
}

static void check_hostile_field(const char *key, json_t *value) {
  tacit_statement_parts statement = example();
  json_t *object = object_of(&statement);
  assert_int_equal(json_object_set_new(object, key, value), 0);
  check_hostile(object);
  json_decref(object);
}

static void incomplete_objects_are_refused(void **state) {
  (void)state;
  tacit_statement_parts statement = example();
  json_t *whole = object_of(&statement);
  const char *key;
  json_t *value;
  int tried = 0;
  json_object_foreach(whole, key, value) {
    json_t *part = json_copy(whole);
    assert_int_equal(json_object_del(part, key), 0);
    /* version 0.1.0 has neither of these */
    if (strcmp(key, "cautions") != 0 && strcmp(key, "as_sets") != 0)
      check_hostile(part);
    ++tried;
    assert_int_equal(json_object_set_new(part, key, json_object()), 0);
    check_hostile(part);
    json_decref(part);
  }
  assert_in_range(tried, 30, 40);
  json_decref(whole);
}

static void hostile_objects_are_refused(void **state) {
  (void)state;
  check_hostile(NULL);
  json_t *array = json_array();
  check_hostile(array);
  json_decref(array);
  check_hostile_field("private", json_integer(1));
  check_hostile_field("private", json_false()); /* without a reason */
  check_hostile_field("reasons", json_pack("[s]", "but private"));
  check_hostile_field("cautions", json_pack("[s]", "a\nPRIVATE"));
  check_hostile_field("cautions", json_pack("[s, s, s, s]", "a", "b", "c", "d"));
  check_hostile_field("epsilon", json_real(-1));
  check_hostile_field("epsilon", json_string("1"));
  check_hostile_field("mu", json_null());
  check_hostile_field("delta", json_integer(0));
  check_hostile_field("rows", json_integer(-5));
  check_hostile_field("rows", json_real(7.5));
  check_hostile_field("adjacency", json_string("sideways"));
  check_hostile_field("noise", json_string("fast"));
  check_hostile_field("order", json_string(""));
  check_hostile_field("order", json_string("a\nPRIVATE"));
  check_hostile_field("version", json_string("\x1b[2J"));
  check_hostile_field("preset", json_string("\xc2\x9b"
                                            "2J"));
  check_hostile_field("unit", json_stringn("row\0x", 5));
  check_hostile_field("pure", json_integer(0));
  check_hostile_field("pure", json_true()); /* with a delta */
  check_hostile_field("norm_exponent", json_null());
  check_hostile_field("norm_exponent", json_real(.999));
  check_hostile_field("norm_exponent", json_integer(-2));
  check_hostile_field("norm_exponent", json_string("two"));
  check_hostile_field("second_moment", json_null());
  check_hostile_field("second_moment", json_integer(0));
  check_hostile_field("run_mu", json_real(.1)); /* without init */
  check_hostile_field("run_epsilon", json_real(.1));
  check_hostile_field("init", json_true());
  check_hostile_field("init", json_array());
  check_hostile_field("init", json_object());
  check_hostile_field("init", json_pack("{s:b}", "public", 1));
  check_hostile_field("init", json_pack("{s:b, s:n}", "public", 1, "statement"));
  check_hostile_field("init", json_pack("{s:b, s:{}}", "public", 1, "statement"));
  check_hostile_field("init", json_pack("{s:b, s:[]}", "public", 0, "statement"));
  char longer[500];
  memset(longer, 'x', sizeof longer - 1);
  longer[sizeof longer - 1] = '\0';
  check_hostile_field("bound", json_string(longer));
}

/* A percent sign in a field is text, not a format; extreme numbers do no harm. */
static void odd_but_valid_fields_are_written(void **state) {
  (void)state;
  tacit_statement_parts statement = example();
  json_t *object = object_of(&statement);
  json_object_set_new(object, "order", json_string("%s%n by 100%"));
  json_object_set_new(object, "epsilon", json_real(1e308));
  json_object_set_new(object, "mu", json_real(1e308));
  json_object_set_new(object, "delta", json_real(5e-324));
  json_object_set_new(object, "rows", json_integer(INT64_MAX));
  char *text = text_of(object);
  check_says(text, "order: %s%n by 100%.");
  check_says(text, "(9223372036854775807)");
  check_says(text, "at most 100%");
  tacit_array_free(text);
  json_decref(object);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_private_statement_says_what_is_guaranteed),
      cmocka_unit_test(adjacency_is_explained),
      cmocka_unit_test(the_papers_accounting_shows_the_exact_epsilon_too),
      cmocka_unit_test(a_statement_that_is_not_private_says_so_first),
      cmocka_unit_test(a_statement_cannot_claim_more_than_it_carries),
      cmocka_unit_test(the_text_is_the_same_after_a_file),
      cmocka_unit_test(a_pure_statement_has_no_delta),
      cmocka_unit_test(norms_are_named_when_they_are_not_euclidean),
      cmocka_unit_test(an_epsilon_of_0_is_a_guarantee),
      cmocka_unit_test(weak_guarantees_carry_cautions),
      cmocka_unit_test(old_statements_are_cautioned_too),
      cmocka_unit_test(incomplete_objects_are_refused),
      cmocka_unit_test(hostile_objects_are_refused),
      cmocka_unit_test(odd_but_valid_fields_are_written),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
