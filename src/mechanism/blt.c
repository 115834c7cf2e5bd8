/* SPDX-License-Identifier: MIT */
/*
 * The buffered mechanism in fixed point. Inputs are integers. Weights are rounded to
 * fixed point first, and the rounded weights define the matrix. Otherwise only the
 * buffers and the rows are rounded, down. The sensitivity includes what this rounding
 * can change (docs/proofs/blt_sens.md).
 */
#include "mechanism/blt.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static const struct tacit_blt_row *find_row(int64_t rounds, int fine) {
  const struct tacit_blt_row *row = tacit_blt_table;
  while (row->buffers > 0 && (int64_t)1 << row->log2_rounds < rounds)
    ++row;
  if (row->buffers == 0) return NULL;
  /* A second row of the same size, if there is one, has more buffers. */
  if (fine && row[1].log2_rounds == row->log2_rounds) ++row;
  return row;
}

static double product_gap(const struct tacit_blt_row *row, int j) {
  double product = 1;
  for (int i = 0; i < row->buffers; ++i) {
    product *= row->mu[i] - row->lambda[j];
    if (i != j) product /= row->lambda[i] - row->lambda[j];
  }
  return product;
}

/* Returns 1 + a + a^2 + … + a^(n-1) for a = (1 - x)(1 - y). */
static double geometric(double x, double y, double n) {
  return -expm1(n * (log1p(-x) + log1p(-y))) / (x + y - x * y);
}

/*
 * Returns the squared norm of the change that a record causes in `length` rows, of
 * which the first is the row of its round in pass `pass` (0-based). In the first row
 * the record has weight 1 plus what earlier passes left in the buffers. In later rows
 * its weight is what all passes so far left in the buffers.
 */
static double pass_squared(const tacit_blt *blt, int pass, double length) {
  double b = (double)blt->per_pass, own = 1, squares = 0;
  double now[TACIT_BLT_MAX]; /* sum over passes e <= pass of theta^((pass-e) b) */
  for (int j = 0; j < blt->buffers; ++j) {
    double log_theta = log1p(-blt->lambda[j]), step = b * log_theta;
    now[j] = expm1((pass + 1) * step) / expm1(step);
    double before = pass > 0 ? expm1(pass * step) / expm1(step) : 0;
    own += blt->omega[j] * exp((b - 1) * log_theta) * before;
  }
  for (int i = 0; i < blt->buffers; ++i) {
    for (int j = 0; j < blt->buffers; ++j) {
      squares += blt->omega[i] * blt->omega[j] * now[i] * now[j] *
                 geometric(blt->lambda[i], blt->lambda[j], length - 1);
    }
  }
  return own * own + squares;
}

tacit_status tacit_blt_init(tacit_blt *blt, const tacit_encoder_facts *facts,
                            tacit_error *err) {
  const struct tacit_blt_row *row = find_row(facts->rounds, facts->values[0] > 0);
  if (row == NULL)
    return tacit_fail(err, TACIT_EINVAL, "mechanism blt serves up to 2^30 rounds");
  *blt = (tacit_blt){.buffers = row->buffers,
                     .rounds = facts->rounds,
                     .per_pass = facts->per_pass,
                     .weight_bits = facts->weight_bits};
  double drift = 0; /* largest change of a row if rounding down changes every buffer by
                       1 in every round */
  for (int j = 0; j < row->buffers; ++j) {
    blt->lambda_fixed[j] = (int64_t)round(ldexp(row->lambda[j], TACIT_BLT_LAMBDA_BITS));
    blt->omega_fixed[j] =
        (int64_t)floor(ldexp(product_gap(row, j), TACIT_BLT_OMEGA_BITS));
    blt->lambda[j] = ldexp((double)blt->lambda_fixed[j], -TACIT_BLT_LAMBDA_BITS);
    blt->omega[j] = ldexp((double)blt->omega_fixed[j], -TACIT_BLT_OMEGA_BITS);
    drift += blt->omega[j] / blt->lambda[j];
  }
  blt->spare_bits = (int)ceil(log2(drift)) + 1;
  if (blt->spare_bits < 1) blt->spare_bits = 1;
  int passes = (int)(facts->rounds / facts->per_pass);
  /* pass_squared never falls from pass to pass. From the 256th pass on, passes are
     added in groups, and each pass counts as the last of its group. This makes the sum
     larger by at most 2/256. */
  for (int first = 0, next; first + 1 < passes; first = next) {
    next = first + 1 + first / 256;
    if (next >= passes) next = passes - 1;
    double last = pass_squared(blt, next - 1, (double)facts->per_pass);
    blt->whole_passes += (next - first) * last;
  }
  return TACIT_OK;
}

/* Returns an upper bound of N_t. The factor 1 + 1e-9 covers the relative error of
   pass_squared, which is at most 1e-11 (tests/unit/mechanism/mechanisms.c). */
double tacit_blt_norm_up(const tacit_blt *blt, int64_t t) {
  int64_t phase = (t - 1) % blt->per_pass;
  int passes = (int)(blt->rounds / blt->per_pass);
  double last = pass_squared(blt, passes - 1, (double)(blt->per_pass - phase));
  return sqrt(blt->whole_passes + last) * (1 + 1e-9);
}

int64_t tacit_blt_weight(const tacit_blt *blt, int64_t t) {
  return (int64_t)floor(ldexp(1 / tacit_blt_norm_up(blt, t), blt->weight_bits));
}

