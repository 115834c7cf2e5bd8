/* SPDX-License-Identifier: MIT */
#ifndef TACIT_MATRIX_H
#define TACIT_MATRIX_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  TACIT_MATRIX_ROUNDS_MAX = 2048, /**< most rows and columns of a matrix */
  TACIT_MATRIX_ENTRY_BITS = 40    /**< entries are at most 2^40 in absolute value */
};

/**
 * A matrix mechanism of your own (tacit_config.matrix): round t releases
 *
 *     sum over i <= t of  C_ti u_i  plus noise,     C_ti = entries[(t-1) R + i-1] /
 * 2^bits,
 *
 * where R is the number of rounds and u_i the clipped sum of round i in units of its
 * bound. The library computes the exact sensitivity of these integers for the passes of
 * the run and sets the noise by it, so no choice of entries weakens the guarantee: a
 * poor matrix costs accuracy only. The entries must not be computed from the records.
 * The model is decoded by forward substitution, which needs diagonal entries other than
 * zero.
 */
typedef struct tacit_matrix {
  int64_t rounds;         /**< number R of rounds of the run, in all passes */
  int bits;               /**< 0 … 40: entries are multiples of 2^-bits */
  const int64_t *entries; /**< R x R, row by row; 0 above the diagonal */
} tacit_matrix;

#ifdef __cplusplus
}
#endif
#endif
