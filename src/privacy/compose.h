/* SPDX-License-Identifier: MIT */
#ifndef TACIT_PRIVACY_COMPOSE_H
#define TACIT_PRIVACY_COMPOSE_H

#include "privacy/statement_fields.h"

/*
 * What a release guarantees, or several releases about the same people together. Only
 * this file adds guarantees up: statements with an initial model, ledgers, accountants
 * and reports call it.
 */
typedef struct tacit_guarantee {
  const char *unit; /* "row", or "person (column id)"; borrowed */
  int persons;      /* 1 if the unit is a person */
  int zero_out;     /* adjacency; 0 for replace */
  int as_sets;      /* 1 if neighbours are sets of rows; 0 if they are lists that differ
                       in one place */
  int day_only;     /* 1 if a unit is protected on one day of a stream only */
  int pure;         /* 1 if epsilon holds with delta = 0 */
  double epsilon;   /* as stated; the sum over releases if `pure` */
  double delta;     /* the largest that a release states; 0 if `pure` */
  double mu;
} tacit_guarantee;

/*
 * Reads the guarantee of a statement. Returns TACIT_EPRIVACY if the statement is not
 * private, TACIT_EDATA if it is incomplete or its numbers contradict each other.
 */
tacit_status tacit_guarantee_of(const json_t *statement, tacit_guarantee *out,
                                tacit_error *err);
/* Like tacit_guarantee_of, for fields that tacit_statement_read returned. */
tacit_status tacit_guarantee_from(const tacit_statement *fields, tacit_guarantee *out,
                                  tacit_error *err);

/*
 * Restates a guarantee for the unit and adjacency of `terms`. Returns TACIT_EPRIVACY if
 * nothing follows for them. Proof: docs/proofs/tacit_guarantee_add.md
 */
tacit_status tacit_guarantee_restate(const tacit_guarantee *part,
                                     const tacit_guarantee *terms, tacit_guarantee *out,
                                     tacit_error *err);

/*
 * Adds the release `more` to `total`, which keeps its unit, adjacency and delta.
 * Returns TACIT_EPRIVACY if the two do not add up. `total` must be about a row if one
 * of them is, and `more` must be pure if `total` is.
 * Proof: docs/proofs/tacit_guarantee_add.md
 */
tacit_status tacit_guarantee_add(tacit_guarantee *total, const tacit_guarantee *more,
                                 tacit_error *err);

/*
 * Adds up `count` releases, at least one. The result is about a row if one of them is,
 * for replace if one of them is, and pure if all of them are. Returns TACIT_EPRIVACY
 * if they do not add up.
 */
tacit_status tacit_guarantee_sum(const tacit_guarantee *parts, size_t count,
                                 tacit_guarantee *out, tacit_error *err);

/*
 * Adds to the guarantee of a run what the run builds on: the initial model (NULL
 * without one, or if it is public), and the counts that its schema was made from.
 * Leaves the counts out if the initial model's schema was made from the same counts,
 * because the initial model's guarantee covers them.
 */
tacit_status tacit_guarantee_build_on(tacit_guarantee *run, const tacit_statement *init,
                                      const tacit_described *described,
                                      tacit_error *err);

/* Returns TACIT_EPRIVACY if epsilon or mu is below what the other numbers imply. */
tacit_status tacit_guarantee_numbers(int pure, double epsilon, double delta, double mu,
                                     tacit_error *err);

/* Returns TACIT_EPRIVACY if `claimed` promises more than `total`. Both must have the
   same unit and adjacency. */
tacit_status tacit_guarantee_covers(const tacit_guarantee *claimed,
                                    const tacit_guarantee *total, tacit_error *err);

/* Returns 1 if two units are persons by two columns of ids that have names. */
int tacit_guarantee_other_column(const char *unit, const char *other);

#endif
