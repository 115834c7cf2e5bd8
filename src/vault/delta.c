/* SPDX-License-Identifier: MIT */
/*
 * Line 2 of Algorithm 1 for one batch: the gradient differences
 *   delta_t(z)/beta_t = grad l(x_t, z) - r_t grad l(x_{t-1}, z)
 * of a margin loss, each clipped to a bound known before the batch is read, truncated
 * to the lattice and summed as integers. For a linear model grad l = slope * row, so
 * the difference is one coefficient times the row and the clip is on |coefficient| *
 * |row|.
 */
#include "vault/delta.h"

#include <math.h>

#include "base/error.h"

double tacit_label_inside(const tacit_label_rule *rule, double raw_label) {
  if (rule->kind == TACIT_LOSS_CLASSES || isnan(raw_label)) return raw_label;
  double raw_clamped = raw_label < rule->min   ? rule->min
                       : raw_label > rule->max ? rule->max
                                               : raw_label;
  if (rule->kind == TACIT_LOSS_COUNT) return raw_clamped;
  return 2 * ((raw_clamped - rule->min) / (rule->max - rule->min)) - 1;
}

/*
 * The factor that turns a row into its contribution in lattice steps, such that
 * |trunc(factor * row)| <= clip holds for the exact real norm: (count + 8) 2^-50 covers
 * the rounding of norm, product and quotient (Proof:
 * docs/proofs/tacit_delta_factor.md). The comparison is written so that whatever is not
 * a number falls to zero.
 */
double tacit_delta_factor(double raw_factor, double clip, double raw_norm,
                          size_t count) {
  double limit = clip * (1 - ((double)count + 8) * 0x1p-50);
  double raw_length = fabs(raw_factor) * raw_norm;
  if (raw_length <= limit) return raw_factor;
  if (!isfinite(raw_length)) return 0;
  return copysign(limit / raw_norm, raw_factor);
}

/* The slope difference of a row whose scale is already known. */
static double slope_change(const tacit_delta *delta, const tacit_row *row, double scale,
                           double raw_label) {
  double raw_y = tacit_label_inside(&delta->label, raw_label);
  double raw_margin = scale * tacit_row_dot(row, &delta->row, delta->x, 0);
  double raw_change = tacit_loss_slope(delta->loss, raw_margin, raw_y);
  if (delta->ratio > 0) { /* x_0 has weight 0 and may lie outside W: never evaluated */
    double raw_margin_prev = scale * tacit_row_dot(row, &delta->row, delta->x_prev, 0);
    raw_change -= delta->ratio * tacit_loss_slope(delta->loss, raw_margin_prev, raw_y);
  }
  return raw_change;
}

static void add_row(const tacit_delta *delta, const tacit_row *row, double raw_label,
                    int64_t *raw_sum) {
  const tacit_row_rule *rule = &delta->row;
  /* Columns, not entries: a row makes the same bits stored densely and sparsely. */
  size_t count = rule->features + (rule->bias ? 1 : 0);
  double raw_norm = tacit_row_norm(row, rule->bias, rule->exponent);
  double scale = tacit_row_scale(raw_norm, rule->row_norm);
  if (!(scale > 0)) return;
  double raw_factor = slope_change(delta, row, scale, raw_label) * scale * delta->steps;
  if (rule->exponent != delta->guard) {
    raw_factor = tacit_delta_factor(raw_factor, delta->clip_dual, raw_norm, count);
    raw_norm = tacit_row_norm(row, rule->bias, delta->guard);
    if (!(raw_norm > TACIT_ROW_NORM_MIN)) return;
  }
  /* Last, because the guarantee rests on it. */
  raw_factor = tacit_delta_factor(raw_factor, (double)delta->clip, raw_norm, count);

  /* Conversion to an integer truncates toward zero. */
  for (size_t j = 0; j < row->count; ++j) {
    size_t i = row->raw_indices != NULL ? row->raw_indices[j] : j;
    raw_sum[i] += (int64_t)(raw_factor * row->raw_values[j]);
  }
  if (rule->bias) raw_sum[rule->features] += (int64_t)raw_factor;
}

int tacit_label_is_declared(const tacit_label_rule *rule, double raw_label) {
  if (rule->kind != TACIT_LOSS_CLASSES) return 1;
  if (rule->classes <= 2) return raw_label == 1 || raw_label == -1;
  return raw_label >= 0 && raw_label < (double)rule->classes &&
         raw_label == floor(raw_label);
}

tacit_status tacit_delta_check(const tacit_delta *delta, const tacit_batch *batch,
                               int64_t row, tacit_error *err) {
  tacit_row raw_row = tacit_row_of(batch, row);
  if (!tacit_row_is_sound(&raw_row, delta->row.features)) {
    return tacit_fail(err, TACIT_EDATA,
                      "row %lld of the batch: indices must ascend and stay below the "
                      "number of features",
                      (long long)row + 1);
  }
  if (!tacit_label_is_declared(&delta->label, batch->raw_labels[row])) {
    return tacit_fail(err, TACIT_EDATA,
                      delta->label.classes > 2
                          ? "row %lld of the batch: the class must be a number from 0, "
                            "below the number of classes"
                          : "row %lld of the batch: the class must be -1 or 1",
                      (long long)row + 1);
  }
  return TACIT_OK;
}

tacit_status tacit_delta_add(const tacit_delta *delta, const tacit_batch *batch,
                             int64_t first, int64_t end, int64_t *raw_sum,
                             tacit_error *err) {
  if (delta->gradient != NULL) {
    return tacit_delta_add_gradients(delta, batch, first, end, raw_sum, err);
  }
  if (delta->row.outputs > 1) {
    return tacit_delta_add_outputs(delta, batch, first, end, raw_sum, err);
  }
  for (int64_t i = first; i < end; ++i) {
    TACIT_TRY(tacit_delta_check(delta, batch, i, err));
    tacit_row row = tacit_row_of(batch, i);
    add_row(delta, &row, batch->raw_labels[i], raw_sum);
  }
  return TACIT_OK;
}
