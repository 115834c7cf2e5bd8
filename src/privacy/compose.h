/* SPDX-License-Identifier: MIT */
#ifndef TACIT_PRIVACY_COMPOSE_H
#define TACIT_PRIVACY_COMPOSE_H

#include "privacy/statement_fields.h"

/*
 * What one release guarantees, or several about the same people together. The only
 * place where guarantees are added up: statements with an initial model, ledgers,
 * accountants and reports call it.
 */
typedef struct tacit_guarantee {
  const char *unit; /* "row", or "person (column id)"; borrowed */
  int persons;      /* 1 if the unit is a person */
  int zero_out;     /* adjacency; 0 for replace */
  int as_sets;      /* 0 if neighbours are lists, one place of which differs */
  int day_only;     /* 1 if a unit is protected on one day of a stream only */
  int pure;         /* 1 if epsilon holds with delta = 0 */
  double epsilon;   /* the stated one; total of pure releases if `pure` */
  double delta;     /* largest of the stated ones; 0 if `pure` */
  double mu;
} tacit_guarantee;

/*
 * Reads the guarantee of a statement. Returns TACIT_EPRIVACY if the statement is not
 * private, TACIT_EDATA if it is incomplete or its numbers contradict each other.
 */
tacit_status tacit_guarantee_of(const json_t *statement, tacit_guarantee *out,
                                tacit_error *err);
/* Like tacit_guarantee_of, for fields that were read. */
tacit_status tacit_guarantee_from(const tacit_statement_fields *fields,
                                  tacit_guarantee *out, tacit_error *err);

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
 * of them is, and `more` must be pure if `total` is. Proof:
 * docs/proofs/tacit_guarantee_add.md
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
 * Adds to a run what it builds on: the initial model (NULL if there is none or it is
 * public), and the counts behind its schema, unless the initial model's schema was made
 * from the same ones and so covers them.
 */
tacit_status tacit_guarantee_build_on(tacit_guarantee *run,
                                      const tacit_statement_fields *init,
                                      const tacit_described *described,
                                      tacit_error *err);

/* Returns TACIT_EPRIVACY if epsilon or mu is below what the other numbers imply. */
tacit_status tacit_guarantee_numbers(int pure, double epsilon, double delta, double mu,
                                     tacit_error *err);

/* Returns TACIT_EPRIVACY if `claimed` promises more than `total`, in which unit and
   adjacency are the same. */
tacit_status tacit_guarantee_covers(const tacit_guarantee *claimed,
                                    const tacit_guarantee *total, tacit_error *err);

#endif
