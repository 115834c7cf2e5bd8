/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BASE_EIGEN_H
#define TACIT_BASE_EIGEN_H

#include <stddef.h>

/* Writes the eigenvalues of a symmetric n x n matrix and its eigenvectors, the columns
   of `vectors`. Reads the upper triangle of the matrix and overwrites it. */
void tacit_eigen(size_t n, double *matrix, double *vectors, double *values);

#endif
