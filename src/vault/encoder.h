/* SPDX-License-Identifier: MIT */
#ifndef TACIT_VAULT_ENCODER_H
#define TACIT_VAULT_ENCODER_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/catalog.h>
#include <tacit/status.h>

#include "base/numbers.h"

/*
 * An encoder is the matrix C of docs/proofs/accounting_theorem.md, row by row: round
 * t's integer sums u_t come in, row t of C u goes out, noise is added to it, and that
 * is all that ever leaves. Its decoder (mechanism/decode.h) is the inverse, outside the
 * wall.
 */
typedef struct tacit_encoder_facts {
  size_t dim;
  int64_t rounds;   /* R = per_pass * passes */
  int64_t per_pass; /* a record takes part in rounds q, q + per_pass, … */
  double values[4]; /* of the params below */
  int weight_bits;  /* entries of C are whole multiples of 2^-weight_bits; 0: 0 and 1 */
  int64_t clip_max; /* largest bound of a round, in lattice steps */
} tacit_encoder_facts;

/* What a record can do to the whole of C u, in output steps for rounds bounded by one
   input step, never below the exact value. */
typedef struct tacit_encoder_sens {
  double squares; /* root of the sum over rows of squared weights: mu-GDP */
  double sum;     /* sum over rows of the weights: pure DP; INFINITY: not offered */
} tacit_encoder_sens;

struct tacit_encoder_ops {
  const char *name;          /* required */
  const char *summary;       /* required; one line */
  const tacit_param *params; /* optional; NULL-name ended; at most four */
  int private_noise;         /* 0: released without noise, the model is not private */
  int relative; /* 1: a round's sums come in units of its own bound, so that every
                   round is bounded by clip_max; 0: all rounds on one lattice */
  int weight_bits_max; /* finest weights; 0: whole numbers */
  int64_t rounds_max;  /* 0: any number */
  size_t state_size;
  /* Required. */
  tacit_status (*sens)(const tacit_encoder_facts *facts, tacit_encoder_sens *out,
                       tacit_error *err);
  /* Optional. Bits an encoded sum can have beyond those of the rows' sum; else none. */
  int (*extra_bits)(const tacit_encoder_facts *facts);
  tacit_status (*init)(void *self, const tacit_encoder_facts *facts, tacit_error *err);
  void (*fini)(void *self);
  /* Required. Opens row t = 1, 2, … whose input is bounded by `clip` lattice steps a
     record, and returns the bound of the row: the largest clip of the rounds in it. */
  int64_t (*begin)(void *self, int64_t t, int64_t clip);
  /* Required. Coordinates first … first+count-1 of row t into raw_out. Called once for
     each coordinate, in every round with the same stretches of them, `first` even;
     calls on different coordinates may run in parallel. */
  void (*encode)(void *self, const int64_t *raw_sum, size_t first, size_t count,
                 tacit_i128 *raw_out);
};

#endif
