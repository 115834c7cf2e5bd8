/* SPDX-License-Identifier: MIT */
/*
 * What a privacy statement may claim. A statement that claims more than mu, delta, the
 * noise and the initial model support is never written.
 */
#include "privacy/statement_fields.h"

#include "base/error.h"
#include "privacy/compose.h"

#include <math.h>
#include <string.h>
#include <tacit/account.h>

static int given(double number) { return isfinite(number) && number > 0; }

/* Checks that the mu of the run covers the mu of round 0 and of the other rounds. */
static tacit_status check_mean(const tacit_statement_parts *statement,
                               tacit_error *err) {
  int builds = statement->init != NULL || statement->described != NULL;
  double total, spent = builds ? statement->run_mu : statement->mu;
  if (statement->mean == NULL) return TACIT_OK;
  if (!(given(statement->mean_mu) && given(statement->rounds_mu)))
    return tacit_fail(err, TACIT_EPRIVACY,
                      "a private statement must say what round 0 spends");
  if (statement->mean_rows > 0) /* no row is both in round 0 and in the other rounds */
    total = fmax(statement->mean_mu, statement->rounds_mu);
  else
    TACIT_TRY(
        tacit_mu_compose_up(statement->mean_mu, statement->rounds_mu, &total, err));
  if (spent >= total) return TACIT_OK;
  return tacit_fail(err, TACIT_EPRIVACY,
                    "the statement's mu does not cover round 0 and the other rounds");
}

static tacit_status check_facts(const tacit_statement_parts *statement,
                                tacit_error *err) {
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

/* Checks that the totals cover this run, the initial model and the counts that the
   schema was made from. Proof: docs/proofs/tacit_statement_json.md */
static tacit_status check_totals(const tacit_statement_parts *statement,
                                 const tacit_statement *init,
                                 const tacit_described *described, tacit_error *err) {
  /* epsilon may be 0, namely for a small mu and a large delta */
  if (!(given(statement->run_mu) && isfinite(statement->run_epsilon) &&
        statement->run_epsilon >= 0))
    return tacit_fail(err, TACIT_EPRIVACY,
                      "a private statement that builds on other releases must say what "
                      "this run spends");
  tacit_guarantee claimed = {.unit = statement->unit,
                             .persons = statement->persons,
                             .zero_out = statement->adjacency == TACIT_ZERO_OUT,
                             .as_sets = statement->as_sets,
                             .day_only = statement->day_only,
                             .pure = statement->pure,
                             .epsilon = statement->epsilon,
                             .delta = statement->delta,
                             .mu = statement->mu};
  tacit_guarantee total = claimed;
  total.epsilon = statement->run_epsilon;
  total.mu = statement->run_mu;
  TACIT_TRY(tacit_guarantee_build_on(
      &total, statement->init != NULL && !statement->init_public ? init : NULL,
      described, err));
  return tacit_guarantee_covers(&claimed, &total, err);
}

static tacit_status check_claim(const tacit_statement_parts *statement,
                                const tacit_statement *init,
                                const tacit_described *described, tacit_error *err) {
  if (statement->persons == (strcmp(statement->unit, "row") == 0))
    return tacit_fail(err, TACIT_EPRIVACY,
                      "a private statement is about a row, or about a person");
  if (statement->n_reasons != 0)
    return tacit_fail(err, TACIT_EPRIVACY,
                      "a private statement cannot carry reasons against it");
  if (strcmp(statement->noise, "exact") != 0)
    return tacit_fail(err, TACIT_EPRIVACY,
                      "only exact noise can be private, not noise '%s'",
                      statement->noise);
  TACIT_TRY(tacit_guarantee_numbers(statement->pure, statement->epsilon,
                                    statement->delta, statement->mu, err));
  if (!(given(statement->sensitivity_factor) && given(statement->noise_multiplier) &&
        given(statement->second_moment)) ||
      statement->noise_law == NULL || statement->sigma_formula == NULL)
    return tacit_fail(err, TACIT_EPRIVACY,
                      "a private statement must describe its noise");
  TACIT_TRY(check_mean(statement, err));
  if (statement->init == NULL && statement->described == NULL) return TACIT_OK;
  return check_totals(statement, init, described, err);
}

/* Proof: docs/proofs/tacit_statement_json.md */
tacit_status tacit_statement_check(const tacit_statement_parts *statement,
                                   tacit_error *err) {
  TACIT_TRY(check_facts(statement, err));
  tacit_statement init = {0};
  if (statement->init != NULL) {
    int levels;
    TACIT_TRY(tacit_statement_read(statement->init, &init, NULL, &levels, err));
    if (levels == TACIT_STATEMENT_LEVELS)
      return tacit_fail(err, TACIT_EINVAL,
                        "the initial model stands at the end of a chain of %d: longer "
                        "ones are not kept",
                        levels);
  }
  tacit_described described = {0};
  if (statement->described != NULL)
    TACIT_TRY(tacit_described_read(statement->described, &described, err));
  if (statement->is_private) return check_claim(statement, &init, &described, err);
  if (statement->n_reasons == 0)
    return tacit_fail(err, TACIT_EINVAL,
                      "a statement that is not private must say why");
  return TACIT_OK;
}
