/* SPDX-License-Identifier: MIT */
/*
 * AdaGrad with a step size per coordinate:
 *
 *   w_{t+1,j} = w_{t,j} - eta gbar_{t,j} / sqrt(sum_{i<=t} gbar_{i,j}^2), projected.
 *
 * On a box the clip is the projection in AdaGrad's own metric, and the regret is at
 * most sum_j (D^2/(2 eta) + eta) sqrt(sum_i gbar_{i,j}^2) with D = 2 radius. On a ball
 * the point is scaled back, which is another projection, so that the bound is only a
 * guide there. The regulariser is linearised (learner/regulariser.h).
 */

#include "learner/regulariser.h"
#include "learner/tables.h"
#include "norm/domain.h"

struct adagrad_diag {
  double eta;
};

/* Indices of the vectors of the state. ROOT has, for each coordinate, the root of the
   sum of squares, divided by beta_t. */
enum { ROOT, BUFFER, N_VECTORS };

static const tacit_param params[] = {
    {"eta", 1e-9, 1e9, 0.4, "step size of every coordinate"},
    {NULL, 0, 0, 0, NULL},
};

static tacit_status init(void *self, const tacit_learner_facts *facts, double *values,
                         tacit_error *err) {
  struct adagrad_diag *adagrad = self;
  (void)facts;
  (void)err;
  adagrad->eta = values[0];
  return TACIT_OK;
}

static void step(void *self, const tacit_learner_facts *facts,
                 const tacit_learner_loss *loss, double *const *vectors, double *w) {
  const struct adagrad_diag *adagrad = self;
  double *root = vectors[ROOT];
  const double *g = tacit_regulariser_gradient(facts, loss, w, vectors[BUFFER]);
  for (size_t i = 0; i < facts->dim; ++i) {
    root[i] = tacit_norm_of_two(loss->ratio * root[i], g[i]);
    if (root[i] > 0) w[i] -= adagrad->eta * (g[i] / root[i]);
  }
  tacit_domain_project_on(loss->pool, facts, w);
}

const tacit_learner_ops tacit_learner_adagrad_diag = {
    .version = 1,
    .name = "adagrad-diag",
    .summary = "AdaGrad, one step size per coordinate",
    .params = params,
    .state_size = sizeof(struct adagrad_diag),
    .n_vectors = N_VECTORS,
    .init = init,
    .step = step,
    .takes_regulariser = 1,
};
