/* SPDX-License-Identifier: MIT */
/*
 * The privacy statement as a JSON object. It is built from the public facts of a plan
 * and checked by the accountant; plans and model files contain it.
 */
#include "privacy/statement_fields.h"

#include "base/error.h"
#include "privacy/exact.h"

#include <math.h>
#include <tacit/account.h>

/* The set functions write 1 to *failed if memory runs out, so that the caller checks
   once at the end. Nothing else can fail. */
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

/* Writes an epsilon. With a mu, an epsilon of 0 is a guarantee. Without a mu it means
   that nothing is guaranteed, and becomes null. */
static void set_epsilon(json_t *object, const char *key, double epsilon, double mu,
                        int *failed) {
  if (epsilon == 0 && isfinite(mu) && mu > 0)
    set(object, key, json_real(0), failed);
  else
    set_number(object, key, epsilon, failed);
}

/* Returns the zCDP of a statement, or 0 without a guarantee. Takes the smaller bound
   for pure DP, where both epsilon^2/2 and mu^2/2 hold. Proof:
   docs/proofs/tacit_mu_from_pure_up.md */
static double zcdp_of(const tacit_statement_parts *statement) {
  double zcdp = 0;
  if (!(statement->mu > 0 && tacit_zcdp_from_mu_up(statement->mu, &zcdp, NULL) == 0))
    return 0;
  if (!(statement->pure && statement->epsilon > 0)) return zcdp;
  return fmin(zcdp, 0.5 * tacit_product_up(statement->epsilon, statement->epsilon));
}

/* Writes the numbers that follow from mu and delta. They are null outside the
   accountant's range. Two of them are null for pure DP, because epsilon says more
   there. */
static void set_derived(json_t *object, const tacit_statement_parts *statement,
                        int *failed) {
  double zcdp = zcdp_of(statement), exact = 0, by_zcdp = 0;
  if (zcdp > 0 && !statement->pure) {
    if (tacit_epsilon_from_mu_up(statement->mu, statement->delta, &exact, NULL) != 0)
      exact = 0;
    if (tacit_epsilon_from_zcdp_up(zcdp, statement->delta, &by_zcdp, NULL) != 0)
      by_zcdp = 0;
  }
  set_number(object, "zcdp", zcdp, failed);
  set_number(object, "epsilon_exact", exact, failed);
  set_number(object, "epsilon_zcdp", by_zcdp, failed);
}

/* Writes "description". Only statements of runs whose schema was made from counts have
   this field. */
static void set_described(json_t *object, const tacit_statement_parts *statement,
                          int *failed) {
  if (statement->described != NULL)
    set(object, "description", json_deep_copy(statement->described), failed);
}

static void set_init(json_t *object, const tacit_statement_parts *statement,
                     int *failed) {
  json_t *init = json_null();
  double epsilon = 0, mu = 0;
  if (statement->init != NULL) {
    init = json_object();
    set_text(init, "name", statement->init_name, failed);
    set(init, "public", json_boolean(statement->init_public), failed);
    set(init, "statement", json_incref(statement->init), failed);
  }
  if (statement->init != NULL || statement->described != NULL) {
    epsilon = statement->run_epsilon;
    mu = statement->run_mu;
  }
  set(object, "init", init, failed);
  set_epsilon(object, "run_epsilon", epsilon, mu, failed);
  set_number(object, "run_mu", mu, failed);
}

/* Writes "round_0". Only statements of centred runs have this field. */
static void set_mean(json_t *object, const tacit_statement_parts *statement,
                     int *failed) {
  if (statement->mean == NULL) return;
  json_t *mean = json_object();
  set_text(mean, "released", statement->mean, failed);
  set_number(mean, "mu", statement->mean_mu, failed);
  set_number(mean, "rounds_mu", statement->rounds_mu, failed);
  if (statement->mean_rows > 0)
    set_count(mean, "rows_apart", statement->mean_rows, failed);
  set(object, "round_0", mean, failed);
}

static json_t *lines_array(const char *const *lines, size_t count) {
  json_t *array = json_array();
  for (size_t i = 0; array != NULL && i < count; ++i) {
    const char *line = lines[i] == NULL ? "" : lines[i];
    if (json_array_append_new(array, json_string(line)) != 0) {
      json_decref(array);
      return NULL;
    }
  }
  return array;
}

