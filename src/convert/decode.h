/* SPDX-License-Identifier: MIT */
#ifndef TACIT_CONVERT_DECODE_H
#define TACIT_CONVERT_DECODE_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/status.h>

/* From the released rows y_t = (C u + noise)_t to the noisy prefix sums:
   post-processing, one decoder for each encoder of the vault, by the same name. */
typedef struct tacit_decoder tacit_decoder;

tacit_status tacit_decoder_new(const char *encoder, size_t dim, int64_t rounds,
                               tacit_decoder **out, tacit_error *err);
void tacit_decoder_free(tacit_decoder *decoder);

/* Takes row t = 1, 2, … and gives u_1 + … + u_t plus noise; *out_std is the standard
   deviation of that noise in one coordinate. */
void tacit_decoder_step(tacit_decoder *decoder, int64_t t, const double *y,
                        double y_std, double *out_sum, double *out_std);

#endif
