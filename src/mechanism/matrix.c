/* SPDX-License-Identifier: MIT */
/* The matrix of the caller, or a matrix from a table for small numbers of rounds. The
   vault takes any integers; the checks here are for the decoder and for clear
   messages. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "mechanism/matrix_table.h"
#include "mechanism/mechanism.h"

static const struct tacit_matrix_row *find_row(double design, int64_t per_pass,
                                               int64_t passes) {
  const struct tacit_matrix_row *row = tacit_matrix_table;
  while (row->per_pass > 0 && (row->design != (int)design ||
                               row->per_pass != per_pass || row->passes != passes))
    ++row;
  return row->per_pass > 0 ? row : NULL;
}

const struct tacit_encoder_ops *
tacit_encoder_serving(const struct tacit_encoder_ops *ops, int64_t per_pass,
                      int64_t passes, double *values) {
  if (ops != &tacit_encoder_matrix || find_row(values[0], per_pass, passes) != NULL)
    return ops;
  for (int i = 0; tacit_encoder_banded.params[i].name != NULL; ++i)
    values[i] = tacit_encoder_banded.params[i].fallback;
  return &tacit_encoder_banded;
}

/* Fills in the matrix of the table, or the matrix of `banded` if the table has no row
   for the run. */
static tacit_status fill_from_table(const tacit_encoder_facts *facts, int64_t *k,
                                    tacit_error *err) {
  int64_t rounds = facts->rounds;
  const struct tacit_matrix_row *row =
      find_row(facts->values[0], facts->per_pass, rounds / facts->per_pass);
  if (row == NULL) {
    tacit_encoder_facts other = *facts;
    return tacit_encoder_serving(&tacit_encoder_matrix, facts->per_pass,
                                 rounds / facts->per_pass, other.values)
        ->fill(&other, k, err);
  }
  const uint16_t *next = row->entries;
  for (int64_t t = 0; t < rounds; ++t)
    for (int64_t i = 0; i <= t; ++i)
      k[t * rounds + i] =
          (int64_t)floor(ldexp(*next++, facts->weight_bits - TACIT_MATRIX_TABLE_BITS));
  return TACIT_OK;
}

static tacit_status matrix_fill(const tacit_encoder_facts *facts, int64_t *k,
                                tacit_error *err) {
  const tacit_matrix *matrix = facts->matrix;
  int64_t rounds = facts->rounds;
  if (matrix == NULL) return fill_from_table(facts, k, err);
  if (matrix->entries == NULL || matrix->rounds != rounds) {
    return tacit_fail(err, TACIT_EINVAL,
                      "the matrix has %lld rows, the run %lld rounds: set batch and "
                      "passes so that they agree",
                      (long long)matrix->rounds, (long long)rounds);
  }
  memcpy(k, matrix->entries, (size_t)(rounds * rounds) * sizeof *k);
  for (int64_t t = 0; t < rounds; ++t) {
    const int64_t *row = k + t * rounds;
    if (row[t] == 0) {
      return tacit_fail(err, TACIT_EINVAL,
                        "the matrix cannot be decoded: row %lld has 0 on the diagonal",
                        (long long)t + 1);
    }
    for (int64_t i = t + 1; i < rounds; ++i) {
      if (row[i] != 0) {
        return tacit_fail(err, TACIT_EINVAL,
                          "the matrix must be 0 above the diagonal: see row %lld",
                          (long long)t + 1);
      }
    }
  }
  return TACIT_OK;
}

static const tacit_param matrix_params[] = {
    {"design", TACIT_DESIGN_SUMS, TACIT_DESIGN_STEPS, TACIT_DESIGN_SUMS,
     "least noise in 0: the sums of a bettor, 1: the last step of heavy ball, 2: the "
     "average of its steps with second moments"},
    {NULL, 0, 0, 0, NULL}};

const struct tacit_encoder_ops tacit_encoder_matrix = {
    .name = "matrix",
    .summary = "optimised for 1 pass of 24 rounds, 2-4 of 16, 5-8 of 8, else "
               "banded; or your own: file=FILE",
    .params = matrix_params,
    .private_noise = 1,
    .relative = 1,
    .weight_bits_max = TACIT_MATRIX_TABLE_BITS,
    .rounds_max = TACIT_MATRIX_ROUNDS_MAX,
    .fill = matrix_fill,
};
