/* SPDX-License-Identifier: MIT */
/*
 * The privacy statement as data. It is built from public facts of a plan, checked
 * against the accountant, and goes as one JSON object into plans and model files.
 */
#include "privacy/statement.h"

#include "base/error.h"

#include <math.h>
#include <string.h>
#include <tacit/account.h>

/* Room for the two roundings between epsilon -> mu -> epsilon. */
static const double ROUND_TRIP = 1e-9;

/* Fail closed: a statement that says more than mu and delta carry is never written.
   Proof: docs/proofs/tacit_statement_json.md */
static tacit_status check_claim(const tacit_statement *statement, tacit_error *err) {
  if (!statement->is_private) {
    if (statement->n_reasons == 0)
      return tacit_fail(err, TACIT_EINVAL,
                        "a statement that is not private must say why");
    return TACIT_OK;
  }
  if (statement->n_reasons != 0)
    return tacit_fail(err, TACIT_EPRIVACY,
                      "a private statement cannot carry reasons against it");
  if (strcmp(statement->noise, "exact") != 0)
    return tacit_fail(err, TACIT_EPRIVACY,
                      "only exact noise can be private, not noise '%s'",
                      statement->noise);
  double exact;
  TACIT_TRY(tacit_epsilon_from_mu_up(statement->mu, statement->delta, &exact, err));
  if (!(isfinite(statement->epsilon) && exact <= statement->epsilon * (1 + ROUND_TRIP)))
    return tacit_fail(err, TACIT_EPRIVACY,
                      "the statement's epsilon is below what mu and delta imply");
  if (!(statement->sensitivity_factor > 0 && statement->noise_multiplier > 0) ||
      statement->noise_law == NULL || statement->sigma_formula == NULL)
    return tacit_fail(err, TACIT_EPRIVACY,
                      "a private statement must describe its noise");
  return TACIT_OK;
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
  return TACIT_OK;
}

/* The setters remember a failure (only memory can fail) so that one check will do. */
static void set(json_t *object, const char *key, json_t *value, int *failed) {
  if (json_object_set_new(object, key, value) != 0) *failed = 1;
}

static void set_text(json_t *object, const char *key, const char *text, int *failed) {
  set(object, key, text == NULL ? json_null() : json_string(text), failed);
}

static void set_count(json_t *object, const char *key, int64_t count, int *failed) {
  set(object, key, json_integer(count), failed);
}

static void set_number(json_t *object, const char *key, double number, int *failed) {
  int applies = isfinite(number) && number > 0;
  set(object, key, applies ? json_real(number) : json_null(), failed);
}

/* What follows from mu and delta; null where they are outside the accountant's range.
 */
static void set_derived(json_t *object, const tacit_statement *statement, int *failed) {
  double zcdp = 0, exact = 0, by_zcdp = 0;
  if (statement->mu > 0 && tacit_zcdp_from_mu_up(statement->mu, &zcdp, NULL) == 0) {
    if (tacit_epsilon_from_mu_up(statement->mu, statement->delta, &exact, NULL) != 0)
      exact = 0;
    if (tacit_epsilon_from_zcdp_up(zcdp, statement->delta, &by_zcdp, NULL) != 0)
      by_zcdp = 0;
  }
  set_number(object, "zcdp", zcdp, failed);
  set_number(object, "epsilon_exact", exact, failed);
  set_number(object, "epsilon_zcdp", by_zcdp, failed);
}

static json_t *reasons_array(const tacit_statement *statement) {
  json_t *array = json_array();
  for (size_t i = 0; array != NULL && i < statement->n_reasons; ++i) {
    const char *reason = statement->reasons[i];
    if (json_array_append_new(array, json_string(reason == NULL ? "" : reason)) != 0) {
      json_decref(array);
      return NULL;
    }
  }
  return array;
}

/* Proof: docs/proofs/tacit_statement_json.md */
tacit_status tacit_statement_json(const tacit_statement *statement, json_t **out,
                                  tacit_error *err) {
  if (statement == NULL || out == NULL)
    return tacit_fail(err, TACIT_EINVAL, "statement and result must not be NULL");
  TACIT_TRY(check_facts(statement, err));
  TACIT_TRY(check_claim(statement, err));
  json_t *object = json_object();
  if (object == NULL) return tacit_fail_memory(err);

  int failed = 0;
  set(object, "private", json_boolean(statement->is_private), &failed);
  set(object, "reasons", reasons_array(statement), &failed);
  set_number(object, "epsilon", statement->epsilon, &failed);
  set_number(object, "delta", statement->delta, &failed);
  set_number(object, "mu", statement->mu, &failed);
  set_derived(object, statement, &failed);
  set_text(object, "adjacency",
           statement->adjacency == TACIT_ZERO_OUT ? "zero-out" : "replace", &failed);
  set_text(object, "unit", statement->unit, &failed);
  set_count(object, "rows", statement->rows, &failed);
  set_count(object, "rounds", statement->rounds, &failed);
  set_count(object, "passes", statement->passes, &failed);
  set_count(object, "batches_per_pass", statement->batches_per_pass, &failed);
  set_text(object, "order", statement->order, &failed);
  set_text(object, "mechanism", statement->mechanism, &failed);
  set_text(object, "noise", statement->noise, &failed);
  set_text(object, "noise_law", statement->noise_law, &failed);
  set_text(object, "bound", statement->bound, &failed);
  set_number(object, "clip", statement->clip, &failed);
  set_text(object, "sigma_formula", statement->sigma_formula, &failed);
  set_text(object, "accounting", statement->accounting, &failed);
  set_number(object, "sensitivity_factor", statement->sensitivity_factor, &failed);
  set_number(object, "noise_multiplier", statement->noise_multiplier, &failed);
  set_text(object, "preset", statement->preset, &failed);
  set_text(object, "version", statement->version, &failed);
  if (failed) {
    json_decref(object);
    return tacit_fail_memory(err);
  }
  *out = object;
  return TACIT_OK;
}
