/* SPDX-License-Identifier: MIT */
/*
 * Line 2 of Algorithm 1 for any model: the caller's gradient at x_t and at x_{t-1},
 * their difference clipped as a whole vector, truncated and summed. The callback is not
 * trusted with anything but the direction: what it returns is clipped like all else.
 */
#include "vault/delta.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static tacit_status add_example(const tacit_delta *delta, const tacit_batch *batch,
                                int64_t row, double *raw_now, double *raw_before,
                                int64_t *raw_sum, tacit_error *err) {
  const tacit_gradient_ops *ops = delta->gradient;
  size_t dim = ops->dim;
  /* A callback that leaves entries out must find zeros, not the record before. */
  memset(raw_now, 0, dim * sizeof *raw_now);
  memset(raw_before, 0, dim * sizeof *raw_before);
  tacit_status status = ops->gradient(ops->self, batch, row, delta->x, raw_now);
  if (status == TACIT_OK && delta->ratio > 0) {
    status = ops->gradient(ops->self, batch, row, delta->x_prev, raw_before);
  }
  if (status != TACIT_OK) {
    return tacit_fail(err, status, "row %lld of the batch: the gradient failed",
                      (long long)row + 1);
  }
  for (size_t i = 0; i < dim; ++i)
    raw_now[i] -= delta->ratio * raw_before[i];

  tacit_row raw_vector = {.count = dim, .raw_values = raw_now};
  double raw_factor = delta->steps;
  if (delta->row.exponent != delta->guard) {
    double raw_norm = tacit_row_norm(&raw_vector, 0, delta->row.exponent);
    raw_factor = tacit_delta_factor(raw_factor, delta->clip_dual, raw_norm, dim);
  }
  double raw_norm = tacit_row_norm(&raw_vector, 0, delta->guard);
  if (!(raw_norm > TACIT_ROW_NORM_MIN)) return TACIT_OK; /* NaN too */
  raw_factor = tacit_delta_factor(raw_factor, (double)delta->clip, raw_norm, dim);
  if (raw_factor == 0) return TACIT_OK; /* nothing, or not finite */
  for (size_t i = 0; i < dim; ++i)
    raw_sum[i] += (int64_t)(raw_factor * raw_now[i]);
  return TACIT_OK;
}

tacit_status tacit_delta_add_gradients(const tacit_delta *delta,
                                       const tacit_batch *batch, int64_t first,
                                       int64_t end, int64_t *raw_sum,
                                       tacit_error *err) {
  size_t dim = delta->gradient->dim;
  double *raw_pair = tacit_raw_new(2 * dim, sizeof *raw_pair);
  if (raw_pair == NULL) return tacit_fail_memory(err);
  tacit_status status = TACIT_OK;
  for (int64_t i = first; status == TACIT_OK && i < end; ++i) {
    status = add_example(delta, batch, i, raw_pair, raw_pair + dim, raw_sum, err);
  }
  tacit_raw_free(raw_pair);
  return status;
}
