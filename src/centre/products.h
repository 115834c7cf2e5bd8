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

/* Makes what steps are made with from y, the release of the products, and stretches the
   frame. The noise in `facts` must be the standard deviation in one number of y. The
   caller frees *out. */
tacit_status tacit_products_read(const tacit_frame_facts *facts, const double *y,
                                 tacit_frame *frame, tacit_precondition **out,
                                 tacit_error *err);
void tacit_precondition_free(tacit_precondition *pre);

#endif
