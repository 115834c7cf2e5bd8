/* SPDX-License-Identifier: MIT */
/*
 * Scale-adaptive Krichevsky-Trofimov coin betting: no step size to choose, and scaling
 * all gradients leaves w unchanged. With g = gbar_t and w = w_t,
 *
 *   L = max |g_i|,  S = sum |g_i|,  Q = max(Q - <g, w>, 0),  theta = -sum g_i,
 *   w_{t+1} = P_W( theta (L e0 + Q) / (L (L + S)) ).
 *
 * L e0 + Q is the wealth, starting at e0 in units of the largest gradient; theta/(L+S)
 * is the fraction bet. L, S, Q and theta are kept divided by beta_t (tacit/learner.h);
 * w depends on their ratios only. L is learnt during the run. There is no regret
 * theorem for this variant: the constants are heuristic. The regulariser is linearised
 * (learner/regulariser.h).
 */
#include "learner/regulariser.h"
#include "learner/tables.h"
#include "norm/domain.h"

struct kt {
  double e0, L, S, Q;
};

enum { THETA, BUFFER, N_VECTORS };

static const tacit_param params[] = {
    {"e0", 1e-9, 1e9, 10, "initial wealth, in units of the largest gradient"},
    {NULL, 0, 0, 0, NULL},
};

static tacit_status init(void *self, const tacit_learner_facts *facts, double *values,
                         tacit_error *err) {
  struct kt *kt = self;
  (void)facts;
  (void)err;
  kt->e0 = values[0];
  return TACIT_OK;
}

struct bet {
  const double *g;
  double *theta, *w, ratio, whole, wealth;
};

static double bet_chunk(void *context, size_t first, size_t end) {
  const struct bet *bet = context;
  const double *g = bet->g;
  double *theta = bet->theta, *w = bet->w;
  double ratio = bet->ratio, whole = bet->whole, wealth = bet->wealth;
  for (size_t i = first; i < end; ++i) {
    theta[i] = ratio * theta[i] - g[i];
    w[i] = theta[i] / whole * wealth;
  }
  return 0;
}

static void step(void *self, const tacit_learner_facts *facts,
                 const tacit_learner_loss *loss, double *const *vectors, double *w) {
  struct kt *kt = self;
  size_t dim = facts->dim;
  const double *g = tacit_regulariser_gradient(facts, loss, w, vectors[BUFFER]);
  double size = tacit_norm_l2(loss->pool, g, dim);
  double won = -tacit_norm_dot(loss->pool, g, w, dim);

  kt->L = loss->ratio * kt->L > size ? loss->ratio * kt->L : size;
  kt->S = loss->ratio * kt->S + size;
  kt->Q = loss->ratio * kt->Q + won;
  if (kt->Q < 0) kt->Q = 0;
  if (kt->L == 0) return; /* all gradients so far are zero */

  /* Two divisions, because L (L + S) could overflow or underflow. */
  struct bet bet = {g,           vectors[THETA], w,
                    loss->ratio, kt->L + kt->S,  kt->e0 + kt->Q / kt->L};
  (void)tacit_parallel_sum(loss->pool, dim, bet_chunk, &bet);
  tacit_domain_project_on(loss->pool, facts, w);
}

const tacit_learner_ops tacit_learner_kt = {
    .version = 1,
    .name = "kt",
    .summary = "coin betting: no step size (default)",
    .params = params,
    .state_size = sizeof(struct kt),
    .n_vectors = N_VECTORS,
    .init = init,
    .step = step,
    .takes_regulariser = 1,
};
