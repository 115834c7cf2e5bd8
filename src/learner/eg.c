/* SPDX-License-Identifier: MIT */
/*
 * Exponentiated gradient on the simplex: w_{t+1,j} is proportional to
 *
 *   exp(-eta_t sum_{i<=t} gbar_{i,j}),  eta_t = eta / sqrt(sum_{i<=t} |gbar_i|_inf^2).
 *
 * This is FTRL with the entropy, which is 1-strongly convex in L1 and has range ln d.
 * The regret is at most (ln d/eta + 2 sqrt2 max(eta/2, 2)) sqrt(sum |gbar_i|_inf^2).
 * The exponents are shifted so that the largest is 0.
 */
#include <math.h>

#include "base/error.h"
#include "learner/tables.h"
#include "norm/domain.h"

struct eg {
  double eta, root;
};

enum { SUM, N_VECTORS };

static const tacit_param params[] = {
    {"eta", 1e-9, 1e9, NAN, "step size; default sqrt(ln(number of weights))"},
    {NULL, 0, 0, 0, NULL},
};

static tacit_status init(void *self, const tacit_learner_facts *facts, double *values,
                         tacit_error *err) {
  struct eg *eg = self;
  if (facts->domain != TACIT_DOMAIN_SIMPLEX)
    return tacit_fail(
        err, TACIT_EPRIVACY,
        "learner eg keeps its weights on the simplex; use domain simplex, "
        "or another learner");
  if (isnan(values[0])) values[0] = sqrt(log((double)facts->dim));
  eg->eta = values[0];
  return TACIT_OK;
}

static void step(void *self, const tacit_learner_facts *facts,
                 const tacit_learner_loss *loss, double *const *vectors, double *w) {
  struct eg *eg = self;
  size_t dim = facts->dim;
  double *sum = vectors[SUM];
  eg->root = tacit_norm_of_two(loss->ratio * eg->root,
                               tacit_norm_max(loss->pool, loss->grad, dim));
  if (eg->root == 0) return; /* all gradients so far are zero */
  double min = INFINITY, total = 0;
  for (size_t i = 0; i < dim; ++i) {
    sum[i] = loss->ratio * sum[i] + loss->grad[i];
    min = fmin(min, sum[i]);
  }
  for (size_t i = 0; i < dim; ++i) {
    w[i] = exp(-eg->eta * ((sum[i] - min) / eg->root));
    total += w[i];
  }
  for (size_t i = 0; i < dim; ++i)
    w[i] /= total;
  tacit_domain_project_on(loss->pool, facts, w); /* corrects the rounding of the sum,
                                                    which must be 1 */
}

const tacit_learner_ops tacit_learner_eg = {
    .version = 1,
    .name = "eg",
    .summary = "exponentiated gradient, for weights on the simplex",
    .params = params,
    .state_size = sizeof(struct eg),
    .n_vectors = N_VECTORS,
    .init = init,
    .step = step,
};
