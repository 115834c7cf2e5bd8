/* SPDX-License-Identifier: MIT */
/*
 * Line 2 of Algorithm 1 for a model with several outputs: the slope is a vector a, the
 * gradient difference the matrix a x^T, and its norm |a| |x| in every norm that is a
 * sum of powers. One clip for the whole matrix, one sum for all outputs.
 */
#include "vault/delta.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"

/* Room for one example: margins, slopes and their difference. */
struct scratch {
  double *raw_margins, *raw_slopes, *raw_change;
};

static void slopes_at(const tacit_delta *delta, const tacit_row *row, double scale,
                      double raw_label, const double *weights, double *raw_margins,
                      double *raw_out) {
  for (size_t k = 0; k < delta->row.outputs; ++k) {
    raw_margins[k] = scale * tacit_row_dot(row, &delta->row, weights, k);
  }
  tacit_loss_slope_all(delta->loss, raw_margins, raw_label, raw_out);
}

/* The factor of the matrix change x^T, kept within the clip of one norm. */
static double limit_factor(const tacit_delta *delta, const tacit_row *row,
                           const double *raw_change, double exponent, double clip,
                           double raw_factor) {
  size_t outputs = delta->row.outputs;
  tacit_row raw_vector = {.count = outputs, .raw_values = raw_change};
  double raw_slope_norm = tacit_row_norm(&raw_vector, 0, exponent);
  double raw_row_norm = tacit_row_norm(row, delta->row.bias, exponent);
  /* Nothing, not a number, or too small for its square to be trusted. */
  if (!(raw_slope_norm > TACIT_ROW_NORM_MIN) || !(raw_row_norm > TACIT_ROW_NORM_MIN)) {
    return 0;
  }
  return tacit_delta_factor(raw_factor, clip, raw_slope_norm * raw_row_norm,
                            2 * (delta->row.features + outputs) + 8);
}

static void add_row(const tacit_delta *delta, const tacit_row *row, double raw_label,
                    const struct scratch *scratch, int64_t *raw_sum) {
  const tacit_row_rule *rule = &delta->row;
  double raw_norm = tacit_row_norm(row, rule->bias, rule->exponent);
  double scale = tacit_row_scale(raw_norm, rule->row_norm);
  if (!(scale > 0)) return;
  double *raw_change = scratch->raw_change;
  slopes_at(delta, row, scale, raw_label, delta->x, scratch->raw_margins, raw_change);
  if (delta->ratio > 0) {
    slopes_at(delta, row, scale, raw_label, delta->x_prev, scratch->raw_margins,
              scratch->raw_slopes);
    for (size_t k = 0; k < rule->outputs; ++k) {
      raw_change[k] -= delta->ratio * scratch->raw_slopes[k];
    }
  }
  double raw_factor = scale * delta->steps;
  if (rule->exponent != delta->guard) {
    raw_factor = limit_factor(delta, row, raw_change, rule->exponent, delta->clip_dual,
                              raw_factor);
  }
  raw_factor = limit_factor(delta, row, raw_change, delta->guard, (double)delta->clip,
                            raw_factor);
  if (raw_factor == 0) return;
  for (size_t k = 0; k < rule->outputs; ++k) {
    double raw_weight = raw_factor * raw_change[k];
    int64_t *raw_own = raw_sum + k * rule->features;
    for (size_t j = 0; j < row->count; ++j) {
      size_t i = row->raw_indices != NULL ? row->raw_indices[j] : j;
      raw_own[i] += (int64_t)(raw_weight * row->raw_values[j]);
    }
    if (rule->bias) {
      raw_sum[rule->outputs * rule->features + k] += (int64_t)raw_weight;
    }
  }
}

/* Proof: docs/proofs/tacit_delta_factor.md */
tacit_status tacit_delta_add_outputs(const tacit_delta *delta, const tacit_batch *batch,
                                     int64_t first, int64_t end, int64_t *raw_sum,
                                     tacit_error *err) {
  size_t outputs = delta->row.outputs;
  double *raw_room = tacit_raw_new(3 * outputs, sizeof *raw_room);
  if (raw_room == NULL) return tacit_fail_memory(err);
  struct scratch scratch = {raw_room, raw_room + outputs, raw_room + 2 * outputs};
  tacit_status status = TACIT_OK;
  for (int64_t i = first; status == TACIT_OK && i < end; ++i) {
    status = tacit_delta_check(delta, batch, i, err);
    if (status != TACIT_OK) break;
    tacit_row row = tacit_row_of(batch, i);
    add_row(delta, &row, batch->raw_labels[i], &scratch, raw_sum);
  }
  tacit_raw_free(raw_room);
  return status;
}
