/* SPDX-License-Identifier: MIT */
/*
 * Mirror descent and follow-the-regularised-leader, plain and optimistic, with psi =
 * |w|_p^2/2, which is (p-1)-strongly convex in |.|_p. D is the diameter of W in |.|_p,
 * M = D^2/2 bounds the Bregman divergences in W and N the range of psi. With e_i =
 * gbar_i - hint_i, S = sum |e_i|_q^2 and eta_t = eta/sqrt(S_t):
 *
 *   OMD                regret <= (M/eta + eta/(p-1)) sqrt(S)
 *   optimistic OMD     regret <= (M/eta + 2 sqrt2 max(eta/(2(p-1)), D)) sqrt(S)
 *   FTRL, with or      regret <= (N/eta + 2 sqrt2 max(eta/(2(p-1)), D)) sqrt(S)
 *   without hints
 *
 * as round t costs at most min(eta_{t-1} |e_t|^2/(2(p-1)), D |e_t|) there, because the
 * step does not know e_t yet. Every root and sum is kept divided by beta_t.
 */
#include "learner/mirror.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "learner/regulariser.h"
#include "norm/domain.h"

/*
 * D for the default of eta. A radius is often a guard far outside of where one expects
 * the solution, so a large one is not taken at its word: what is used then is the
 * default of AdaGrad, eta = 0.4 sqrt(dim), as a diameter, in the norm at hand.
 */
static double diameter_to_aim_at(const tacit_learner_facts *facts, double p) {
  double d = (double)facts->dim;
  double usual = 0.4 * sqrt(2 * fmax(d, 50)) * pow(d, 1 / p - 0.5);
  return fmin(tacit_domain_diameter_in(facts, p), usual);
}

tacit_status tacit_mirror_init(tacit_mirror *self, const char *name, int kind,
                               const tacit_learner_facts *facts, double *values,
                               tacit_error *err) {
  double p = tacit_domain_norm(facts);
  if (p < 2 && facts->domain != TACIT_DOMAIN_BALL)
    return tacit_fail(err, TACIT_EPRIVACY,
                      "learner %s: with a norm other than 2 the domain must be a ball; "
                      "use domain ball, or norm 2",
                      name);
  self->p = p;
  self->q = tacit_norm_dual(p);
  if (isnan(values[0])) {
    double D = diameter_to_aim_at(facts, p);
    /* The eta that makes M/eta and eta/(p-1) equal; N = M/4 on a centred ball. */
    values[0] = D * sqrt((p - 1) / 2) * (kind == TACIT_MIRROR_FTRL ? 0.5 : 1);
  }
  self->eta = values[0];
  return TACIT_OK;
}

/* Adds |gbar_t - hint_t|_q to the root; the buffer is free after. */
static void grow_root(tacit_mirror *self, const tacit_learner_facts *facts,
                      const tacit_learner_loss *loss, const double *g,
                      double *const *vectors) {
  const double *missed = g;
  double ratio = loss->ratio;
  if (self->hinted) {
    double *buffer = vectors[TACIT_MIRROR_BUFFER];
    const double *last = vectors[TACIT_MIRROR_LAST];
    for (size_t i = 0; i < facts->dim; ++i)
      buffer[i] = g[i] - ratio * last[i];
    missed = buffer;
  }
  double size = tacit_norm_lp(loss->pool, missed, facts->dim, self->q);
  self->root = tacit_norm_of_two(ratio * self->root, size);
}

/* w = the point of W whose dual is `dual`; a dual outside is pulled onto W with it. */
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

/* to = from - eta_t g, shrunk by the regulariser when it is taken in closed form. */
static void step_dual(const tacit_mirror *self, const tacit_learner_loss *loss,
                      int closed, size_t dim, const double *g, const double *from,
                      double *to) {
  for (size_t i = 0; i < dim; ++i)
    to[i] = from[i] - self->eta * (g[i] / self->root);
  if (!closed) return;
  double factor = tacit_regulariser_factor(self->eta / self->root, loss->xi, loss->nu,
                                           tacit_norm_lp(loss->pool, to, dim, self->q));
  for (size_t i = 0; i < dim; ++i)
    to[i] *= factor;
}

void tacit_mirror_omd_step(tacit_mirror *self, const tacit_learner_facts *facts,
                           const tacit_learner_loss *loss, double *const *vectors,
                           double *w) {
  size_t dim = facts->dim;
  double *dual = vectors[TACIT_MIRROR_STATE], *buffer = vectors[TACIT_MIRROR_BUFFER];
  /* The simplex does not begin at 0. For p < 2 the dual of the first point is 0. */
  if (loss->t == 1 && self->p == 2) memcpy(dual, w, dim * sizeof *w);
  int closed = tacit_regulariser_closed(facts, loss, self->p);
  /* From here w is scratch, or the gradient. */
  const double *g = closed ? loss->grad : tacit_regulariser_gradient(facts, loss, w, w);
  grow_root(self, facts, loss, g, vectors);
  if (self->root == 0) { /* nothing but zero gradients so far */
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

void tacit_mirror_ftrl_step(tacit_mirror *self, const tacit_learner_facts *facts,
                            const tacit_learner_loss *loss, double *const *vectors,
                            double *w) {
  size_t dim = facts->dim;
  double *sum = vectors[TACIT_MIRROR_STATE], *buffer = vectors[TACIT_MIRROR_BUFFER];
  int ball = facts->domain == TACIT_DOMAIN_BALL;
  const double *g = ball ? loss->grad : tacit_regulariser_gradient(facts, loss, w, w);
  grow_root(self, facts, loss, g, vectors);
  self->xi = loss->ratio * self->xi + loss->xi;
  self->nu = loss->ratio * self->nu + loss->nu;
  for (size_t i = 0; i < dim; ++i)
    sum[i] = loss->ratio * sum[i] + g[i];
  if (self->hinted) memcpy(vectors[TACIT_MIRROR_LAST], g, dim * sizeof *g);
  if (self->root == 0) {
    memset(w, 0, dim * sizeof *w);
    tacit_domain_project_on(loss->pool, facts, w);
    return;
  }
  const double *last = self->hinted ? vectors[TACIT_MIRROR_LAST] : NULL;
  for (size_t i = 0; i < dim; ++i)
    buffer[i] = -self->eta * ((last != NULL ? sum[i] + last[i] : sum[i]) / self->root);
  if (ball && (self->xi > 0 || self->nu > 0)) {
    double factor =
        tacit_regulariser_factor(self->eta / self->root, self->xi, self->nu,
                                 tacit_norm_lp(loss->pool, buffer, dim, self->q));
    for (size_t i = 0; i < dim; ++i)
      buffer[i] *= factor;
  }
  tacit_norm_mirror(loss->pool, buffer, dim, self->q, w);
  tacit_domain_project_mirror(loss->pool, facts, w);
}
