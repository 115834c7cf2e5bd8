/* SPDX-License-Identifier: MIT */
/*
 * Decoding is linear, so the noise z_j of row j reaches gbar_t with a weight M_tj. A
 * second decoder gives it: coordinate j of its rows is the deviation of z_j in row j
 * and 0 in all other rows. The rows of noise are independent, so variances and
 * covariances are inner products of weights, for any decoder.
 */
#include "algorithm1/covariance.h"

#include "base/error.h"
#include "base/memory.h"
#include "mechanism/decode.h"

struct tacit_covariance {
  size_t rounds;          /* 0 if there are too many to follow */
  tacit_decoder *decoder; /* one coordinate for each row of noise */
  double *y;              /* row t for the decoder */
  double *grad;           /* M_t: weights in gbar_t / beta_t */
  double *sum;            /* weights in sum_{i<=t} gbar_i / beta_t */
  double *last; /* weights in the decoded sum of the round before; NULL without plain
                   gradients */
};

void tacit_covariance_free(tacit_covariance *covariance) {
  if (covariance == NULL) return;
  tacit_decoder_free(covariance->decoder);
  TACIT_FREE(covariance->y, covariance->grad, covariance->sum, covariance->last,
             covariance);
}

static tacit_status covariance_init(tacit_covariance *covariance,
                                    const struct tacit_encoder_ops *encoder,
                                    const tacit_encoder_facts *shape, int plain,
                                    tacit_error *err) {
  if (shape->rounds > TACIT_COVARIANCE_ROUNDS_MAX) return TACIT_OK;
  size_t rounds = (size_t)shape->rounds;
  covariance->rounds = rounds;
  TACIT_TRY(TACIT_NEW(covariance->y, rounds, err));
  TACIT_TRY(TACIT_NEW(covariance->grad, rounds, err));
  TACIT_TRY(TACIT_NEW(covariance->sum, rounds, err));
  if (plain) TACIT_TRY(TACIT_NEW(covariance->last, rounds, err));
  tacit_encoder_facts own = *shape;
  own.dim = rounds;
  return tacit_decoder_new(encoder, &own, &covariance->decoder, err);
}

tacit_status tacit_covariance_new(const struct tacit_encoder_ops *encoder,
                                  const tacit_encoder_facts *shape, int plain,
                                  tacit_covariance **out, tacit_error *err) {
  tacit_covariance *covariance = tacit_array_new(1, sizeof *covariance);
  if (covariance == NULL) return tacit_fail_memory(err);
  tacit_status status = covariance_init(covariance, encoder, shape, plain, err);
  return TACIT_HAND_OVER(status, covariance, tacit_covariance_free, out);
}

void tacit_covariance_next(tacit_covariance *covariance, int64_t t, double bound,
                           double y_std, double unit, double ratio,
                           tacit_noise_terms *out) {
  *out = (tacit_noise_terms){0};
  if (covariance->rounds == 0) return;
  double *grad = covariance->grad, *sum = covariance->sum, *last = covariance->last;
  covariance->y[t - 1] = y_std;
  (void)tacit_decoder_open(covariance->decoder, t, bound, y_std);
  tacit_decoder_sum(covariance->decoder, covariance->y, 0, covariance->rounds, grad);
  covariance->y[t - 1] = 0;
  out->weights = grad;
  for (int64_t j = 0; j < t; ++j) {
    double whole = grad[j];
    if (last != NULL) {
      grad[j] -= last[j];
      last[j] = whole;
    }
    grad[j] *= unit;
    out->grad += grad[j] * grad[j];
    out->cross += grad[j] * sum[j];
    sum[j] = ratio * sum[j] + grad[j];
    out->sum += sum[j] * sum[j];
  }
}
