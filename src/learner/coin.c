/* SPDX-License-Identifier: MIT */
/*
 * Coins for the parameter-free learners (learner/coin.h).
 *
 * Clipping to a growing bound is from Cutkosky (2019): the learner sees g_t clipped to
 * h_t, a number known before round t, and the extra regret is at most max |g| (max |w|
 * + |u|). Because h never decreases, the wealth in units of h stays above its
 * potential. If h/h_first exceeds 2 plus the sum of the lengths of the coins since h
 * was h_first, the state is discarded (Mhammedi and Koolen 2020), so that a very small
 * first gradient does not spoil the run. With a regulariser, gradients may be longer
 * than Ghat, and h grows then as well.
 */
#include "learner/coin.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "learner/regulariser.h"
#include "norm/domain.h"

const tacit_param tacit_coin_params[] = {
    {"e0", 1e-9, 1e9, NAN,
     "initial wealth, in units of the bound on the gradient; default 5 sqrt(rounds)"},
    {"ghat", 1e-12, 1e12, NAN,
     "bound on the gradient with its noise; default: that of the run"},
    {"lipschitz", 0, 1, 0, "1: no bound is known, learn it; 0: use ghat"},
    {NULL, 0, 0, 0, NULL},
};

tacit_status tacit_coin_init(tacit_coin *self, const char *name,
                             const tacit_learner_facts *facts, double *values,
                             tacit_error *err) {
  double lipschitz = values[TACIT_COIN_LIPSCHITZ];
  if (lipschitz != 0 && lipschitz != 1)
    return tacit_fail(err, TACIT_EINVAL,
                      "learner %s: lipschitz must be 1 (the bound is learnt) or 0",
                      name);
  /* With this default, e0 adds to the regret a term of the same order as the other
     terms. The factor 5 could be any constant. */
  if (isnan(values[TACIT_COIN_E0]))
    values[TACIT_COIN_E0] = 5 * sqrt((double)facts->rounds);
  self->e0 = values[TACIT_COIN_E0];
  self->unknown = lipschitz == 1;
  if (self->unknown) {
    if (isnan(values[TACIT_COIN_GHAT])) return TACIT_OK;
    return tacit_fail(err, TACIT_EINVAL,
                      "learner %s: lipschitz=1 learns the bound on the gradient; leave "
                      "out ghat",
                      name);
  }
  if (isnan(values[TACIT_COIN_GHAT]))
    values[TACIT_COIN_GHAT] = tacit_domain_l2_bound(facts, facts->noisy_bound);
  self->ghat = values[TACIT_COIN_GHAT];
  if (!(self->ghat > 0 && isfinite(self->ghat)))
    return tacit_fail(err, TACIT_EINVAL,
                      "learner %s needs a bound on the noisy gradient and this run has "
                      "none; give ghat, or lipschitz=1 to learn it",
                      name);
  self->h = self->h_first = self->ghat;
  return TACIT_OK;
}

/* Removes the part of coin c that would move wtilde, which is `bet`, farther out of
   W. */
static void reduce(const double *bet, const double *w, size_t dim, double *c) {
  double distance = 0, along = 0;
  for (size_t i = 0; i < dim; ++i)
    distance += (bet[i] - w[i]) * (bet[i] - w[i]);
  distance = sqrt(distance);
  if (!(distance > 0)) return;
  for (size_t i = 0; i < dim; ++i)
    along += c[i] * ((bet[i] - w[i]) / distance);
  if (!(along < 0)) return;
  for (size_t i = 0; i < dim; ++i)
    c[i] -= along * ((bet[i] - w[i]) / distance);
}

/* Updates h to h_{t+1}. Returns the factor for the state (see tacit_coin_toss). */
static double grow(tacit_coin *self, const tacit_learner_facts *facts,
                   const tacit_learner_loss *loss, double size) {
  double wanted = self->unknown ? size
                                : self->ghat + loss->xi +
                                      2 * loss->nu * tacit_domain_reach_in(facts, 2);
  if (!(wanted > self->h)) return 1;
  double factor = self->h / wanted;
  self->h = wanted;
  if (factor == 0 || self->h / self->h_first > 2 + self->ratios) {
    self->h_first = self->h;
    self->ratios = 0;
    return 0;
  }
  return factor;
}

double tacit_coin_toss(tacit_coin *self, const tacit_learner_facts *facts,
                       const tacit_learner_loss *loss, double *const *vectors,
                       const double *w) {
  size_t dim = facts->dim;
  double *c = vectors[TACIT_COIN_TOSS];
  const double *g = tacit_regulariser_gradient(facts, loss, w, c);
  double size = tacit_norm_l2(loss->pool, g, dim);
  double unit = fmax(size, self->h); /* dividing g by `unit` clips it to h and converts
                                        it to units of h */
  double weight = exp(facts->power * log((double)loss->t / (double)facts->rounds));
  for (size_t i = 0; i < dim; ++i)
    c[i] = self->h > 0 ? g[i] / unit : 0;
  reduce(vectors[TACIT_COIN_BET], w, dim, c);
  for (size_t i = 0; i < dim; ++i)
    c[i] *= weight;
  self->ratios += tacit_norm_l2(loss->pool, c, dim);
  return grow(self, facts, loss, size);
}

void tacit_coin_settle(const tacit_learner_facts *facts, const tacit_learner_loss *loss,
                       double *const *vectors, double *w) {
  memcpy(w, vectors[TACIT_COIN_BET], facts->dim * sizeof *w);
  tacit_domain_project_on(loss->pool, facts, w);
}
