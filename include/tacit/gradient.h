/* SPDX-License-Identifier: MIT */
#ifndef TACIT_GRADIENT_H
#define TACIT_GRADIENT_H

#include <stddef.h>
#include <tacit/data.h>
#include <tacit/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Any model with a gradient per example: the run needs no convexity, no smoothness and
 * no bound from it, because every gradient difference is clipped. Set config.gradient,
 * give config.clip (and `lipschitz`, `smooth` for the other bounds), and take the
 * weights with tacit_train_weights in place of a model.
 */
typedef struct tacit_gradient_ops {
  int version; /**< 1; the table only grows at its end */
  size_t dim;  /**< number of weights */
  void *self;  /**< handed to the callback */
  /**
   * Required. Writes the gradient of example `row` of the batch at `weights` into
   * raw_out (`dim` numbers). Called from several threads at once; must be a function of
   * its arguments. It sees one record: the batch always has one row, `row` is 0, the
   * values are doubles in raw_values, and all of it is a copy, with nothing of other
   * records behind its pointers. It must keep nothing of the record, in `self` or
   * elsewhere: the clip bounds how much is added for an example, and not whose data a
   * gradient is made of, so the guarantee rests on this. An error ends the run.
   */
  tacit_status (*gradient)(void *self, const tacit_batch *batch, int64_t row,
                           const double *weights, double *raw_out);
  double lipschitz; /**< G: largest norm of a gradient; 0: not known */
  double smooth;    /**< H: Lipschitz constant of the gradient; 0: not known */
} tacit_gradient_ops;

#ifdef __cplusplus
}
#endif
#endif
