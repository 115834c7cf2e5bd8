/* SPDX-License-Identifier: MIT */
/*
 * Decodes mechanism `matrix` by forward substitution, in doubles:
 *
 *   u_t = (y_t - sum_{i<t} C_ti u_i) / C_tt,
 *
 * and adds up bound_t u_t. In that sum the noise z_j of row j has weight sum_i bound_i
 * (C^-1)_ij. So the rows of C^-1 are computed by the same substitution, with R^3/6
 * multiplications in all.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mechanism/decode.h"

struct decoder {
  int64_t rounds, t; /* t: number of the open row */
  size_t dim;
  double bound;
  double *c;       /* the matrix */
  double *inverse; /* the inverse of the matrix, up to row t */
  double *share;   /* weight of noise z_j in the prefix sum, times the standard
                      deviation of z_j */
  double *y_std;   /* standard deviation of z_j */
  double *u;       /* u_1 … u_t, one after the other */
  double *sum;
};

static void matrix_fini(void *self) {
  struct decoder *decoder = self;
  TACIT_FREE(decoder->c, decoder->inverse, decoder->share, decoder->y_std, decoder->u,
             decoder->sum);
}

static tacit_status read_matrix(struct decoder *decoder,
                                const tacit_encoder_facts *shape, tacit_error *err) {
  size_t size = (size_t)(shape->rounds * shape->rounds);
  int64_t *k = tacit_array_new(size, sizeof *k);
  tacit_status status =
      k != NULL ? tacit_encoder_matrix.fill(shape, k, err) : tacit_fail_memory(err);
  for (size_t i = 0; status == TACIT_OK && i < size; ++i)
    decoder->c[i] = ldexp((double)k[i], -shape->weight_bits);
  tacit_array_free(k);
  return status;
}

static tacit_status matrix_init(void *self, const tacit_encoder_facts *shape,
                                tacit_error *err) {
  struct decoder *decoder = self;
  size_t rounds = (size_t)shape->rounds, dim = shape->dim;
  decoder->rounds = shape->rounds;
  decoder->dim = dim;
  if (rounds > TACIT_MATRIX_ROUNDS_MAX || dim > SIZE_MAX / rounds)
    return tacit_fail_memory(err);
  TACIT_TRY(TACIT_NEW(decoder->c, rounds * rounds, err));
  TACIT_TRY(TACIT_NEW(decoder->inverse, rounds * rounds, err));
  TACIT_TRY(TACIT_NEW(decoder->share, rounds, err));
  TACIT_TRY(TACIT_NEW(decoder->y_std, rounds, err));
  TACIT_TRY(TACIT_NEW(decoder->u, rounds * dim, err));
  TACIT_TRY(TACIT_NEW(decoder->sum, dim, err));
  return read_matrix(decoder, shape, err);
}

static double matrix_open(void *self, int64_t t, double bound, double y_std) {
  struct decoder *decoder = self;
  int64_t rounds = decoder->rounds;
  const double *c = decoder->c + (t - 1) * rounds;
  double *row = decoder->inverse + (t - 1) * rounds, variance = 0;
  decoder->t = t;
  decoder->bound = bound;
  decoder->y_std[t - 1] = y_std;
  row[t - 1] = 1;
  for (int64_t i = 0; i < t - 1; ++i) {
    const double *earlier = decoder->inverse + i * rounds;
    for (int64_t j = 0; j <= i; ++j)
      row[j] -= c[i] * earlier[j];
  }
  for (int64_t j = 0; j < t; ++j) {
    row[j] /= c[t - 1];
    decoder->share[j] += bound * row[j] * decoder->y_std[j];
    variance += decoder->share[j] * decoder->share[j];
  }
  return sqrt(variance);
}

static void matrix_sum(void *self, const double *y, size_t first, size_t end,
                       double *out_sum) {
  struct decoder *decoder = self;
  const double *c = decoder->c + (decoder->t - 1) * decoder->rounds;
  double *u = decoder->u + (size_t)(decoder->t - 1) * decoder->dim;
  memcpy(u + first, y + first, (end - first) * sizeof *u);
  for (int64_t i = 0; i < decoder->t - 1; ++i) {
    const double *earlier = decoder->u + (size_t)i * decoder->dim;
    for (size_t j = first; j < end; ++j)
      u[j] -= c[i] * earlier[j];
  }
  for (size_t j = first; j < end; ++j) {
    u[j] /= c[decoder->t - 1];
    decoder->sum[j] += decoder->bound * u[j];
    out_sum[j] = decoder->sum[j];
  }
}

const struct tacit_decoder_ops tacit_decoder_matrix = {
    .encoder = &tacit_encoder_matrix,
    .state_size = sizeof(struct decoder),
    .init = matrix_init,
    .fini = matrix_fini,
    .open = matrix_open,
    .sum = matrix_sum,
};
