/* SPDX-License-Identifier: MIT */
/*
 * Online subgradient descent for mu-strongly convex losses, section 4 of the paper:
 * each round's linear loss gets (beta_t mu/4) |w - x_t|^2, the sum of which is strongly
 * convex with mu_{1:t} = mu beta_{1:t}/2, and the step is 1/mu_{1:t}. With h_t =
 * beta_{1:t}/beta_t that is
 *
 *   w_{t+1} = P_W( w_t - (w_t - x_t)/h_t - 2 (gbar_t/beta_t) / (mu h_t) ).
 *
 * Regret on those losses at most sum_t |gbar'_t|^2 / (2 mu_{1:t}), gbar' = gbar +
 * (beta_t mu/2)(w_t - x_t). The learner does not take the regulariser of the
 * parameter-free section, because these quadratic terms are one.
 */
#include <math.h>

#include "base/error.h"
#include "learner/tables.h"
#include "norm/domain.h"

struct strongly_convex {
  double mu;
};

static const tacit_param params[] = {
    {"mu", 1e-12, 1e12, NAN,
     "strong convexity of the loss; default: that of the l2 term"},
    {NULL, 0, 0, 0, NULL},
};

static tacit_status init(void *self, const tacit_learner_facts *facts, double *values,
                         tacit_error *err) {
  struct strongly_convex *sc = self;
  if (isnan(values[0])) values[0] = facts->strong;
  if (!(values[0] > 0 && isfinite(values[0])))
    return tacit_fail(err, TACIT_EINVAL,
                      "learner strongly-convex: nothing says how strongly convex the "
                      "loss is; give an l2 term, or mu");
  sc->mu = values[0];
  return TACIT_OK;
}

static void step(void *self, const tacit_learner_facts *facts,
                 const tacit_learner_loss *loss, double *const *vectors, double *w) {
  const struct strongly_convex *sc = self;
  (void)vectors;
  for (size_t i = 0; i < facts->dim; ++i)
    w[i] -= (w[i] - loss->x[i] + 2 * loss->grad[i] / sc->mu) / loss->horizon;
  tacit_domain_project_on(loss->pool, facts, w);
}

const tacit_learner_ops tacit_learner_strongly_convex = {
    .version = 1,
    .name = "strongly-convex",
    .summary =
        "subgradient descent for strongly convex losses (section 4 of the paper)",
    .params = params,
    .state_size = sizeof(struct strongly_convex),
    .init = init,
    .step = step,
};
