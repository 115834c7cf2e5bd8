/* SPDX-License-Identifier: MIT */
#ifndef TACIT_MECHANISM_MECHANISM_H
#define TACIT_MECHANISM_MECHANISM_H

#include "vault/encoder.h"

/* The registry: entry i, or NULL past the end. */
const struct tacit_encoder_ops *tacit_encoder_at(size_t i);
/* By name; NULL if unknown. */
const struct tacit_encoder_ops *tacit_encoder_find(const char *name);
/* What "auto" means: `banded` up to 64 rounds, `blt` up to 2^30; `tree` beyond,
   and for pure DP. */
const struct tacit_encoder_ops *tacit_encoder_auto(int64_t rounds, int pure);
/* What serves a run in place of `ops`: `banded` with its defaults in `values` for
   `matrix` where the table has no row, else `ops`. */
const struct tacit_encoder_ops *
tacit_encoder_serving(const struct tacit_encoder_ops *ops, int64_t per_pass,
                      int64_t passes, double *values);

extern const struct tacit_encoder_ops tacit_encoder_tree;
extern const struct tacit_encoder_ops tacit_encoder_banded;
extern const struct tacit_encoder_ops tacit_encoder_blt;
extern const struct tacit_encoder_ops tacit_encoder_none;
/* A matrix of the caller's, in facts->matrix, or from the table. */
extern const struct tacit_encoder_ops tacit_encoder_matrix;

#endif
