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
 * What a run guarantees, to whom, and how: public facts only. Strings are borrowed.
 * Numbers that do not apply are 0, strings that do not apply NULL; both become null in
 * JSON. A statement that is private needs all but clip and the initial model.
 */
typedef struct tacit_statement {
  int is_private;
  const char *reasons[TACIT_STATEMENT_REASONS]; /* why not; one line each */
  size_t n_reasons;                             /* 0 exactly when private */

  int pure;                  /* 1: epsilon-DP; delta is 0 and means it */
  double epsilon, delta, mu; /* the guarantee, initial model included; 0: no noise */
  tacit_adjacency adjacency;
  const char *unit; /* what one neighbour differs by: "row" */
  int64_t rows;     /* n, public */
  int64_t rounds;
  int passes;
  int64_t batches_per_pass;
  const char *order; /* "public permutation, the same in every pass" */

  const char *mechanism;     /* "tree" */
  const char *noise;         /* "exact", "fast" or "none" */
  const char *noise_law;     /* "rounded Gaussian"; NULL without noise */
  const char *bound;         /* what limits one contribution, in words */
  double clip;               /* C; 0 when the bound is not a fixed clip */
  double norm_exponent;      /* of the norm of rows and contributions: 1 ... INFINITY */
  const char *sigma_formula; /* NULL without noise */
  const char *accounting;    /* "mu-GDP, exact Gaussian conversion" */
  double sensitivity_factor; /* S: participations of a row, in the l2 sense */
  double noise_multiplier;   /* sigma over the sensitivity of one release */
  double second_moment;      /* V: mean squared norm of the noise at scale 1 */

  json_t *init;               /* statement of the initial model; NULL: none */
  const char *init_name;      /* what the user calls it; NULL: no name */
  int init_public;            /* 1: made without these people's data */
  double run_epsilon, run_mu; /* of this run alone; without init ignored */

  const char *preset;
  const char *version; /* of the library */
} tacit_statement;

/*
 * The statement as a JSON object (new reference), with the zCDP and the exact epsilon
 * of its mu filled in; it keeps a reference to `init`. Refuses to be written
 * (TACIT_EPRIVACY) when it claims privacy that mu, delta, the noise and the initial
 * model do not carry. TACIT_EDATA when the initial model's statement is incomplete.
 */
tacit_status tacit_statement_json(const tacit_statement *statement, json_t **out,
                                  tacit_error *err);

/*
 * What a model with the statement `init` has spent of people who may be in a run's data
 * too, for the run's unit and adjacency. Two releases compose to the root of the sum of
 * the squared mu, two pure ones to the sum of the epsilon; out_epsilon is INFINITY
 * unless `init` is pure. A model for zero-out counts twice in a run for replace.
 * TACIT_EPRIVACY unless `init` is private, TACIT_EDATA unless it is in order.
 */
tacit_status tacit_statement_share(const json_t *init, const char *unit,
                                   tacit_adjacency adjacency, double *out_epsilon,
                                   double *out_mu, tacit_error *err);

/*
 * The text for people of such an object, which may come from a file: TACIT_EDATA unless
 * every field is there and of its kind, in the statements of initial models too. Lines
 * end in '\n'; free with tacit_array_free.
 */
tacit_status tacit_statement_text(const json_t *statement, char **out,
                                  tacit_error *err);

#endif
