/* SPDX-License-Identifier: MIT */
#ifndef TACIT_MECHANISM_DECODE_H
#define TACIT_MECHANISM_DECODE_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/status.h>

#include "mechanism/mechanism.h"

/* Turns the released rows y_t = (C u + noise)_t into noisy prefix sums of the rounds.
   This is post-processing. Each encoder has one decoder. */
typedef struct tacit_decoder tacit_decoder;

/* Makes the decoder of an encoder. `shape` must be the shape of the encoder, except
   that with dim 0 the decoder computes only the size of the noise. */
tacit_status tacit_decoder_new(const struct tacit_encoder_ops *encoder,
                               const tacit_encoder_facts *shape, tacit_decoder **out,
                               tacit_error *err);
void tacit_decoder_free(tacit_decoder *decoder);

/*
 * Opens row t = 1, 2, …, whose noise has the standard deviation y_std. Returns the
 * standard deviation of the noise in one coordinate of the sum of rounds 1 … t (an
 * estimate for `blt` with more than 2^16 rounds). `bound` is the bound of the round,
 * which is the unit of its sums if the encoder is `relative`. Other encoders ignore it.
 */
double tacit_decoder_open(tacit_decoder *decoder, int64_t t, double bound,
                          double y_std);
/* Computes the sum of rounds 1 … t plus noise from row y and writes coordinates first …
   end-1 of it to out_sum. Must be called once for each coordinate of a row, in any
   chunks and by any threads. */
void tacit_decoder_sum(tacit_decoder *decoder, const double *y, size_t first,
                       size_t end, double *out_sum);
/* Counts, saves or loads the state after the rows so far. Returns 0 if the decoder of
   this mechanism cannot do so. */
int tacit_decoder_archive(tacit_decoder *decoder, tacit_archive *archive);

/* The functions of one decoder. decode.c allocates and zeroes `self`. */
struct tacit_decoder_ops {
  const struct tacit_encoder_ops *encoder;
  size_t state_size;
  tacit_status (*init)(void *self, const tacit_encoder_facts *shape, tacit_error *err);
  void (*fini)(void *self);
  double (*open)(void *self, int64_t t, double bound, double y_std);
  void (*sum)(void *self, const double *y, size_t first, size_t end, double *out_sum);
  void (*archive)(void *self, tacit_archive *archive); /* NULL if the state cannot be
                                                          saved */
};

extern const struct tacit_decoder_ops tacit_decoder_tree, tacit_decoder_banded,
    tacit_decoder_blt, tacit_decoder_matrix, tacit_decoder_none;

#endif
