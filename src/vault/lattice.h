/* SPDX-License-Identifier: MIT */
#ifndef TACIT_VAULT_LATTICE_H
#define TACIT_VAULT_LATTICE_H

#include <stdint.h>
#include <tacit/status.h>

#include "vault/random.h"

/* Public facts the lattice of a run follows from. Bounds s are on one example's
   contribution, in units of beta_R. */
typedef struct tacit_lattice_facts {
  int64_t rows_round; /* most rows in one round */
  int64_t rows_run;   /* rows of all passes together */
  double s_max;       /* largest bound any round can have */
  double s_min;       /* smallest */
  int kappa;          /* 1 zero-out, 2 replace */
  double sens;        /* S of the encoder, never below its exact value */
  double mu;          /* target, never above; INFINITY: no noise */
} tacit_lattice_facts;

/* One absolute lattice for the whole run: step 2^-exponent. */
typedef struct tacit_lattice {
  int exponent;
  int64_t clip_max;  /* floor(s_max / step): bounds never exceed it */
  tacit_width width; /* of an encoded integer in the noise stream */
} tacit_lattice;

/* TACIT_EPRIVACY when no lattice is fine enough and yet fits the integers. */
tacit_status tacit_lattice_new(const tacit_lattice_facts *facts, tacit_lattice *out,
                               tacit_error *err);
/* A bound s as a whole number of steps, at most clip_max. */
int64_t tacit_lattice_clip(const tacit_lattice *lattice, double s);

/* The integer noise scale of a row whose inputs are bounded by `clip` steps:
   never below kappa * sens * clip / mu. 0 for mu = INFINITY. Saturates at UINT64_MAX.
 */
uint64_t tacit_noise_scale_up(int kappa, double sens, int64_t clip, double mu);

#endif
