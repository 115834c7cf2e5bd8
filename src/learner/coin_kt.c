/* SPDX-License-Identifier: MIT */
/*
 * Krichevsky-Trofimov coin betting with a bound on the gradients (Orabona and Pal
 * 2016): with the coins c_i of learner/coin.h and S_t = sum_{i<=t} |c_i| <= t,
 *
 *   wealth_t = e0 - sum_{i<=t} <c_i, wtilde_i>,
 *   wtilde_{t+1} = - (sum_{i<=t} c_i) / (S_t + 1) * wealth_t.
 *
 * The usual form counts every coin as 1; here a coin of size a counts as a. Because
 * log(1 + a b) >= a log(1 + b) and the estimator with such counts is the Bayes mixture
 * under the same prior, the potential is the usual one with S_T instead of T. Regret
 * against u in W at most L (|u| sqrt(S ln(1 + 24 S^2 |u|^2/e0^2)) + e0), with S =
 * max(S_T, 1) and L = beta_T Ghat. The wealth cannot overflow or underflow: the
 * reduction to W keeps it below e0 + T (largest |w| in W), and the potential keeps it
 * above e0 divided by a power of T.
 */
#include "learner/coin.h"
#include "learner/tables.h"
#include "norm/norm.h"

struct coin_kt {
  tacit_coin coin;
  double wealth;
  double count; /* S_t */
};

enum { SUM = TACIT_COIN_VECTORS, N_VECTORS };

static tacit_status init(void *self, const tacit_learner_facts *facts, double *values,
                         tacit_error *err) {
  struct coin_kt *kt = self;
  tacit_status status = tacit_coin_init(&kt->coin, "coin-kt", facts, values, err);
  kt->wealth = kt->coin.e0;
  return status;
}

static void step(void *self, const tacit_learner_facts *facts,
                 const tacit_learner_loss *loss, double *const *vectors, double *w) {
  struct coin_kt *kt = self;
  size_t dim = facts->dim;
  double *sum = vectors[SUM], *bet = vectors[TACIT_COIN_BET];
  const double *c = vectors[TACIT_COIN_TOSS];

  double factor = tacit_coin_toss(&kt->coin, facts, loss, vectors, w);
  kt->wealth -= tacit_norm_dot(loss->pool, c, bet, dim);
  kt->wealth *= factor;
  kt->count += tacit_norm_l2(loss->pool, c, dim);
  for (size_t i = 0; i < dim; ++i)
    sum[i] = factor * (sum[i] + c[i]);
  if (factor == 0) {
    kt->wealth = kt->coin.e0;
    kt->count = 0;
  }
  for (size_t i = 0; i < dim; ++i)
    bet[i] = -sum[i] / (kt->count + 1) * kt->wealth;
  tacit_coin_settle(facts, loss, vectors, w);
}

const tacit_learner_ops tacit_learner_coin_kt = {
    .version = 1,
    .name = "coin-kt",
    .summary = "coin betting with a known bound on the gradient (Krichevsky-Trofimov)",
    .params = tacit_coin_params,
    .state_size = sizeof(struct coin_kt),
    .n_vectors = N_VECTORS,
    .init = init,
    .step = step,
    .takes_regulariser = 1,
};
