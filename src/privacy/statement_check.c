/* SPDX-License-Identifier: MIT */
/*
 * What a privacy statement may claim. A statement that claims more than mu, delta, the
 * noise and the initial model support is never written.
 */
#include "privacy/statement_fields.h"

#include "base/error.h"
#include "privacy/exact.h"
#include "privacy/range.h"

#include <string.h>
#include <tacit/account.h>

static int given(double number) { return isfinite(number) && number > 0; }

/* The mean and the rounds are parts of what the run spends. */
static tacit_status check_mean(const tacit_statement *statement, tacit_error *err) {
  double total, spent = statement->init != NULL ? statement->run_mu : statement->mu;
  if (statement->mean == NULL) return TACIT_OK;
  if (!(given(statement->mean_mu) && given(statement->rounds_mu)))
    return tacit_fail(err, TACIT_EPRIVACY,
                      "a private statement must say what round 0 spends");
  if (statement->mean_rows > 0) /* a row is in round 0, or in the others */
    total = fmax(statement->mean_mu, statement->rounds_mu);
  else
    TACIT_TRY(
        tacit_mu_compose_up(statement->mean_mu, statement->rounds_mu, &total, err));
  if (spent >= total) return TACIT_OK;
  return tacit_fail(err, TACIT_EPRIVACY,
                    "the statement's mu does not cover round 0 and the other rounds");
}

static tacit_status check_facts(const tacit_statement *statement, tacit_error *err) {
  const char *const required[] = {
      statement->unit,  statement->order,  statement->mechanism,  statement->noise,
      statement->bound, statement->preset, statement->accounting, statement->version};
  for (size_t i = 0; i < sizeof required / sizeof required[0]; ++i)
    if (required[i] == NULL)
      return tacit_fail(err, TACIT_EINVAL, "the statement is incomplete");
  if (statement->n_reasons > TACIT_STATEMENT_REASONS)
    return tacit_fail(err, TACIT_EINVAL, "the statement has too many reasons");
  if (statement->rows < 1 || statement->rounds < 1 || statement->passes < 1 ||
      statement->batches_per_pass < 1)
    return tacit_fail(err, TACIT_EINVAL,
                      "rows, rounds, passes and batches must be at least 1");
  if (!(statement->norm_exponent >= 1))
    return tacit_fail(err, TACIT_EINVAL,
                      "the exponent of the statement's norm must be at least 1");
  if (statement->pure && statement->delta != 0)
    return tacit_fail(err, TACIT_EINVAL, "a pure statement has delta 0");
  if (statement->init_public && statement->init == NULL)
    return tacit_fail(err, TACIT_EINVAL,
                      "a statement without an initial model cannot call it public");
  return TACIT_OK;
}

/* epsilon and mu must be at least what the other numbers imply. */
static tacit_status check_numbers(int pure, double epsilon, double delta, double mu,
                                  tacit_error *err) {
  double implied;
  if (pure) {
    TACIT_TRY(tacit_mu_from_pure_up(epsilon, &implied, err));
    TACIT_TRY(tacit_check_mu("mu", mu, err));
    if (mu < implied)
      return tacit_fail(err, TACIT_EPRIVACY,
                        "the statement's mu is below what a pure epsilon implies");
    return TACIT_OK;
  }
  TACIT_TRY(tacit_epsilon_from_mu_up(mu, delta, &implied, err));
  if (!(isfinite(epsilon) && epsilon >= 0 &&
        implied <= epsilon * (1 + TACIT_STATEMENT_ROUND_TRIP)))
    return tacit_fail(err, TACIT_EPRIVACY,
                      "the statement's epsilon is below what mu and delta imply");
  return TACIT_OK;
}

/* Proof: docs/proofs/tacit_statement_share.md */
static tacit_status share_of(const tacit_statement_fields *init, const char *unit,
                             tacit_adjacency adjacency, double *out_epsilon,
                             double *out_mu, tacit_error *err) {
  if (!init->is_private)
    return tacit_fail(err, TACIT_EPRIVACY,
                      "the initial model is not private: what comes of it is not "
                      "either, unless it is declared public");
  if (strcmp(init->unit, unit) != 0)
    return tacit_fail(err, TACIT_EPRIVACY,
                      "the initial model protects another unit than this run");
  if (check_numbers(init->pure, init->epsilon, init->delta, init->mu, NULL) != TACIT_OK)
    return tacit_fail(
        err, TACIT_EDATA,
        "the initial model's epsilon, delta and mu contradict each other");
  double times = adjacency == TACIT_REPLACE && init->zero_out ? 2 : 1;
  *out_epsilon = init->pure ? times * init->epsilon : INFINITY;
  *out_mu = times * init->mu;
  return TACIT_OK;
}

