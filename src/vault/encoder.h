/* SPDX-License-Identifier: MIT */
#ifndef TACIT_VAULT_ENCODER_H
#define TACIT_VAULT_ENCODER_H

#include <tacit/catalog.h>
#include <tacit/matrix.h>
#include <tacit/status.h>

#include "base/archive.h"
#include "base/numbers.h"

/*
 * An encoder is the matrix C of docs/proofs/accounting_theorem.md: the integer sums u_t
 * of round t come in, row t of C u goes out, noise is added to it, and that is all that
 * ever leaves. Its decoder (mechanism/decode.h) is the inverse, outside the wall.
 */
typedef struct tacit_encoder_facts {
  size_t dim;
  int64_t rounds;             /* R = per_pass * passes */
  int64_t per_pass;           /* a record takes part in rounds q, q + per_pass, … */
  double values[4];           /* of the params below */
  int weight_bits;            /* entries of C are whole multiples of 2^-weight_bits */
  int64_t clip_max;           /* largest bound of a round, in lattice steps */
  const tacit_matrix *matrix; /* a matrix of the caller's; else NULL */
  /* Of the ops; set by tacit_encoder_new. */
  tacit_status (*fill)(const struct tacit_encoder_facts *facts, int64_t *k,
                       tacit_error *err);
} tacit_encoder_facts;

/* The integers of a run. One absolute lattice of step 2^-exponent, or, for encoders
   that take rounds in units of their own bound, clip_max steps to that bound. */
typedef struct tacit_lattice {
  int exponent; /* of one output step: released values are integers times 2^-exponent */
  int64_t clip_max; /* bounds never exceed it */
  int weight_bits;  /* of the encoder */
  double sens;      /* S, in output steps for rounds bounded by one input step */
} tacit_lattice;

/* Encoded sums stay below 2^TACIT_SIMD_BITS, so that noise and its tail fit on top. */
enum { TACIT_SIMD_BITS = 120 };

/* What a record can do to the whole of C u, in output steps for rounds bounded by one
   input step. Never below the exact value. */
typedef struct tacit_encoder_sens {
  double squares; /* root of the sum over rows of squared weights: mu-GDP */
  double sum;     /* sum over rows of the weights: pure DP; INFINITY: not offered */
  int extra_bits; /* an encoded sum can have beyond those of the rows' sum */
} tacit_encoder_sens;

/* A mechanism. It has either `fill` or the slots after it. */
struct tacit_encoder_ops {
  const char *name;          /* required */
  const char *summary;       /* required; one line */
  const tacit_param *params; /* optional; ends with a NULL name; at most four */
  int private_noise;         /* 0: released without noise, the model is not private */
  int relative; /* 1: a round's sums come in units of its own bound, so that every
                   round is bounded by clip_max; 0: all rounds on one lattice */
  int weight_bits_max; /* finest weights; 0: whole numbers */
  int64_t rounds_max;  /* 0: any number */

  /* NEEDS NO TRUST. Writes C times 2^weight_bits: row t, column i at k[(t-1) R + i-1].
     The vault reads the lower triangle and computes sensitivity and rows of this
     integer matrix itself (vault/matrix.c). Such mechanisms are `relative`. */
  tacit_status (*fill)(const tacit_encoder_facts *facts, int64_t *k, tacit_error *err);

  /* MUST BE TRUSTED, with a proof for `sens`: a stream of rows that never holds the
     whole matrix. docs/privacy.md lists what that asks for. */
  size_t state_size;
  tacit_status (*sens)(const void *self, const tacit_encoder_facts *facts,
                       tacit_encoder_sens *out, tacit_error *err);
  tacit_status (*init)(void *self, const tacit_encoder_facts *facts, tacit_error *err);
  void (*fini)(void *self);
  /* Opens row t = 1, 2, … whose input is bounded by `clip` lattice steps per record.
     Returns the bound of the row: the largest clip of the rounds in it. */
  int64_t (*begin)(void *self, int64_t t, int64_t clip);
  /* Writes coordinates first … first+count-1 of row t to raw_out. Called once for each
     coordinate, in every round with the same chunks of them, `first` even; calls on
     different coordinates may run in parallel. */
  void (*encode)(void *self, const int64_t *raw_sum, size_t first, size_t count,
                 tacit_i128 *raw_out);
  /* Optional: counts, saves or loads what the rounds so far left behind. */
  void (*archive)(void *self, struct tacit_archive *raw_archive);
};

/* vault/matrix.c: the slots for mechanisms with `fill`. K = C 2^weight_bits is any
   lower-triangular integer matrix: entries above the diagonal are ignored, entries
   larger than 2^TACIT_MATRIX_ENTRY_BITS are TACIT_EPRIVACY. */
extern const struct tacit_encoder_ops tacit_encoder_of_matrix;

/* An encoder at work on `count` of the coordinates, at least one. Its sensitivity is
   that of the matrix that it multiplies with. */
typedef struct tacit_encoder {
  const struct tacit_encoder_ops *ops; /* with all slots: of a stream, or matrix.c's */
  tacit_encoder_facts facts;           /* of the whole run */
  void *self;
} tacit_encoder;

tacit_status tacit_encoder_init(tacit_encoder *encoder,
                                const struct tacit_encoder_ops *ops,
                                const tacit_encoder_facts *facts, size_t count,
                                tacit_error *err);
/* Also after an init that failed. */
void tacit_encoder_fini(tacit_encoder *encoder);

#endif
