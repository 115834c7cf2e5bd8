/* SPDX-License-Identifier: MIT */
/* Functions on rows that training and prediction share: norms other than the Euclidean,
   parts of batches, and the check of a batch. */
#include "batch/row.h"

#include <string.h>

#include "base/error.h"
#include "batch/unit.h"

/* Returns a norm for any exponent except 1 and 2. Divides entries by the largest one
   first, so that no power overflows or underflows. */
static double general_norm(const tacit_row *row, int bias, double exponent) {
  double max = bias ? 1 : 0, sum = 0;
  for (size_t j = 0; j < row->count; ++j) {
    double size = fabs(tacit_row_value(row, j));
    if (isnan(size)) return size;
    if (size > max) max = size;
  }
  if (isinf(exponent) || !(max > 0) || isinf(max)) return max;
  if (bias) sum = pow(1 / max, exponent);
  for (size_t j = 0; j < row->count; ++j)
    sum += pow(fabs(tacit_row_value(row, j)) / max, exponent);
  return max * pow(sum, 1 / exponent);
}

double tacit_row_norm_other(const tacit_row *row, int bias, double exponent) {
  if (exponent != 1) return general_norm(row, bias, exponent);
  double sum = bias ? 1 : 0;
  for (size_t j = 0; j < row->count; ++j)
    sum += fabs(tacit_row_value(row, j));
  return sum;
}

size_t tacit_batch_block(const tacit_batch *batch) {
  enum { NEAR_BYTES = 1 << 14 };
  size_t size = batch->raw_values32 != NULL ? sizeof(float) : sizeof(double);
  size_t bytes = batch->n_features > 0 ? batch->n_features * size : 1;
  size_t rows = NEAR_BYTES / bytes / 8 * 8;
  if (rows > TACIT_BATCH_ROWS) rows = TACIT_BATCH_ROWS;
  return rows < 8 ? 4 : rows;
}

int tacit_batch_is_full(const tacit_batch *batch, int64_t first, int64_t end,
                        tacit_batch *out) {
  const int64_t *start = batch->raw_row_start;
  if (start == NULL || first >= end || batch->n_features == 0) return 0;
  for (int64_t i = first; i < end; ++i)
    if ((size_t)(start[i + 1] - start[i]) != batch->n_features) return 0;
  *out = tacit_batch_part(batch, first, end);
  out->raw_row_start = NULL;
  out->raw_indices = NULL;
  if (out->raw_values != NULL) out->raw_values += start[first];
  if (out->raw_values32 != NULL) out->raw_values32 += start[first];
  return 1;
}

tacit_batch tacit_batch_copy(const tacit_batch *batch) {
  tacit_batch copy;
  tacit_batch_init(&copy);
  size_t size = batch->struct_size < sizeof copy ? batch->struct_size : sizeof copy;
  memcpy(&copy, batch, size);
  copy.struct_size = sizeof copy;
  return copy;
}

tacit_batch tacit_batch_part(const tacit_batch *batch, int64_t first, int64_t end) {
  tacit_batch part = tacit_batch_copy(batch);
  size_t entry = (size_t)first * part.n_features;
  part.n_rows = end - first;
  if (part.raw_row_start != NULL) {
    part.raw_row_start += first;
    entry = 0;
  }
  if (part.raw_values != NULL) part.raw_values += entry;
  if (part.raw_values32 != NULL) part.raw_values32 += entry;
  if (part.raw_labels != NULL) part.raw_labels += first;
  if (part.raw_weights != NULL) part.raw_weights += first;
  if (part.raw_unit_rows != NULL) part.raw_unit_rows += first;
  if (part.raw_units != NULL)
    part.raw_units = (const tacit_unit *)part.raw_units + first;
  if (part.raw_id_start != NULL) part.raw_id_start += (size_t)first * part.ids_per_row;
  return part;
}

const char *tacit_batch_text(const tacit_batch *batch, int64_t row, size_t which,
                             size_t *out_size) {
  const tacit_batch whole = tacit_batch_copy(batch);
  *out_size = 0;
  if (whole.raw_id_start == NULL || row < 0 || row >= whole.n_rows ||
      which >= whole.ids_per_row)
    return "";
  const int64_t *start = &whole.raw_id_start[(size_t)row * whole.ids_per_row + which];
  *out_size = (size_t)(start[1] - start[0]);
  return whole.raw_ids + start[0];
}

static tacit_status check_weights(const tacit_batch *batch, tacit_error *err) {
  const double *weights = tacit_batch_copy(batch).raw_weights;
  for (int64_t i = 0; weights != NULL && i < batch->n_rows; ++i) {
    if (!tacit_weight_is_valid(weights[i]))
      return tacit_fail(err, TACIT_EDATA,
                        "row %lld of the batch: the weight must be a number from 0 "
                        "to 1",
                        (long long)i + 1);
  }
  return TACIT_OK;
}

tacit_status tacit_batch_check(const tacit_batch *batch, size_t features, int labels,
                               tacit_error *err) {
  if (!tacit_batch_is_whole(batch))
    return tacit_fail(err, TACIT_EINVAL, "batch: not filled with tacit_batch_init");
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
  if (batch->raw_values != NULL && batch->raw_values32 != NULL) {
    return tacit_fail(err, TACIT_EINVAL,
                      "batch: values are given twice; leave raw_values or "
                      "raw_values32 NULL");
  }
  int filled = batch->raw_values != NULL || batch->raw_values32 != NULL;
  if (batch->raw_row_start == NULL) {
    if (!filled && features > 0)
      return tacit_fail(err, TACIT_EINVAL, "batch: values missing");
    return check_weights(batch, err);
  }
  if (batch->raw_row_start[0] < 0)
    return tacit_fail(err, TACIT_EINVAL, "batch: row starts must not be negative");
  for (int64_t i = 0; i < batch->n_rows; ++i)
    if (batch->raw_row_start[i + 1] < batch->raw_row_start[i])
      return tacit_fail(err, TACIT_EINVAL, "batch: row starts must not descend");
  if (!filled && batch->raw_row_start[batch->n_rows] > 0)
    return tacit_fail(err, TACIT_EINVAL, "batch: values missing");
  return check_weights(batch, err);
}
