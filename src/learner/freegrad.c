/* SPDX-License-Identifier: MIT */
/*
 * FreeGrad (Mhammedi and Koolen 2020). With G = sum c_i, q = |G|, V = rho^2 + sum
 * |c_i|^2 over the coins of learner/coin.h, rho = h_1/h_t (1 if h is not learnt),
 *
 *   wtilde = -e0 G rho^2 (2V + q) / (2 (V + q)^2 sqrt V) exp(q^2 / (2V + 2q)).
 *
 * The potential sum <c_i, wtilde_i> + e0 rho^2 exp(q^2/(2V + 2q))/sqrt V never grows,
 * which gives a regret of order |u| sqrt(V log(|u| V)) and, with the reduction to W,
 * bounds the exponential by (e0 + T radius) sqrt V.
 */
#include <math.h>

#include "learner/coin.h"
#include "learner/tables.h"
#include "norm/norm.h"

struct freegrad {
  tacit_coin coin;
  double rho, V;
};

enum { SUM = TACIT_COIN_VECTORS, N_VECTORS };

static tacit_status init(void *self, const tacit_learner_facts *facts, double *values,
                         tacit_error *err) {
  struct freegrad *freegrad = self;
  freegrad->rho = freegrad->V = 1;
  return tacit_coin_init(&freegrad->coin, "freegrad", facts, values, err);
}

/* Returns the factor f with wtilde = -f G; q is |G|. */
static double slope(const struct freegrad *freegrad, double q) {
  double V = freegrad->V, both = V + q;
  if (!(V > 0)) return 0; /* possible only after h grew by an extreme factor */
  return freegrad->coin.e0 * freegrad->rho * freegrad->rho * (both + V) /
         (2 * both * both * sqrt(V)) * exp(q * q / (2 * both));
}

static void step(void *self, const tacit_learner_facts *facts,
                 const tacit_learner_loss *loss, double *const *vectors, double *w) {
  struct freegrad *freegrad = self;
  size_t dim = facts->dim;
  double *sum = vectors[SUM], *bet = vectors[TACIT_COIN_BET];
  const double *c = vectors[TACIT_COIN_TOSS];

  double factor = tacit_coin_toss(&freegrad->coin, facts, loss, vectors, w);
  freegrad->V = (freegrad->V + tacit_norm_dot(loss->pool, c, c, dim)) * factor * factor;
  freegrad->rho *= factor;
  for (size_t i = 0; i < dim; ++i)
    sum[i] = factor * (sum[i] + c[i]);
  if (factor == 0) freegrad->rho = freegrad->V = 1;
  double scale = slope(freegrad, tacit_norm_l2(loss->pool, sum, dim));
  for (size_t i = 0; i < dim; ++i)
    bet[i] = -scale * sum[i];
  tacit_coin_settle(facts, loss, vectors, w);
}

const tacit_learner_ops tacit_learner_freegrad = {
    .version = 1,
    .name = "freegrad",
    .summary = "FreeGrad: parameter-free, adapts to the gradients' variance",
    .params = tacit_coin_params,
    .state_size = sizeof(struct freegrad),
    .n_vectors = N_VECTORS,
    .init = init,
    .step = step,
    .takes_regulariser = 1,
};
