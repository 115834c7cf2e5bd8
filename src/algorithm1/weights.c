/* SPDX-License-Identifier: MIT */
/* The weights beta_t = t^k, normalised. */
#include "algorithm1/weights.h"

#include <math.h>

void tacit_weights_init(tacit_weights *weights, double power, int64_t rounds) {
  *weights = (tacit_weights){.power = power, .rounds = rounds};
}

/* Sets the weights of round t. weights->horizon must still be the horizon of round t -
   1. */
static void weights_set(tacit_weights *weights, double t) {
  if (weights->power == 0) {
    weights->ratio = 0;
    weights->rise = weights->horizon = weights->share = 1;
    return;
  }
  double log_ratio = weights->power * log1p(-1 / t); /* -infinity at t = 1 */
  weights->ratio = exp(log_ratio);
  weights->rise = -expm1(log_ratio);
  weights->horizon = 1 + weights->ratio * weights->horizon;
  weights->share = exp(weights->power * log(t / (double)weights->rounds));
}

void tacit_weights_next(tacit_weights *weights) {
  weights_set(weights, (double)++weights->t);
}

/* Moves to round t by sum_{i<=t} i^k = t^(k+1)/(k+1) + t^k/2 + k t^(k-1)/12 -
   k(k-1)(k-2) t^(k-3)/720 + … (Euler and Maclaurin). */
void tacit_weights_jump(tacit_weights *weights, int64_t t) {
  enum { FOLLOWED = 256 };
  if (t <= FOLLOWED) {
    tacit_weights_init(weights, weights->power, weights->rounds);
    while (weights->t < t)
      tacit_weights_next(weights);
    return;
  }
  double k = weights->power, before = (double)(t - 1);
  double third = k * (k - 1) * (k - 2) / (720 * before * before * before);
  weights->horizon = before / (k + 1) + 0.5 + k / (12 * before) - third;
  weights->t = t;
  weights_set(weights, (double)t);
}
