/* SPDX-License-Identifier: MIT */
/* Statements to start from, and checks of what is made of them. */
#ifndef TACIT_TESTS_UNIT_STATEMENT_EXAMPLE_H
#define TACIT_TESTS_UNIT_STATEMENT_EXAMPLE_H

#include "check.h"

#include "base/memory.h"
#include "privacy/compose.h"
#include "privacy/statement.h"

static inline tacit_statement_parts example(void) {
  return (tacit_statement_parts){
      .is_private = 1,
      .epsilon = 1,
      .delta = 1e-9,
      .mu = 0.1819748072953,
      .adjacency = TACIT_REPLACE,
      .unit = "row",
      .rows = 32560,
      .rounds = 32,
      .passes = 1,
      .batches_per_pass = 32,
      .order = "secret",
      .as_sets = 1,
      .mechanism = "tree",
      .noise = "exact",
      .noise_law = "rounded Gaussian, sampled exactly",
      .bound = "clipped to C (beta_t - beta_{t-1})",
      .clip = 0.7,
      .norm_exponent = 2,
      .sigma_formula = "sigma_t = 2 S max s_i / mu over the rounds of node t",
      .accounting = "mu-GDP, exact Gaussian conversion",
      .sensitivity_factor = 2.449489742783178,
      .noise_multiplier = 13.460,
      .second_moment = 10,
      .preset = "practical",
      .version = "0.1.0",
  };
}

/* epsilon = 1, delta = 0, in the 1-norm */
static inline tacit_statement_parts pure_example(void) {
  tacit_statement_parts statement = example();
  tacit_error err;
  statement.pure = 1;
  statement.delta = 0;
  CHECK_OK(tacit_mu_from_pure_up(statement.epsilon, &statement.mu, &err), err);
  statement.noise_law = "discrete Laplace, sampled exactly";
  statement.norm_exponent = 1;
  statement.second_moment = 110;
  return statement;
}

static inline json_t *object_of(const tacit_statement_parts *statement) {
  json_t *object = NULL;
  tacit_error err;
  CHECK_OK(tacit_statement_json(statement, &object, &err), err);
  return object;
}

static inline char *text_of(const json_t *object) {
  char *text = NULL;
  tacit_error err;
  CHECK_OK(tacit_statement_text(object, &text, &err), err);
  return text;
}

static inline void check_says(const char *text, const char *part) {
  if (text == NULL) text = "";
  if (strstr(text, part) == NULL) fail_msg("\"%s\" is not in:\n%s", part, text);
}

static inline void not_claimed(const tacit_statement_parts *statement,
                               tacit_status expected) {
  json_t *object = NULL;
  tacit_error err = {TACIT_OK, ""};
  assert_int_equal(tacit_statement_json(statement, &object, &err), expected);
  assert_int_equal(err.status, expected);
  assert_true(err.message[0] != '\0');
  assert_null(object);
}

static inline void widths_are_at_most(const char *text, size_t max) {
  size_t column = 0;
  for (const char *at = text; *at != '\0'; ++at) {
    column = *at == '\n' ? 0 : column + 1;
    CHECK_AT_MAX((double)column, (double)max);
  }
}

static inline double mu_composed(double mu_1, double mu_2) {
  double mu = 0;
  tacit_error err;
  CHECK_OK(tacit_mu_compose_up(mu_1, mu_2, &mu, &err), err);
  return mu;
}

/* The example started from `init`, people shared. */
static inline tacit_statement_parts started(json_t *init) {
  tacit_statement_parts statement = example();
  double spent = json_number_value(json_object_get(init, "mu"));
  tacit_error err;
  statement.init = init;
  statement.run_epsilon = 1;
  statement.run_mu = statement.mu;
  statement.mu = mu_composed(statement.run_mu, spent);
  CHECK_OK(
      tacit_epsilon_from_mu_up(statement.mu, statement.delta, &statement.epsilon, &err),
      err);
  return statement;
}

static inline void check_hostile(json_t *object) {
  char *text = NULL;
  tacit_error err = {TACIT_OK, ""};
  assert_int_equal(tacit_statement_text(object, &text, &err), TACIT_EDATA);
  assert_int_equal(err.status, TACIT_EDATA);
  assert_null(text);
}

#endif
