/* SPDX-License-Identifier: MIT */
/* Rows as model input: the one place that says what scaling a row gets, shared by the
   vault (training) and by prediction. */
#include "data/row.h"

#include "base/error.h"

/* Any other exponent: over the largest entry, so that no power overflows or vanishes.
 */
static double general_norm(const tacit_row *row, int bias, double exponent) {
  double raw_most = bias ? 1 : 0, raw_sum = 0;
  for (size_t j = 0; j < row->count; ++j) {
    double raw_size = fabs(row->raw_values[j]);
    if (isnan(raw_size)) return raw_size;
    if (raw_size > raw_most) raw_most = raw_size;
  }
  if (isinf(exponent) || !(raw_most > 0) || isinf(raw_most)) return raw_most;
  if (bias) raw_sum = pow(1 / raw_most, exponent);
  for (size_t j = 0; j < row->count; ++j) {
    raw_sum += pow(fabs(row->raw_values[j]) / raw_most, exponent);
  }
  return raw_most * pow(raw_sum, 1 / exponent);
}

double tacit_row_norm(const tacit_row *row, int bias, double exponent) {
  double raw_sum = bias ? 1 : 0;
  if (exponent == 2) {
    for (size_t j = 0; j < row->count; ++j) {
      raw_sum += row->raw_values[j] * row->raw_values[j];
    }
    return sqrt(raw_sum);
  }
  if (exponent == 1) {
    for (size_t j = 0; j < row->count; ++j)
      raw_sum += fabs(row->raw_values[j]);
    return raw_sum;
  }
  return general_norm(row, bias, exponent);
}

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
    double raw_norm = tacit_row_norm(&row, rule->bias, rule->exponent);
    double scale = tacit_row_scale(raw_norm, rule->row_norm);
    for (size_t k = 0; k < rule->outputs; ++k) {
      double *raw_margin = &raw_out[(size_t)i * rule->outputs + k];
      *raw_margin = scale > 0 ? scale * tacit_row_dot(&row, rule, weights, k) : 0;
    }
  }
  return TACIT_OK;
}
