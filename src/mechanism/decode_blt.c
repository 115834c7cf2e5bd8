/* SPDX-License-Identifier: MIT */
/*
 * Decodes the buffered mechanism by a feedback recursion on the rows y, with omega_j,
 * theta_j and W_t of mechanism/blt.h: v = y - sum_j omega_j s_j, s_j = theta_j s_j + v,
 * u_t = v 2^weight_bits / W_t. The result is the prefix sum of bound_t u_t. The
 * standard deviation of its noise follows from the covariance of (s_1, …, s_m, sum),
 * which obeys the same recursion with white noise as input.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mechanism/blt.h"
#include "mechanism/decode.h"

enum { STATES = TACIT_BLT_MAX + 1 };
static const int64_t rounds_followed =
    1 << 16; /* most rounds for which the covariance is computed, because it costs
                O(m^3) per round */

struct blt {
  tacit_blt matrix;
  double gain; /* of the open row: bound_t 2^weight_bits / W_t */
  double *buffer[TACIT_BLT_MAX];
  double *sum;
  size_t dim;
  double covariance[STATES][STATES];
};

static void blt_fini(void *self) {
  struct blt *blt = self;
  for (int j = 0; j < TACIT_BLT_MAX; ++j)
    tacit_array_free(blt->buffer[j]);
  tacit_array_free(blt->sum);
}

static tacit_status blt_init(void *self, const tacit_encoder_facts *shape,
                             tacit_error *err) {
  struct blt *blt = self;
  TACIT_TRY(tacit_blt_init(&blt->matrix, shape, err));
  blt->dim = shape->dim;
  TACIT_TRY(TACIT_NEW(blt->sum, shape->dim, err));
  for (int j = 0; j < blt->matrix.buffers; ++j)
    TACIT_TRY(TACIT_NEW(blt->buffer[j], shape->dim, err));
  return TACIT_OK;
}

/* Updates the covariance P of the state (s_1, …, s_m, sum) by one round: P = A P A^T +
   B B^T, where A and B are the matrices of the step v = z - omega.s, s_j = theta_j s_j
   + v, sum += gain v with noise z. Returns the standard deviation of the sum. */
static double follow_noise(struct blt *blt, double gain, double y_std) {
  const tacit_blt *matrix = &blt->matrix;
  int m = matrix->buffers, n = m + 1;
  double a[STATES][STATES] = {{0}}, half[STATES][STATES];
  for (int i = 0; i < n; ++i) {
    double drive = i < m ? 1 : gain;
    for (int j = 0; j < m; ++j)
      a[i][j] = -drive * matrix->omega[j];
    a[i][i] += i < m ? 1 - matrix->lambda[i] : 1;
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      half[i][j] = 0;
      for (int k = 0; k < n; ++k)
        half[i][j] += a[i][k] * blt->covariance[k][j];
    }
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      double sum = y_std * y_std * (i < m ? 1 : gain) * (j < m ? 1 : gain);
      for (int k = 0; k < n; ++k)
        sum += half[i][k] * a[j][k];
      blt->covariance[i][j] = sum;
    }
  }
  return sqrt(fmax(blt->covariance[m][m], 0));
}

static double blt_open(void *self, int64_t t, double bound, double y_std) {
  struct blt *blt = self;
  const tacit_blt *matrix = &blt->matrix;
  blt->gain =
      bound * ldexp(1, matrix->weight_bits) / (double)tacit_blt_weight(matrix, t);
  if (matrix->rounds <= rounds_followed) return follow_noise(blt, blt->gain, y_std);
  /* If the noise of a row has variance 1, the prefix sum has variance about 0.22 log2 t
     + 1.07. */
  return blt->gain * y_std * sqrt(0.2207 * log2((double)t) + 1.07);
}

static void blt_sum(void *self, const double *y, size_t first, size_t end,
                    double *out_sum) {
  struct blt *blt = self;
  const tacit_blt *matrix = &blt->matrix;
  for (size_t i = first; i < end; ++i) {
    double v = y[i];
    for (int j = 0; j < matrix->buffers; ++j)
      v -= matrix->omega[j] * blt->buffer[j][i];
    for (int j = 0; j < matrix->buffers; ++j) {
      double *buffer = &blt->buffer[j][i];
      *buffer += v - matrix->lambda[j] * *buffer;
    }
    blt->sum[i] += blt->gain * v;
    out_sum[i] = blt->sum[i];
  }
}

static void blt_archive(void *self, tacit_archive *archive) {
  struct blt *blt = self;
  for (int j = 0; j < blt->matrix.buffers; ++j)
    tacit_archive_part(archive, blt->buffer[j], blt->dim * sizeof(double));
  tacit_archive_part(archive, blt->sum, blt->dim * sizeof(double));
  tacit_archive_part(archive, blt->covariance, sizeof blt->covariance);
}

const struct tacit_decoder_ops tacit_decoder_blt = {
    .encoder = &tacit_encoder_blt,
    .state_size = sizeof(struct blt),
    .init = blt_init,
    .fini = blt_fini,
    .open = blt_open,
    .sum = blt_sum,
    .archive = blt_archive,
};
