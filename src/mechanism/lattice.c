/* SPDX-License-Identifier: MIT */
/*
 * Chooses the lattice of a run, as fine as the widths of integers and noise allow. A
 * poor choice costs accuracy only. Privacy does not rest on it, because the vault
 * compares S with the sensitivity that the encoder computes, and checks the widths at
 * every release.
 */
#include "mechanism/lattice.h"

#include <math.h>

#include "base/error.h"
#include "vault/vault.h"

enum {
  SUM_BITS = 62,        /* the sums of a round stay below 2^62 */
  FINE_BITS = 14,       /* bits wanted below the truncation error of a whole round */
  COARSE_BITS = 4,      /* with fewer bits the truncation might show in the model, so
                           that the run is refused */
  RATIO_BITS = 44,      /* largest ratio of two bounds on one lattice, as a power of
                           two */
  WEIGHT_BITS_MIN = 12, /* fewest weight_bits of an encoder with weights */
};

int64_t tacit_lattice_clip(const tacit_lattice *lattice, double s) {
  double steps = floor(ldexp(s, lattice->exponent));
  if (!(steps >= 0)) return 0; /* also catches NaN: no contribution passes */
  if (steps >= (double)lattice->clip_max) return lattice->clip_max;
  return (int64_t)steps;
}

/* Computes the sensitivity and the extra bits of an encoder of this shape. */
static tacit_status needs_of(const struct tacit_encoder_ops *ops,
                             const tacit_encoder_facts *shape, tacit_encoder_sens *out,
                             tacit_error *err) {
  tacit_encoder encoder;
  tacit_status status = tacit_encoder_init(&encoder, ops, shape, 1, err);
  if (status == TACIT_OK)
    status = encoder.ops->sens(encoder.self, &encoder.facts, out, err);
  tacit_encoder_fini(&encoder);
  return status;
}

/* Tries a lattice with `bits` for the largest bound and `weight_bits` for the encoder.
   Sets *out_fits to 1 if sums and noise fit. */
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
  tacit_encoder_sens sens;
  TACIT_TRY(needs_of(ops, &shape, &sens, err));
  int sum_bits = bits + tacit_ceil_log2((uint64_t)facts->rows_run) + sens.extra_bits;
  *out_fits = 0;
  if (sum_bits > TACIT_SIMD_BITS) return TACIT_OK;
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
  if (!(facts->s_min > 0) || !(facts->s_max > 0) || !isfinite(facts->s_max))
    return tacit_fail(err, TACIT_EPRIVACY, "the bound on a contribution is not finite");
  int row_bits = tacit_ceil_log2((uint64_t)facts->rows_round);
  int ratio_bits =
      ops->relative ? 0 : (int)ceil(log2(fmax(1, facts->s_max / facts->s_min)));
  if (!(ratio_bits <= RATIO_BITS)) {
    return tacit_fail(err, TACIT_EPRIVACY,
                      "the bounds of the first and the last round differ by more than "
                      "2^%d: use fewer rounds (--batch) or a smaller --power",
                      RATIO_BITS);
  }
  int bits = row_bits + FINE_BITS + ratio_bits + facts->offset_bits;
  if (bits > SUM_BITS - row_bits) bits = SUM_BITS - row_bits;
  /* Truncation moves a coordinate of the sum of a round by less than rows_round steps.
     If rows are centred, these are steps of 2^offset_bits lattice steps each. */
  int bits_min = row_bits + facts->offset_bits +
                 (ratio_bits > COARSE_BITS ? ratio_bits : COARSE_BITS);
  int weights_max = ops->weight_bits_max;
  int weights_min = weights_max < WEIGHT_BITS_MIN ? weights_max : WEIGHT_BITS_MIN;
  if (facts->shape.matrix != NULL)
    weights_max = weights_min = facts->shape.matrix->bits;
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
