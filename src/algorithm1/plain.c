/* SPDX-License-Identifier: MIT */
/*
 * Plain gradients: not Algorithm 1, and no theorem is about them. Learner heavy-ball
 * takes them, the default for losses whose slopes jump (hinge, quantile).
 *
 * x_t = w_t and delta_t = grad l(x_t, z_t), which are lines 1 and 2 with ratio 0 and
 * horizon 1 (power 0 in weights.c). In line 3, gbar_t is the decoded sum of rounds
 * 1 … t less the decoded sum of rounds 1 … t-1.
 */
#include "algorithm1/parts.h"
#include "base/error.h"
#include "base/memory.h"

tacit_status tacit_plain_init(tacit_algorithm1 *a, const tacit_algorithm1_facts *facts,
                              tacit_error *err) {
  if (facts->learner.power > 0 || facts->shape.rounds > TACIT_COVARIANCE_ROUNDS_MAX)
    return tacit_fail(err, TACIT_EINVAL,
                      "learner %s takes plain gradients of up to %d rounds of power 0",
                      tacit_learner_ops_of(a->learner)->name,
                      TACIT_COVARIANCE_ROUNDS_MAX);
  return TACIT_NEW(a->last, facts->shape.dim, err);
}

void tacit_plain_difference(const tacit_algorithm1 *a, size_t first, size_t end) {
  double *grad = a->grad, *last = a->last;
  for (size_t i = first; i < end; ++i) {
    double sum = grad[i];
    grad[i] -= last[i];
    last[i] = sum;
  }
}
