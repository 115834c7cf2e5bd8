/* SPDX-License-Identifier: MIT */
/* Makes the matrix of the banded mechanism, in doubles. The vault computes the
   sensitivity of whatever integers it gets, so privacy does not rest on this file. */
#include "mechanism/banded.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"

void tacit_banded_free(tacit_banded *banded) {
  if (banded == NULL) return;
  TACIT_FREE(banded->c, banded->norms, banded);
}

/* Computes the coefficients c_0 … c_{R-1} of the series whose product with the series
   `inverse` is 1. */
static void invert_series(const double *inverse, int width, int64_t rounds, double *c) {
  c[0] = 1;
  for (int64_t t = 1; t < rounds; ++t) {
    c[t] = 0;
    for (int j = 1; j < width && j <= t; ++j)
      c[t] -= inverse[j] * c[t - j];
  }
}

/* Returns the norm of the sum of the columns of a record of phase q: one that takes
   part in rounds q, q + per_pass, … (0-based). */
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

static void fill(tacit_banded *banded, const tacit_encoder_facts *facts) {
  int64_t rounds = facts->rounds, per_pass = facts->per_pass;
  double p = facts->values[0], *c = banded->c;
  banded->rounds = rounds;
  banded->width = (int)facts->values[1];
  banded->inverse[0] = 1;
  for (int k = 1; k < banded->width; ++k)
    banded->inverse[k] = banded->inverse[k - 1] * (k - 1 - p) / k;
  invert_series(banded->inverse, banded->width, rounds, c);
  for (int64_t i = 0; i < rounds; ++i) {
    banded->norms[i] =
        i < per_pass ? phase_norm(c, rounds, per_pass, i) : banded->norms[i - per_pass];
  }
}

tacit_status tacit_banded_new(const tacit_encoder_facts *facts, tacit_banded **out,
                              tacit_error *err) {
  size_t rounds = (size_t)facts->rounds;
  tacit_banded *banded = tacit_array_new(1, sizeof *banded);
  if (banded == NULL) return tacit_fail_memory(err);
  tacit_status status = TACIT_NEW(banded->c, rounds, err);
  if (status == TACIT_OK) status = TACIT_NEW(banded->norms, rounds, err);
  if (status == TACIT_OK) fill(banded, facts);
  return TACIT_HAND_OVER(status, banded, tacit_banded_free, out);
}

static tacit_status banded_fill(const tacit_encoder_facts *facts, int64_t *k,
                                tacit_error *err) {
  tacit_banded *banded = NULL;
  TACIT_TRY(tacit_banded_new(facts, &banded, err));
  int64_t rounds = facts->rounds;
  for (int64_t t = 0; t < rounds; ++t) {
    for (int64_t i = 0; i <= t; ++i) {
      double weight = fmax(banded->c[t - i], 0) / banded->norms[i];
      k[t * rounds + i] = (int64_t)floor(ldexp(weight, facts->weight_bits));
    }
  }
  tacit_banded_free(banded);
  return TACIT_OK;
}

static const tacit_param banded_params[] = {
    {"p", 0.05, 0.95, 0.7, "how fast the noise of a round fades: (1-x)^p"},
    {"w", 1, TACIT_BANDED_WIDTH_MAX, 4, "rounds it lasts"},
    {NULL, 0, 0, 0, NULL}};

const struct tacit_encoder_ops tacit_encoder_banded = {
    .name = "banded",
    .summary = "banded inverse (BIFR): least noise in the model; up to 2048 rounds",
    .params = banded_params,
    .private_noise = 1,
    .relative = 1,
    .weight_bits_max = 24,
    .rounds_max = TACIT_BANDED_ROUNDS_MAX,
    .fill = banded_fill,
};