size_t tacit_statement_cautions(double epsilon, double delta, int64_t rows, int persons,
                                const char *out[TACIT_STATEMENT_CAUTIONS]) {
  size_t count = 0;
  if (epsilon > 10)
    out[count++] = "epsilon is above 10: it rules out little of what an attacker could "
                   "find out";
  if (delta > 1e-5)
    out[count++] =
        persons
            ? "delta is above 1e-5: an outcome that exposes a person may be that likely"
            : "delta is above 1e-5: an outcome that exposes a row may be that likely";
  if (rows < 1000)
    out[count++] =
        persons
            ? "fewer than 1000 persons: noise that protects them leaves little to learn"
            : "fewer than 1000 rows: noise that protects them leaves little to learn";
  return count;
}

/* Returns the warnings of a statement. A statement that is not private has no
   warnings, because it promises nothing. */
static json_t *cautions_array(const tacit_statement_parts *statement) {
  const char *lines[TACIT_STATEMENT_CAUTIONS];
  size_t count = 0;
  if (statement->is_private)
    count = tacit_statement_cautions(statement->epsilon, statement->delta,
                                     statement->rows, statement->persons, lines);
  return lines_array(lines, count);
}

/* Proof: docs/proofs/tacit_statement_json.md */
tacit_status tacit_statement_json(const tacit_statement_parts *statement, json_t **out,
                                  tacit_error *err) {
  if (statement == NULL || out == NULL)
    return tacit_fail(err, TACIT_EINVAL, "statement and result must not be NULL");
  TACIT_TRY(tacit_statement_check(statement, err));
  json_t *object = json_object();
  if (object == NULL) return tacit_fail_memory(err);

  int failed = 0;
  set(object, "private", json_boolean(statement->is_private), &failed);
  set(object, "reasons", lines_array(statement->reasons, statement->n_reasons),
      &failed);
  set(object, "cautions", cautions_array(statement), &failed);
  set(object, "pure", json_boolean(statement->pure), &failed);
  set_epsilon(object, "epsilon", statement->epsilon, statement->mu, &failed);
  if (statement->pure)
    set(object, "delta", json_real(0), &failed);
  else
    set_number(object, "delta", statement->delta, &failed);
  set_number(object, "mu", statement->mu, &failed);
  set_derived(object, statement, &failed);
  set_text(object, "adjacency",
           statement->adjacency == TACIT_ZERO_OUT ? "zero-out" : "replace", &failed);
  set(object, "as_sets", json_boolean(statement->as_sets), &failed);
  set_text(object, "unit", statement->unit, &failed);
  /* If the unit is a person, the number of rows is secret, and `rows` is the number of
     persons. */
  set_count(object, statement->persons ? "units" : "rows", statement->rows, &failed);
  set_count(object, "rounds", statement->rounds, &failed);
  set_count(object, "passes", statement->passes, &failed);
  set_count(object, "batches_per_pass", statement->batches_per_pass, &failed);
  set_text(object, "order", statement->order, &failed);
  if (statement->days != NULL) set_text(object, "days", statement->days, &failed);
  if (statement->days != NULL || statement->day_only)
    set(object, "day_only", json_boolean(statement->day_only), &failed);
  if (statement->weights != NULL)
    set_text(object, "weights", statement->weights, &failed);
  set_mean(object, statement, &failed);
  set_text(object, "mechanism", statement->mechanism, &failed);
  set_text(object, "noise", statement->noise, &failed);
  set_text(object, "noise_law", statement->noise_law, &failed);
  set_text(object, "bound", statement->bound, &failed);
  set_number(object, "clip", statement->clip, &failed);
  set(object, "norm_exponent",
      isinf(statement->norm_exponent) ? json_string("infinity")
                                      : json_real(statement->norm_exponent),
      &failed);
  set_text(object, "sigma_formula", statement->sigma_formula, &failed);
  set_text(object, "accounting", statement->accounting, &failed);
  set_number(object, "sensitivity_factor", statement->sensitivity_factor, &failed);
  set_number(object, "noise_multiplier", statement->noise_multiplier, &failed);
  set_number(object, "second_moment", statement->second_moment, &failed);
  set_described(object, statement, &failed);
  set_init(object, statement, &failed);
  set_text(object, "preset", statement->preset, &failed);
  set_text(object, "version", statement->version, &failed);
  if (failed) {
    json_decref(object);
    return tacit_fail_memory(err);
  }
  *out = object;
  return TACIT_OK;
}
