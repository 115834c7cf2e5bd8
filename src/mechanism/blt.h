/* SPDX-License-Identifier: MIT */
#ifndef TACIT_MECHANISM_BLT_H
#define TACIT_MECHANISM_BLT_H

#include "mechanism/mechanism.h"

/*
 * Buffered linear Toeplitz mechanism: the entry of C in row t and column t - k is c_k,
 * with c_0 = 1, c_k = sum_j omega_j theta_j^(k-1), theta_j = 1 - lambda_j. A few
 * buffers per coordinate replace all earlier rounds, so memory does not grow with the
 * rounds. Column t is scaled by W_t / 2^weight_bits <= 1/N_t, where N_t is the norm of
 * all changes that a record of round t can cause.
 */
enum { TACIT_BLT_MAX = 9, TACIT_BLT_LAMBDA_BITS = 62, TACIT_BLT_OMEGA_BITS = 30 };

struct tacit_blt_row {
  int log2_rounds, buffers; /* 0 buffers end the table */
  double lambda[TACIT_BLT_MAX], mu[TACIT_BLT_MAX];
};
extern const struct tacit_blt_row tacit_blt_table[];

typedef struct tacit_blt {
  int buffers;
  int64_t rounds, per_pass;
  int weight_bits, spare_bits;         /* spare_bits: fraction bits of a buffer */
  int64_t lambda_fixed[TACIT_BLT_MAX]; /* lambda_j times 2^62 */
  int64_t omega_fixed[TACIT_BLT_MAX];  /* omega_j times 2^30 */
  double lambda[TACIT_BLT_MAX], omega[TACIT_BLT_MAX]; /* exactly lambda_fixed / 2^62 and
                                                         omega_fixed / 2^30 */
  double whole_passes; /* squared norm of what a record changes in all passes except the
                          last */
} tacit_blt;

/* Computes the parameters for a run. Returns TACIT_EINVAL for more than 2^30 rounds. */
tacit_status tacit_blt_init(tacit_blt *blt, const tacit_encoder_facts *facts,
                            tacit_error *err);
/* Returns N_t or slightly more: the norm of the sum of all columns of a record that
   takes part in round t. */
double tacit_blt_norm_up(const tacit_blt *blt, int64_t t);
/* Returns W_t = floor(2^weight_bits / N_t). */
int64_t tacit_blt_weight(const tacit_blt *blt, int64_t t);

#endif
