/* SPDX-License-Identifier: MIT */
#ifndef TACIT_VAULT_SCALE_H
#define TACIT_VAULT_SCALE_H

#include <stdint.h>

/* The integers of a run. One absolute lattice of step 2^-exponent, or, for encoders
   that take rounds in units of their own bound, clip_max steps to that bound. */
typedef struct tacit_lattice {
  int exponent; /* of one output step: released values are integers times 2^-exponent */
  int64_t clip_max; /* bounds never exceed it */
  int weight_bits;  /* of the encoder */
  double sens;      /* S, in output steps for rounds bounded by one input step */
} tacit_lattice;

/* Encoded sums stay below 2^TACIT_WIDE_BITS, so that noise and its tail fit on top. */
enum { TACIT_WIDE_BITS = 120 };

/* The integer noise scale of a row whose inputs are bounded by `clip` steps: never
   below kappa * sens * clip / budget, at least 1. 0 if the budget is infinite;
   UINT64_MAX if it does not fit. */
uint64_t tacit_noise_scale_up(int kappa, double sens, int64_t clip, double budget);

#endif
