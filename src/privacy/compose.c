/* SPDX-License-Identifier: MIT */
/*
 * How guarantees about the same people add up. Each guarantee is first restated for the
 * unit and adjacency of the total. Then squares of mu are added, or epsilons if all
 * guarantees are pure.
 *
 *   rows, rows                        add up
 *   persons, persons of one column    add up
 *   rows, persons                     add up for a row, not for a person
 *   zero-out in a total for replace   counts twice
 *   sets, lists                       a guarantee for lists
 *   a stream by the day, others       a guarantee for one day of the stream
 *
 * docs/proofs/tacit_guarantee_add.md has the reasons.
 */
#include "privacy/compose.h"

#include "base/error.h"
#include "privacy/exact.h"
#include "privacy/range.h"

#include <math.h>
#include <string.h>
#include <tacit/account.h>

tacit_status tacit_guarantee_numbers(int pure, double epsilon, double delta, double mu,
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

tacit_status tacit_guarantee_from(const tacit_statement *fields, tacit_guarantee *out,
                                  tacit_error *err) {
  if (!fields->is_private)
    return tacit_fail(err, TACIT_EPRIVACY,
                      "a release that is not private adds up "
                      "with nothing");
  if (tacit_guarantee_numbers(fields->pure, fields->epsilon, fields->delta, fields->mu,
                              NULL) != TACIT_OK)
    return tacit_fail(err, TACIT_EDATA,
                      "epsilon, delta and mu of the statement contradict each other");
  *out = (tacit_guarantee){.unit = fields->unit,
                           .persons = fields->persons,
                           .zero_out = fields->zero_out,
                           .as_sets = fields->as_sets,
                           .day_only = fields->day_only,
                           .pure = fields->pure,
                           .epsilon = fields->epsilon,
                           .delta = fields->pure ? 0 : fields->delta,
                           .mu = fields->mu};
  return TACIT_OK;
}

tacit_status tacit_guarantee_of(const json_t *statement, tacit_guarantee *out,
                                tacit_error *err) {
  tacit_statement fields;
  TACIT_TRY(tacit_statement_read(statement, &fields, NULL, NULL, err));
  return tacit_guarantee_from(&fields, out, err);
}

/* Returns the column of ids in the words of a unit, which is "(column id)" both in
   "person (column id)" and in "person on one day (column id)". */
static const char *column_of(const char *unit) {
  const char *column = strchr(unit, '(');
  return column != NULL ? column : unit;
}

int tacit_guarantee_other_column(const char *unit, const char *other) {
  static const char named[] = "(column ";
  const char *first = column_of(unit), *second = column_of(other);
  return strncmp(first, named, sizeof named - 1) == 0 &&
         strncmp(second, named, sizeof named - 1) == 0 && strcmp(first, second) != 0;
}

/* Returns how many neighbours of `more` it takes to get from one neighbour of `total`
   to the other. Proof: docs/proofs/tacit_guarantee_add.md */
static double steps_of(const tacit_guarantee *total, const tacit_guarantee *more) {
  if (more->persons && !total->persons) {
    /* When a row is replaced, two persons may change: the person who loses the old row
       and the person who gets the new one. */
    double persons = total->zero_out ? 1 : 2;
    return more->zero_out ? 2 * persons : persons;
  }
  return more->zero_out && !total->zero_out ? 2 : 1;
}

static tacit_status check_unit(const tacit_guarantee *total,
                               const tacit_guarantee *more, tacit_error *err) {
  if (total->persons && !more->persons)
    return tacit_fail(err, TACIT_EPRIVACY,
                      "these do not add up: one protects persons, the other rows, and "
                      "a person has many rows");
  if (total->persons && strcmp(column_of(total->unit), column_of(more->unit)) != 0)
    return tacit_fail(err, TACIT_EPRIVACY,
                      "these do not add up: they protect persons by different columns "
                      "of ids");
  return TACIT_OK;
}

tacit_status tacit_guarantee_restate(const tacit_guarantee *part,
                                     const tacit_guarantee *terms, tacit_guarantee *out,
                                     tacit_error *err) {
  TACIT_TRY(check_unit(terms, part, err));
  double steps = steps_of(terms, part);
  tacit_guarantee result = *part;
  result.unit = terms->unit;
  result.persons = terms->persons;
  result.zero_out = terms->zero_out;
  result.mu = steps * part->mu;
  if (steps > 1 && part->pure) {
    /* The mu of a pure guarantee is computed from its new epsilon, because that is
       smaller than `steps` times the old mu. */
    result.epsilon = steps * part->epsilon;
    TACIT_TRY(tacit_mu_from_pure_up(result.epsilon, &result.mu, err));
  } else if (steps > 1) {
    TACIT_TRY(tacit_epsilon_from_mu_up(result.mu, result.delta, &result.epsilon, err));
  }
  *out = result;
  return TACIT_OK;
}

/* Proof: docs/proofs/tacit_guarantee_add.md */
tacit_status tacit_guarantee_add(tacit_guarantee *total, const tacit_guarantee *more,
                                 tacit_error *err) {
  tacit_guarantee sum = *total, part;
  TACIT_TRY(tacit_guarantee_restate(more, total, &part, err));
  if (total->pure && !part.pure)
    return tacit_fail(err, TACIT_EPRIVACY,
                      "these do not add up: one is pure, the other has a delta");
  if (total->pure) {
    sum.epsilon = tacit_sum_up(total->epsilon, part.epsilon);
    TACIT_TRY(tacit_mu_from_pure_up(sum.epsilon, &sum.mu, err));
  } else {
    TACIT_TRY(tacit_mu_compose_up(total->mu, part.mu, &sum.mu, err));
    TACIT_TRY(tacit_epsilon_from_mu_up(sum.mu, sum.delta, &sum.epsilon, err));
  }
  sum.as_sets = total->as_sets && more->as_sets;
  sum.day_only = total->day_only || more->day_only;
  *total = sum;
  return TACIT_OK;
}

tacit_status tacit_guarantee_sum(const tacit_guarantee *parts, size_t count,
                                 tacit_guarantee *out, tacit_error *err) {
  if (count == 0) return tacit_fail(err, TACIT_EINVAL, "there is nothing to add up");
  tacit_guarantee terms = parts[0];
  size_t first = 0; /* index of the first release that is not pure, or 0 if all are
                       pure */
  for (size_t i = 1; i < count; ++i) {
    if (!parts[i].persons || (terms.persons && parts[i].day_only))
      terms.unit = parts[i].unit;
    terms.persons &= parts[i].persons;
    terms.zero_out &= parts[i].zero_out;
    if (!parts[i].pure && parts[first].pure) first = i;
  }
  tacit_guarantee total;
  TACIT_TRY(tacit_guarantee_restate(&parts[first], &terms, &total, err));
  for (size_t i = 0; i < count; ++i)
    total.delta = fmax(total.delta, parts[i].delta);
  for (size_t i = 0; i < count; ++i)
    if (i != first) TACIT_TRY(tacit_guarantee_add(&total, &parts[i], err));
  *out = total;
  return TACIT_OK;
}

/* Adds the guarantee of the counts that a schema was made from. They are one release
   about all rows or persons. */
static tacit_status add_described(tacit_guarantee *run,
                                  const tacit_described *described, tacit_error *err) {
  if (!described->is_private)
    return tacit_fail(err, TACIT_EPRIVACY,
                      "the schema was made from counts that are not private");
  const tacit_guarantee more = {.unit = described->unit,
                                .persons = described->persons,
                                .zero_out = described->zero_out,
                                .as_sets = described->as_sets,
                                .pure = described->pure,
                                .epsilon = described->epsilon,
                                .delta = described->delta,
                                .mu = described->mu};
  return tacit_guarantee_add(run, &more, err);
}

tacit_status tacit_guarantee_build_on(tacit_guarantee *run, const tacit_statement *init,
                                      const tacit_described *described,
                                      tacit_error *err) {
  tacit_guarantee total = *run, more;
  if (init != NULL) {
    TACIT_TRY(tacit_guarantee_from(init, &more, err));
    TACIT_TRY(tacit_guarantee_add(&total, &more, err));
  }
  int covered = init != NULL && init->described.digest != NULL &&
                described->digest != NULL &&
                strcmp(init->described.digest, described->digest) == 0;
  if (described->digest != NULL && !covered)
    TACIT_TRY(add_described(&total, described, err));
  *run = total;
  return TACIT_OK;
}

tacit_status tacit_guarantee_covers(const tacit_guarantee *claimed,
                                    const tacit_guarantee *total, tacit_error *err) {
  const char *rule = NULL;
  if (claimed->pure && !(claimed->epsilon >= total->epsilon))
    rule = "epsilon does not cover this run and what it builds on";
  if (!claimed->pure && !(claimed->mu >= total->mu))
    rule = "mu does not cover this run and what it builds on";
  if (claimed->as_sets && !total->as_sets)
    rule = "guarantee is for sets of rows, that of what it builds on is for rows in "
           "their places";
  if (!claimed->day_only && total->day_only)
    rule = "guarantee is for all days, that of what it builds on is for one day";
  if (rule == NULL) return TACIT_OK;
  return tacit_fail(err, TACIT_EPRIVACY, "the statement's %s", rule);
}
