/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BATCH_ROW_H
#define TACIT_BATCH_ROW_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <tacit/data.h>

/* One row of a batch: doubles in raw_values, or floats in raw_values32. raw_indices is
   NULL for a dense row. */
typedef struct tacit_row {
  size_t count;
  const double *raw_values;
  const float *raw_values32;
  const uint32_t *raw_indices;
} tacit_row;

static inline tacit_row tacit_row_of(const tacit_batch *batch, int64_t i) {
  tacit_row row = {.count = batch->n_features};
  int64_t first = i * (int64_t)batch->n_features;
  if (batch->raw_row_start != NULL) {
    first = batch->raw_row_start[i];
    row.count = (size_t)(batch->raw_row_start[i + 1] - first);
    row.raw_indices = batch->raw_indices + first;
  }
  if (batch->raw_values32 != NULL)
    row.raw_values32 = batch->raw_values32 + first;
  else if (batch->raw_values != NULL)
    row.raw_values = batch->raw_values + first;
  return row;
}

static inline double tacit_row_value(const tacit_row *row, size_t j) {
  return row->raw_values32 != NULL ? (double)row->raw_values32[j] : row->raw_values[j];
}

/* Returns 1 if the indices ascend strictly and are below n_features. The vault takes no
   other row, because a repeated index would add more than the norm of the row says.
   Indices are compared as signed numbers, which is faster. This is correct because
   there are at most 2^31 - 1 features: an index that is negative as a signed number is
   too large, and if the first index is not negative, no ascending one is negative. */
static inline int tacit_row_is_sound(const tacit_row *row, size_t n_features) {
  const int32_t *indices = (const int32_t *)row->raw_indices;
  const size_t count = row->count;
  if (indices == NULL || count == 0) return 1;
  if (indices[0] < 0 || (size_t)indices[count - 1] >= n_features) return 0;
  int32_t ascend[4] = {-1, -1, -1, -1}; /* four flags, which compilers keep in one
                                           vector */
  if (count <= 4) {
    for (size_t j = 1; j < count; ++j)
      ascend[0] &= -(indices[j] > indices[j - 1]);
    return ascend[0] != 0;
  }
  for (size_t j = 1; j < count - 4; j += 4)
    for (size_t k = 0; k < 4; ++k)
      ascend[k] &= -(indices[j + k] > indices[j + k - 1]);
  for (size_t k = 0; k < 4; ++k) /* compares the last four again, because the loop above
                                    may end before them */
    ascend[k] &= -(indices[count - 4 + k] > indices[count - 5 + k]);
  return (ascend[0] & ascend[1] & ascend[2] & ascend[3]) != 0;
}

/* Returns 1 if no value is negative. */
static inline int tacit_row_is_count(const tacit_row *row) {
  int is_count = 1;
  for (size_t j = 0; j < row->count; ++j)
    is_count &= tacit_row_value(row, j) >= 0;
  return is_count;
}

/* How a row becomes model input: a one is appended (bias), then the row is scaled, to
   norm at most row_norm or, if `scale` is not 0, by `scale`. A row becomes zero if its
   norm is not finite. It also becomes zero if `scale` is 0 and its norm is too small to
   be computed reliably. */
typedef struct tacit_row_rule {
  size_t features;
  int bias;
  double row_norm;
  double exponent; /* exponent of the norm: 1 … INFINITY; 2 is Euclidean */
  size_t outputs;  /* margins per row: 1, or one per class */
  double scale;    /* public factor of all rows, or 0 if every row is scaled by its
                      own norm */
} tacit_row_rule;

/* Returns the number of weights of a model: the features of each output, then one bias
   per output. */
static inline size_t tacit_row_weights(const tacit_row_rule *rule) {
  return rule->outputs * (rule->features + (rule->bias ? 1 : 0));
}

/* Returns the norm of a row with its bias, before scaling, for exponents other than 2.
   The Euclidean norm is computed with the margins (vault/level.h).
   docs/proofs/tacit_clip_factor.md counts the roundings. */
double tacit_row_norm_other(const tacit_row *row, int bias, double exponent);

/* Below this norm, squares may underflow and lose all digits. */
#define TACIT_ROW_NORM_MIN 1e-140

static inline double tacit_row_scale(const tacit_row_rule *rule, double norm) {
  if (rule->scale > 0) return isfinite(norm) ? rule->scale : 0;
  if (!(norm > TACIT_ROW_NORM_MIN) || isinf(norm)) return 0;
  return norm <= rule->row_norm ? 1 : rule->row_norm / norm;
}

static inline double tacit_batch_label(const tacit_batch *batch, int64_t i) {
  return batch->raw_labels[i];
}

static inline double tacit_batch_weight(const tacit_batch *batch, int64_t i) {
  return batch->raw_weights != NULL ? batch->raw_weights[i] : 1;
}

static inline uint32_t tacit_batch_unit_rows(const tacit_batch *batch, int64_t i) {
  return batch->raw_unit_rows != NULL ? batch->raw_unit_rows[i] : 1;
}

static inline int tacit_weight_is_valid(double weight) {
  return weight >= 0 && weight <= 1;
}

/* Returns 1 if the batch has at least the members of version 0.1.0. */
static inline int tacit_batch_is_whole(const tacit_batch *batch) {
  return batch != NULL && batch->struct_size >= offsetof(tacit_batch, raw_weights);
}
/* Returns a copy of the struct. Members that a shorter struct of an older version lacks
   become NULL. */
tacit_batch tacit_batch_copy(const tacit_batch *batch);
/* Returns a view of rows first … end-1 of a batch. */
tacit_batch tacit_batch_part(const tacit_batch *batch, int64_t first, int64_t end);

/* tacit_batch_block returns how many dense rows are worked on together: few enough to
   stay in the nearest cache between two sweeps over them. The number is 4 or a multiple
   of 8, at most TACIT_BATCH_ROWS. */
enum { TACIT_BATCH_ROWS = 64 };
size_t tacit_batch_block(const tacit_batch *batch);

/* Returns 1 if rows first … end-1 are sparse but have an entry for every column, and
   shows them as dense rows in *out. If the rows are also sound (tacit_row_is_sound),
   the dense rows are equal to them, give the same bits and are faster. */
int tacit_batch_is_full(const tacit_batch *batch, int64_t first, int64_t end,
                        tacit_batch *out);

/* Checks sizes, pointers, CSR row starts and weights of a batch, and that it has labels
   if `labels` is 1. */
tacit_status tacit_batch_check(const tacit_batch *batch, size_t features, int labels,
                               tacit_error *err);

#endif