/*
 * Computes the sensitivity. Weights are at most 2^weight_bits / N_t, so what a record
 * adds to all rows together has norm at most 2^weight_bits. Rounding down changes every
 * coordinate of every row by less than buffers + 1 output steps.
 * Proof: docs/proofs/blt_sens.md
 */
static tacit_status blt_sens(const void *self, const tacit_encoder_facts *facts,
                             tacit_encoder_sens *out, tacit_error *err) {
  (void)self;
  tacit_blt blt;
  TACIT_TRY(tacit_blt_init(&blt, facts, err));
  double places = tacit_mul_up((double)facts->dim, (double)facts->rounds);
  double floors = tacit_mul_up(blt.buffers + 1, tacit_sqrt_up(places));
  out->squares = tacit_add_up(ldexp(1, facts->weight_bits),
                              tacit_div_up(floors, (double)facts->clip_max));
  out->sum = INFINITY;
  /* A buffer has weight_bits and spare_bits more bits than the sum of all rows, and is
     multiplied by omega_fixed. */
  out->extra_bits = facts->weight_bits + blt.spare_bits + TACIT_BLT_OMEGA_BITS + 4;
  return TACIT_OK;
}

struct blt {
  tacit_blt matrix;
  int64_t clip_max; /* largest bound of a round, in lattice steps */
  int64_t weight;   /* W_t of the open round */
  size_t dim;
  tacit_i128 *raw_buffer[TACIT_BLT_MAX];
};

static void blt_fini(void *self) {
  struct blt *blt = self;
  for (int j = 0; j < TACIT_BLT_MAX; ++j)
    tacit_raw_free(blt->raw_buffer[j]);
}

static tacit_status blt_init(void *self, const tacit_encoder_facts *facts,
                             tacit_error *err) {
  struct blt *blt = self;
  TACIT_TRY(tacit_blt_init(&blt->matrix, facts, err));
  blt->clip_max = facts->clip_max;
  blt->dim = facts->dim;
  for (int j = 0; j < blt->matrix.buffers; ++j)
    TACIT_TRY(TACIT_RAW_NEW(blt->raw_buffer[j], facts->dim, err));
  return TACIT_OK;
}

static int64_t blt_begin(void *self, int64_t t, int64_t clip) {
  struct blt *blt = self;
  (void)clip;
  blt->weight = tacit_blt_weight(&blt->matrix, t);
  return blt->clip_max; /* a row contains all rounds so far, so that its bound is the
                           largest one */
}

/* Returns floor(a * fixed / 2^bits) for 0 <= fixed < 2^63 and bits <= 64 without a
   192-bit product. The high word of a carries its sign; the low word is not
   negative. */
static tacit_i128 scale_down(tacit_i128 a, int64_t fixed, int bits) {
  tacit_i128 high = (a >> 64) * fixed; /* >> rounds down */
  tacit_u128 low = (tacit_u128)(uint64_t)a * (uint64_t)fixed;
  tacit_i128 middle = high + (tacit_i128)(low >> 64); /* units of 2^64 */
  /* (middle 2^64 + low word) / 2^bits, bits <= 64 */
  tacit_u128 whole = (tacit_u128)middle << (64 - bits);
  return (tacit_i128)(whole | ((uint64_t)low >> bits));
}

static void blt_encode(void *self, const int64_t *raw_sum, size_t first, size_t count,
                       tacit_i128 *raw_out) {
  struct blt *blt = self;
  const tacit_blt *matrix = &blt->matrix;
  for (size_t i = 0; i < count; ++i)
    raw_out[i] = (tacit_i128)blt->weight * raw_sum[first + i];
  for (int j = 0; j < matrix->buffers; ++j) {
    tacit_i128 *raw_buffer = blt->raw_buffer[j] + first;
    for (size_t i = 0; i < count; ++i) {
      tacit_i128 raw_input = (tacit_i128)blt->weight * raw_sum[first + i];
      tacit_i128 raw_kept = raw_buffer[i];
      raw_out[i] += (raw_kept * matrix->omega_fixed[j]) >>
                    (TACIT_BLT_OMEGA_BITS + matrix->spare_bits);
      raw_buffer[i] =
          raw_kept -
          scale_down(raw_kept, matrix->lambda_fixed[j], TACIT_BLT_LAMBDA_BITS) +
          raw_input * ((tacit_i128)1 << matrix->spare_bits);
    }
  }
}

static void blt_archive(void *self, tacit_archive *raw_archive) {
  struct blt *blt = self;
  for (int j = 0; j < blt->matrix.buffers; ++j)
    tacit_archive_part(raw_archive, blt->raw_buffer[j],
                       blt->dim * sizeof *blt->raw_buffer[j]);
}

static const tacit_param blt_params[] = {
    {"fine", 0, 1, 0, "1: more buffers, within 0.1% of the best noise instead of 1%"},
    {NULL, 0, 0, 0, NULL}};

const struct tacit_encoder_ops tacit_encoder_blt = {
    .name = "blt",
    .summary = "buffered Toeplitz: up to 2^30 rounds in little memory",
    .params = blt_params,
    .private_noise = 1,
    .relative = 1,
    .weight_bits_max = 24,
    .rounds_max = (int64_t)1 << 30,
    .state_size = sizeof(struct blt),
    .sens = blt_sens,
    .init = blt_init,
    .fini = blt_fini,
    .begin = blt_begin,
    .encode = blt_encode,
    .archive = blt_archive,
};
