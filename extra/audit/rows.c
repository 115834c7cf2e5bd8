/* SPDX-License-Identifier: MIT */
#include "extra/audit/rows.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

tacit_status tacit_made_rows_new(int64_t rows, size_t features, int weighted,
                                 tacit_made_rows *out, tacit_error *err) {
  size_t count = (size_t)rows;
  out->raw_values = tacit_raw_new(count * features, sizeof(double));
  out->raw_labels = tacit_raw_new(count, sizeof(double));
  if (weighted) out->raw_weights = tacit_raw_new(count, sizeof(double));
  if (out->raw_values == NULL || out->raw_labels == NULL ||
      (weighted && out->raw_weights == NULL))
    return tacit_fail_memory(err);
  tacit_batch_init(&out->view);
  out->view.n_rows = rows;
  out->view.n_features = features;
  out->view.raw_values = out->raw_values;
  out->view.raw_labels = out->raw_labels;
  out->view.raw_weights = out->raw_weights;
  return TACIT_OK;
}

void tacit_made_rows_free(tacit_made_rows *rows) {
  TACIT_RAW_FREE(rows->raw_values, rows->raw_labels, rows->raw_weights);
}

void tacit_made_rows_copy(const tacit_made_rows *from, int64_t i, tacit_made_rows *to,
                          int64_t at) {
  memcpy(tacit_made_rows_at(to, at), tacit_made_rows_at(from, i),
         from->view.n_features * sizeof(double));
  to->raw_labels[at] = from->raw_labels[i];
  if (from->raw_weights != NULL && to->raw_weights != NULL)
    to->raw_weights[at] = from->raw_weights[i];
}
