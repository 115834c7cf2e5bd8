/* SPDX-License-Identifier: MIT */
#ifndef TACIT_VAULT_ENCODER_H
#define TACIT_VAULT_ENCODER_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/status.h>

#include "base/numbers.h"

/*
 * An encoder is the matrix C of docs/proofs/accounting_theorem.md, row by row: round
 * t's integer sums u_t come in, row t of C u goes out, noise is added to it, and that
 * is all that ever leaves. Its decoder (convert/decode.h) is the inverse, outside the
 * wall.
 */
typedef struct tacit_encoder_facts {
  size_t dim;
  int64_t rounds;   /* R = per_pass * passes */
  int64_t per_pass; /* a record takes part in rounds q, q + per_pass, … */
} tacit_encoder_facts;

struct tacit_encoder_ops {
  const char *name;    /* required */
  const char *summary; /* required; one line */
  int private_noise;   /* 0: released without noise, the model is not private */
  size_t state_size;
  /* Required. S^2: for unit row bounds, the largest over records of the sum over rows
     of the squared weight a record can have. Never below the exact value. */
  tacit_status (*sens_squared)(const tacit_encoder_facts *facts, double *out,
                               tacit_error *err);
  tacit_status (*init)(void *self, const tacit_encoder_facts *facts, tacit_error *err);
  void (*fini)(void *self);
  /* Required. Opens row t = 1, 2, … whose input is bounded by `clip` lattice steps a
     record, and returns the bound of the row: the largest clip of the rounds in it. */
  int64_t (*begin)(void *self, int64_t t, int64_t clip);
  /* Required. Coordinates first … first+count-1 of row t into raw_out. Called once for
     each coordinate; calls on different coordinates may run in parallel. */
  void (*encode)(void *self, const int64_t *raw_sum, size_t first, size_t count,
                 tacit_i128 *raw_out);
};

/* The registry: entry i, or NULL past the end. */
const struct tacit_encoder_ops *tacit_encoder_at(size_t i);
/* By name; "auto" is the default one. NULL when unknown. */
const struct tacit_encoder_ops *tacit_encoder_find(const char *name);

extern const struct tacit_encoder_ops tacit_encoder_tree;
extern const struct tacit_encoder_ops tacit_encoder_none;

#endif
