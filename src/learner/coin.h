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
 * where gtilde_t is gbar_t with the regulariser linearised, clipped to beta_t h_t, and
 * reduced to W. The reduction: with wtilde the unconstrained point, w = P_W(wtilde) and
 * v the unit vector from w to wtilde, gtilde = g - min(<g, v>, 0) v, so that
 * <g, w - u> <= <gtilde, wtilde - u> for every u in W. h is Ghat, a public bound on
 * |gbar_t|/beta_t, or, if the bound is learnt, the largest |gbar_i|/beta_i so far.
 */
typedef struct tacit_coin {
  double e0;
  int unknown; /* 1: no bound is known, h is learnt */
  double ghat; /* Ghat; 0 if h is learnt */
  double h;    /* h_t; 0 before the first gradient if h is learnt */
  double h_first;
  double ratios; /* sum |c_i| since the last restart */
} tacit_coin;

enum { TACIT_COIN_E0, TACIT_COIN_GHAT, TACIT_COIN_LIPSCHITZ };
extern const tacit_param tacit_coin_params[];

/* Vectors of the state. Learners may add their own after these. */
enum { TACIT_COIN_BET, TACIT_COIN_TOSS, TACIT_COIN_VECTORS };

tacit_status tacit_coin_init(tacit_coin *self, const char *name,
                             const tacit_learner_facts *facts, double *values,
                             tacit_error *err);

/*
 * Round t: computes c_t for wtilde_t, which is vectors[BET], and its projection w, and
 * writes it to vectors[TOSS]; zeros while h is not known. Then h becomes h_{t+1}. The
 * state of the learner is in units of h, and the return value says how it changes: 1,
 * not at all; 0, it begins anew; otherwise the parts that are linear in the gradients
 * are multiplied by the value after the coin was added.
 */
double tacit_coin_toss(tacit_coin *self, const tacit_learner_facts *facts,
                       const tacit_learner_loss *loss, double *const *vectors,
                       const double *w);

/* Computes w_{t+1}, the projection of wtilde_{t+1}, which is vectors[BET]. */
void tacit_coin_settle(const tacit_learner_facts *facts, const tacit_learner_loss *loss,
                       double *const *vectors, double *w);

#endif
