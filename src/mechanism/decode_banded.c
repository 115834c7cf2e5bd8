/* SPDX-License-Identifier: MIT */
/*
 * Decodes the banded mechanism. The encoder's matrix is C N^-1, rounded down to
 * multiples of 2^-weight_bits, where N holds the norms of the columns of C. The inverse
 * of C has a band of w diagonals, so
 *
 *   u_t = N_t sum_{j<w} inverse_j y_{t-j}
 *
 * needs only the last w rows. The result is the prefix sum of bound_t u_t. The decoder
 * does not undo the rounding of the matrix: u_t has an error of at most 2 N_t
 * 2^-weight_bits sum_{i<=t} |u_i|, plus the rounding of doubles (docs/design/wall.md).
 * The standard deviation of the noise is exact.
 */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "mechanism/banded.h"
#include "mechanism/decode.h"

struct banded {
  tacit_banded *matrix;
  size_t dim;
  int64_t t;   /* number of the open row */
  double gain; /* bound_t N_t */
  int64_t n_kept;
  double *kept; /* the last n_kept = w - 1 rows, row t at place t mod n_kept */
  double *sum;
  double *share; /* share[i] is what the noise of row i + 1 adds to the prefix sum, as a
                    standard deviation with a sign */
  double variance;
};

static void banded_fini(void *self) {
  struct banded *banded = self;
  tacit_banded_free(banded->matrix);
  TACIT_FREE(banded->kept, banded->sum, banded->share);
}

static tacit_status banded_init(void *self, const tacit_encoder_facts *shape,
                                tacit_error *err) {
  struct banded *banded = self;
  banded->dim = shape->dim;
  TACIT_TRY(tacit_banded_new(shape, &banded->matrix, err));
  int64_t width = banded->matrix->width;
  banded->n_kept = (width < shape->rounds ? width : shape->rounds) - 1;
  size_t rows = (size_t)banded->n_kept;
  if (rows > 0 && shape->dim > SIZE_MAX / rows) return tacit_fail_memory(err);
  TACIT_TRY(TACIT_NEW(banded->kept, rows * shape->dim, err));
  TACIT_TRY(TACIT_NEW(banded->sum, shape->dim, err));
  return TACIT_NEW(banded->share, (size_t)shape->rounds, err);
}

/* Adds bound_t N_t sum_j inverse_j z_{t-j} to the noise of the prefix sum, where z_i is
   the noise of row i. */
static double banded_open(void *self, int64_t t, double bound, double y_std) {
  struct banded *banded = self;
  const tacit_banded *matrix = banded->matrix;
  banded->t = t;
  banded->gain = bound * matrix->norms[t - 1];
  double noise = banded->gain * y_std;
  for (int j = 0; j < matrix->width && j < t; ++j) {
    double *share = &banded->share[t - 1 - j];
    banded->variance -= *share * *share;
    *share += noise * matrix->inverse[j];
    banded->variance += *share * *share;
  }
  return sqrt(fmax(banded->variance, 0));
}

static double *kept_row(const struct banded *banded, int64_t t) {
  return banded->kept + (size_t)(t % banded->n_kept) * banded->dim;
}

static void banded_sum(void *self, const double *y, size_t first, size_t end,
                       double *out_sum) {
  struct banded *banded = self;
  for (size_t i = first; i < end; ++i)
    out_sum[i] = y[i];
  for (int64_t j = 1; j <= banded->n_kept && j < banded->t; ++j) {
    const double *then = kept_row(banded, banded->t - j);
    double weight = banded->matrix->inverse[j];
    for (size_t i = first; i < end; ++i)
      out_sum[i] += weight * then[i];
  }
  double *sum = banded->sum, gain = banded->gain;
  for (size_t i = first; i < end; ++i) {
    sum[i] += gain * out_sum[i];
    out_sum[i] = sum[i];
  }
  if (banded->n_kept == 0) return;
  double *now = kept_row(banded, banded->t); /* overwrites the oldest row */
  for (size_t i = first; i < end; ++i)
    now[i] = y[i];
}

const struct tacit_decoder_ops tacit_decoder_banded = {
    .encoder = &tacit_encoder_banded,
    .state_size = sizeof(struct banded),
    .init = banded_init,
    .fini = banded_fini,
    .open = banded_open,
    .sum = banded_sum,
};
