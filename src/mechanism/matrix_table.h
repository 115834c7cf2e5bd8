/* SPDX-License-Identifier: MIT */
#ifndef TACIT_MECHANISM_MATRIX_TABLE_H
#define TACIT_MECHANISM_MATRIX_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* What a matrix of the table was optimised for (tools/matrix_design.py): the prefix
   sums of coin betting on differences, the last iterate of heavy ball, or the average
   of heavy ball whose steps are made from second moments. */
enum { TACIT_DESIGN_SUMS, TACIT_DESIGN_LAST, TACIT_DESIGN_STEPS };
enum { TACIT_MATRIX_TABLE_BITS = 12 }; /* entries are multiples of 2^-12 */

struct tacit_matrix_row {
  int design, per_pass, passes; /* per_pass 0 ends the table */
  double price; /* noise of the exact matrix in what it was optimised for, divided by
                   the noise of `banded` */
  const uint16_t *entries; /* the lower triangle, row by row */
};
extern const struct tacit_matrix_row tacit_matrix_table[];

#endif
