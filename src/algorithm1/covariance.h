/* SPDX-License-Identifier: MIT */
#ifndef TACIT_ALGORITHM1_COVARIANCE_H
#define TACIT_ALGORITHM1_COVARIANCE_H

#include <stdint.h>
#include <tacit/status.h>

#include "mechanism/mechanism.h"

/* The covariance of the noise that reaches the learner: public, because it depends on
   the mechanism and its bounds only. docs/proofs/noise_covariance.md */
typedef struct tacit_covariance tacit_covariance;

/* It takes R^2 numbers, so it is computed up to here. Past it, the sums are 0. */
enum { TACIT_COVARIANCE_ROUNDS_MAX = 1024 };

/* In one coordinate of what the learner gets in round t, divided by beta_t. For plain
   gradients gbar_t is that of round t alone, and beta_t is 1. */
typedef struct tacit_noise_terms {
  double grad;  /* variance in gbar_t / beta_t */
  double sum;   /* variance in sum_{i<=t} gbar_i / beta_t */
  double cross; /* covariance of gbar_t / beta_t and sum_{i<t} gbar_i / beta_{t-1} */
  const double *weights; /* of the noise of rows 1 … t in gbar_t / beta_t; NULL: 0 */
} tacit_noise_terms;

tacit_status tacit_covariance_new(const struct tacit_encoder_ops *encoder,
                                  const tacit_encoder_facts *shape, int plain,
                                  tacit_covariance **out, tacit_error *err);
void tacit_covariance_free(tacit_covariance *covariance);
/* Round t = 1, 2, …; bound and y_std as for tacit_decoder_open. `unit` turns the
   decoded sum into gbar_t / beta_t, `ratio` is beta_{t-1} / beta_t. */
void tacit_covariance_next(tacit_covariance *covariance, int64_t t, double bound,
                           double y_std, double unit, double ratio,
                           tacit_noise_terms *out);

#endif
