/* SPDX-License-Identifier: MIT */
/*
 * The integers contributions become. Each clipped contribution is divided by the step
 * and truncated toward zero, which never lengthens it, so the sensitivity of the
 * integer sums is exactly kappa * clip steps with no rounding term
 * (docs/proofs/lattice.md).
 */
#include "vault/scale.h"

#include <math.h>

#include "base/error.h"
#include "vault/gaussian.h"

enum {
  SUM_BITS = 62,        /* a round's sums stay below 2^62 */
  FINE_BITS = 14,       /* bits wanted below the truncation error of a whole round */
  COARSE_BITS = 4,      /* fewer than these might show in the model: refused */
  SPREAD_BITS = 44,     /* largest ratio of bounds one lattice serves */
  WEIGHT_BITS_MIN = 12, /* of an encoder that has weights */
  WIDE_BITS = 120       /* encoded sums must stay below; noise and its tail on top */
};

/* Proof: docs/proofs/tacit_noise_scale_up.md */
uint64_t tacit_noise_scale_up(int kappa, double sens, int64_t clip, double budget) {
  if (isinf(budget)) return 0;
  double clip_up = tacit_up((double)clip); /* conversion may round down past 2^53 */
  double scale = tacit_mul_up(tacit_mul_up((double)kappa, sens), clip_up);
  scale = ceil(tacit_div_up(scale, budget));
  if (!(scale < 0x1p63)) return UINT64_MAX;
  return (uint64_t)scale < 1 ? 1 : (uint64_t)scale;
}

int64_t tacit_lattice_clip(const tacit_lattice *lattice, double s) {
  double steps = floor(ldexp(s, lattice->exponent));
  if (!(steps >= 0)) return 0; /* NaN too: nothing passes */
  if (steps >= (double)lattice->clip_max) return lattice->clip_max;
  return (int64_t)steps;
}

/* Tries `bits` for the largest bound and `weight_bits` for the encoder; 1 when all
 * fits. */
static tacit_status try_bits(const tacit_lattice_facts *facts, int bits,
                             int weight_bits, tacit_lattice *out, int *out_fits,
                             tacit_error *err) {
  const struct tacit_encoder_ops *ops = facts->encoder;
  tacit_lattice lattice = {.weight_bits = weight_bits};
  if (ops->relative) {
    lattice.clip_max = (int64_t)1 << bits;
    lattice.exponent = bits + weight_bits;
  } else {
    lattice.exponent = bits - 1 - ilogb(facts->s_max); /* s_max / step < 2^bits */
    lattice.clip_max = (int64_t)floor(ldexp(facts->s_max, lattice.exponent));
  }
  tacit_encoder_facts shape = facts->shape;
  shape.weight_bits = weight_bits;
  shape.clip_max = lattice.clip_max;
  int sum_bits = bits + tacit_ceil_log2((uint64_t)facts->rows_run);
  if (ops->extra_bits != NULL) sum_bits += ops->extra_bits(&shape);
  *out_fits = 0;
  if (sum_bits > WIDE_BITS) return TACIT_OK;
  tacit_encoder_sens sens;
  TACIT_TRY(ops->sens(&shape, &sens, err));
  lattice.sens = fmax(facts->sens_min, facts->pure ? sens.sum : sens.squares);
  uint64_t scale =
      tacit_noise_scale_up(facts->kappa, lattice.sens, lattice.clip_max, facts->budget);
  if (scale > TACIT_NOISE_SCALE_MAX) return TACIT_OK;
  *out = lattice;
  *out_fits = 1;
  return TACIT_OK;
}

tacit_status tacit_lattice_new(const tacit_lattice_facts *facts, tacit_lattice *out,
                               tacit_error *err) {
  const struct tacit_encoder_ops *ops = facts->encoder;
  if (!(facts->s_min > 0) || !(facts->s_max > 0) || !isfinite(facts->s_max)) {
    return tacit_fail(err, TACIT_EPRIVACY, "the bound on a contribution is not finite");
  }
  int row_bits = tacit_ceil_log2((uint64_t)facts->rows_round);
  int spread =
      ops->relative ? 0 : (int)ceil(log2(fmax(1, facts->s_max / facts->s_min)));
  if (!(spread <= SPREAD_BITS)) {
    return tacit_fail(err, TACIT_EPRIVACY,
                      "the bounds of the first and the last round differ by more than "
                      "2^%d: use fewer rounds (--batch) or a smaller --power",
                      SPREAD_BITS);
  }
  int bits = row_bits + FINE_BITS + spread;
  if (bits > SUM_BITS - row_bits) bits = SUM_BITS - row_bits;
  /* Truncation moves a coordinate of a round's sum by less than rows_round steps. */
  int bits_min = row_bits + (spread > COARSE_BITS ? spread : COARSE_BITS);
  int weights_max = ops->weight_bits_max;
  int weights_min = weights_max < WEIGHT_BITS_MIN ? weights_max : WEIGHT_BITS_MIN;
  for (; bits >= bits_min; --bits) {
    for (int weights = weights_max; weights >= weights_min; --weights) {
      int fits;
      TACIT_TRY(try_bits(facts, bits, weights, out, &fits, err));
      if (fits) return TACIT_OK;
    }
  }
  return tacit_fail(err, TACIT_EPRIVACY,
                    "so much noise on so many rows does not fit exact integers: raise "
                    "--epsilon or use smaller batches (--batch)");
}
