/* SPDX-License-Identifier: MIT */
#ifndef TACIT_CENTRE_SPREAD_H
#define TACIT_CENTRE_SPREAD_H

#include "gradient/waves.h"

/* What round 0 releases about the spread of rows, and what is known besides. Lengths
   are in units of the longest row. */
typedef struct tacit_spread_facts {
  const double *waves; /* TACIT_WAVES numbers in the order of gradient/waves.h */
  double unit;         /* a mean wave is a number of `waves` over this */
  double noise;        /* standard deviation of the noise in a mean wave */
  double most;         /* largest spread that the mean row leaves room for */
} tacit_spread_facts;

/* Returns the expected root mean square of the distance of a row from the mean row. */
double tacit_spread_of(const tacit_spread_facts *facts);

#endif
