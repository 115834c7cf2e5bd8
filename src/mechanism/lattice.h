/* SPDX-License-Identifier: MIT */
#ifndef TACIT_MECHANISM_LATTICE_H
#define TACIT_MECHANISM_LATTICE_H

#include "vault/encoder.h"

/* Public facts from which the lattice of a run follows. A bound s limits the
   contribution of one example, in units of beta_R. */
typedef struct tacit_lattice_facts {
  int64_t rows_round; /* largest number of rows in one round */
  int64_t rows_run;   /* rows of all passes together */
  double s_max;       /* largest bound that a round can have */
  double s_min;       /* smallest bound that a round can have */
  int kappa;          /* 1 for adjacency zero-out, 2 for replace */
  const struct tacit_encoder_ops *encoder;
  tacit_encoder_facts shape; /* tacit_lattice_new ignores weight_bits and clip_max and
                                chooses them */
  int pure;                  /* 1 for pure DP, which sets the encoder's sensitivity */
  double sens_min;           /* lower limit of the sensitivity S */
  double budget;             /* mu, or epsilon for pure DP; INFINITY: no noise */
  int offset_bits; /* centred rows are truncated to multiples of 2^offset_bits steps; 0
                      without centring */
} tacit_lattice_facts;

/* Chooses the lattice of a run. Returns TACIT_EPRIVACY if no lattice is both fine
   enough and small enough for the integers. */
tacit_status tacit_lattice_new(const tacit_lattice_facts *facts, tacit_lattice *out,
                               tacit_error *err);
/* Returns a bound s as a whole number of steps of the absolute lattice, rounded down,
   at most clip_max. */
int64_t tacit_lattice_clip(const tacit_lattice *lattice, double s);

#endif
