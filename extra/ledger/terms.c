/* SPDX-License-Identifier: MIT */
/*
 * Computes what runs cost in a ledger and what is left. Costs add up as squares of mu
 * (docs/proofs/ledger.md). A zero-out run counts twice under replace, because replacing
 * is leaving one record out and putting another in. A replace run counts once under
 * zero-out.
 */
#include "extra/ledger/terms.h"

#include <math.h>
#include <tacit/account.h>

#include "base/error.h"
#include "base/numbers.h"
#include "privacy/compose.h"
#include "privacy/range.h"

const char *tacit_ledger_adjacency(tacit_adjacency adjacency) {
  return adjacency == TACIT_ZERO_OUT ? "zero-out" : "replace";
}

static tacit_status check_unit(int persons, const tacit_ledger_terms *terms,
                               tacit_error *err) {
  if (persons == terms->persons) return TACIT_OK;
  return tacit_fail(err, TACIT_EINVAL,
                    terms->persons
                        ? "the budget of %s is for persons and the run protects rows: "
                          "name the column of persons (unit)"
                        : "the budget of %s is for rows and the run protects persons: "
                          "make a budget for persons (--unit person, unit=\"person\")",
                    terms->dataset);
}

static tacit_status check_run(const tacit_statement *run,
                              const tacit_ledger_terms *terms, tacit_error *err) {
  if (!run->is_private)
    return tacit_fail(err, TACIT_EPRIVACY,
                      "the run is not private: a budget takes private runs only");
  TACIT_TRY(check_unit(run->persons, terms, err));
  if (terms->persons && run->day_only)
    return tacit_fail(
        err, TACIT_EPRIVACY,
        "the budget of %s is for persons and the run protects a person on one "
        "day: add --unit-once (unit_once=True) to the stream, or start from no model "
        "of "
        "such a one",
        terms->dataset);
  if (!run->as_sets && !terms->in_place)
    return tacit_fail(err, TACIT_EPRIVACY,
                      "the budget of %s is for sets of rows and the run protects rows "
                      "in their places: leave out --no-shuffle, use files in place of "
                      "pipes, start from no model of such a run, or make a budget "
                      "with --in-place (in_place=True)",
                      terms->dataset);
  return TACIT_OK;
}

/* Restates a guarantee in the adjacency of the terms and returns its mu. */
static tacit_status mu_in(const tacit_ledger_terms *terms, const tacit_guarantee *own,
                          double *out_mu, tacit_error *err) {
  tacit_guarantee as = *own;
  as.zero_out = terms->adjacency == TACIT_ZERO_OUT;
  TACIT_TRY(tacit_guarantee_restate(own, &as, &as, err));
  *out_mu = as.mu;
  return TACIT_OK;
}

tacit_status tacit_ledger_cost_of(const json_t *statement,
                                  const tacit_ledger_terms *terms,
                                  tacit_ledger_cost_facts *out, tacit_error *err) {
  tacit_statement run;
  TACIT_TRY(tacit_statement_read(statement, &run, NULL, NULL, err));
  TACIT_TRY(check_run(&run, terms, err));
  *out = (tacit_ledger_cost_facts){
      .times = run.zero_out && terms->adjacency != TACIT_ZERO_OUT ? 2 : 1,
      .epsilon = run.epsilon,
      .delta = run.pure ? 0 : run.delta,
      .adjacency = run.zero_out ? TACIT_ZERO_OUT : TACIT_REPLACE,
      .as_sets = run.as_sets,
      .version = run.version,
      .unit = run.unit,
  };
  tacit_guarantee own;
  TACIT_TRY(tacit_guarantee_from(&run, &own, err));
  return mu_in(terms, &own, &out->mu, err);
}

tacit_status tacit_ledger_cost_mu(double mu, tacit_adjacency adjacency, int persons,
                                  const tacit_ledger_terms *terms, double *out_mu,
                                  tacit_error *err) {
  if (terms == NULL || out_mu == NULL)
    return tacit_fail(err, TACIT_EINVAL, "terms and result must not be NULL");
  TACIT_TRY(check_unit(persons, terms, err));
  TACIT_TRY(tacit_check_mu("mu", mu, err));
  const tacit_guarantee own = {.unit = "",
                               .persons = persons,
                               .zero_out = adjacency == TACIT_ZERO_OUT,
                               .delta = 0.5, /* belongs to an epsilon that is not
                                                used */
                               .mu = mu};
  return mu_in(terms, &own, out_mu, err);
}

/* Returns the cost of a run like this one with another epsilon, or infinity if that
   epsilon is not possible. */
static double mu_of(const tacit_ledger_cost_facts *cost, double epsilon) {
  double mu = INFINITY;
  tacit_status status = cost->delta > 0
                            ? tacit_mu_from_dp_down(epsilon, cost->delta, &mu, NULL)
                            : tacit_mu_from_pure_up(cost->times * epsilon, &mu, NULL);
  if (status != TACIT_OK) return INFINITY;
  return cost->delta > 0 ? cost->times * mu : mu;
}

double tacit_ledger_epsilon_left(const tacit_book *book, const tacit_book_set *set,
                                 const tacit_ledger_cost_facts *cost) {
  double low = 0, high = cost->epsilon;
  for (int i = 0; i < 60; ++i) {
    double middle = low > 0 ? sqrt(low * high) : high / 16;
    if (middle < TACIT_EPSILON_MIN) break;
    if (tacit_book_fits(book, set, mu_of(cost, middle)))
      low = middle;
    else
      high = middle;
  }
  if (low == 0) return 0;
  double unit = pow(10, floor(log10(low)) - 2);
  double rounded = floor(low / unit) * unit;
  return tacit_book_fits(book, set, mu_of(cost, rounded)) ? rounded : 0;
}

tacit_status tacit_ledger_refuse(const tacit_book *book, const tacit_book_set *set,
                                 const tacit_ledger_cost_facts *cost,
                                 tacit_error *err) {
  double epsilon = tacit_ledger_epsilon_left(book, set, cost);
  if (set->closed)
    return tacit_fail(err, TACIT_EBUDGET,
                      "the budget of %s is closed: \"tacit ledger log\" says why",
                      set->terms.dataset);
  if (!(epsilon > 0))
    return tacit_fail(err, TACIT_EBUDGET, "the budget of %s is spent: nothing fits",
                      set->terms.dataset);
  return tacit_fail(err, TACIT_EBUDGET,
                    "the run of epsilon %.6g does not fit what is left of the budget "
                    "of %s: at most epsilon = %.3g fits at delta = %.3g",
                    cost->epsilon, set->terms.dataset, epsilon, cost->delta);
}
