/* SPDX-License-Identifier: MIT */
/* Products of rows with the weights of several outputs, for training, and margins of
   rows for prediction. */
#include "kernel/margins.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "kernel/short.h"

enum { BLOCK_ROWS = 64, WIDE_COLUMNS = 64 };

size_t tacit_wide_width(size_t outputs, size_t sets) {
  return (sets * outputs + TACIT_LANES - 1) / TACIT_LANES * TACIT_LANES;
}

size_t tacit_wide_size(const tacit_row_rule *rule, size_t sets) {
  return tacit_wide_width(rule->outputs, sets) * (rule->features + 1);
}

struct fill {
  const tacit_row_rule *rule;
  const double *weights;
  size_t set, width;
  double *wide;
  int are_short;
};

/* Returns the weight of column j and output k; column `features` is the bias. */
static double weight_of(const struct fill *fill, size_t j, size_t k) {
  const tacit_row_rule *rule = fill->rule;
  if (j < rule->features) {
    double weight = fill->weights[k * rule->features + j];
    return fill->are_short ? tacit_short(weight) : weight;
  }
  return rule->bias ? fill->weights[rule->outputs * rule->features + k] : 0;
}

/* Writes columns first … end-1 of one set, and zeros after the last set of a column. */
static double fill_chunk(void *context, size_t first, size_t end) {
  const struct fill *fill = context;
  const tacit_row_rule *rule = fill->rule;
  size_t outputs = rule->outputs;
  for (size_t j = first; j < end; ++j) {
    double *out = fill->wide + j * fill->width + fill->set * outputs;
    for (size_t k = 0; k < outputs; ++k)
      out[k] = weight_of(fill, j, k);
    size_t end_of_row = (j + 1) * fill->width;
    for (size_t at = (size_t)(out - fill->wide) + outputs;
         fill->width - fill->set * outputs < outputs + TACIT_LANES && at < end_of_row;
         ++at)
      fill->wide[at] = 0; /* numbers after the last set */
  }
  return 0;
}

void tacit_wide_fill(tacit_pool *pool, const tacit_row_rule *rule,
                     const double *weights, size_t set, size_t sets, int are_short,
                     double *wide) {
  struct fill fill = {rule, weights,  set, tacit_wide_width(rule->outputs, sets),
                      wide, are_short};
  (void)tacit_parallel_sum(pool, rule->features + 1, fill_chunk, &fill);
}

void tacit_wide_dots(const tacit_level *kernel, const tacit_batch *batch, int64_t first,
                     size_t rows, const tacit_outputs *of) {
  size_t outputs = of->sets * of->rule->outputs, columns = of->rule->features;
  size_t width = tacit_wide_width(of->rule->outputs, of->sets);
  const double *wide = of->wide;
  double *raw_out = of->raw_dots;
  tacit_wide all = {wide, outputs, width, of->are_short && batch->raw_values32 != NULL};
  memset(raw_out, 0, rows * width * sizeof *raw_out);
  if (batch->raw_row_start == NULL) {
    tacit_dense dense = tacit_dense_of(batch, first);
    tacit_widened raw_widened;
    /* Takes some columns at a time, so that their weights stay in the cache for all
       rows. */
    size_t step = tacit_widened_columns(rows), there;
    if (step > WIDE_COLUMNS) step = WIDE_COLUMNS;
    for (size_t j = 0; j < columns; j += step) {
      size_t some = columns - j < step ? columns - j : step;
      tacit_dense near =
          tacit_widen(kernel, &dense, rows, j, some, &raw_widened, &there);
      all.weights = wide + (j - there) * width;
      tacit_kernel_of(kernel)->wide(&near, rows, there, there + some, &all, raw_out);
    }
  }
  for (size_t i = 0; i < rows; ++i) {
    double *raw_own = raw_out + i * width;
    if (batch->raw_row_start != NULL) {
      tacit_sparse_rows sparse = tacit_sparse_of(batch, first, rows);
      tacit_sparse row = tacit_sparse_row(&sparse, i);
      tacit_kernel_of(kernel)->wide_sparse(&row, &all, raw_own);
    }
    for (size_t k = 0; k < outputs; ++k)
      raw_own[k] += wide[columns * width + k];
  }
}

/* Writes the margins of a block of rows. raw_room must hold BLOCK_ROWS times
   tacit_wide_width numbers if there are several outputs; it is NULL for one output. */
static void block_margins(const tacit_level *kernel, const tacit_batch *batch,
                          int64_t first, size_t rows, const tacit_row_rule *rule,
                          const double *weights, const double *wide, double *raw_room,
                          double *raw_out) {
  tacit_sums raw_sums[BLOCK_ROWS];
  size_t outputs = rule->outputs;
  const tacit_outputs several = {rule, wide, 1, 0, raw_room};
  const tacit_points points = {.x = outputs == 1 ? weights : NULL};
  if (outputs > 1) tacit_wide_dots(kernel, batch, first, rows, &several);
  tacit_batch_sums(kernel, batch, first, rows, &points, raw_sums);
  for (size_t i = 0; i < rows; ++i) {
    double raw_norm = tacit_sums_norm(&raw_sums[i], batch, first + (int64_t)i,
                                      rule->bias, rule->exponent);
    double scale = tacit_row_scale(rule, raw_norm);
    double raw_dot = raw_sums[i].raw_dot + (rule->bias ? weights[rule->features] : 0);
    const double *raw_dots =
        outputs == 1 ? &raw_dot : raw_room + i * tacit_wide_width(outputs, 1);
    for (size_t k = 0; k < outputs; ++k)
      raw_out[i * outputs + k] = scale > 0 ? scale * raw_dots[k] : 0;
  }
}

static tacit_status check_rows(const tacit_batch *batch, size_t features,
                               tacit_error *err) {
  for (int64_t i = 0; batch->raw_row_start != NULL && i < batch->n_rows; ++i) {
    tacit_row row = tacit_row_of(batch, i);
    if (!tacit_row_is_sound(&row, features)) {
      return tacit_fail(err, TACIT_EDATA,
                        "row %lld of the batch: indices must ascend and stay below the "
                        "number of features",
                        (long long)i + 1);
    }
  }
  return TACIT_OK;
}

tacit_status tacit_batch_margins(const tacit_batch *batch, const tacit_row_rule *rule,
                                 const double *weights, const double *wide,
                                 double *raw_out, tacit_error *err) {
  const tacit_level *kernel = NULL;
  TACIT_TRY(tacit_kernel_pick_untested(&kernel, err));
  TACIT_TRY(tacit_batch_check(batch, rule->features, 0, err));
  TACIT_TRY(check_rows(batch, rule->features, err));
  size_t outputs = rule->outputs;
  double *raw_room = NULL;
  if (outputs > 1) {
    raw_room =
        tacit_raw_new(BLOCK_ROWS * tacit_wide_width(outputs, 1), sizeof *raw_room);
    if (raw_room == NULL) return tacit_fail_memory(err);
  }
  for (int64_t i = 0; i < batch->n_rows; i += BLOCK_ROWS) {
    int64_t left = batch->n_rows - i;
    size_t rows = left < BLOCK_ROWS ? (size_t)left : BLOCK_ROWS;
    block_margins(kernel, batch, i, rows, rule, weights, wide, raw_room,
                  raw_out + (size_t)i * outputs);
  }
  tacit_raw_free(raw_room);
  return TACIT_OK;
}
