/* SPDX-License-Identifier: MIT */
/*
 * Decoding the banded mechanism: forward substitution with the integer matrix the
 * encoder used, u_t = (y_t - sum_{i<t} C_ti u_i) / C_tt, and the prefix sum of bound_t
 * u_t. The noise is followed through the exact inverse's band, which rounding of C
 * changes by 2^-12 at the most.
 */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "convert/decode.h"
#include "vault/banded.h"

struct banded {
  tacit_banded *matrix;
  size_t dim;
  int weight_bits;
  double *inputs; /* u_1 … u_R decoded, dim numbers each */
  double *sum;
  double *share; /* of noise z_i in the prefix sum */
  double variance;
};

static void banded_fini(void *self) {
  struct banded *banded = self;
  tacit_banded_free(banded->matrix);
  tacit_array_free(banded->inputs);
  tacit_array_free(banded->sum);
  tacit_array_free(banded->share);
}

static tacit_status banded_init(void *self, const tacit_encoder_facts *shape,
                                tacit_error *err) {
  struct banded *banded = self;
  size_t rounds = (size_t)shape->rounds;
  banded->dim = shape->dim;
  banded->weight_bits = shape->weight_bits;
  TACIT_TRY(tacit_banded_new(shape, &banded->matrix, err));
  if (shape->dim > SIZE_MAX / rounds) return tacit_fail_memory(err);
  banded->inputs = tacit_array_new(rounds * shape->dim, sizeof *banded->inputs);
  banded->sum = tacit_array_new(shape->dim, sizeof *banded->sum);
  banded->share = tacit_array_new(rounds, sizeof *banded->share);
  if (banded->inputs == NULL || banded->sum == NULL || banded->share == NULL) {
    return tacit_fail_memory(err);
  }
  return TACIT_OK;
}

/* The prefix sum gains bound_t N_t sum_j inverse_j z_{t-j}. */
static double follow_noise(struct banded *banded, int64_t t, double bound,
                           double y_std) {
  const tacit_banded *matrix = banded->matrix;
  double gain = bound * matrix->norms[t - 1] * y_std;
  for (int j = 0; j < matrix->width && j < t; ++j) {
    double *share = &banded->share[t - 1 - j];
    banded->variance -= *share * *share;
    *share += gain * matrix->inverse[j];
    banded->variance += *share * *share;
  }
  return sqrt(fmax(banded->variance, 0));
}

static void banded_step(void *self, int64_t t, double bound, const double *y,
                        double y_std, double *out_sum, double *out_std) {
  struct banded *banded = self;
  const int64_t *row = banded->matrix->k + (t - 1) * banded->matrix->rounds;
  double *now = banded->inputs + (size_t)(t - 1) * banded->dim;
  double diagonal = ldexp((double)row[t - 1], -banded->weight_bits);
  for (size_t i = 0; i < banded->dim; ++i)
    now[i] = y[i];
  for (int64_t j = 0; j < t - 1; ++j) {
    double entry = ldexp((double)row[j], -banded->weight_bits);
    const double *then = banded->inputs + (size_t)j * banded->dim;
    for (size_t i = 0; i < banded->dim; ++i)
      now[i] -= entry * then[i];
  }
  for (size_t i = 0; i < banded->dim; ++i) {
    now[i] /= diagonal;
    banded->sum[i] += bound * now[i];
    out_sum[i] = banded->sum[i];
  }
  *out_std = follow_noise(banded, t, bound, y_std);
}

const struct tacit_decoder_ops tacit_decoder_banded = {
    &tacit_encoder_banded, sizeof(struct banded), banded_init, banded_fini,
    banded_step};
