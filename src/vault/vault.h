/* SPDX-License-Identifier: MIT */
#ifndef TACIT_VAULT_VAULT_H
#define TACIT_VAULT_VAULT_H

#include "base/threads.h"
#include "vault/clip.h"
#include "vault/encoder.h"
#include "vault/key.h"
#include "vault/law.h"

/* The calibration of a run. All of it is public. */
typedef struct tacit_vault_facts {
  const struct tacit_encoder_ops *encoder;
  tacit_encoder_facts shape;
  tacit_lattice lattice;
  const struct tacit_law_ops *law;
  double exponent; /* of the dual norm, for laws that are shaped by it */
  int kappa;       /* 1 for zero-out neighbours, 2 for replace */
  double budget;   /* mu, or epsilon if the law is pure; INFINITY without noise */
} tacit_vault_facts;

/* Returns the integer noise scale of a row whose rounds are bounded by `clip` steps: at
   least 1, and never below kappa * sens * clip / budget. Returns 0 if the budget is
   infinite, UINT64_MAX if the scale does not fit. */
uint64_t tacit_noise_scale_up(double kappa, double sens, int64_t clip, double budget);

/* The encoder, the noise key and the count of released rounds of a run. Nothing else in
   the tree turns sums into releases. */
typedef struct tacit_vault tacit_vault;

/* Makes a vault for coordinates first … first+count-1: all of them (0 … dim-1), or the
   part of one of several machines with the same key, whose `first` must be a multiple
   of TACIT_NOISE_BLOCK. Together the machines release what one vault would, bit for
   bit. Only laws that draw each coordinate by itself can be divided. The vault copies
   the key and wipes its copy at the end. */
tacit_status tacit_vault_new(const tacit_vault_facts *facts, const tacit_key *key,
                             size_t first, size_t count, tacit_vault **out,
                             tacit_error *err);
void tacit_vault_free(tacit_vault *vault);
/* Counts, saves or loads how far the vault is: rounds, rows, and what the encoder keeps
   of them. A vault with the same facts and key continues from there, bit for bit. Only
   src/run may call it, and only for state that no one else can have changed: whoever
   loads an old state answers for rounds that were released since. The encoder must have
   an archive. Proof: docs/proofs/stream.md */
void tacit_vault_archive(tacit_vault *vault, tacit_archive *raw_archive);

/* What one round gives to the world. */
typedef struct tacit_release {
  double *y;          /* row t of C u plus noise, in units of beta_R, at the vault's
                         coordinates */
  double noise_scale; /* scale of that noise, in units of beta_R */
} tacit_release;

/*
 * Releases round t = 1, 2, …, R, in order and each once: encodes the integer sum of the
 * vault's coordinates, adds the noise that the clip of the sum asks for and writes
 * out->y. Returns TACIT_EPRIVACY for a round out of order, a clip above the lattice's,
 * a norm other than the law's, or a coordinate that the rows of the sum cannot have.
 * After an error the vault releases nothing more.
 */
tacit_status tacit_round_release(tacit_vault *vault, tacit_pool *pool, int64_t t,
                                 const tacit_sum *sum, tacit_release *out,
                                 tacit_error *err);

#endif
