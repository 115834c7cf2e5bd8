/* SPDX-License-Identifier: MIT */
#ifndef TACIT_PRIVACY_STATEMENT_H
#define TACIT_PRIVACY_STATEMENT_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <tacit/config.h>
#include <tacit/status.h>

enum { TACIT_STATEMENT_REASONS = 8 };

/*
 * What a run guarantees, to whom, and how. All of it is public. Strings are borrowed.
 * Numbers that do not apply are 0, strings that do not apply are NULL; both become null
 * in JSON. A private statement needs every field but clip and the initial model.
 */
typedef struct tacit_statement {
  int is_private;
  const char
      *reasons[TACIT_STATEMENT_REASONS]; /* why it is not private; one line each */
  size_t n_reasons;                      /* 0 if and only if private */

  int pure;                  /* 1: epsilon-DP, with delta = 0 */
  double epsilon, delta, mu; /* total, with the initial model; 0: no noise */
  tacit_adjacency adjacency;
  const char *unit; /* in what neighbouring data sets differ: "row" */
  int persons;      /* 1: the unit is a person, and `rows` is their number */
  int64_t rows;     /* n, public */
  int64_t rounds;
  int passes;
  int64_t batches_per_pass;
  const char *order;   /* "secret, drawn uniformly, the same in every pass" */
  int as_sets;         /* 1: neighbours are sets of rows; 0: lists, one place differs */
  const char *days;    /* of a stream, in words; NULL: not a stream */
  int day_only;        /* 1: of a stream, whose unit may come on other days too */
  const char *weights; /* of rows and classes, in words; NULL: there are none */

  /* Round 0, which releases the mean row; what it released, NULL: there is none. Both
     mu are parts of the run's. */
  const char *mean;
  double mean_mu, rounds_mu;
  int64_t mean_rows; /* the first rows, which no other round uses; 0: all rows, and the
                        two mu add up */

  const char *mechanism; /* "tree" */
  const char *noise;     /* "exact" if it may be private; "none" without noise */
  const char *noise_law; /* "rounded Gaussian"; NULL without noise */
  const char *bound;     /* what limits one contribution, in words */
  double clip;           /* C; 0 if the bound is not a fixed clip */
  double norm_exponent;  /* p of the norm of rows and contributions, up to INFINITY */
  const char *sigma_formula; /* NULL without noise */
  const char *accounting;    /* "mu-GDP, exact Gaussian conversion" */
  double sensitivity_factor; /* S: sensitivity of the mechanism for a clip of 1 */
  double noise_multiplier;   /* sigma divided by the sensitivity of one release */
  double second_moment;      /* V: mean squared norm of the noise at scale 1 */

  const json_t *described;    /* the counts the schema was made from; NULL: none */
  json_t *init;               /* statement of the initial model; NULL: none */
  const char *init_name;      /* the user's name for it, or NULL */
  int init_public;            /* 1: made without these people's data */
  double run_epsilon, run_mu; /* of this run alone; ignored without the two above */

  const char *preset;
  const char *version; /* of the library */
} tacit_statement;

/*
 * The statement as a JSON object (new reference), with the zCDP and the exact epsilon
 * of its mu; it keeps a reference to `init`. TACIT_EPRIVACY if it claims more privacy
 * than mu, delta, the noise and the initial model support. TACIT_EDATA if the statement
 * of the initial model is incomplete.
 */
tacit_status tacit_statement_json(const tacit_statement *statement, json_t **out,
                                  tacit_error *err);

/*
 * The statement as text for people. The object may come from a file: TACIT_EDATA if a
 * field is missing or of the wrong type, here or in the statement of an initial model.
 * Lines end in '\n'; free with tacit_array_free.
 */
tacit_status tacit_statement_text(const json_t *statement, char **out,
                                  tacit_error *err);

#endif
