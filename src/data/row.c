/* SPDX-License-Identifier: MIT */
/* Rows as model input: the one place that says what scaling a row gets, shared by the
   vault (training) and by prediction. */
#include "data/row.h"

#include "base/error.h"

tacit_status tacit_batch_check(const tacit_batch *batch, size_t features, int labels,
                               tacit_error *err) {
  if (batch == NULL || batch->struct_size < sizeof *batch) {
    return tacit_fail(err, TACIT_EINVAL, "batch: not filled with tacit_batch_init");
  }
  if (batch->n_rows < 0 || batch->n_features != features) {
    return tacit_fail(err, TACIT_EINVAL, "batch: it has %zu features, the schema %zu",
                      batch->n_features, features);
  }
  if (batch->n_rows == 0) return TACIT_OK;
  if ((labels && batch->raw_labels == NULL) ||
      (batch->raw_row_start != NULL) != (batch->raw_indices != NULL)) {
    return tacit_fail(err, TACIT_EINVAL,
                      "batch: labels, row starts or indices missing");
  }
  if (batch->raw_row_start == NULL) {
    if (batch->raw_values == NULL && features > 0) {
      return tacit_fail(err, TACIT_EINVAL, "batch: values missing");
    }
    return TACIT_OK;
  }
  if (batch->raw_row_start[0] < 0) {
    return tacit_fail(err, TACIT_EINVAL, "batch: row starts must not be negative");
  }
  for (int64_t i = 0; i < batch->n_rows; ++i) {
    if (batch->raw_row_start[i + 1] < batch->raw_row_start[i]) {
      return tacit_fail(err, TACIT_EINVAL, "batch: row starts must not descend");
    }
  }
  return TACIT_OK;
}

tacit_status tacit_batch_margins(const tacit_batch *batch, const tacit_row_rule *rule,
                                 const double *weights, double *raw_out,
                                 tacit_error *err) {
  TACIT_TRY(tacit_batch_check(batch, rule->features, 0, err));
  for (int64_t i = 0; i < batch->n_rows; ++i) {
    tacit_row row = tacit_row_of(batch, i);
    if (!tacit_row_is_sound(&row, rule->features)) {
      return tacit_fail(err, TACIT_EDATA,
                        "row %lld of the batch: indices must ascend and stay below the "
                        "number of features",
                        (long long)i + 1);
    }
    double raw_norm_squared = tacit_row_norm_squared(&row, rule->bias);
    double scale = tacit_row_scale(raw_norm_squared, rule->row_norm);
    raw_out[i] = scale > 0 ? scale * tacit_row_dot(&row, rule, weights) : 0;
  }
  return TACIT_OK;
}
