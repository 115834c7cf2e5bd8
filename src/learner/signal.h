/* SPDX-License-Identifier: MIT */
#ifndef TACIT_LEARNER_SIGNAL_H
#define TACIT_LEARNER_SIGNAL_H

#include <tacit/learner.h>

/* How far a run can see through its noise, from public numbers, and the units in which
   the rules of `bettor` and `heavy-ball` are stated: rows of norm 1, slopes of size 1.
   All 0 if the facts do not say. */
typedef struct tacit_signal {
  double ratio;  /* U = 1/hypot(rho noise, 1/n), noise that of one release of all rows;
                    rho = 1, 1.21, 1.58 for 8 passes or more, several, one */
  double inputs; /* weights of one output */
  double reach;  /* r: norm of a centred row */
  double length; /* unit of weights over gradients */
  double weight; /* unit of weights */
} tacit_signal;

tacit_signal tacit_signal_of(const tacit_learner_facts *facts);

#endif
