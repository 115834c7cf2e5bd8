/* SPDX-License-Identifier: MIT */
#ifndef TACIT_ALGORITHM1_PRECONDITION_H
#define TACIT_ALGORITHM1_PRECONDITION_H

#include <stddef.h>

/*
 * Directions of a quadratic loss, and how fast its mean slope changes along each. A
 * gradient g becomes the step to the minimum, as far as this is known:
 *
 *   g  ->  sum_k v_k <v_k, g> / curvature_k.
 *
 * It is made of released numbers (centre/products.c). Where it is wrong, steps are too
 * short or too long, but they end at the same minimum.
 */
typedef struct tacit_precondition {
  size_t columns;  /* weights that it maps; the weight after them is a free intercept */
  double trace;    /* sum of the released mean squares of all columns */
  double edge;     /* how far noise moves an eigenvalue at most, roughly */
  double *vectors; /* eigenvectors v_k, the columns of a columns x columns matrix */
  double *turns;   /* as `curvatures`, without what keeps them above noise */
  double *curvatures; /* along each, kept above the noise of their release */
  double intercept;   /* curvature of the free intercept */
  double *room;       /* `columns` numbers */
} tacit_precondition;

/* Replaces a gradient by a step. */
void tacit_precondition_apply(const tacit_precondition *pre, double *grad);

#endif
