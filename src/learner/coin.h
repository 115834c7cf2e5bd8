/* SPDX-License-Identifier: MIT */
#ifndef TACIT_LEARNER_COIN_H
#define TACIT_LEARNER_COIN_H

#include <tacit/catalog.h>
#include <tacit/learner.h>
#include <tacit/status.h>

/*
 * What the parameter-free learners share. They bet in the whole space on coins
 *
 *   c_t = gtilde_t / (beta_R h_t),  |c_t| <= (t/R)^k <= 1,
 *
 * gtilde_t being gbar_t with the regulariser linearised, clipped to beta_t h_t, and
 * reduced to W: with wtilde the unconstrained point, w = P_W(wtilde) and v the unit
 * vector from w to wtilde, gtilde = g - min(<g, v>, 0) v, so that <g, w - u> <=
 * <gtilde, wtilde - u> for every u in W. h is Ghat, a public bound on |gbar_t|/beta_t,
 * or, when it is to be learnt, the largest |gbar_i|/beta_i of the rounds before.
 */
typedef struct tacit_coin {
  double e0;
  int unknown; /* 1: h is learnt */
  double ghat; /* Ghat; 0 when learnt */
  double h;    /* h_t; 0 before the first gradient when learnt */
  double h_first;
  double ratios; /* sum |c_i| since the last restart */
} tacit_coin;

enum { TACIT_COIN_E0, TACIT_COIN_GHAT, TACIT_COIN_LIPSCHITZ };
extern const tacit_param tacit_coin_params[];

/* Vectors. More may follow. */
enum { TACIT_COIN_BET, TACIT_COIN_TOSS, TACIT_COIN_VECTORS };

tacit_status tacit_coin_init(tacit_coin *self, const char *name,
                             const tacit_learner_facts *facts, double *values,
                             tacit_error *err);

/*
 * Round t: c_t into vectors[TOSS], for the wtilde_t of vectors[BET] and its projection
 * w; all zeros while h is not known. Then h grows to h_{t+1}. The return value says
 * what to do with the state, which is in units of h: 1, leave it; between, multiply
 * what is linear in the gradients by it, after the coin was taken; 0, begin anew with
 * h_{t+1}.
 */
double tacit_coin_toss(tacit_coin *self, const tacit_learner_facts *facts,
                       const tacit_learner_loss *loss, double *const *vectors,
                       const double *w);

/* wtilde_{t+1} was written to vectors[BET]: w_{t+1} is its projection. */
void tacit_coin_settle(const tacit_learner_facts *facts, const tacit_learner_loss *loss,
                       double *const *vectors, double *w);

#endif
