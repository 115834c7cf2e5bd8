/* SPDX-License-Identifier: MIT */
/*
 * Sums that are no gradients: moments, from which the mean of rows and labels follows,
 * and products of centred rows with themselves. The vault clips them like gradients;
 * nothing here is trusted with privacy.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "gradient/delta.h"
#include "gradient/waves.h"

enum { BLOCK_ROWS = 32 };

struct block {
  const tacit_batch *batch;
  int64_t first;
  size_t rows, slopes, tails; /* slopes is 0 if all slopes are 1 */
  tacit_measures raw;
  double raw_factors[BLOCK_ROWS], raw_scales[BLOCK_ROWS];
  double *raw_slopes, *raw_tails;
};

/* Returns the label of row i in the form that these sums take, between -1 and 1. */
static double label_of(const tacit_delta *delta, const struct block *block, size_t i) {
  double raw_label = block->batch->raw_labels[block->first + (int64_t)i];
  return tacit_label_inside(&delta->label, raw_label) / delta->label_unit;
}

/* Writes the hats of a label: the two points around it share a 1, so that the sums over
   all rows are a histogram. The vault drops a row whose label is NaN. */
static void hats_of(const tacit_delta *delta, double raw_label, double *raw_hats) {
  double last = (double)delta->bins - 1;
  double raw_place = (raw_label - delta->bin_low) / (1 - delta->bin_low) * last;
  double raw_left = floor(fmin(fmax(raw_place, 0), last - 1));
  double raw_right = raw_place - raw_left;
  raw_hats[(size_t)raw_left] = delta->bin_scale * (1 - raw_right);
  raw_hats[(size_t)raw_left + 1] = delta->bin_scale * raw_right;
}

/* Writes the tails of row i in the order of TACIT_DELTA_MOMENTS. */
static void tails_of(const tacit_delta *delta, struct block *block, size_t i) {
  const tacit_label_rule *label = &delta->label;
  double *raw_tail = block->raw_tails + i * block->tails;
  double raw_length = block->raw_scales[i] * block->raw.raw_norms[i];
  size_t waves = delta->wave_scale > 0 ? TACIT_WAVES : 0;
  memset(raw_tail, 0, (block->tails - waves) * sizeof *raw_tail);
  if (label->kind == TACIT_LOSS_CLASSES) {
    size_t raw_class =
        tacit_label_class(label, block->batch->raw_labels[block->first + (int64_t)i]);
    if (label->classes > 2)
      raw_tail[raw_class] = delta->label_scale;
    else
      raw_tail[0] = delta->label_scale * (double)raw_class;
    raw_tail += label->classes > 2 ? label->classes : 1;
  } else {
    double raw_label = label_of(delta, block, i);
    raw_tail[0] = delta->label_scale * raw_label;
    raw_tail[1] = delta->label_scale * (raw_label * raw_label / 2);
    if (delta->bins > 0) hats_of(delta, raw_label, raw_tail + 2);
    raw_tail += 2 + delta->bins;
  }
  if (delta->norm_scale > 0) *raw_tail++ = delta->norm_scale * raw_length * raw_length;
  raw_tail += waves; /* waves_of writes them */
  if (delta->weight_scale > 0) *raw_tail = delta->weight_scale;
}

/* Writes the waves of the rows of the block. */
static void waves_of(const tacit_delta *delta, const struct block *block) {
  size_t after = TACIT_WAVES + (delta->weight_scale > 0);
  tacit_waves_of(&delta->row, block->batch, block->first, block->rows,
                 block->raw_scales, delta->kernel, delta->wave_scale, block->tails,
                 block->raw_tails + block->tails - after);
}

/* Writes the slopes of row i, omega z over the radius, and multiplies its factor with
   omega. */
static void products_of(const tacit_delta *delta, struct block *block, size_t i) {
  const tacit_row_rule *rule = &delta->row;
  const double *offset = delta->offset->values;
  tacit_row row = tacit_row_of(block->batch, block->first + (int64_t)i);
  double scale = block->raw_scales[i],
         *raw_slopes = block->raw_slopes + i * block->slopes;
  double raw_omega = tacit_delta_omega(delta, &block->raw, i, scale);
  double raw_share = raw_omega / delta->radius;
  size_t columns = block->slopes;
  for (size_t j = 0; j < columns; ++j)
    raw_slopes[j] = offset[j] + (j == rule->features ? scale : 0);
  for (size_t e = 0; e < row.count; ++e)
    raw_slopes[row.raw_indices != NULL ? row.raw_indices[e] : e] +=
        scale * tacit_row_value(&row, e);
  for (size_t j = 0; j < columns; ++j)
    raw_slopes[j] *= raw_share;
  block->raw_factors[i] *= raw_omega;
}

static tacit_status add_blocks(const tacit_delta *delta, struct block *block,
                               int64_t end, tacit_sum *sum, tacit_error *err) {
  const tacit_points squares_alone = {0};
  for (; block->first < end; block->first += (int64_t)block->rows) {
    int64_t left = end - block->first;
    block->rows = left < BLOCK_ROWS ? (size_t)left : BLOCK_ROWS;
    TACIT_TRY(tacit_delta_measure(delta, block->batch, block->first, block->rows,
                                  &squares_alone, sum, &block->raw, err));
    for (size_t i = 0; i < block->rows; ++i) {
      block->raw_factors[i] = delta->steps;
      block->raw_scales[i] = tacit_row_scale(&delta->row, block->raw.raw_norms[i]);
      if (block->slopes > 0) products_of(delta, block, i);
      if (block->tails > 0) tails_of(delta, block, i);
    }
    if (delta->wave_scale > 0) waves_of(delta, block);
    const tacit_contribution raw = {block->raw_factors, block->raw_scales,
                                    block->slopes > 0 ? block->raw_slopes : NULL,
                                    block->tails > 0 ? block->raw_tails : NULL};
    TACIT_TRY(tacit_sum_add(sum, &raw, NULL, err));
  }
  return TACIT_OK;
}

/* Adds the moments or the products of rows to the sum. */
tacit_status tacit_delta_add_moments(const tacit_delta *delta, const tacit_batch *batch,
                                     int64_t first, int64_t end, tacit_sum *sum,
                                     tacit_error *err) {
  tacit_shape shape = tacit_delta_shape(delta);
  struct block block = {.batch = batch, .first = first, .tails = shape.tails};
  if (delta->kind == TACIT_DELTA_PRODUCTS) block.slopes = shape.rule.outputs;
  double *raw_room =
      tacit_raw_new(BLOCK_ROWS * (block.slopes + block.tails + 1), sizeof *raw_room);
  if (raw_room == NULL) return tacit_fail_memory(err);
  block.raw_slopes = raw_room;
  block.raw_tails = raw_room + BLOCK_ROWS * block.slopes;
  tacit_status status = add_blocks(delta, &block, end, sum, err);
  tacit_raw_free(raw_room);
  return status;
}
