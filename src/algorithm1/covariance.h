/* SPDX-License-Identifier: MIT */
#ifndef TACIT_ALGORITHM1_COVARIANCE_H
#define TACIT_ALGORITHM1_COVARIANCE_H

#include <stdint.h>
#include <tacit/status.h>

#include "mechanism/mechanism.h"

/* The covariance of the noise that reaches the learner. It is public, because it
   depends only on the mechanism and its bounds.
   Proof: docs/proofs/noise_covariance.md */
typedef struct tacit_covariance tacit_covariance;

/* The most rounds for which covariances are computed, because they take R^2 numbers.
   For more rounds they are 0. */
enum { TACIT_COVARIANCE_ROUNDS_MAX = 1024 };

/* Variances of the noise in one coordinate of what the learner gets in round t, divided
   by beta_t. For plain gradients gbar_t is the gradient of round t alone, and beta_t is
   1. */
typedef struct tacit_noise_terms {
  double grad;  /* variance in gbar_t / beta_t */
  double sum;   /* variance in sum_{i<=t} gbar_i / beta_t */
  double cross; /* covariance of gbar_t / beta_t and sum_{i<t} gbar_i / beta_{t-1} */
  const double *weights; /* weights of the noise of rows 1 … t in gbar_t / beta_t; NULL
                            if they are 0 */
} tacit_noise_terms;

tacit_status tacit_covariance_new(const struct tacit_encoder_ops *encoder,
                                  const tacit_encoder_facts *shape, int plain,
                                  tacit_covariance **out, tacit_error *err);
void tacit_covariance_free(tacit_covariance *covariance);
/* Computes the noise terms of round t; must be called for t = 1, 2, … in order. `bound`
   and y_std are the arguments of tacit_decoder_open. `unit` turns the decoded sum into
   gbar_t / beta_t; `ratio` is beta_{t-1} / beta_t. */
void tacit_covariance_next(tacit_covariance *covariance, int64_t t, double bound,
                           double y_std, double unit, double ratio,
                           tacit_noise_terms *out);

#endif
