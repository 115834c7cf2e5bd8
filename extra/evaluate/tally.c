/* SPDX-License-Identifier: MIT */
/*
 * A tally has one vault per part, which sums sparse rows of one entry in one round; the
 * matrix of the mechanism is the number 1. The division of the budget decides only
 * about accuracy. compose_parts adds up the mu of the parts, with every rounding
 * against the user, and the sum must be within mu.
 */
#include "extra/evaluate/tally.h"

#include <math.h>
#include <stdio.h>
#include <tacit/account.h>

#include "base/error.h"
#include "base/memory.h"
#include "extra/evaluate/once.h"

enum { PARTS_MAX = 99999 };

struct part {
  size_t columns;
  tacit_once once;
  double mu;
};

struct tacit_tally {
  tacit_tally_facts facts;
  size_t columns;
  tacit_pool *pool;
  struct part *parts; /* n_parts parts */
};

void tacit_tally_free(tacit_tally *tally) {
  if (tally == NULL) return;
  for (size_t i = 0; tally->parts != NULL && i < tally->facts.n_parts; ++i)
    tacit_once_fini(&tally->parts[i].once);
  tacit_array_free(tally->parts);
  tacit_pool_free(tally->pool);
  tacit_array_free(tally);
}

/* Returns the distance of two rows of the part, as the vault bounds it. Used to divide
   the budget and to state the noise. */
static double distance(const tacit_tally_facts *facts, size_t columns) {
  return facts->kappa == 1 || columns == 1 ? 1 : sqrt(2);
}

static tacit_status compose_parts(const tacit_tally *tally, double *out_mu,
                                  tacit_error *err) {
  *out_mu = tally->parts[0].mu;
  for (size_t i = 1; i < tally->facts.n_parts; ++i)
    TACIT_TRY(tacit_mu_compose_up(*out_mu, tally->parts[i].mu, out_mu, err));
  return TACIT_OK;
}

/* Divides mu in the ratio of scale times distance, so that the noise of part i is
   proportional to 1/scale. Rounds down until the parts together are within mu. */
static tacit_status divide_budget(tacit_tally *tally, tacit_error *err) {
  const tacit_tally_facts *facts = &tally->facts;
  double squares = 0, total;
  for (size_t i = 0; i < facts->n_parts; ++i) {
    double reach = facts->parts[i].scale * distance(facts, facts->parts[i].columns);
    tally->parts[i].mu = reach;
    squares += reach * reach;
  }
  for (size_t i = 0; i < facts->n_parts; ++i)
    tally->parts[i].mu *= facts->mu / sqrt(squares);
  for (;;) {
    TACIT_TRY(compose_parts(tally, &total, err));
    if (total <= facts->mu) return TACIT_OK;
    for (size_t i = 0; i < facts->n_parts; ++i)
      tally->parts[i].mu *= 1 - 0x1p-48;
  }
}

static tacit_status part_init(const tacit_tally *tally, size_t columns,
                              struct part *part, tacit_error *err) {
  const tacit_once_facts facts = {.columns = columns,
                                  .counts = 1,
                                  .units = tally->facts.rows,
                                  .kappa = tally->facts.kappa,
                                  .mu = part->mu};
  part->columns = columns;
  return tacit_once_init(&part->once, &facts, tally->pool, err);
}

static tacit_status tally_init(tacit_tally *tally, tacit_error *err) {
  const tacit_tally_facts *facts = &tally->facts;
  TACIT_TRY(TACIT_NEW(tally->parts, facts->n_parts, err));
  TACIT_TRY(tacit_pool_new(1, &tally->pool, err));
  TACIT_TRY(divide_budget(tally, err));
  for (size_t i = 0; i < facts->n_parts; ++i) {
    TACIT_TRY(part_init(tally, facts->parts[i].columns, &tally->parts[i], err));
    tally->columns += facts->parts[i].columns;
  }
  return TACIT_OK;
}

tacit_status tacit_tally_new(const tacit_tally_facts *facts, tacit_tally **out,
                             tacit_error *err) {
  if (facts->n_parts == 0 || facts->n_parts > PARTS_MAX || facts->rows < 1)
    return tacit_fail(err, TACIT_EINVAL, "nothing to count, or more than %d columns",
                      PARTS_MAX);
  tacit_tally *tally = tacit_array_new(1, sizeof *tally);
  if (tally == NULL) return tacit_fail_memory(err);
  tally->facts = *facts;
  tacit_status status = tally_init(tally, err);
  tally->facts.parts = NULL; /* because they belong to the caller */
  return TACIT_HAND_OVER(status, tally, tacit_tally_free, out);
}

