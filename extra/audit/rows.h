/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_AUDIT_ROWS_H
#define TACIT_EXTRA_AUDIT_ROWS_H

#include <tacit/data.h>

/* Dense rows that are made up, in memory. */
typedef struct tacit_made_rows {
  tacit_batch view; /* batch of the rows */
  double *raw_values, *raw_labels;
  double *raw_weights; /* NULL if rows have no weights */
} tacit_made_rows;

/* Makes rows of zeros. Call tacit_made_rows_free also after a failure. */
tacit_status tacit_made_rows_new(int64_t rows, size_t features, int weighted,
                                 tacit_made_rows *out, tacit_error *err);
void tacit_made_rows_free(tacit_made_rows *rows);
/* Returns the values of row i. */
static inline double *tacit_made_rows_at(const tacit_made_rows *rows, int64_t i) {
  return rows->raw_values + (size_t)i * rows->view.n_features;
}
/* Copies row i of `from` to place `at` of `to`, which must have as many features.
   Copies the weight if both have weights. */
void tacit_made_rows_copy(const tacit_made_rows *from, int64_t i, tacit_made_rows *to,
                          int64_t at);

#endif