/* Proof: docs/proofs/tacit_statement_share.md */
tacit_status tacit_statement_share(const json_t *init, const char *unit,
                                   tacit_adjacency adjacency, double *out_epsilon,
                                   double *out_mu, tacit_error *err) {
  if (unit == NULL || out_epsilon == NULL || out_mu == NULL)
    return tacit_fail(err, TACIT_EINVAL, "unit and results must not be NULL");
  tacit_statement_fields fields;
  TACIT_TRY(tacit_statement_read(init, &fields, NULL, NULL, err));
  return share_of(&fields, unit, adjacency, out_epsilon, out_mu, err);
}

/* The totals cover this run and, unless it is public, the initial model. */
static tacit_status check_totals(const tacit_statement *statement,
                                 const tacit_statement_fields *init, tacit_error *err) {
  /* epsilon may be 0: for a small mu and a large delta */
  if (!(given(statement->run_mu) && isfinite(statement->run_epsilon) &&
        statement->run_epsilon >= 0))
    return tacit_fail(err, TACIT_EPRIVACY,
                      "a private statement with an initial model must say what this "
                      "run spends");
  double epsilon = 0, mu = 0;
  if (!statement->init_public)
    TACIT_TRY(
        share_of(init, statement->unit, statement->adjacency, &epsilon, &mu, err));
  if (statement->pure) {
    if (isinf(epsilon))
      return tacit_fail(err, TACIT_EPRIVACY,
                        "a pure statement cannot include an initial model with a "
                        "delta");
    if (!(statement->run_epsilon > 0 &&
          statement->epsilon >= tacit_sum_up(statement->run_epsilon, epsilon)))
      return tacit_fail(err, TACIT_EPRIVACY,
                        "the statement's epsilon does not cover this run and the "
                        "initial model");
    return TACIT_OK;
  }
  double total;
  TACIT_TRY(tacit_mu_compose_up(statement->run_mu, mu, &total, err));
  if (!(statement->mu >= total))
    return tacit_fail(err, TACIT_EPRIVACY,
                      "the statement's mu does not cover this run and the initial "
                      "model");
  return TACIT_OK;
}

static tacit_status check_claim(const tacit_statement *statement,
                                const tacit_statement_fields *init, tacit_error *err) {
  if (statement->n_reasons != 0)
    return tacit_fail(err, TACIT_EPRIVACY,
                      "a private statement cannot carry reasons against it");
  if (strcmp(statement->noise, "exact") != 0)
    return tacit_fail(err, TACIT_EPRIVACY,
                      "only exact noise can be private, not noise '%s'",
                      statement->noise);
  TACIT_TRY(check_numbers(statement->pure, statement->epsilon, statement->delta,
                          statement->mu, err));
  if (!(given(statement->sensitivity_factor) && given(statement->noise_multiplier) &&
        given(statement->second_moment)) ||
      statement->noise_law == NULL || statement->sigma_formula == NULL)
    return tacit_fail(err, TACIT_EPRIVACY,
                      "a private statement must describe its noise");
  TACIT_TRY(check_mean(statement, err));
  return statement->init != NULL ? check_totals(statement, init, err) : TACIT_OK;
}

/* Proof: docs/proofs/tacit_statement_json.md */
tacit_status tacit_statement_check(const tacit_statement *statement, tacit_error *err) {
  TACIT_TRY(check_facts(statement, err));
  tacit_statement_fields init = {0};
  if (statement->init != NULL) {
    int levels;
    TACIT_TRY(tacit_statement_read(statement->init, &init, NULL, &levels, err));
    if (levels == TACIT_STATEMENT_LEVELS)
      return tacit_fail(err, TACIT_EINVAL,
                        "the initial model stands at the end of a chain of %d: longer "
                        "ones are not kept",
                        levels);
  }
  if (statement->is_private) return check_claim(statement, &init, err);
  if (statement->n_reasons == 0)
    return tacit_fail(err, TACIT_EINVAL,
                      "a statement that is not private must say why");
  return TACIT_OK;
}
