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
 * Any model with a gradient per example. It need not be convex, smooth or bounded,
 * because every gradient difference is clipped. Set config.gradient and config.clip
 * (and `lipschitz` and `smooth` for the other bounds), and get the weights with
 * tacit_train_weights instead of a model.
 */
typedef struct tacit_gradient_ops {
  int version; /**< must be 1; new slots are added at the end */
  size_t dim;  /**< number of weights */
  void *self;  /**< passed to the callback */
  /**
   * Required. Writes the gradient of example `row` of the batch at `weights` to raw_out
   * (`dim` numbers). The result must depend on the arguments only. Several threads call
   * it at once.
   *
   * The callback sees one record: the batch is a copy with one row, `row` is 0, and the
   * values are doubles in raw_values. The callback must not store anything about the
   * record, in `self` or elsewhere. The guarantee depends on this, because the clip
   * bounds how much is added per example and not whose data a gradient is made of. An
   * error ends the run.
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
