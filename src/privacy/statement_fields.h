/* SPDX-License-Identifier: MIT */
#ifndef TACIT_PRIVACY_STATEMENT_FIELDS_H
#define TACIT_PRIVACY_STATEMENT_FIELDS_H

#include "privacy/statement.h"

/* How deep statements may nest. The statement of a model contains the statement of its
   initial model, which contains the statement of its own initial model, and so on. */
enum { TACIT_STATEMENT_LEVELS = 64 };

/* Relative slack for the two roundings when epsilon is converted to mu and back. */
#define TACIT_STATEMENT_ROUND_TRIP 1e-9

/* The private counts that the schema of a run was made from. */
typedef struct tacit_described {
  const char *digest; /* digest of the file of counts; NULL if the schema was not made
                         from counts */
  int is_private;     /* 0 if the counts have no noise; the fields below are then not
                         set */
  const char *unit;
  int persons, zero_out, as_sets, pure;
  double epsilon, delta, mu;
} tacit_described;

/* The checked values of the JSON object of a statement, named as in tacit_statement.
   NaN and NULL mean null. Strings and `init` belong to the object. */
typedef struct tacit_statement_fields {
  int is_private, pure, zero_out, as_sets;
  const char *reasons[TACIT_STATEMENT_REASONS];
  size_t n_reasons;
  double epsilon, delta, mu, zcdp, epsilon_exact, clip, factor, multiplier;
  double norm_exponent, second_moment;
  int64_t rows, rounds, passes, batches;
  int persons; /* 1 if the unit is a person; `rows` is then the number of persons */
  const char *unit, *order, *weights, *mechanism, *noise, *law, *bound, *formula,
      *accounting;
  const char *preset, *version;
  const char *days; /* the days of a stream, in words; NULL if the run is not a day of a
                       stream */
  int day_only;     /* 1 if the guarantee is for one day of a stream, and the unit may
                       have rows on other days */
  const char *mean; /* what round 0 released; NULL without a round 0 */
  double mean_mu, rounds_mu;
  int64_t mean_rows; /* number of first rows that only round 0 used; 0 if it used all
                        rows */
  tacit_described described;
  const json_t *init;    /* statement of the initial model, or NULL */
  const char *init_name; /* or NULL */
  int init_public;
  double run_epsilon, run_mu;
} tacit_statement_fields;

enum { TACIT_STATEMENT_CAUTIONS = 3 };

/* Writes warnings for readers of a private statement with these totals epsilon and
   delta and this number of rows (of persons if `persons` is 1), one line per warning.
   Returns the number of warnings. */
size_t tacit_statement_cautions(double epsilon, double delta, int64_t rows, int persons,
                                const char *out[TACIT_STATEMENT_CAUTIONS]);

/*
 * Reads a statement and, if out_init is not NULL, the statement of its initial model.
 * Checks all statements nested in it. Returns TACIT_EDATA if a field is missing, of the
 * wrong type or out of range, or if a private statement has an initial model that is
 * neither private nor public. Writes the depth of nesting to *out_levels (out_levels
 * may be NULL).
 */
tacit_status tacit_statement_read(const json_t *object, tacit_statement_fields *out,
                                  tacit_statement_fields *out_init, int *out_levels,
                                  tacit_error *err);

/* Reads and checks the object in which a schema describes the counts it was made from.
   Returns TACIT_EDATA if a field is missing, of the wrong type or out of range. */
tacit_status tacit_described_read(const json_t *object, tacit_described *out,
                                  tacit_error *err);
/* Makes the object in which a schema describes its counts (new reference). `statement`
   is the statement of the counts, or NULL if they have no noise; `digest` is the digest
   of their file. */
tacit_status tacit_described_json(const json_t *statement, const char *digest,
                                  json_t **out, tacit_error *err);

/* Returns TACIT_OK only if the statement is complete and its numbers support what it
   claims. Proof: docs/proofs/tacit_statement_json.md */
tacit_status tacit_statement_check(const tacit_statement *statement, tacit_error *err);

#endif
