/* SPDX-License-Identifier: MIT */
#ifndef TACIT_CENTRE_SOLVE_H
#define TACIT_CENTRE_SOLVE_H

#include <stddef.h>
#include <tacit/status.h>

/* A release of the products of centred rows with themselves and with their labels, from
   which the squared loss is solved. Everything is public or released. */
typedef struct tacit_products {
  size_t features;
  int bias;
  double rows;        /* n, or persons */
  double radius;      /* r: rows z were cut to it, and z z^T was divided by it */
  double label_bound; /* c: labels less their mean were cut to it and divided by it */
  double noise;       /* standard deviation in one number of the release */
  double l2;          /* adds (l2/2)|w|^2 without the bias to the mean loss */
} tacit_products;

/* y: the released sums, laid out as weights of columns + 1 outputs, each with a free
   intercept (vault/centre.h). Writes the weights of one output: features, bias, and a
   free intercept of 0, because the mean label is the intercept already. */
tacit_status tacit_products_solve(const tacit_products *products, const double *y,
                                  double *out, tacit_error *err);

/* Eigenvalues of a symmetric n x n matrix, which is overwritten, and its eigenvectors,
   the columns of `vectors`. */
void tacit_eigen(size_t n, double *matrix, double *vectors, double *values);

#endif
