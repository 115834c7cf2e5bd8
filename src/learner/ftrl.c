/* SPDX-License-Identifier: MIT */
/*
 * Follow the regularised leader with psi = |w|_p^2/2, and its optimistic form:
 *
 *   w_{t+1} = argmin_W <sum_{i<=t} gbar_i + hint_{t+1}, w> + psi(w)/eta_t,
 *   eta_t = eta / sqrt(sum_{i<=t} |gbar_i - hint_i|_q^2), hint_1 = 0.
 *
 * On a ball the minimiser is grad psi*(-eta_t (sum gbar_i + hint_{t+1})), scaled back.
 * The regret is in learner/mirror.c. The regulariser is taken in closed form on a ball,
 * with the sums of its coefficients, and linearised elsewhere (learner/regulariser.h).
 */
#include <math.h>
#include <string.h>

#include "learner/mirror.h"
#include "learner/regulariser.h"
#include "learner/tables.h"
#include "norm/domain.h"

static const tacit_param params[] = {
    {"eta", TACIT_MIRROR_ETA_RANGE, "step size; default: half of that of omd"},
    {NULL, 0, 0, 0, NULL},
};

static const tacit_param optimistic_params[] = {
    {"eta", TACIT_MIRROR_ETA_RANGE, "step size; default: that of ftrl"},
    {"hint", 0, 1, 1, "1: the last gradient is the hint; 0: no hint, as ftrl"},
    {NULL, 0, 0, 0, NULL},
};

static tacit_status init(void *self, const tacit_learner_facts *facts, double *values,
                         tacit_error *err) {
  return tacit_mirror_init(self, "ftrl", TACIT_MIRROR_FTRL, facts, values, err);
}

static tacit_status optimistic_init(void *self, const tacit_learner_facts *facts,
                                    double *values, tacit_error *err) {
  return tacit_mirror_init_hinted(self, "optimistic-ftrl", TACIT_MIRROR_FTRL, facts,
                                  values, err);
}

static void step(void *state, const tacit_learner_facts *facts,
                 const tacit_learner_loss *loss, double *const *vectors, double *w) {
  tacit_mirror *self = state;
  size_t dim = facts->dim;
  double *sum = vectors[TACIT_MIRROR_STATE], *buffer = vectors[TACIT_MIRROR_BUFFER];
  int ball = facts->domain <= TACIT_DOMAIN_BALL;
  const double *g = ball ? loss->grad : tacit_regulariser_gradient(facts, loss, w, w);
  tacit_mirror_take(self, facts, loss, g, vectors);
  self->xi = loss->ratio * self->xi + loss->xi;
  self->nu = loss->ratio * self->nu + loss->nu;
  for (size_t i = 0; i < dim; ++i)
    sum[i] = loss->ratio * sum[i] + g[i];
  if (self->hinted) memcpy(vectors[TACIT_MIRROR_LAST], g, dim * sizeof *g);
  if (self->root == 0) { /* all gradients so far are zero */
    memset(w, 0, dim * sizeof *w);
    tacit_domain_project_on(loss->pool, facts, w);
    return;
  }
  const double *last = self->hinted ? vectors[TACIT_MIRROR_LAST] : NULL;
  for (size_t i = 0; i < dim; ++i)
    buffer[i] = -self->eta * ((last != NULL ? sum[i] + last[i] : sum[i]) / self->root);
  if (ball && (self->xi > 0 || self->nu > 0))
    tacit_regulariser_shrink(loss->pool, self->eta / self->root, self->xi, self->nu,
                             self->q, dim, buffer);
  tacit_norm_mirror(loss->pool, buffer, dim, self->q, w);
  tacit_domain_project_mirror(loss->pool, facts, w);
}

const tacit_learner_ops tacit_learner_ftrl = {
    .version = 1,
    .name = "ftrl",
    .summary = "follow the regularised leader in the norm of the run",
    .params = params,
    .state_size = sizeof(tacit_mirror),
    .n_vectors = TACIT_MIRROR_PLAIN,
    .init = init,
    .step = step,
    .takes_regulariser = 1,
};

const tacit_learner_ops tacit_learner_optimistic_ftrl = {
    .version = 1,
    .name = "optimistic-ftrl",
    .summary = "follow the leader that expects the last gradient again",
    .params = optimistic_params,
    .state_size = sizeof(tacit_mirror),
    .n_vectors = TACIT_MIRROR_HINTED,
    .init = optimistic_init,
    .step = step,
    .takes_regulariser = 1,
};
