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
 * JSON. A statement that is private needs all but clip.
 */
typedef struct tacit_statement {
  int is_private;
  const char *reasons[TACIT_STATEMENT_REASONS]; /* why not; one line each */
  size_t n_reasons;                             /* 0 exactly when private */

  double epsilon, delta, mu; /* the guarantee; 0 without noise */
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
  const char *sigma_formula; /* NULL without noise */
  const char *accounting;    /* "mu-GDP, exact Gaussian conversion" */
  double sensitivity_factor; /* S: participations of a row, in the l2 sense */
  double noise_multiplier;   /* sigma over the sensitivity of one release */

  const char *preset;
  const char *version; /* of the library */
} tacit_statement;

/*
 * The statement as a JSON object (new reference), with the zCDP and the exact epsilon
 * of its mu filled in. Refuses to be written (TACIT_EPRIVACY) when it claims privacy
 * that mu, delta and the noise do not carry.
 */
tacit_status tacit_statement_json(const tacit_statement *statement, json_t **out,
                                  tacit_error *err);

/*
 * The text for people of such an object, which may come from a file: TACIT_EDATA unless
 * every field is there and of its kind. Lines end in '\n'; free with tacit_array_free.
 */
tacit_status tacit_statement_text(const json_t *statement, char **out,
                                  tacit_error *err);

#endif
