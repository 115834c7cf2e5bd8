/* SPDX-License-Identifier: MIT */
/*
 * AdaGrad-norm with eta = D/sqrt2, as a user's learner that also keeps the two sums
 * from which its regret follows, sum <gbar_t, w_t> and sum gbar_t, divided by beta_t. A
 * learner has no place to return results, so they are kept per thread.
 */
#include <math.h>

#include "theory.h"

static _Thread_local struct {
  double gain, horizon, sum[DIM_MAX];
  size_t dim;
} seen;

struct spy {
  double root;
};

static void step(void *self, const tacit_learner_facts *facts,
                 const tacit_learner_loss *loss, double *const *vectors, double *w) {
  struct spy *spy = self;
  double squares = 0, gain = 0;
  (void)vectors;
  if (loss->t == 1) {
    seen.gain = 0;
    seen.dim = facts->dim;
    for (size_t i = 0; i < facts->dim; ++i)
      seen.sum[i] = 0;
  }
  for (size_t i = 0; i < facts->dim; ++i) {
    squares += loss->grad[i] * loss->grad[i];
    gain += loss->grad[i] * w[i];
    seen.sum[i] = loss->ratio * seen.sum[i] + loss->grad[i];
  }
  seen.gain = loss->ratio * seen.gain + gain;
  seen.horizon = loss->horizon;
  spy->root = hypot(loss->ratio * spy->root, sqrt(squares));
  if (spy->root == 0) return;
  double eta = 2 * facts->radius / sqrt(2);
  for (size_t i = 0; i < facts->dim; ++i)
    w[i] -= eta * (loss->grad[i] / spy->root);
  tacit_domain_project(facts, w);
}

const tacit_learner_ops spy_learner = {
    .version = 1,
    .name = "adagrad-spy",
    .summary = "AdaGrad-norm that adds up its regret",
    .state_size = sizeof(struct spy),
    .step = step,
};

double spy_regret(const double *u) {
  double regret = seen.gain;
  for (size_t i = 0; i < seen.dim; ++i)
    regret -= seen.sum[i] * u[i];
  return regret / seen.horizon;
}
