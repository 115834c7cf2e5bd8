/* SPDX-License-Identifier: MIT */
/*
 * Mirror descent (OMD) and follow-the-regularised-leader (FTRL), plain and optimistic,
 * with psi = |w|_p^2/2, which is (p-1)-strongly convex in |.|_p. D is the diameter of W
 * in |.|_p. M = D^2/2 bounds the Bregman divergences in W, and N bounds the range of
 * psi. With e_i = gbar_i - hint_i, S = sum |e_i|_q^2 and eta_t = eta/sqrt(S_t):
 *
 *   OMD                regret <= (M/eta + eta/(p-1)) sqrt(S)
 *   optimistic OMD     regret <= (M/eta + 2 sqrt2 max(eta/(2(p-1)), D)) sqrt(S)
 *   FTRL, with or      regret <= (N/eta + 2 sqrt2 max(eta/(2(p-1)), D)) sqrt(S)
 *   without hints
 *
 * In optimistic OMD and in FTRL, round t costs at most min(eta_{t-1} |e_t|^2/(2(p-1)),
 * D |e_t|), because its step is chosen before e_t is known. Every root and sum is kept
 * divided by beta_t.
 */
#include "learner/mirror.h"

#include <math.h>

#include "base/error.h"
#include "norm/domain.h"

/*
 * Returns the D from which the default of eta is computed. Users often give a radius
 * far larger than the solution they expect, so D is limited to the diameter for which
 * eta becomes AdaGrad's default, 0.4 sqrt(dim), in the norm |.|_p.
 */
static double diameter_to_aim_at(const tacit_learner_facts *facts, double p) {
  double d = (double)facts->dim;
  double usual = 0.4 * sqrt(2 * fmax(d, 50)) * pow(d, 1 / p - 0.5);
  return fmin(tacit_domain_diameter_in(facts, p), usual);
}

tacit_status tacit_mirror_init(tacit_mirror *self, const char *name,
                               tacit_mirror_kind kind, const tacit_learner_facts *facts,
                               double *values, tacit_error *err) {
  double p = tacit_domain_norm(facts);
  if (p < 2 && facts->domain > TACIT_DOMAIN_BALL)
    return tacit_fail(err, TACIT_EPRIVACY,
                      "learner %s: with a norm other than 2 the domain must be a ball; "
                      "use domain ball, or norm 2",
                      name);
  self->p = p;
  self->q = tacit_norm_dual(p);
  if (isnan(values[TACIT_MIRROR_ETA])) {
    double D = diameter_to_aim_at(facts, p);
    /* For OMD, the eta that makes M/eta and eta/(p-1) equal. Half of it for FTRL, where
       N = M/4 on a centred ball. */
    values[TACIT_MIRROR_ETA] =
        D * sqrt((p - 1) / 2) * (kind == TACIT_MIRROR_FTRL ? 0.5 : 1);
  }
  self->eta = values[TACIT_MIRROR_ETA];
  return TACIT_OK;
}

tacit_status tacit_mirror_init_hinted(tacit_mirror *self, const char *name,
                                      tacit_mirror_kind kind,
                                      const tacit_learner_facts *facts, double *values,
                                      tacit_error *err) {
  double hint = values[TACIT_MIRROR_HINT];
  if (hint != 0 && hint != 1)
    return tacit_fail(err, TACIT_EINVAL,
                      "learner %s: hint must be 1 (the last gradient) or 0", name);
  self->hinted = hint == 1;
  return tacit_mirror_init(self, name, kind, facts, values, err);
}

void tacit_mirror_take(tacit_mirror *self, const tacit_learner_facts *facts,
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
