/* SPDX-License-Identifier: MIT */
/* beta_t = t^k, normalised. */
#include "convert/weights.h"

#include <math.h>

void tacit_weights_init(tacit_weights *weights, double power, int64_t rounds) {
  *weights = (tacit_weights){.power = power, .rounds = rounds};
}

void tacit_weights_next(tacit_weights *weights) {
  double t = (double)++weights->t;
  double log_ratio = weights->power * log1p(-1 / t); /* -infinity at t = 1 */
  weights->ratio = exp(log_ratio);
  weights->rise = -expm1(log_ratio);
  weights->horizon = 1 + weights->ratio * weights->horizon;
  weights->share = exp(weights->power * log(t / (double)weights->rounds));
}
