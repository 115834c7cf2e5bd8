/* SPDX-License-Identifier: MIT */
/* T4 for matrix mechanisms: rows of K u are formed in integers without any rounding,
   and the sensitivity is computed from the same integers K. Nobody has to trust how K
   was made. tacit_encoder_init and _fini give streams and matrices one form. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "vault/encoder.h"
#include "vault/history.h"

struct matrix {
  int64_t rounds, per_pass, t;
  uint64_t max;          /* of |entry| */
  int64_t clip_max;      /* the largest clip of a round */
  int64_t *k;            /* symmetric: K, and its mirror image above the diagonal */
  tacit_history history; /* u_1 … u_t */
};

static void matrix_fini(void *self) {
  struct matrix *matrix = self;
  tacit_array_free(matrix->k);
  tacit_history_fini(&matrix->history);
}

/* Overwrites what is above the diagonal with the mirrored lower triangle, and keeps the
   size of the largest entry. */
static tacit_status take_entries(struct matrix *matrix, tacit_error *err) {
  for (int64_t t = 0; t < matrix->rounds; ++t) {
    const int64_t *row = matrix->k + t * matrix->rounds;
    for (int64_t i = 0; i <= t; ++i) {
      matrix->k[i * matrix->rounds + t] = row[i];
      uint64_t size = row[i] < 0 ? 0 - (uint64_t)row[i] : (uint64_t)row[i];
      if (size > matrix->max) matrix->max = size;
    }
  }
  if (matrix->max <= (uint64_t)1 << TACIT_MATRIX_ENTRY_BITS) return TACIT_OK;
  return tacit_fail(err, TACIT_EPRIVACY, "an entry of the matrix is larger than 2^%d",
                    TACIT_MATRIX_ENTRY_BITS);
}

static tacit_status matrix_init(void *self, const tacit_encoder_facts *facts,
                                tacit_error *err) {
  struct matrix *matrix = self;
  if (facts->rounds < 1 || facts->rounds > TACIT_MATRIX_ROUNDS_MAX ||
      facts->per_pass < 1)
    return tacit_fail(err, TACIT_EPRIVACY, "a matrix serves up to %d rounds",
                      TACIT_MATRIX_ROUNDS_MAX);
  matrix->rounds = facts->rounds;
  matrix->per_pass = facts->per_pass;
  matrix->clip_max = facts->clip_max;
  matrix->k = tacit_array_new((size_t)(facts->rounds * facts->rounds), sizeof(int64_t));
  if (matrix->k == NULL ||
      !tacit_history_init(&matrix->history, facts->rounds, facts->dim))
    return tacit_fail_memory(err);
  TACIT_TRY(facts->fill(facts, matrix->k, err));
  return take_entries(matrix, err);
}

/* Returns |<column i, column j>| of K for i >= j. Column i from row i on is row i of
   the mirrored k. */
static tacit_i128 inner_product(const struct matrix *matrix, int64_t i, int64_t j) {
  const int64_t *a = matrix->k + i * matrix->rounds,
                *b = matrix->k + j * matrix->rounds;
  tacit_i128 sum = 0;
  for (int64_t t = i; t < matrix->rounds; ++t)
    sum += (tacit_i128)a[t] * b[t];
  return sum < 0 ? -sum : sum;
}

/* Returns the largest square of the norm of sum_e K_e v_e^T with |v_e| <= 1, where K_e
   are the columns of a record in rounds q, q + per_pass, …. It is the sum over e, f of
   |<K_e, K_f>|. */
static tacit_i128 phase_square(const struct matrix *matrix, int64_t q) {
  int64_t rounds = matrix->rounds, b = matrix->per_pass;
  tacit_i128 square = 0;
  for (int64_t i = q; i < rounds; i += b)
    for (int64_t j = q; j <= i; j += b)
      square += (j < i ? 2 : 1) * inner_product(matrix, i, j);
  return square;
}

/* Computes the sensitivity of the matrix, never below the exact one.
   Proof: docs/proofs/matrix_sens.md */
static tacit_status matrix_sens(const void *self, const tacit_encoder_facts *facts,
                                tacit_encoder_sens *out, tacit_error *err) {
  const struct matrix *matrix = self;
  tacit_i128 largest = 0;
  (void)facts;
  (void)err;
  for (int64_t q = 0; q < matrix->per_pass; ++q) {
    tacit_i128 square = phase_square(matrix, q);
    if (square > largest) largest = square;
  }
  out->squares = tacit_sqrt_up(tacit_up((double)largest));
  out->sum = INFINITY;
  /* |a row of K times u| <= max |K| times the sum of all |u_t|. */
  out->extra_bits = tacit_ceil_log2(matrix->max + 1) + 1;
  return TACIT_OK;
}

static int64_t matrix_begin(void *self, int64_t t, int64_t clip) {
  struct matrix *matrix = self;
  (void)clip;
  matrix->t = t;
  return matrix->clip_max; /* a row holds all rounds so far */
}

/* Writes coordinates of row t of K u, the product of the matrix with the sums so
   far. */
static void matrix_encode(void *self, const int64_t *raw_sum, size_t first,
                          size_t count, tacit_i128 *raw_out) {
  struct matrix *matrix = self;
  tacit_history_row(&matrix->history, matrix->k, matrix->t, raw_sum, first, count,
                    raw_out);
}

const struct tacit_encoder_ops tacit_encoder_of_matrix = {
    .state_size = sizeof(struct matrix),
    .sens = matrix_sens,
    .init = matrix_init,
    .fini = matrix_fini,
    .begin = matrix_begin,
    .encode = matrix_encode,
};

tacit_status tacit_encoder_init(tacit_encoder *encoder,
                                const struct tacit_encoder_ops *ops,
                                const tacit_encoder_facts *facts, size_t count,
                                tacit_error *err) {
  encoder->ops = ops->fill != NULL ? &tacit_encoder_of_matrix : ops;
  encoder->facts = *facts;
  encoder->facts.fill = ops->fill;
  encoder->self = tacit_array_new(1, encoder->ops->state_size + 1);
  if (encoder->self == NULL) return tacit_fail_memory(err);
  if (encoder->ops->init == NULL) return TACIT_OK;
  /* The matrix is the run's; only its memory is for the coordinates of this vault. */
  tacit_encoder_facts part = encoder->facts;
  part.dim = count;
  return encoder->ops->init(encoder->self, &part, err);
}

void tacit_encoder_fini(tacit_encoder *encoder) {
  if (encoder->self != NULL && encoder->ops->fini != NULL)
    encoder->ops->fini(encoder->self);
  tacit_array_free(encoder->self);
}
