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

/* `shape` is the encoder's; with dim 0 the decoder computes only the size of the noise.
 */
tacit_status tacit_decoder_new(const struct tacit_encoder_ops *encoder,
                               const tacit_encoder_facts *shape, tacit_decoder **out,
                               tacit_error *err);
void tacit_decoder_free(tacit_decoder *decoder);

/*
 * Opens row t = 1, 2, …; y_std is the standard deviation of its own noise. Returns that
 * of the noise in one coordinate of the sum of rounds 1 … t (for `blt` past 2^16
 * rounds, an estimate). `bound` is the bound of the round, the unit its sums came in;
 * encoders on one absolute lattice do not look at it.
 */
double tacit_decoder_open(tacit_decoder *decoder, int64_t t, double bound,
                          double y_std);
/* The sum of rounds 1 … t plus noise, coordinates first … end-1, from the row y to
   out_sum. Every coordinate of a row is taken once, in any chunks and by any
   threads. */
void tacit_decoder_sum(tacit_decoder *decoder, const double *y, size_t first,
                       size_t end, double *out_sum);
/* Counts, saves or loads what the rows so far left behind. Returns 0 if the decoder of
   this mechanism cannot. */
int tacit_decoder_archive(tacit_decoder *decoder, tacit_archive *archive);

/* One implementation; `self` is allocated and zeroed by decode.c. */
struct tacit_decoder_ops {
  const struct tacit_encoder_ops *encoder;
  size_t state_size;
  tacit_status (*init)(void *self, const tacit_encoder_facts *shape, tacit_error *err);
  void (*fini)(void *self);
  double (*open)(void *self, int64_t t, double bound, double y_std);
  void (*sum)(void *self, const double *y, size_t first, size_t end, double *out_sum);
  void (*archive)(void *self, tacit_archive *archive); /* NULL: it cannot be saved */
};

extern const struct tacit_decoder_ops tacit_decoder_tree, tacit_decoder_banded,
    tacit_decoder_blt, tacit_decoder_matrix, tacit_decoder_none;

#endif
