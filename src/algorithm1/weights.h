/* SPDX-License-Identifier: MIT */
#ifndef TACIT_ALGORITHM1_WEIGHTS_H
#define TACIT_ALGORITHM1_WEIGHTS_H

#include <stdint.h>

/*
 * The weights beta_t = t^k in a form that never overflows:
 *   ratio   r_t = beta_{t-1}/beta_t,   r_1 = 0
 *   rise    1 - r_t = (beta_t - beta_{t-1})/beta_t
 *   horizon h_t = beta_{1:t}/beta_t = 1 + r_t h_{t-1}
 *   share   beta_t/beta_R = (t/R)^k
 * Power 0 is for plain gradients: every round stands alone, as if it were the first,
 * with ratio 0 and the other three 1.
 */
typedef struct tacit_weights {
  double power;   /* k, at least 1, or 0 */
  int64_t rounds; /* R */
  int64_t t;      /* 0 before the first round */
  double ratio, rise, horizon, share;
} tacit_weights;

void tacit_weights_init(tacit_weights *weights, double power, int64_t rounds);
/* Moves to round t + 1, at most one round past R (the free last step). */
void tacit_weights_next(tacit_weights *weights);
/* Moves to round t at once. The horizon is accurate to 1e-5 for t above 256. */
void tacit_weights_jump(tacit_weights *weights, int64_t t);

#endif
