/* SPDX-License-Identifier: MIT */
#ifndef TACIT_LEARNER_MIRROR_H
#define TACIT_LEARNER_MIRROR_H

#include <tacit/learner.h>
#include <tacit/status.h>

/*
 * What OMD, FTRL and their optimistic forms share: psi = |w|_p^2/2 with p of the facts
 * and the step eta_t = eta / sqrt(sum_{i<=t} |gbar_i - hint_i|_*^2).
 */
typedef struct tacit_mirror {
  double p, q, eta;
  int hinted;    /* 1: hint_{t+1} = gbar_t; 0: no hints */
  double root;   /* the root of the sum, over beta_t */
  double xi, nu; /* sums of the regulariser's, over beta_t; FTRL only */
} tacit_mirror;

/* Vectors. STATE: the dual point of OMD, or the sum of gradients of FTRL. */
enum {
  TACIT_MIRROR_STATE,
  TACIT_MIRROR_BUFFER,
  TACIT_MIRROR_PLAIN,                     /* how many the plain learners want */
  TACIT_MIRROR_LAST = TACIT_MIRROR_PLAIN, /* the last gradient */
  TACIT_MIRROR_HINTED                     /* how many the optimistic ones want */
};

/* Which learner the default of eta is for. */
enum { TACIT_MIRROR_OMD, TACIT_MIRROR_FTRL };

/* values[0] is eta, derived when NaN. TACIT_EPRIVACY where p and W do not go together.
 */
tacit_status tacit_mirror_init(tacit_mirror *self, const char *name, int kind,
                               const tacit_learner_facts *facts, double *values,
                               tacit_error *err);

/* With hinted = 0 these never read vectors[TACIT_MIRROR_LAST]. */
void tacit_mirror_omd_step(tacit_mirror *self, const tacit_learner_facts *facts,
                           const tacit_learner_loss *loss, double *const *vectors,
                           double *w);
void tacit_mirror_ftrl_step(tacit_mirror *self, const tacit_learner_facts *facts,
                            const tacit_learner_loss *loss, double *const *vectors,
                            double *w);

#endif
