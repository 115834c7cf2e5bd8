/* SPDX-License-Identifier: MIT */
#ifndef TACIT_PRIVACY_STATEMENT_FIELDS_H
#define TACIT_PRIVACY_STATEMENT_FIELDS_H

#include "privacy/statement.h"

/* Statements in one another: a model, its initial model, the initial model of that ...
 */
enum { TACIT_STATEMENT_LEVELS = 64 };

/* Room for the two roundings between epsilon -> mu -> epsilon. */
#define TACIT_STATEMENT_ROUND_TRIP 1e-9

/* A statement's object as checked values; NaN and NULL stand for null. The strings and
   `init` live in the object. */
typedef struct tacit_statement_fields {
  int is_private, pure, zero_out;
  const char *reasons[TACIT_STATEMENT_REASONS];
  size_t n_reasons;
  double epsilon, delta, mu, zcdp, epsilon_exact, clip, factor, multiplier;
  double norm_exponent, second_moment;
  int64_t rows, rounds, passes, batches;
  const char *unit, *order, *mechanism, *noise, *law, *bound, *formula, *accounting;
  const char *preset, *version;
  const json_t *init;    /* NULL: none */
  const char *init_name; /* NULL: no name */
  int init_public;
  double run_epsilon, run_mu;
} tacit_statement_fields;

enum { TACIT_STATEMENT_CAUTIONS = 3 };

/* What a reader of a private statement must be warned of, from its total epsilon and
   delta and its rows: one line each into `out`; returns how many. */
size_t tacit_statement_cautions(double epsilon, double delta, int64_t rows,
                                const char *out[TACIT_STATEMENT_CAUTIONS]);

/*
 * Reads the statement and the one of its initial model, if it has one (out_init may be
 * NULL); all further ones are checked too. TACIT_EDATA unless everything is there, of
 * its kind and in its range, and a private one starts from what is private or public.
 * out_levels (may be NULL): how many statements there are in one another.
 */
tacit_status tacit_statement_read(const json_t *object, tacit_statement_fields *out,
                                  tacit_statement_fields *out_init, int *out_levels,
                                  tacit_error *err);

/* TACIT_OK only if the statement is complete and claims no more than it carries.
   Proof: docs/proofs/tacit_statement_json.md */
tacit_status tacit_statement_check(const tacit_statement *statement, tacit_error *err);

#endif