size_t tacit_tally_columns(const tacit_tally *tally) { return tally->columns; }

double tacit_tally_mu(const tacit_tally *tally, size_t part) {
  return tally->parts[part].mu;
}

double tacit_tally_noise(const tacit_tally *tally, size_t part) {
  const struct part *own = &tally->parts[part];
  return distance(&tally->facts, own->columns) / own->mu;
}

/* Adds rows first … first+rows-1 of the batch to the sum of part p, as sparse rows. */
static tacit_status add_part(tacit_tally *tally, size_t p, const tacit_batch *batch,
                             int64_t first, size_t rows, const uint32_t *raw_columns,
                             const double *raw_values, tacit_error *err) {
  struct part *part = &tally->parts[p];
  size_t n_parts = tally->facts.n_parts;
  uint32_t raw_indices[TACIT_SUM_ROWS];
  double raw_entries[TACIT_SUM_ROWS], raw_factors[TACIT_SUM_ROWS];
  int64_t starts[TACIT_SUM_ROWS + 1] = {0};
  for (size_t i = 0; i < rows; ++i) {
    size_t at = ((size_t)first + i) * n_parts + p;
    raw_indices[i] = raw_columns[at];
    raw_entries[i] = raw_values[at];
    raw_factors[i] = tacit_once_steps(&part->once);
    starts[i + 1] = (int64_t)i + 1;
  }
  tacit_batch part_rows;
  tacit_batch_init(&part_rows);
  part_rows.n_rows = (int64_t)rows;
  part_rows.n_features = part->columns;
  part_rows.raw_row_start = starts;
  part_rows.raw_indices = raw_indices;
  part_rows.raw_values = raw_entries;
  if (batch->raw_weights != NULL) part_rows.raw_weights = batch->raw_weights + first;
  if (batch->raw_unit_rows != NULL)
    part_rows.raw_unit_rows = batch->raw_unit_rows + first;
  const tacit_points squares_alone = {0};
  const tacit_contribution raw = {.raw_factors = raw_factors};
  tacit_measures raw_measures;
  if (tacit_sum_measure(part->once.sums[0], &part_rows, 0, rows, &squares_alone,
                        &raw_measures) < rows)
    return tacit_fail(err, TACIT_EINVAL, "a row counts in no column of its part");
  return tacit_sum_add(part->once.sums[0], &raw, NULL, err);
}

tacit_status tacit_tally_add(tacit_tally *tally, const tacit_batch *batch,
                             const uint32_t *raw_columns, const double *raw_values,
                             tacit_error *err) {
  for (int64_t first = 0; first < batch->n_rows; first += TACIT_SUM_ROWS) {
    int64_t left = batch->n_rows - first;
    size_t rows = left < TACIT_SUM_ROWS ? (size_t)left : TACIT_SUM_ROWS;
    for (size_t p = 0; p < tally->facts.n_parts; ++p)
      TACIT_TRY(add_part(tally, p, batch, first, rows, raw_columns, raw_values, err));
  }
  return TACIT_OK;
}

/* Releases part p. Every part has a key of its own, so no noise is used twice. */
static tacit_status end_part(tacit_tally *tally, size_t p, const tacit_key *key,
                             double *out, tacit_error *err) {
  char purpose[32]; /* 16 letters: PARTS_MAX has five digits */
  double noise;
  (void)snprintf(purpose, sizeof purpose, "tacit-part-%05zu", p);
  return tacit_once_end(&tally->parts[p].once, tally->pool, key, purpose, out, &noise,
                        err);
}

tacit_status tacit_tally_end(tacit_tally *tally, const tacit_key *key, double *out,
                             tacit_error *err) {
  for (size_t p = 0; p < tally->facts.n_parts; ++p) {
    TACIT_TRY(end_part(tally, p, key, out, err));
    out += tally->parts[p].columns;
  }
  return TACIT_OK;
}

void tacit_tally_raw_sums(const tacit_tally *tally, double *raw_out) {
  for (size_t p = 0; p < tally->facts.n_parts; ++p) {
    const struct part *part = &tally->parts[p];
    const int64_t *raw_integers = tacit_sum_raw_integers(part->once.sums[0]);
    for (size_t i = 0; i < part->columns; ++i)
      *raw_out++ = (double)raw_integers[i] / tacit_once_steps(&part->once);
  }
}
