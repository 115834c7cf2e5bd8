/* SPDX-License-Identifier: MIT */
/* T5: how much noise. */
#include "vault/scale.h"

#include <math.h>

#include "base/numbers.h"

/* Proof: docs/proofs/tacit_noise_scale_up.md */
uint64_t tacit_noise_scale_up(int kappa, double sens, int64_t clip, double budget) {
  if (isinf(budget)) return 0;
  double clip_up = tacit_up((double)clip); /* conversion may round down past 2^53 */
  double scale = tacit_mul_up(tacit_mul_up((double)kappa, sens), clip_up);
  scale = ceil(tacit_div_up(scale, budget));
  if (!(scale < 0x1p63)) return UINT64_MAX;
  return (uint64_t)scale < 1 ? 1 : (uint64_t)scale;
}
