/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_EVALUATE_TALLY_H
#define TACIT_EXTRA_EVALUATE_TALLY_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/data.h>
#include <tacit/status.h>

#include "vault/key.h"

/*
 * Sums over all rows that are released once, under one budget. A tally has parts. In a
 * part with several columns a row adds a number from 0 to 1 to one of them, so the part
 * counts rows. A part with one column adds up such numbers. Rows have weights, and the
 * rows of a person share the weight of one row, as in training. There is one sum over
 * all rows, so neighbours are sets: the order of the rows does not matter.
 *
 * The vault clips every row of every part to 1 and refuses negative numbers, so nothing
 * that is computed outside the vault is trusted. Part i is a release of mu_i, with sum
 * mu_i^2 <= mu^2. Proof: docs/proofs/count_release.md
 */
typedef struct tacit_tally tacit_tally;

typedef struct tacit_tally_part {
  size_t columns;
  double scale; /* must be > 0. Rows of the part are multiplied by it if all parts
                   together are one vector of norm 1; the noise of the part is
                   proportional to 1/scale */
} tacit_tally_part;

typedef struct tacit_tally_facts {
  const tacit_tally_part *parts;
  size_t n_parts;
  int64_t rows; /* number of rows or persons; public */
  int kappa;    /* 1 for zero-out, 2 for replace */
  double mu;    /* budget of the whole release */
} tacit_tally_facts;

tacit_status tacit_tally_new(const tacit_tally_facts *facts, tacit_tally **out,
                             tacit_error *err);
void tacit_tally_free(tacit_tally *tally);

/* Returns the number of columns of all parts together. */
size_t tacit_tally_columns(const tacit_tally *tally);
/* Returns the standard deviation of the noise in a column of a part, in rows. */
double tacit_tally_noise(const tacit_tally *tally, size_t part);
/* Returns the mu of a part. */
double tacit_tally_mu(const tacit_tally *tally, size_t part);

/* Adds the rows of a batch. Reads only their weights and unit rows. Row i adds
   raw_values[i * n_parts + p] to column raw_columns[i * n_parts + p] of part p. */
tacit_status tacit_tally_add(tacit_tally *tally, const tacit_batch *batch,
                             const uint32_t *raw_columns, const double *raw_values,
                             tacit_error *err);
/* Ends the tally. Writes its columns with noise, part after part, in rows. `key` must
   be used for this tally alone. */
tacit_status tacit_tally_end(tacit_tally *tally, const tacit_key *key, double *out,
                             tacit_error *err);
/* Writes the columns without noise, in rows. For the attacker of an audit, who knows
   the rows. */
void tacit_tally_raw_sums(const tacit_tally *tally, double *raw_out);

#endif
