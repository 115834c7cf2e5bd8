/* SPDX-License-Identifier: MIT */
/*
 * Online mirror descent with psi = |w|_p^2/2, and its optimistic form:
 *
 *   y_{t+1} = mirror step from y_t with eta_t gbar_t,
 *   w_{t+1} = mirror step from y_{t+1} with eta_t hint_{t+1}   (optimistic)
 *   w_{t+1} = y_{t+1}                                          (plain),
 *   eta_t = eta / sqrt(sum_{i<=t} |gbar_i - hint_i|_q^2), hint_1 = 0.
 *
 * The mirror step from v with u leads to P_W(grad psi*(grad psi(v) - u)). For p = 2
 * plain OMD is learner/adagrad.c. The regret is in learner/mirror.c. The regulariser is
 * part of the step of y, in closed form on a ball of the norm |.|_p and linearised
 * elsewhere (learner/regulariser.h).
 */
#include <math.h>
#include <string.h>

#include "learner/mirror.h"
#include "learner/regulariser.h"
#include "learner/tables.h"
#include "norm/domain.h"

static const tacit_param params[] = {
    {"eta", TACIT_MIRROR_ETA_RANGE,
     "step size; default D sqrt((p-1)/2), D the diameter or at most 0.57 "
     "sqrt(weights)"},
    {NULL, 0, 0, 0, NULL},
};

static const tacit_param optimistic_params[] = {
    {"eta", TACIT_MIRROR_ETA_RANGE, "step size; default: that of omd"},
    {"hint", 0, 1, 1, "1: the last gradient is the hint; 0: no hint, as omd"},
    {NULL, 0, 0, 0, NULL},
};

static tacit_status init(void *self, const tacit_learner_facts *facts, double *values,
                         tacit_error *err) {
  return tacit_mirror_init(self, "omd", TACIT_MIRROR_OMD, facts, values, err);
}

static tacit_status optimistic_init(void *self, const tacit_learner_facts *facts,
                                    double *values, tacit_error *err) {
  return tacit_mirror_init_hinted(self, "optimistic-omd", TACIT_MIRROR_OMD, facts,
                                  values, err);
}

/* Writes to w the point of W whose dual point is `dual`. If the projection onto W moves
   the point, changes `dual` to the dual point of the projection. */
static void to_primal(const tacit_mirror *self, const tacit_learner_facts *facts,
                      const tacit_learner_loss *loss, double *dual, double *w) {
  size_t dim = facts->dim;
  tacit_norm_mirror(loss->pool, dual, dim, self->q, w);
  tacit_domain_project_mirror(loss->pool, facts, w);
  if (self->p == 2) {
    memcpy(dual, w, dim * sizeof *w);
    return;
  }
  double size = tacit_norm_lp(loss->pool, dual, dim, self->q);
  for (size_t i = 0; i < dim && size > facts->radius; ++i)
    dual[i] *= facts->radius / size;
}

/* Computes to = from - eta_t g, and shrinks it by the regulariser if `closed` is 1. */
static void step_dual(const tacit_mirror *self, const tacit_learner_loss *loss,
                      int closed, size_t dim, const double *g, const double *from,
                      double *to) {
  for (size_t i = 0; i < dim; ++i)
    to[i] = from[i] - self->eta * (g[i] / self->root);
  if (closed)
    tacit_regulariser_shrink(loss->pool, self->eta / self->root, loss->xi, loss->nu,
                             self->q, dim, to);
}

static void step(void *state, const tacit_learner_facts *facts,
                 const tacit_learner_loss *loss, double *const *vectors, double *w) {
  tacit_mirror *self = state;
  size_t dim = facts->dim;
  double *dual = vectors[TACIT_MIRROR_STATE], *buffer = vectors[TACIT_MIRROR_BUFFER];
  /* The first point is not 0 on the simplex, which needs p = 2. For p < 2 the first
     point and its dual are 0. */
  if (loss->t == 1 && self->p == 2) memcpy(dual, w, dim * sizeof *w);
  int closed = tacit_regulariser_closed(facts, loss, self->p);
  /* From here on w is scratch memory; it may hold the gradient. */
  const double *g = closed ? loss->grad : tacit_regulariser_gradient(facts, loss, w, w);
  tacit_mirror_take(self, facts, loss, g, vectors);
  if (self->root == 0) { /* all gradients so far are zero */
    tacit_norm_mirror(loss->pool, dual, dim, self->q, w);
    return;
  }
  step_dual(self, loss, closed, dim, g, dual, dual);
  if (self->hinted) memcpy(vectors[TACIT_MIRROR_LAST], g, dim * sizeof *g);
  to_primal(self, facts, loss, dual, w);
  if (!self->hinted) return;
  step_dual(self, loss, closed, dim, vectors[TACIT_MIRROR_LAST], dual, buffer);
  to_primal(self, facts, loss, buffer, w);
}

const tacit_learner_ops tacit_learner_omd = {
    .version = 1,
    .name = "omd",
    .summary = "online mirror descent in the norm of the run",
    .params = params,
    .state_size = sizeof(tacit_mirror),
    .n_vectors = TACIT_MIRROR_PLAIN,
    .init = init,
    .step = step,
    .takes_regulariser = 1,
};

const tacit_learner_ops tacit_learner_optimistic_omd = {
    .version = 1,
    .name = "optimistic-omd",
    .summary = "mirror descent that expects the last gradient again",
    .params = optimistic_params,
    .state_size = sizeof(tacit_mirror),
    .n_vectors = TACIT_MIRROR_HINTED,
    .init = optimistic_init,
    .step = step,
    .takes_regulariser = 1,
};
