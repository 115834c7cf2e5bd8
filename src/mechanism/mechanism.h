/* SPDX-License-Identifier: MIT */
#ifndef TACIT_MECHANISM_MECHANISM_H
#define TACIT_MECHANISM_MECHANISM_H

#include "vault/encoder.h"

/* Returns entry i of the registry of mechanisms, or NULL past the end. */
const struct tacit_encoder_ops *tacit_encoder_at(size_t i);
/* Returns the mechanism with this name, or NULL if it does not exist. */
const struct tacit_encoder_ops *tacit_encoder_find(const char *name);
/* Returns the mechanism that "auto" means: `banded` up to 64 rounds, `blt` up to 2^30
   rounds, `tree` for more rounds and for pure DP. */
const struct tacit_encoder_ops *tacit_encoder_auto(int64_t rounds, int pure);
/* Returns the mechanism that a run with `ops` uses. If `ops` is `matrix` and the table
   has no row for the run, returns `banded` and writes its default parameters to
   `values`; otherwise returns `ops`. */
const struct tacit_encoder_ops *
tacit_encoder_serving(const struct tacit_encoder_ops *ops, int64_t per_pass,
                      int64_t passes, double *values);

extern const struct tacit_encoder_ops tacit_encoder_tree;
extern const struct tacit_encoder_ops tacit_encoder_banded;
extern const struct tacit_encoder_ops tacit_encoder_blt;
extern const struct tacit_encoder_ops tacit_encoder_none;
/* Multiplies with the caller's matrix, facts->matrix, or with a matrix of the table. */
extern const struct tacit_encoder_ops tacit_encoder_matrix;

#endif
