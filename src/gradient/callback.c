/* SPDX-License-Identifier: MIT */
/*
 * Line 2 of Algorithm 1 for any model: the caller's gradient at x_t and at x_{t-1},
 * their difference clipped as a whole vector, truncated and summed. The callback is not
 * trusted with anything but the direction: what it returns is clipped like all else.
 */
#include "gradient/delta.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/batch/own.h"
#include "kernel/margins.h"

/* The one row of a batch, row number `number` to the caller. */
static tacit_status add_example(const tacit_delta *delta, const tacit_batch *one,
                                int64_t number, double *raw_now, double *raw_before,
                                int64_t *raw_sum, tacit_error *err) {
  const tacit_gradient_ops *ops = delta->gradient;
  size_t dim = ops->dim;
  /* A callback that leaves entries out must find zeros, not the record before. */
  memset(raw_now, 0, dim * sizeof *raw_now);
  memset(raw_before, 0, dim * sizeof *raw_before);
  tacit_status status = ops->gradient(ops->self, one, 0, delta->x, raw_now);
  if (status == TACIT_OK && delta->ratio > 0) {
    status = ops->gradient(ops->self, one, 0, delta->x_prev, raw_before);
  }
  if (status != TACIT_OK) {
    return tacit_fail(err, status, "row %lld of the batch: the gradient failed",
                      (long long)number + 1);
  }
  for (size_t i = 0; i < dim; ++i)
    raw_now[i] -= delta->ratio * raw_before[i];

  double raw_factor = delta->steps;
  if (delta->row.exponent != delta->sens_norm) {
    double raw_norm =
        tacit_vector_norm(delta->kernel, raw_now, dim, delta->row.exponent);
    raw_factor = tacit_delta_factor(raw_factor, delta->clip_dual, raw_norm, dim);
  }
  double raw_norm = tacit_vector_norm(delta->kernel, raw_now, dim, delta->sens_norm);
  if (!(raw_norm > TACIT_ROW_NORM_MIN)) return TACIT_OK; /* NaN too */
  raw_factor = tacit_delta_factor(raw_factor, (double)delta->clip, raw_norm, dim);
  if (raw_factor == 0) return TACIT_OK; /* nothing, or not finite */
  const void *raw_row = raw_now;
  delta->kernel->add(&raw_row, 0, &raw_factor, 1, dim, tacit_delta_fits(delta), NULL,
                     raw_sum);
  return TACIT_OK;
}

/* The callback is given each row as a batch of its own, in memory that holds nothing of
   the rows beside it, as doubles (Proof: docs/proofs/own_rows.md). */
tacit_status tacit_delta_add_gradients(const tacit_delta *delta,
                                       const tacit_batch *batch, int64_t first,
                                       int64_t end, int64_t *raw_sum,
                                       tacit_error *err) {
  size_t dim = delta->gradient->dim;
  double *raw_pair = tacit_raw_new(2 * dim, sizeof *raw_pair);
  if (raw_pair == NULL) return tacit_fail_memory(err);
  tacit_own one = {0};
  tacit_status status = TACIT_OK;
  for (int64_t i = first; status == TACIT_OK && i < end; ++i) {
    status = tacit_own_rows(&one, batch, i, i + 1, 1, err);
    if (status == TACIT_OK)
      status = add_example(delta, &one.view, delta->row_base + i, raw_pair,
                           raw_pair + dim, raw_sum, err);
  }
  tacit_own_fini(&one);
  tacit_raw_free(raw_pair);
  return status;
}
