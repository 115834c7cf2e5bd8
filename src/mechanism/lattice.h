/* SPDX-License-Identifier: MIT */
#ifndef TACIT_MECHANISM_LATTICE_H
#define TACIT_MECHANISM_LATTICE_H

#include "vault/encoder.h"

/* Public facts the lattice of a run follows from. Bounds s are on one example's
   contribution, in units of beta_R. */
typedef struct tacit_lattice_facts {
  int64_t rows_round; /* largest number of rows in one round */
  int64_t rows_run;   /* rows of all passes together */
  double s_max;       /* largest bound any round can have */
  double s_min;       /* smallest */
  int kappa;          /* 1 zero-out, 2 replace */
  const struct tacit_encoder_ops *encoder;
  tacit_encoder_facts shape; /* weight_bits and clip_max are chosen here */
  int pure;                  /* which of the encoder's sensitivities counts */
  double sens_min;           /* never take S below this */
  double budget;   /* mu, or epsilon of pure DP, never above; INFINITY: no noise */
  int offset_bits; /* centred rows are truncated to 2^offset_bits steps; else 0 */
} tacit_lattice_facts;

/* TACIT_EPRIVACY when no lattice is fine enough and yet fits the integers. */
tacit_status tacit_lattice_new(const tacit_lattice_facts *facts, tacit_lattice *out,
                               tacit_error *err);
/* A bound s as a whole number of steps of the absolute lattice, at most clip_max. */
int64_t tacit_lattice_clip(const tacit_lattice *lattice, double s);

#endif
