/* SPDX-License-Identifier: MIT */
#ifndef TACIT_CONVERT_DECODE_H
#define TACIT_CONVERT_DECODE_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/status.h>

#include "vault/encoder.h"

/* From the released rows y_t = (C u + noise)_t to the noisy prefix sums of the rounds:
   post-processing, one decoder for each encoder of the vault. */
typedef struct tacit_decoder tacit_decoder;

/* `shape` as the encoder has it; its dim may be 0 to follow the noise alone. */
tacit_status tacit_decoder_new(const struct tacit_encoder_ops *encoder,
                               const tacit_encoder_facts *shape, tacit_decoder **out,
                               tacit_error *err);
void tacit_decoder_free(tacit_decoder *decoder);

/*
 * Takes row t = 1, 2, … and gives the sum of rounds 1 … t plus noise in out_sum;
 * *out_std is the standard deviation of that noise in one coordinate (for `blt` past
 * 2^16 rounds, an estimate). y_std is that of the row's own noise. `bound` is the bound
 * of the round, the unit its sums came in; encoders on one absolute lattice do not look
 * at it.
 */
void tacit_decoder_step(tacit_decoder *decoder, int64_t t, double bound,
                        const double *y, double y_std, double *out_sum,
                        double *out_std);

/* One implementation; `self` is allocated and zeroed by decode.c. */
struct tacit_decoder_ops {
  const struct tacit_encoder_ops *encoder;
  size_t state_size;
  tacit_status (*init)(void *self, const tacit_encoder_facts *shape, tacit_error *err);
  void (*fini)(void *self);
  void (*step)(void *self, int64_t t, double bound, const double *y, double y_std,
               double *out_sum, double *out_std);
};

extern const struct tacit_decoder_ops tacit_decoder_tree, tacit_decoder_banded,
    tacit_decoder_blt, tacit_decoder_none;

#endif
