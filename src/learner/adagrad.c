/* SPDX-License-Identifier: MIT */
/*
 * AdaGrad with one step size for all coordinates:
 *
 *   w_{t+1} = P_W( w_t - eta gbar_t / sqrt(sum_{i<=t} |gbar_i|^2) ).
 *
 * Regret at most (D^2/(2 eta) + eta) sqrt(sum |gbar_i|^2), D the diameter of W; eta =
 * D/sqrt(2) is the choice of the theorems. The default, 0.4 sqrt(dim), works best in
 * practice with noise. The only state is the root of the sum, divided by beta_t; the
 * root is stored because the sum of squares could overflow. The regulariser is taken in
 * closed form on a Euclidean ball and linearised elsewhere (learner/regulariser.h).
 */
#include <math.h>

#include "learner/regulariser.h"
#include "learner/tables.h"
#include "norm/domain.h"

struct adagrad {
  double eta, root;
};

enum { BUFFER, N_VECTORS };

static const tacit_param params[] = {
    {"eta", 1e-9, 1e9, NAN, "step size; default 0.4 sqrt(number of weights)"},
    {NULL, 0, 0, 0, NULL},
};

static tacit_status init(void *self, const tacit_learner_facts *facts, double *values,
                         tacit_error *err) {
  struct adagrad *adagrad = self;
  (void)err;
  if (isnan(values[0])) values[0] = 0.4 * sqrt((double)facts->dim);
  adagrad->eta = values[0];
  return TACIT_OK;
}

struct move {
  const double *g;
  double *w, eta, root;
};

static double move_chunk(void *context, size_t first, size_t end) {
  const struct move *move = context;
  const double *g = move->g;
  double *w = move->w, eta = move->eta, root = move->root;
  for (size_t i = first; i < end; ++i)
    w[i] -= eta * (g[i] / root);
  return 0;
}

static void step(void *self, const tacit_learner_facts *facts,
                 const tacit_learner_loss *loss, double *const *vectors, double *w) {
  struct adagrad *adagrad = self;
  size_t dim = facts->dim;
  int closed = tacit_regulariser_closed(facts, loss, 2);
  const double *g =
      closed ? loss->grad : tacit_regulariser_gradient(facts, loss, w, vectors[BUFFER]);
  adagrad->root =
      tacit_norm_of_two(loss->ratio * adagrad->root, tacit_norm_l2(loss->pool, g, dim));
  if (adagrad->root == 0) return; /* all gradients so far are zero */
  struct move move = {g, w, adagrad->eta, adagrad->root};
  (void)tacit_parallel_sum(loss->pool, dim, move_chunk, &move);
  if (closed)
    tacit_regulariser_shrink(loss->pool, adagrad->eta / adagrad->root, loss->xi,
                             loss->nu, 2, dim, w);
  tacit_domain_project_on(loss->pool, facts, w);
}

const tacit_learner_ops tacit_learner_adagrad = {
    .version = 1,
    .name = "adagrad",
    .summary = "AdaGrad, one step size for all coordinates",
    .params = params,
    .state_size = sizeof(struct adagrad),
    .n_vectors = N_VECTORS,
    .init = init,
    .step = step,
    .takes_regulariser = 1,
};
