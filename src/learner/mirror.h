/* SPDX-License-Identifier: MIT */
#ifndef TACIT_LEARNER_MIRROR_H
#define TACIT_LEARNER_MIRROR_H

#include <tacit/learner.h>
#include <tacit/status.h>

/*
 * Functions that OMD, FTRL and their optimistic forms share. All of them use psi =
 * |w|_p^2/2 with p of the facts, and the step eta_t = eta / sqrt(sum_{i<=t} |gbar_i -
 * hint_i|_q^2), q dual to p.
 *
 * The optimistic forms set hint_{t+1} = gbar_t. The plain forms have no hints: hint_t =
 * 0. Both use the same code, so an optimistic learner with hint=0 has the same bits as
 * the plain learner.
 */
typedef struct tacit_mirror {
  double p, q, eta;
  int hinted;    /* 1 if hint_{t+1} = gbar_t; 0 without hints */
  double root;   /* sqrt(sum |gbar_i - hint_i|_q^2) / beta_t */
  double xi, nu; /* sums of the regulariser's coefficients, divided by beta_t; FTRL
                    only */
} tacit_mirror;

/* Indices of the vectors of a learner's state. */
enum {
  TACIT_MIRROR_STATE, /* the dual point of OMD, or the sum of gradients of FTRL */
  TACIT_MIRROR_BUFFER,
  TACIT_MIRROR_PLAIN,                     /* number of vectors without hints */
  TACIT_MIRROR_LAST = TACIT_MIRROR_PLAIN, /* the last gradient; only with hints */
  TACIT_MIRROR_HINTED                     /* number of vectors with hints */
};

/* The learner for which the default of eta is derived. */
typedef enum tacit_mirror_kind {
  TACIT_MIRROR_OMD,
  TACIT_MIRROR_FTRL
} tacit_mirror_kind;

/* The parameters of a plain and of an optimistic learner. */
enum { TACIT_MIRROR_ETA, TACIT_MIRROR_HINT };
#define TACIT_MIRROR_ETA_RANGE 1e-9, 1e9, NAN

/* Prepares a plain learner. Derives eta if it is NaN. Returns TACIT_EPRIVACY if the
   norm is not 2 and W is not a ball. */
tacit_status tacit_mirror_init(tacit_mirror *self, const char *name,
                               tacit_mirror_kind kind, const tacit_learner_facts *facts,
                               double *values, tacit_error *err);
/* Like tacit_mirror_init, for an optimistic learner. */
tacit_status tacit_mirror_init_hinted(tacit_mirror *self, const char *name,
                                      tacit_mirror_kind kind,
                                      const tacit_learner_facts *facts, double *values,
                                      tacit_error *err);

/* Adds the size of g - hint_t to self->root, which sets the step size, where g is
   gbar_t/beta_t. Overwrites the buffer. */
void tacit_mirror_take(tacit_mirror *self, const tacit_learner_facts *facts,
                       const tacit_learner_loss *loss, const double *g,
                       double *const *vectors);

#endif
