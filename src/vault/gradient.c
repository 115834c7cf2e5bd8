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
#include "vault/margins.h"

/* Row `row` of the batch, which is row number `number` to the caller. */
static tacit_status add_example(const tacit_delta *delta, const tacit_batch *batch,
                                int64_t row, int64_t number, double *raw_now,
                                double *raw_before, int64_t *raw_sum,
                                tacit_error *err) {
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
                      (long long)number + 1);
  }
  for (size_t i = 0; i < dim; ++i)
    raw_now[i] -= delta->ratio * raw_before[i];

  double raw_factor = delta->steps;
  if (delta->row.exponent != delta->guard) {
    double raw_norm =
        tacit_vector_norm(delta->kernel, raw_now, dim, delta->row.exponent);
    raw_factor = tacit_delta_factor(raw_factor, delta->clip_dual, raw_norm, dim);
  }
  double raw_norm = tacit_vector_norm(delta->kernel, raw_now, dim, delta->guard);
  if (!(raw_norm > TACIT_ROW_NORM_MIN)) return TACIT_OK; /* NaN too */
  raw_factor = tacit_delta_factor(raw_factor, (double)delta->clip, raw_norm, dim);
  if (raw_factor == 0) return TACIT_OK; /* nothing, or not finite */
  const void *raw_row = raw_now;
  delta->kernel->add(&raw_row, 0, &raw_factor, 1, dim, tacit_delta_fits(delta), NULL,
                     raw_sum);
  return TACIT_OK;
}

/* The callback sees doubles: a row of floats is handed over as a batch of its own. */
static void widen_row(const tacit_batch *batch, int64_t row, double *raw_values,
                      int64_t *raw_ends, tacit_batch *out) {
  tacit_row raw_row = tacit_row_of(batch, row);
  for (size_t j = 0; j < raw_row.count; ++j)
    raw_values[j] = (double)raw_row.raw_values32[j];
  *out = *batch;
  out->n_rows = 1;
  out->raw_values = raw_values;
  out->raw_values32 = NULL;
  out->raw_labels = batch->raw_labels + row;
  if (batch->raw_row_start != NULL) {
    raw_ends[0] = 0;
    raw_ends[1] = (int64_t)raw_row.count;
    out->raw_row_start = raw_ends;
    out->raw_indices = raw_row.raw_indices;
  }
}

tacit_status tacit_delta_add_gradients(const tacit_delta *delta,
                                       const tacit_batch *batch, int64_t first,
                                       int64_t end, int64_t *raw_sum,
                                       tacit_error *err) {
  size_t dim = delta->gradient->dim, room = 2 * dim, longest = 0;
  for (int64_t i = first; batch->raw_values32 != NULL && i < end; ++i) {
    size_t count = tacit_row_of(batch, i).count;
    if (count > longest) longest = count;
  }
  double *raw_pair = tacit_raw_new(room + longest, sizeof *raw_pair);
  if (raw_pair == NULL) return tacit_fail_memory(err);
  tacit_status status = TACIT_OK;
  for (int64_t i = first; status == TACIT_OK && i < end; ++i) {
    tacit_batch raw_one = *batch;
    int64_t raw_ends[2], row = i;
    if (batch->raw_values32 != NULL) {
      widen_row(batch, i, raw_pair + room, raw_ends, &raw_one);
      row = 0;
    }
    status =
        add_example(delta, &raw_one, row, i, raw_pair, raw_pair + dim, raw_sum, err);
  }
  tacit_raw_free(raw_pair);
  return status;
}
