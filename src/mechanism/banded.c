/* SPDX-License-Identifier: MIT */
/*
 * The banded mechanism in exact arithmetic. All R integer sums are kept, and row t of
 * K u is formed from them in integers: no rounding anywhere, so the sensitivity is that
 * of the integer matrix K (docs/proofs/banded_sens.md).
 *
 * With many weights the time goes into reading the sums of all rounds before. So at
 * every fourth round what these give to the next four rows is added up in one sweep.
 */
#include "mechanism/banded.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

void tacit_banded_free(tacit_banded *banded) {
  if (banded == NULL) return;
  tacit_array_free(banded->c);
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

static void fill(tacit_banded *banded, const tacit_encoder_facts *facts) {
  int64_t rounds = facts->rounds, per_pass = facts->per_pass;
  double p = facts->values[0], *c = banded->c;
  banded->rounds = rounds;
  banded->width = (int)facts->values[1];
  banded->inverse[0] = 1;
  for (int k = 1; k < banded->width; ++k) {
    banded->inverse[k] = banded->inverse[k - 1] * (k - 1 - p) / k;
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
}

tacit_status tacit_banded_new(const tacit_encoder_facts *facts, tacit_banded **out,
                              tacit_error *err) {
  size_t rounds = (size_t)facts->rounds;
  tacit_banded *banded = tacit_array_new(1, sizeof *banded);
  if (banded == NULL) return tacit_fail_memory(err);
  banded->c = tacit_array_new(rounds, sizeof *banded->c);
  banded->norms = tacit_array_new(rounds, sizeof *banded->norms);
  banded->k = tacit_array_new(rounds * rounds, sizeof *banded->k);
  if (banded->c == NULL || banded->norms == NULL || banded->k == NULL) {
    tacit_banded_free(banded);
    return tacit_fail_memory(err);
  }
  fill(banded, facts);
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

enum { AHEAD = 4 }; /* rows formed in one sweep */

struct banded {
  tacit_banded *matrix;
  int64_t t;
  /* Stretch after stretch of coordinates, of each u_1, u_2, …, and after them room for
     rows begun: such a row, in 128 bits, lies where two u come that are not before it.
   */
  int64_t *raw_sums;
};

static void banded_fini(void *self) {
  struct banded *banded = self;
  tacit_banded_free(banded->matrix);
  tacit_raw_free(banded->raw_sums);
}

static size_t kept(const tacit_banded *matrix) {
  return (size_t)matrix->rounds + AHEAD - 1;
}

static tacit_status banded_init(void *self, const tacit_encoder_facts *facts,
                                tacit_error *err) {
  struct banded *banded = self;
  TACIT_TRY(tacit_banded_new(facts, &banded->matrix, err));
  size_t even = facts->dim + facts->dim % 2, rows = kept(banded->matrix);
  if (even > SIZE_MAX / rows) return tacit_fail_memory(err);
  banded->raw_sums = tacit_raw_new(rows * even, sizeof *banded->raw_sums);
  return banded->raw_sums != NULL ? TACIT_OK : tacit_fail_memory(err);
}

static int64_t banded_begin(void *self, int64_t t, int64_t clip) {
  ((struct banded *)self)->t = t;
  return clip; /* the same in every round: inputs come in units of their bound */
}

/* raw_row += the sum over n rounds j of k[j] u_j, four at a time. */
static void add_rounds(const int64_t *raw_sums, size_t width, const int64_t *k,
                       int64_t n, size_t count, tacit_i128 *raw_row) {
  for (; n >= 4; n -= 4, k += 4, raw_sums += 4 * width) {
    for (size_t i = 0; i < count; ++i) {
      raw_row[i] += (tacit_i128)k[0] * raw_sums[i] +
                    (tacit_i128)k[1] * raw_sums[width + i] +
                    (tacit_i128)k[2] * raw_sums[2 * width + i] +
                    (tacit_i128)k[3] * raw_sums[3 * width + i];
    }
  }
  for (; n > 0; --n, ++k, raw_sums += width) {
    for (size_t i = 0; i < count; ++i)
      raw_row[i] += (tacit_i128)*k * raw_sums[i];
  }
}

static void banded_encode(void *self, const int64_t *raw_sum, size_t first,
                          size_t count, tacit_i128 *raw_out) {
  const struct banded *banded = self;
  const tacit_banded *matrix = banded->matrix;
  int64_t place = (banded->t - 1) % AHEAD, done = banded->t - 1 - place;
  int64_t n_rows = matrix->rounds - done < AHEAD ? matrix->rounds - done : AHEAD;
  const int64_t *k = matrix->k + done * matrix->rounds;
  size_t width = count + count % 2; /* even, as 128 bits are aligned */
  int64_t *raw_sums = banded->raw_sums + first * kept(matrix);
  /* Row done+1+r in the places of u_{done+2r} and the next. */
  tacit_i128 *raw_begun[AHEAD] = {raw_out};
  for (int64_t r = 1; r < n_rows; ++r)
    raw_begun[r] =
        (tacit_i128 *)(void *)(raw_sums + (size_t)(done + 2 * r - 1) * width);

  if (place == 0) {
    for (int64_t r = 0; r < n_rows; ++r)
      memset(raw_begun[r], 0, count * sizeof *raw_out);
    for (int64_t j = 0; j < done; j += AHEAD) {
      for (int64_t r = 0; r < n_rows; ++r)
        add_rounds(raw_sums + (size_t)j * width, width, k + r * matrix->rounds + j,
                   AHEAD, count, raw_begun[r]);
    }
  } else {
    memcpy(raw_out, raw_begun[place], count * sizeof *raw_out);
  }
  memcpy(raw_sums + (size_t)(done + place) * width, raw_sum + first,
         count * sizeof *raw_sum);
  add_rounds(raw_sums + (size_t)done * width, width, k + place * matrix->rounds + done,
             place + 1, count, raw_out);
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
    .state_size = sizeof(struct banded),
    .sens = banded_sens,
    .extra_bits = banded_extra_bits,
    .init = banded_init,
    .fini = banded_fini,
    .begin = banded_begin,
    .encode = banded_encode,
};
