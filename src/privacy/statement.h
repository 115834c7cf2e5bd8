/* SPDX-License-Identifier: MIT */
#ifndef TACIT_PRIVACY_STATEMENT_H
#define TACIT_PRIVACY_STATEMENT_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <tacit/config.h>
#include <tacit/statement.h>
#include <tacit/status.h>

/*
 * What a run guarantees, to whom, and how. All of it is public. Strings are borrowed. A
 * number that does not apply is 0 and a string that does not apply is NULL; both become
 * null in JSON. A private statement needs every field except clip and the fields of the
 * initial model.
 */
typedef struct tacit_statement_parts {
  int is_private;
  const char *reasons[TACIT_STATEMENT_REASONS]; /* why the run is not private, one line
                                                   per reason */
  size_t n_reasons; /* 0 if and only if the statement is private */

  int pure;                  /* 1 if the guarantee is epsilon-DP, with delta = 0 */
  double epsilon, delta, mu; /* totals, with the initial model; 0 without noise */
  tacit_adjacency adjacency;
  const char *unit; /* in what two neighbouring data sets differ: "row", or a person */
  int persons;      /* 1 if the unit is a person; `rows` is then the number of
                       persons */
  int64_t rows;     /* the number n of rows, public */
  int64_t rounds;
  int passes;
  int64_t batches_per_pass;
  const char *order;   /* "secret, drawn uniformly, the same in every pass" */
  int as_sets;         /* 1 if neighbours are sets of rows; 0 if they are lists that
                          differ in one place */
  const char *days;    /* the days of a stream, in words; NULL if the run is not a day
                          of a stream */
  int day_only;        /* 1 if the guarantee is for one day of a stream, and the unit
                          may have rows on other days */
  const char *weights; /* weights of rows and classes, in words; NULL without weights */

  /* What round 0 released, which releases the mean row; NULL without a round 0. mean_mu
     and rounds_mu are the shares of round 0 and of the other rounds in the mu of the
     run. */
  const char *mean;
  double mean_mu, rounds_mu;
  int64_t mean_rows; /* number of first rows that only round 0 uses, so that mu is the
                        larger share; 0 if round 0 uses all rows, so that the shares add
                        up */

  const char *mechanism; /* "tree" */
  const char *noise;     /* "exact" in every private statement; "none" without noise */
  const char *noise_law; /* "rounded Gaussian"; NULL without noise */
  const char *bound;     /* what limits one contribution, in words */
  double clip;           /* C; 0 if the bound is not a fixed clip */
  double norm_exponent;  /* exponent of the norm of rows and contributions, 1 …
                            INFINITY */
  const char *sigma_formula; /* NULL without noise */
  const char *accounting;    /* "mu-GDP, exact Gaussian conversion" */
  double sensitivity_factor; /* sensitivity S of the mechanism for a clip of 1 */
  double noise_multiplier;   /* sigma divided by the sensitivity of one release */
  double second_moment;      /* mean squared norm V of the noise at scale 1 */

  const json_t *described;    /* the counts that the schema was made from, or NULL */
  json_t *init;               /* statement of the initial model, or NULL */
  const char *init_name;      /* the user's name for it, or NULL */
  int init_public;            /* 1 if the initial model was made without these people's
                                 data */
  double run_epsilon, run_mu; /* of this run alone; used only with `described` or
                                 `init` */

  const char *preset;
  const char *version; /* version of the library */
} tacit_statement_parts;

/*
 * Makes the JSON object of a statement (new reference), with the zCDP and the exact
 * epsilon of its mu. The object keeps a reference to `init`. Returns TACIT_EPRIVACY if
 * the statement claims more privacy than mu, delta, the noise and the initial model
 * support, and TACIT_EDATA if the statement of the initial model is incomplete.
 */
tacit_status tacit_statement_json(const tacit_statement_parts *statement, json_t **out,
                                  tacit_error *err);

/*
 * Writes a statement as text for people. The object may come from a file: returns
 * TACIT_EDATA if a field is missing or of the wrong type, in this statement or in the
 * statement of an initial model. Lines end in '\n'. The caller frees *out with
 * tacit_array_free.
 */
tacit_status tacit_statement_text(const json_t *statement, char **out,
                                  tacit_error *err);

#endif
