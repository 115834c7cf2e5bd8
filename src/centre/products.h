/* SPDX-License-Identifier: MIT */
#ifndef TACIT_CENTRE_PRODUCTS_H
#define TACIT_CENTRE_PRODUCTS_H

#include "algorithm1/precondition.h"
#include "centre/frame.h"

/*
 * Private second moments. After the frame is known, one more round releases the sum of
 * z z^T over the centred rows z. Its eigenvectors and eigenvalues say how fast the mean
 * loss turns along each direction, and so how far a step may go. Everything here is
 * made from releases and from public numbers.
 */

/* Adds to a frame the offset that products are taken with. */
tacit_status tacit_products_begin(tacit_frame *frame, tacit_error *err);
/* Returns the length of the sum of a run whose rows have so many columns. */
static inline size_t tacit_products_dim(size_t columns) {
  return columns * (columns + 1);
}
/* Makes the delta of tacit_plan_delta the delta of the products. `steps` must be the
   lattice steps in a contribution of length 1, which is the longest. */
void tacit_products_delta(const tacit_frame *frame, double steps, tacit_delta *delta);

typedef struct tacit_products_facts {
  tacit_frame *frame;
  double rows;                  /* n, or the number of persons */
  double noise;                 /* standard deviation in one number of the release */
  const tacit_frame_facts *run; /* facts of a run that stretches rows and makes steps;
                                   NULL for the map of a run with classes */
} tacit_products_facts;

/* Makes what steps are made with from y, the release of the products, and stretches the
   frame unless facts->run is NULL. The caller frees *out. */
tacit_status tacit_products_read(const tacit_products_facts *facts, const double *y,
                                 tacit_precondition **out, tacit_error *err);
void tacit_precondition_free(tacit_precondition *pre);

#endif
