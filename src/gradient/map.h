/* SPDX-License-Identifier: MIT */
#ifndef TACIT_GRADIENT_MAP_H
#define TACIT_GRADIENT_MAP_H

#include "batch/row.h"
#include "kernel/kernel.h"

/* A linear map of centred rows, z = A (u - m) for a row u = s (x, 1). It is made from
   releases (centre/map.c). */
typedef struct tacit_map {
  tacit_row_rule row; /* how a row becomes u */
  double *offset;     /* -m, and what follows it in the offset of centred rows */
  double *weights;    /* A over `unit` in whole numbers below 2^TACIT_MAP_BITS, column
                         by column of u, as tacit_wide has them */
  double unit;        /* a power of two */
  size_t columns, width;
} tacit_map;

/* u - m is a multiple of 2^-23 and is cut to -4 … 4. So the products with `weights` are
   whole numbers, and for up to 4,096 columns their sums stay below 2^53: they are exact
   in any order, at every level. */
enum { TACIT_MAP_BITS = 15, TACIT_MAP_STEPS = 23, TACIT_MAP_COLUMNS_MAX = 4096 };

#endif
