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
  int64_t rounds;             /* R = per_pass times the passes */
  int64_t per_pass;           /* a record takes part in rounds q + i per_pass, i = 0, 1,
                                 … passes-1 */
  double values[4];           /* the values of ops->params */
  int weight_bits;            /* entries of C are whole multiples of 2^-weight_bits */
  int64_t clip_max;           /* the largest bound of a round, in lattice steps */
  const tacit_matrix *matrix; /* a matrix that the caller gave; NULL if none */
  /* The `fill` of the mechanism; set by tacit_encoder_init. */
  tacit_status (*fill)(const struct tacit_encoder_facts *facts, int64_t *k,
                       tacit_error *err);
} tacit_encoder_facts;

/* How numbers of a run become integers: all on one lattice of step 2^-exponent.
   Encoders that are `relative` take the numbers of each round in units of its bound,
   clip_max steps to that bound. */
typedef struct tacit_lattice {
  int exponent; /* of one output step: released values are integers times 2^-exponent */
  int64_t clip_max; /* the largest clip of a round, in lattice steps */
  int weight_bits;  /* weight_bits of the encoder */
  double sens;      /* S, in output steps for rounds bounded by one input step */
} tacit_lattice;

/* Encoded sums must stay below 2^TACIT_SIMD_BITS, because noise and its tail come on
   top. */
enum { TACIT_SIMD_BITS = 120 };

/* What one record can do to all rows of C u, in output steps, if each round is bounded
   by one input step. Must never be below the exact value. */
typedef struct tacit_encoder_sens {
  double squares; /* root of the sum, over rows, of squared weights, for mu-GDP */
  double sum;     /* sum, over rows, of the weights, for pure DP; INFINITY if not
                     offered */
  int extra_bits; /* bits that an encoded sum can have beyond the bits of the sum of
                     rows */
} tacit_encoder_sens;

/* A mechanism. It must have either `fill` or the slots after it. */
struct tacit_encoder_ops {
  const char *name;          /* required */
  const char *summary;       /* required; one line */
  const tacit_param *params; /* NULL, or at most four, ended by a NULL name */
  int private_noise;         /* 0 if rounds are released without noise; the model is
                                then not private */
  int relative; /* 1 if the sums of a round come in units of its own bound, so that
                   every round is bounded by clip_max; 0 if all rounds are on one
                   lattice */
  int weight_bits_max; /* finest weights; 0 if entries of C are whole numbers */
  int64_t rounds_max;  /* the most rounds; 0 if any number will do */

  /* NEEDS NO TRUST. Writes C times 2^weight_bits: row t, column i at k[(t-1) R + i-1].
     The vault reads the lower triangle, and computes the sensitivity and the rows of
     this integer matrix itself (vault/matrix.c). Such mechanisms must be `relative`. */
  tacit_status (*fill)(const tacit_encoder_facts *facts, int64_t *k, tacit_error *err);

  /* MUST BE TRUSTED, with a proof for `sens`: the slots of a mechanism that makes the
     rows of C u one by one and never holds the whole matrix. docs/privacy.md lists what
     they have to keep. */
  size_t state_size;
  tacit_status (*sens)(const void *self, const tacit_encoder_facts *facts,
                       tacit_encoder_sens *out, tacit_error *err);
  tacit_status (*init)(void *self, const tacit_encoder_facts *facts, tacit_error *err);
  void (*fini)(void *self);
  /* Opens row t = 1, 2, …, whose round is bounded by `clip` lattice steps per record.
     Returns the bound of the row: the largest clip of the rounds in it. */
  int64_t (*begin)(void *self, int64_t t, int64_t clip);
  /* Writes coordinates first … first+count-1 of row t to raw_out. Is called once per
     coordinate and round, with equal chunks in every round and an even `first`. Calls
     on different coordinates may run in parallel. */
  void (*encode)(void *self, const int64_t *raw_sum, size_t first, size_t count,
                 tacit_i128 *raw_out);
  /* Counts, saves or loads what the encoder keeps of the rounds so far. May be NULL. */
  void (*archive)(void *self, struct tacit_archive *raw_archive);
};

/* The slots for mechanisms with `fill` (vault/matrix.c). K = C 2^weight_bits may be any
   lower-triangular integer matrix: entries above the diagonal are ignored. An entry
   larger than 2^TACIT_MATRIX_ENTRY_BITS is TACIT_EPRIVACY. */
extern const struct tacit_encoder_ops tacit_encoder_of_matrix;

/* An encoder at work on `count` coordinates, at least one. Its sensitivity is computed
   from the matrix that it multiplies with. */
typedef struct tacit_encoder {
  const struct tacit_encoder_ops *ops; /* with all slots: the mechanism's own, or
                                          tacit_encoder_of_matrix */
  tacit_encoder_facts facts;           /* facts of the whole run */
  void *self;
} tacit_encoder;

tacit_status tacit_encoder_init(tacit_encoder *encoder,
                                const struct tacit_encoder_ops *ops,
                                const tacit_encoder_facts *facts, size_t count,
                                tacit_error *err);
/* Frees what an init made, even if that init failed. */
void tacit_encoder_fini(tacit_encoder *encoder);

#endif
