/* SPDX-License-Identifier: MIT */
#ifndef TACIT_LEARNER_COIN_H
#define TACIT_LEARNER_COIN_H

#include <tacit/catalog.h>
#include <tacit/learner.h>
#include <tacit/status.h>

/*
 * Functions that the parameter-free learners share. These learners bet, in the whole
 * space, on coins
 *
 *   c_t = gtilde_t / (beta_R h_t),  |c_t| <= (t/R)^k <= 1,
 *
 * where gtilde_t is gbar_t with the regulariser linearised, clipped to beta_t h_t, and
 * reduced to W. The reduction of g is gtilde = g - min(<g, v>, 0) v, with wtilde the
 * unconstrained point, w = P_W(wtilde) and v the unit vector from w to wtilde. It makes
 * <g, w - u> <= <gtilde, wtilde - u> for every u in W. h is Ghat, a public bound on
 * |gbar_t|/beta_t, or, if the bound is learnt, the largest |gbar_i|/beta_i so far.
 */
typedef struct tacit_coin {
  double e0;
  int unknown; /* 1 if no bound is known, so that h is learnt */
  double ghat; /* Ghat; 0 if h is learnt */
  double h;    /* h_t; 0 before the first gradient if h is learnt */
  double h_first;
  double ratios; /* sum of |c_i| since h was h_first */
} tacit_coin;

enum { TACIT_COIN_E0, TACIT_COIN_GHAT, TACIT_COIN_LIPSCHITZ };
extern const tacit_param tacit_coin_params[];

/* Indices of the vectors of a learner's state. A learner may have more vectors after
   these. */
enum { TACIT_COIN_BET, TACIT_COIN_TOSS, TACIT_COIN_VECTORS };

tacit_status tacit_coin_init(tacit_coin *self, const char *name,
                             const tacit_learner_facts *facts, double *values,
                             tacit_error *err);

/*
 * Computes the coin c_t of round t and writes it to vectors[TACIT_COIN_TOSS], as zeros
 * while h is not known. wtilde_t must be in vectors[TACIT_COIN_BET], and w must be its
 * projection. Then turns h into h_{t+1}. Returns a factor for the state of the learner,
 * which is in units of h. If the factor is 0, the state must begin anew. Otherwise the
 * learner adds the coin and then multiplies the parts that are linear in the gradients
 * by the factor.
 */
double tacit_coin_toss(tacit_coin *self, const tacit_learner_facts *facts,
                       const tacit_learner_loss *loss, double *const *vectors,
                       const double *w);

/* Writes to w the point w_{t+1}: the projection of wtilde_{t+1}, which must be in
   vectors[TACIT_COIN_BET]. */
void tacit_coin_settle(const tacit_learner_facts *facts, const tacit_learner_loss *loss,
                       double *const *vectors, double *w);

#endif
