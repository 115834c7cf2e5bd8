/* SPDX-License-Identifier: MIT */
/*
 * The integers contributions become. Each clipped contribution is divided by the step
 * and truncated toward zero, which never lengthens it, so the sensitivity of the
 * integer sums is exactly kappa * clip steps with no rounding term
 * (docs/proofs/lattice.md).
 */
#include "vault/lattice.h"

#include <math.h>

#include "base/error.h"
#include "vault/noise.h"

enum {
  SUM_BITS = 62,    /* a round's sums stay below 2^62 */
  FINE_BITS = 14,   /* bits wanted below the truncation error of a whole round */
  COARSE_BITS = 4,  /* fewer than these might show in the model: refused */
  SPREAD_BITS = 40, /* largest ratio of bounds one lattice serves */
  NARROW_BITS = 62  /* encoded sums below 2^62 are hashed as 8 bytes */
};

/* Proof: docs/proofs/tacit_noise_scale_up.md */
uint64_t tacit_noise_scale_up(int kappa, double sens, int64_t clip, double mu) {
  if (isinf(mu)) return 0;
  double clip_up = tacit_up((double)clip); /* conversion may round down past 2^53 */
  double scale = tacit_mul_up(tacit_mul_up((double)kappa, sens), clip_up);
  scale = ceil(tacit_div_up(scale, mu));
  if (!(scale < 0x1p63)) return UINT64_MAX;
  return (uint64_t)scale < 1 ? 1 : (uint64_t)scale;
}

int64_t tacit_lattice_clip(const tacit_lattice *lattice, double s) {
  double steps = floor(ldexp(s, lattice->exponent));
  if (!(steps >= 0)) return 0; /* NaN too: nothing passes */
  if (steps >= (double)lattice->clip_max) return lattice->clip_max;
  return (int64_t)steps;
}

tacit_status tacit_lattice_new(const tacit_lattice_facts *facts, tacit_lattice *out,
                               tacit_error *err) {
  int row_bits = tacit_ceil_log2((uint64_t)facts->rows_round);
  int run_bits = tacit_ceil_log2((uint64_t)facts->rows_run);
  int spread = (int)ceil(log2(facts->s_max / facts->s_min));
  if (!(facts->s_max / facts->s_min <= ldexp(1, SPREAD_BITS))) {
    return tacit_fail(err, TACIT_EPRIVACY,
                      "the bounds of the first and the last round differ by more than "
                      "2^%d: use fewer rounds (--batch) or a smaller --power",
                      SPREAD_BITS);
  }
  int bits = row_bits + FINE_BITS + spread;
  if (bits > SUM_BITS - row_bits) bits = SUM_BITS - row_bits;
  /* Truncation moves a coordinate of a round's sum by less than rows_round steps. */
  int bits_least = row_bits + (spread > COARSE_BITS ? spread : COARSE_BITS);
  for (; bits >= bits_least; --bits) {
    tacit_lattice lattice;
    lattice.exponent = bits - 1 - ilogb(facts->s_max); /* s_max / step < 2^bits */
    lattice.clip_max = (int64_t)floor(ldexp(facts->s_max, lattice.exponent));
    lattice.width = bits + run_bits <= NARROW_BITS ? TACIT_WIDTH_8 : TACIT_WIDTH_16;
    uint64_t scale =
        tacit_noise_scale_up(facts->kappa, facts->sens, lattice.clip_max, facts->mu);
    if (scale > TACIT_NOISE_SCALE_MAX) continue;
    *out = lattice;
    return TACIT_OK;
  }
  return tacit_fail(err, TACIT_EPRIVACY,
                    "so much noise on so many rows does not fit exact integers: raise "
                    "--epsilon or use smaller batches (--batch)");
}
