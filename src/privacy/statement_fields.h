/* SPDX-License-Identifier: MIT */
#ifndef TACIT_PRIVACY_STATEMENT_FIELDS_H
#define TACIT_PRIVACY_STATEMENT_FIELDS_H

#include "privacy/statement.h"

/* How deep statements may nest: that of a model contains that of its initial model, …
 */
enum { TACIT_STATEMENT_LEVELS = 64 };

/* Allowance for the two roundings in epsilon -> mu -> epsilon. */
#define TACIT_STATEMENT_ROUND_TRIP 1e-9

/* The private counts that the schema of a run was made from. */
typedef struct tacit_described {
  const char *digest; /* of the file of counts; NULL if there are none */
  int is_private;     /* 0 if the counts have no noise; then nothing below is set */
  const char *unit;
  int persons, zero_out, as_sets, pure;
  double epsilon, delta, mu;
} tacit_described;

/* The checked values of a statement's object; NaN and NULL mean null. Strings and
   `init` belong to the object. */
typedef struct tacit_statement_fields {
  int is_private, pure, zero_out, as_sets;
  const char *reasons[TACIT_STATEMENT_REASONS];
  size_t n_reasons;
  double epsilon, delta, mu, zcdp, epsilon_exact, clip, factor, multiplier;
  double norm_exponent, second_moment;
  int64_t rows, rounds, passes, batches;
  int persons; /* rows is the number of persons */
  const char *unit, *order, *weights, *mechanism, *noise, *law, *bound, *formula,
      *accounting;
  const char *preset, *version;
  const char *days; /* of a stream; NULL: not one */
  int day_only;     /* of a stream: its unit may come on other days too */
  const char *mean; /* what round 0 released; NULL: there was none */
  double mean_mu, rounds_mu;
  int64_t mean_rows; /* rows of their own; 0: all */
  tacit_described described;
  const json_t *init;    /* NULL: none */
  const char *init_name; /* NULL: no name */
  int init_public;
  double run_epsilon, run_mu;
} tacit_statement_fields;

enum { TACIT_STATEMENT_CAUTIONS = 3 };

/* Warnings for readers of a private statement with this total epsilon and delta and
   these rows or persons. Writes one line each to `out` and returns their number. */
size_t tacit_statement_cautions(double epsilon, double delta, int64_t rows, int persons,
                                const char *out[TACIT_STATEMENT_CAUTIONS]);

/*
 * Reads the statement and, if out_init is not NULL, that of its initial model; checks
 * all statements nested in it. TACIT_EDATA if a field is missing, of the wrong type or
 * out of range, or if a private statement has an initial model that is neither private
 * nor public. *out_levels (out_levels may be NULL) is the depth of nesting.
 */
tacit_status tacit_statement_read(const json_t *object, tacit_statement_fields *out,
                                  tacit_statement_fields *out_init, int *out_levels,
                                  tacit_error *err);

/* Reads and checks the object that a schema has about the counts it was made from.
   Returns TACIT_EDATA if a field is missing, of the wrong type or out of range. */
tacit_status tacit_described_read(const json_t *object, tacit_described *out,
                                  tacit_error *err);
/* Makes the object (new reference) for counts with this statement, or NULL for counts
   without noise, whose file has this digest. */
tacit_status tacit_described_json(const json_t *statement, const char *digest,
                                  json_t **out, tacit_error *err);

/* TACIT_OK only if the statement is complete and its numbers support what it claims.
   Proof: docs/proofs/tacit_statement_json.md */
tacit_status tacit_statement_check(const tacit_statement *statement, tacit_error *err);

#endif
