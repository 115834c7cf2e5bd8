/* SPDX-License-Identifier: MIT */
/*
 * Coin betting as magnitude times direction (Cutkosky and Orabona 2018): wtilde = v y.
 * The direction y comes from AdaGrad with one step size on the unit ball, fed with the
 * coins c_t of learner/coin.h. The magnitude v bets on the numbers s_t = <c_t, y_t>
 * with a fraction b found by the online Newton step:
 *
 *   wealth *= 1 - b s,  z = s/(1 - b s),  A += z^2 (A_0 = 1),
 *   b = clip(b - 2 z/((2 - ln 3) A), -1/2, 1/2),  v = b wealth.
 *
 * The regret against u is at most the regret of v against |u| plus |u| times the regret
 * of y against u/|u|. When h grows, the state is converted to units of the new h:
 * wealth is multiplied and b is divided by the factor of tacit_coin_toss.
 */
#include <math.h>

#include "learner/coin.h"
#include "learner/tables.h"
#include "norm/domain.h"

struct coin_ons {
  tacit_coin coin;
  double wealth, bet, squares; /* wealth, b and A of the head of this file */
  double root;                 /* sqrt(sum |c_i|^2) */
};

enum { DIRECTION = TACIT_COIN_VECTORS, N_VECTORS };

static const double ln_3 = 1.0986122886681098;

static void begin(struct coin_ons *ons) {
  ons->wealth = ons->coin.e0;
  ons->squares = 1;
  ons->bet = ons->root = 0;
}

static tacit_status init(void *self, const tacit_learner_facts *facts, double *values,
                         tacit_error *err) {
  struct coin_ons *ons = self;
  tacit_status status = tacit_coin_init(&ons->coin, "coin-ons", facts, values, err);
  begin(ons);
  return status;
}

/* Makes one step of AdaGrad, as in learner/adagrad.c, on the unit ball with diameter D
   = 2 and eta = D/sqrt2 = sqrt2. */
static void turn(struct coin_ons *ons, const tacit_learner_loss *loss, const double *c,
                 size_t dim, double *y) {
  const tacit_learner_facts ball = {
      .dim = dim, .domain = TACIT_DOMAIN_BALL, .radius = 1};
  ons->root = tacit_norm_of_two(ons->root, tacit_norm_l2(loss->pool, c, dim));
  if (ons->root == 0) return;
  for (size_t i = 0; i < dim; ++i)
    y[i] -= sqrt(2) * (c[i] / ons->root);
  tacit_domain_project_on(loss->pool, &ball, y);
}

static void wager(struct coin_ons *ons, double s) {
  double kept = 1 - ons->bet * s, z = s / kept; /* kept >= 1/2 */
  ons->wealth *= kept;
  ons->squares += z * z;
  ons->bet -= 2 * z / ((2 - ln_3) * ons->squares);
}

static void step(void *self, const tacit_learner_facts *facts,
                 const tacit_learner_loss *loss, double *const *vectors, double *w) {
  struct coin_ons *ons = self;
  size_t dim = facts->dim;
  double *y = vectors[DIRECTION], *bet = vectors[TACIT_COIN_BET];
  const double *c = vectors[TACIT_COIN_TOSS];

  double factor = tacit_coin_toss(&ons->coin, facts, loss, vectors, w);
  wager(ons, tacit_norm_dot(loss->pool, c, y, dim));
  turn(ons, loss, c, dim, y);
  if (factor == 0) {
    begin(ons);
  } else if (factor < 1) {
    ons->wealth *= factor;
    ons->squares *= factor * factor;
    ons->root *= factor;
    ons->bet /= factor;
  }
  ons->bet = fmin(fmax(ons->bet, -0.5), 0.5);
  for (size_t i = 0; i < dim; ++i)
    bet[i] = ons->bet * ons->wealth * y[i];
  tacit_coin_settle(facts, loss, vectors, w);
}

const tacit_learner_ops tacit_learner_coin_ons = {
    .version = 1,
    .name = "coin-ons",
    .summary = "coin betting by online Newton steps, magnitude times direction",
    .params = tacit_coin_params,
    .state_size = sizeof(struct coin_ons),
    .n_vectors = N_VECTORS,
    .init = init,
    .step = step,
    .takes_regulariser = 1,
};
