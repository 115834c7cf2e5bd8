/* SPDX-License-Identifier: MIT */
/* A matrix of the caller's. The vault takes any integers; the checks here are for the
   decoder and for clear messages. */
#include <string.h>

#include "base/error.h"
#include "mechanism/mechanism.h"

static tacit_status matrix_fill(const tacit_encoder_facts *facts, int64_t *k,
                                tacit_error *err) {
  const tacit_matrix *matrix = facts->matrix;
  int64_t rounds = facts->rounds;
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

const struct tacit_encoder_ops tacit_encoder_matrix = {
    .name = "matrix",
    .summary = "a matrix of the caller's: library only",
    .private_noise = 1,
    .relative = 1,
    .rounds_max = TACIT_MATRIX_ROUNDS_MAX,
    .fill = matrix_fill,
};
