/* SPDX-License-Identifier: MIT */
/*
 * The banded mechanism in exact arithmetic. All R integer sums are kept, and row t of
 * K u is formed from them in 128-bit integers: no rounding anywhere, so the sensitivity
 * is that of the integer matrix K (docs/proofs/banded_sens.md).
 */
#include "vault/banded.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"

void tacit_banded_free(tacit_banded *banded) {
  if (banded == NULL) return;
  tacit_array_free(banded->norms);
  tacit_array_free(banded->k);
  tacit_array_free(banded);
}

/* c_0 … c_{R-1} of C from those of its inverse: c * inverse = 1. */
static void invert_series(const double *inverse, int width, int64_t rounds, double *c) {
  c[0] = 1;
  for (int64_t t = 1; t < rounds; ++t) {
    c[t] = 0;
    for (int j = 1; j < width && j <= t; ++j)
      c[t] -= inverse[j] * c[t - j];
  }
}

/* N_q: norm of the sum of the columns of a record of phase q (0-based). */
static double phase_norm(const double *c, int64_t rounds, int64_t per_pass, int64_t q) {
  double squares = 0;
  for (int64_t t = q; t < rounds; ++t) {
    double weight = 0;
    for (int64_t i = q; i <= t; i += per_pass)
      weight += c[t - i];
    squares += weight * weight;
  }
  return sqrt(squares);
}

static tacit_status fill(tacit_banded *banded, const tacit_encoder_facts *facts,
                         tacit_error *err) {
  int64_t rounds = facts->rounds, per_pass = facts->per_pass;
  double p = facts->values[0];
  banded->rounds = rounds;
  banded->width = (int)facts->values[1];
  banded->inverse[0] = 1;
  for (int k = 1; k < banded->width; ++k) {
    banded->inverse[k] = banded->inverse[k - 1] * (k - 1 - p) / k;
  }
  double *c = tacit_array_new((size_t)rounds, sizeof *c);
  banded->norms = tacit_array_new((size_t)rounds, sizeof *banded->norms);
  banded->k = tacit_array_new((size_t)(rounds * rounds), sizeof *banded->k);
  if (c == NULL || banded->norms == NULL || banded->k == NULL) {
    tacit_array_free(c);
    return tacit_fail_memory(err);
  }
  invert_series(banded->inverse, banded->width, rounds, c);
  for (int64_t i = 0; i < rounds; ++i) {
    banded->norms[i] =
        i < per_pass ? phase_norm(c, rounds, per_pass, i) : banded->norms[i - per_pass];
  }
  for (int64_t t = 0; t < rounds; ++t) {
    for (int64_t i = 0; i <= t; ++i) {
      double entry = ldexp(fmax(c[t - i], 0) / banded->norms[i], facts->weight_bits);
      banded->k[t * rounds + i] = (int64_t)floor(entry);
    }
  }
  tacit_array_free(c);
  return TACIT_OK;
}

tacit_status tacit_banded_new(const tacit_encoder_facts *facts, tacit_banded **out,
                              tacit_error *err) {
  tacit_banded *banded = tacit_array_new(1, sizeof *banded);
  if (banded == NULL) return tacit_fail_memory(err);
  tacit_status status = fill(banded, facts, err);
  if (status != TACIT_OK) {
    tacit_banded_free(banded);
    return status;
  }
  *out = banded;
  return TACIT_OK;
}

/* Proof: docs/proofs/banded_sens.md */
static tacit_status banded_sens(const tacit_encoder_facts *facts,
                                tacit_encoder_sens *out, tacit_error *err) {
  tacit_banded *banded = NULL;
  TACIT_TRY(tacit_banded_new(facts, &banded, err));
  int64_t rounds = facts->rounds, per_pass = facts->per_pass;
  tacit_i128 largest = 0;
  for (int64_t q = 0; q < per_pass; ++q) {
    tacit_i128 squares = 0;
    for (int64_t t = q; t < rounds; ++t) {
      int64_t weight = 0; /* at most passes 2^24 */
      for (int64_t i = q; i <= t; i += per_pass)
        weight += banded->k[t * rounds + i];
      squares += (tacit_i128)weight * weight;
    }
    if (squares > largest) largest = squares;
  }
  tacit_banded_free(banded);
  out->squares = tacit_sqrt_up(tacit_up((double)largest));
  out->sum = INFINITY;
  return TACIT_OK;
}

static int banded_extra_bits(const tacit_encoder_facts *facts) {
  return facts->weight_bits + 1; /* rows of K add up to at most rounds 2^weight_bits */
}

struct banded {
  tacit_banded *matrix;
  size_t dim;
  int64_t t;
  int64_t *raw_sums; /* u_1 … u_R, dim integers each */
};

static void banded_fini(void *self) {
  struct banded *banded = self;
  tacit_banded_free(banded->matrix);
  tacit_raw_free(banded->raw_sums);
}

static tacit_status banded_init(void *self, const tacit_encoder_facts *facts,
                                tacit_error *err) {
  struct banded *banded = self;
  banded->dim = facts->dim;
  TACIT_TRY(tacit_banded_new(facts, &banded->matrix, err));
  if (facts->dim > SIZE_MAX / (size_t)facts->rounds) return tacit_fail_memory(err);
  banded->raw_sums =
      tacit_raw_new((size_t)facts->rounds * facts->dim, sizeof *banded->raw_sums);
  return banded->raw_sums != NULL ? TACIT_OK : tacit_fail_memory(err);
}

static int64_t banded_begin(void *self, int64_t t, int64_t clip) {
  ((struct banded *)self)->t = t;
  return clip; /* the same in every round: inputs come in units of their bound */
}

static void banded_encode(void *self, const int64_t *raw_sum, size_t first,
                          size_t count, tacit_i128 *raw_out) {
  struct banded *banded = self;
  const int64_t *row = banded->matrix->k + (banded->t - 1) * banded->matrix->rounds;
  int64_t *raw_now = banded->raw_sums + (size_t)(banded->t - 1) * banded->dim;
  for (size_t i = 0; i < count; ++i) {
    raw_now[first + i] = raw_sum[first + i];
    raw_out[i] = 0;
  }
  for (int64_t j = 0; j < banded->t; ++j) {
    const int64_t *raw_then = banded->raw_sums + (size_t)j * banded->dim + first;
    for (size_t i = 0; i < count; ++i)
      raw_out[i] += (tacit_i128)row[j] * raw_then[i];
  }
}

static const tacit_param banded_params[] = {
    {"p", 0.05, 0.95, 0.7, "how fast the noise of a round fades: (1-x)^p"},
    {"w", 1, TACIT_BANDED_WIDTH_MOST, 4, "rounds it lasts"},
    {NULL, 0, 0, 0, NULL}};

const struct tacit_encoder_ops tacit_encoder_banded = {
    .name = "banded",
    .summary = "banded inverse (BIFR): least noise in the model; up to 2048 rounds",
    .params = banded_params,
    .private_noise = 1,
    .relative = 1,
    .weight_bits_most = 24,
    .rounds_most = TACIT_BANDED_ROUNDS_MOST,
    .state_size = sizeof(struct banded),
    .sens = banded_sens,
    .extra_bits = banded_extra_bits,
    .init = banded_init,
    .fini = banded_fini,
    .begin = banded_begin,
    .encode = banded_encode,
};
