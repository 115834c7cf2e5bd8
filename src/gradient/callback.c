/* SPDX-License-Identifier: MIT */
/*
 * Line 2 of Algorithm 1 for any model: the caller's gradient at x_t less r_t times the
 * one at x_{t-1}. The vault takes the difference as one dense row and clips it, so the
 * callback is trusted with nothing but the direction.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "batch/own.h"
#include "gradient/delta.h"

/* Adds a vector with one number per weight of the model to the sum, for row i of a
   batch. */
static tacit_status add_vector(const tacit_delta *delta, const tacit_batch *batch,
                               int64_t i, const double *raw_vector, tacit_sum *sum,
                               tacit_error *err) {
  size_t dim = delta->gradient->dim;
  const tacit_points squares_alone = {0};
  tacit_batch vector;
  tacit_batch_init(&vector);
  vector.n_rows = 1;
  vector.n_features = dim;
  vector.raw_values = raw_vector;
  if (batch->raw_weights != NULL) vector.raw_weights = batch->raw_weights + i;
  if (batch->raw_unit_rows != NULL) vector.raw_unit_rows = batch->raw_unit_rows + i;
  tacit_measures raw_measures;
  (void)tacit_sum_measure(sum, &vector, 0, 1, &squares_alone, &raw_measures);
  double raw_factor = delta->steps;
  if (delta->row.exponent != delta->sens_norm) {
    double raw_norm =
        tacit_vector_norm(delta->kernel, raw_vector, dim, delta->row.exponent);
    raw_factor = tacit_clip_factor(raw_factor, delta->clip_dual, raw_norm, dim);
  }
  const tacit_contribution raw = {.raw_factors = &raw_factor};
  return tacit_sum_add(sum, &raw, NULL, err);
}

/* Writes the gradient difference of the only row of a batch to raw_now. `number` is the
   row number for messages. */
static tacit_status difference(const tacit_delta *delta, const tacit_batch *one,
                               int64_t number, double *raw_now, double *raw_before,
                               tacit_error *err) {
  const tacit_gradient_ops *ops = delta->gradient;
  size_t dim = ops->dim;
  /* A callback that leaves entries out must find zeros there, not the previous
     record. */
  memset(raw_now, 0, dim * sizeof *raw_now);
  memset(raw_before, 0, dim * sizeof *raw_before);
  tacit_status status = ops->gradient(ops->self, one, 0, delta->x, raw_now);
  if (status == TACIT_OK && delta->ratio > 0)
    status = ops->gradient(ops->self, one, 0, delta->x_prev, raw_before);
  if (status != TACIT_OK) {
    return tacit_fail(err, status, "row %lld of the batch: the gradient failed",
                      (long long)number + 1);
  }
  for (size_t i = 0; i < dim; ++i)
    raw_now[i] -= delta->ratio * raw_before[i];
  return TACIT_OK;
}

/* Adds the gradient differences of rows first … end-1. The callback gets each row as a
   batch of its own, as doubles, in memory that holds nothing of other rows (Proof:
   docs/proofs/own_rows.md). The weight of the row is not taken from that copy, because
   the callback could change it. */
tacit_status tacit_delta_add_gradients(const tacit_delta *delta,
                                       const tacit_batch *batch, int64_t first,
                                       int64_t end, tacit_sum *sum, tacit_error *err) {
  size_t dim = delta->gradient->dim;
  double *raw_pair = tacit_raw_new(2 * dim, sizeof *raw_pair);
  if (raw_pair == NULL) return tacit_fail_memory(err);
  tacit_own one = {0};
  tacit_status status = TACIT_OK;
  for (int64_t i = first; status == TACIT_OK && i < end; ++i) {
    status = tacit_own_rows(&one, batch, i, i + 1, 1, err);
    if (status == TACIT_OK)
      status = difference(delta, &one.view, delta->row_base + i, raw_pair,
                          raw_pair + dim, err);
    if (status == TACIT_OK) status = add_vector(delta, batch, i, raw_pair, sum, err);
  }
  tacit_own_fini(&one);
  tacit_raw_free(raw_pair);
  return status;
}
