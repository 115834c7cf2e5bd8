/* SPDX-License-Identifier: MIT */
#include "extra/audit/canary.h"

#include <math.h>
#include <string.h>

/* Slopes exceed their bound by this factor. A larger factor would hide a missing clip:
   the sums of a round would not pass for sums of clipped rows, and the run would
   end. */
static const double excess = 16;

static double value(const void *self, double raw_margin, double raw_label) {
  const tacit_canary *canary = self;
  return tacit_loss_value(&canary->base, raw_margin, raw_label);
}

/* Returns the slope of one row, for the plan. Rows are computed with slope_many. */
static double slope(const void *self, double raw_margin, double raw_label) {
  const tacit_canary *canary = self;
  return tacit_loss_slope(&canary->base, raw_margin, raw_label);
}

static void slope_many(const void *self, const double *raw_margins,
                       const double *raw_labels, size_t count, double *raw_out) {
  const tacit_canary *canary = self;
  tacit_loss_slope_many(&canary->base, raw_margins, raw_labels, count, raw_out);
  for (size_t i = 0; i < count; ++i) {
    if (raw_labels[i] == canary->labels[0]) raw_out[i] = -canary->slope;
    if (raw_labels[i] == canary->labels[1]) raw_out[i] = canary->slope;
  }
}

static void slope_joint(const void *self, const double *raw_margins, size_t outputs,
                        size_t label, double *raw_out) {
  const tacit_canary *canary = self;
  canary->base.ops->slope_joint(canary->base.state, raw_margins, outputs, label,
                                raw_out);
  if ((double)label != canary->labels[0] && (double)label != canary->labels[1]) return;
  memset(raw_out, 0, outputs * sizeof *raw_out);
  raw_out[label] = -canary->slope;
  raw_out[1 - label] = canary->slope;
}

static double value_joint(const void *self, const double *raw_margins, size_t outputs,
                          size_t label) {
  const tacit_canary *canary = self;
  return canary->base.ops->value_joint(canary->base.state, raw_margins, outputs, label);
}

static void predict_joint(const void *self, const double *margins, size_t outputs,
                          double *out) {
  const tacit_canary *canary = self;
  canary->base.ops->predict_joint(canary->base.state, margins, outputs, out);
}

static void bounds(const void *self, const tacit_loss_facts *facts,
                   tacit_loss_bounds *out) {
  const tacit_canary *canary = self;
  canary->base.ops->bounds(canary->base.state, facts, out);
}

/* The table has no predictions, because an audit makes no model. The slot of joint
   slopes decides how many copies of a loss there are, so there is one table with it and
   one without. */
#define TABLE                                                                          \
  .version = 2, .name = "canary", .summary = "the loss of an audit", .value = value,   \
  .slope = slope, .bounds = bounds, .slope_many = slope_many
static const tacit_loss_ops single = {TABLE};
static const tacit_loss_ops joint = {TABLE, .value_joint = value_joint,
                                     .slope_joint = slope_joint,
                                     .predict_joint = predict_joint};

int tacit_canary_turns_label(const tacit_plan *plan) {
  return plan->centred && plan->vault.kappa == 2;
}

double tacit_canary_label(const tacit_plan *plan, int opposite) {
  const tacit_label_rule *rule = &plan->label;
  int turned = opposite && tacit_canary_turns_label(plan);
  if (rule->kind != TACIT_LOSS_CLASSES) return turned ? rule->min : rule->max;
  if (rule->classes > 2) return turned ? 1 : 0;
  return turned ? -1 : 1; /* round 0 of two classes counts the second class */
}

void tacit_canary_put(tacit_plan *plan, tacit_canary *canary) {
  tacit_loss_bounds most;
  tacit_loss_bounds_of(plan->loss, &most);
  canary->base = *plan->loss;
  for (int i = 0; i < 2; ++i)
    canary->labels[i] = tacit_label_inside(&plan->label, tacit_canary_label(plan, i));
  canary->slope = excess * fmax(isfinite(most.slope) ? most.slope : most.slope_at_zero,
                                plan->clip / plan->row.row_norm);
  plan->loss->ops = canary->base.ops->slope_joint != NULL ? &joint : &single;
  plan->loss->state = canary;
}

void tacit_canary_lift(tacit_plan *plan, const tacit_canary *canary) {
  *plan->loss = canary->base;
}
