/* SPDX-License-Identifier: MIT */
#ifndef TACIT_STATEMENT_H
#define TACIT_STATEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tacit/export.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TACIT_STATEMENT_REASONS = 8 }; /**< most reasons of a statement */

/** The private counts that a schema was made from. */
typedef struct tacit_described {
  const char *digest; /**< digest of the file of counts; NULL if the schema was not made
                           from counts */
  bool is_private;    /**< false if the counts have no noise; the fields below are then
                           not set */
  const char *unit;   /**< unit, persons, zero_out, as_sets, pure, epsilon, delta and mu
                           are as in tacit_statement */
  bool persons, zero_out, as_sets, pure;
  double epsilon, delta, mu;
} tacit_described;

/**
 * A privacy statement: what a release guarantees, to whom, and how. All of it is
 * public. A number that does not apply is NaN and a text that does not apply is NULL.
 * The statement and its texts belong to what it is the statement of. The `_json` and
 * `_text` calls give the same facts for files and for people.
 */
typedef struct tacit_statement {
  bool is_private; /**< false if nothing is guaranteed */
  bool pure;       /**< true if the guarantee is epsilon-DP, with delta = 0 */
  bool zero_out;   /**< true for adjacency zero-out, false for replace */
  bool as_sets; /**< true if neighbours are sets of rows, false if they are lists that
                     differ in one place */
  const char *reasons[TACIT_STATEMENT_REASONS]; /**< n_reasons lines that say why the
                                                     release is not private */
  size_t n_reasons;
  double epsilon, delta, mu; /**< totals, with the initial model and the counts behind
                                  the schema; without privacy, those of the noise */
  double zcdp;               /**< zCDP of mu */
  double epsilon_exact; /**< epsilon that mu has at delta; NaN if epsilon says more */
  double clip;          /**< largest norm of a contribution, if it is fixed */
  double factor;        /**< sensitivity of the mechanism for a clip of 1 */
  double multiplier; /**< standard deviation of the noise divided by the sensitivity */
  double norm_exponent; /**< exponent of the norm of rows, 1 … INFINITY */
  double second_moment; /**< mean squared norm of the noise at scale 1 */
  int64_t rows;         /**< number of rows, or of persons if `persons` is true */
  int64_t rounds, passes;
  int64_t batches;  /**< batches per pass */
  bool persons;     /**< true if the unit is a person, false if it is a row */
  const char *unit; /**< what neighbours differ in: "row", "person (column id)" */
  const char *order, *weights, *mechanism, *noise, *law, *bound, *formula, *accounting;
  const char *preset, *version; /**< preset, and version of the library */
  const char *days; /**< days of a stream, in words; NULL if the release is not a day of
                         a stream */
  bool day_only;    /**< true if the guarantee is for one day of a stream, and the unit
                         may have rows on other days */
  const char *mean; /**< what round 0 released; NULL without a round 0 */
  double mean_mu, rounds_mu; /**< shares of round 0 and of the other rounds in mu */
  int64_t mean_rows; /**< number of first rows that only round 0 used; 0 if it used all
                          rows */
  tacit_described described;          /**< counts behind the schema */
  const struct tacit_statement *init; /**< statement of the initial model, or NULL. Its
                                           own `init` is NULL: initial models further
                                           back are in the JSON */
  const char *init_name;              /**< name of the initial model, or NULL */
  bool init_public;           /**< true if the initial model was declared public */
  double run_epsilon, run_mu; /**< without the initial model and the counts; NaN without
                                   both */
} tacit_statement;

#ifdef __cplusplus
}
#endif
#endif
