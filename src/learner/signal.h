/* SPDX-License-Identifier: MIT */
#ifndef TACIT_LEARNER_SIGNAL_H
#define TACIT_LEARNER_SIGNAL_H

#include <tacit/learner.h>

/* The signal-to-noise ratio of a run, from public numbers, and the units of the rules
   of `bettor` and `heavy-ball`, which are stated for rows of norm 1 and slopes of size
   1. All fields are 0 if the facts lack rows, outputs or row_norm. */
typedef struct tacit_signal {
  double ratio;  /* U = 1/hypot(rho noise, 1/n), where noise is noise_once of the facts,
                    and rho is 1 for 8 passes or more, 1.21 for several, 1.58 for one */
  double inputs; /* d: number of weights per output */
  double reach;  /* r: norm of a centred row */
  double length; /* unit of weights divided by unit of gradients */
  double weight; /* unit of the weights of the model */
} tacit_signal;

tacit_signal tacit_signal_of(const tacit_learner_facts *facts);

#endif
