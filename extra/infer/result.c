/* SPDX-License-Identifier: MIT */
/* The model of a table of effects: a model for predictions, whose training has the
   table. Numbers are per unit of their columns and, for a label that is a number, in
   its units. */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "extra/infer/effects.h"
#include "extra/infer/infer.h"
#include "model/model.h"

/* Returns how many units of the label are 1 in the form that the loss takes. */
static double label_unit(const tacit_inference *inference) {
  return inference->loss == TACIT_EFFECTS_SQUARED
             ? (inference->label.max - inference->label.min) / 2
             : 1;
}

/* Returns what coefficient k >= 1 is multiplied with to be per unit of its column. */
static double unit_of(const tacit_inference *inference, size_t k) {
  const tacit_effects_columns *columns = &inference->columns;
  const tacit_effects_group *group =
      &columns->groups[columns->group_of[inference->used[k - 1]]];
  return (group->is_number ? group->slope : 1) * label_unit(inference);
}

/* Returns the input of coefficient k >= 1 where its column is 0. */
static double at_zero(const tacit_inference *inference, size_t k) {
  const tacit_effects_columns *columns = &inference->columns;
  const tacit_effects_group *group =
      &columns->groups[columns->group_of[inference->used[k - 1]]];
  return group->zero;
}

/* Writes estimates and covariance per unit of the columns. The intercept becomes the
   prediction for a row whose columns are all 0. */
static void per_unit(const tacit_inference *inference, double *estimates,
                     double *covariance) {
  size_t d = inference->d;
  const double *from = inference->covariance;
  double unit = label_unit(inference), intercept = inference->found[0].estimate;
  for (size_t k = 1; k < d; ++k) {
    double zero = at_zero(inference, k), scale = unit_of(inference, k);
    estimates[k] = inference->found[k].estimate * scale;
    intercept += inference->found[k].estimate * zero;
    double along = from[k];
    for (size_t j = 1; j < d; ++j) {
      covariance[k * d + j] = from[k * d + j] * scale * unit_of(inference, j);
      along += at_zero(inference, j) * from[j * d + k];
    }
    covariance[k] = covariance[k * d] = along * scale * unit;
  }
  covariance[0] = from[0] * unit * unit;
  for (size_t k = 1; k < d; ++k) {
    double zero = at_zero(inference, k), scale = unit_of(inference, k);
    covariance[0] += zero * unit * (from[k] * unit + covariance[k] / scale);
  }
  estimates[0] = intercept * unit;
  if (inference->loss == TACIT_EFFECTS_SQUARED)
    estimates[0] += inference->label.min + unit;
}

/* Returns about how many rows (or persons) would identify coefficient k, at least as
   many as the plan asks for. */
static double rows_for(const tacit_inference *inference, size_t k) {
  const tacit_effects_coefficient *found = &inference->found[k];
  double times = fmax(fmax(found->kappa / 0.3, found->remainder / 2), 1.1);
  double least = tacit_effects_rows_needed(inference->loss, (double)inference->d,
                                           inference->kappa, inference->facts.mu, 0.3);
  double rows = fmax(times * (double)inference->facts.rows, least);
  double round = pow(10, floor(log10(rows)) - 1);
  return ceil(rows / round) * round;
}

/* Makes the object of coefficient k of column `column`. */
static json_t *coefficient(const tacit_inference *inference, size_t column, size_t k,
                           const double *estimates) {
  const tacit_effects_coefficient *found = &inference->found[k];
  if (!found->identified)
    return json_pack("{s:I, s:s, s:s, s:I, s:f}", "column", (json_int_t)column, "name",
                     inference->columns.names[column], "state", "noisy", "index",
                     (json_int_t)k, "rows_needed", rows_for(inference, k));
  double unit = fabs(unit_of(inference, k));
  return json_pack("{s:I, s:s, s:s, s:I, s:f, s:f, s:f, s:f, s:f}", "column",
                   (json_int_t)column, "name", inference->columns.names[column],
                   "state", "identified", "index", (json_int_t)k, "estimate",
                   estimates[k], "sampling", unit * sqrt(found->sampling), "privacy",
                   unit * sqrt(found->privacy), "remainder", found->remainder, "df",
                   fmin(found->df, 1e9));
}

/* Makes the list of all columns, in their order. */
static json_t *coefficients(const tacit_inference *inference, const double *estimates) {
  json_t *list = json_array();
  for (size_t i = 0, k = 1; i < inference->columns.n; ++i) {
    const tacit_effects_group *group =
        &inference->columns.groups[inference->columns.group_of[i]];
    int is_open = group->undeclared > 0 && i == group->first + group->undeclared;
    json_t *item;
    if (inference->state[i] == TACIT_EFFECTS_USED)
      item = coefficient(inference, i, k++, estimates);
    else if (inference->state[i] == TACIT_EFFECTS_RARE)
      item = json_pack("{s:I, s:s, s:s, s:f}", "column", (json_int_t)i, "name",
                       inference->columns.names[i], "state",
                       is_open ? "undeclared" : "rare", "rows_needed",
                       ceil(inference->rare_below));
    else
      item = json_pack("{s:I, s:s, s:s}", "column", (json_int_t)i, "name",
                       inference->columns.names[i], "state", "reference");
    if (json_array_append_new(list, item) != 0) {
      json_decref(list);
      return NULL;
    }
  }
  return list;
}

/* Makes the lower triangle of the covariance, row by row. */
static json_t *triangle(const double *covariance, size_t d) {
  json_t *list = json_array();
  for (size_t i = 0; i < d; ++i)
    for (size_t j = 0; j <= i; ++j)
      if (json_array_append_new(list, json_real(covariance[i * d + j])) != 0) {
        json_decref(list);
        return NULL;
      }
  return list;
}

/* Makes the lines that say what was released: what, and its share of mu^2. */
static json_t *releases(const tacit_inference *inference) {
  int is_number = inference->loss != TACIT_EFFECTS_LOGISTIC;
  double last = TACIT_EFFECTS_LAST * (is_number ? 1 - TACIT_EFFECTS_RESIDUALS : 1);
  json_t *list =
      json_pack("[{s:s, s:f}, {s:s, s:f}, {s:s, s:f, s:i}, {s:s, s:f}]", "what",
                "means of columns, counts of levels", "share", TACIT_EFFECTS_MEANS,
                "what", "spreads of numbers", "share", TACIT_EFFECTS_SPREADS, "what",
                "slope and curvature", "share", TACIT_EFFECTS_ROUNDS, "rounds",
                inference->rounds, "what", "slope, curvature and meat", "share", last);
  if (is_number && list != NULL)
    (void)json_array_insert_new(
        list, 3,
        json_pack("{s:s, s:f}", "what", "spread of the residuals", "share",
                  TACIT_EFFECTS_LAST * TACIT_EFFECTS_RESIDUALS));
  return list;
}

static json_t *effects_of(const tacit_inference *inference, const double *estimates,
                          const double *covariance) {
  size_t d = inference->d;
  json_t *low = json_pack("{s:f, s:f}", "value", fmin(fmax(inference->low, 0), 1),
                          "error", inference->low_noise);
  return json_pack(
      "{s:i, s:s, s:s, s:I, s:b, s:I, s:f, s:o, s:f, s:f, s:f, s:o, s:o, s:o}",
      "format", TACIT_EFFECTS_FORMAT, "loss", tacit_effects_loss_name(inference->loss),
      "estimand", tacit_effects_estimand(inference->loss, inference->facts.persons),
      "units", (json_int_t)inference->facts.rows, "persons", inference->facts.persons,
      "d", (json_int_t)d, "tau",
      inference->loss == TACIT_EFFECTS_LOGISTIC
          ? 0
          : inference->tau * label_unit(inference),
      "low_weight", low, "intercept", estimates[0], "intercept_df",
      fmin(inference->found[0].df, 1e9), "intercept_remainder",
      inference->found[0].identified ? inference->found[0].remainder : -1.0,
      "coefficients", coefficients(inference, estimates), "covariance",
      triangle(covariance, d), "releases", releases(inference));
}

/* ---- the model ---- */

/* Writes the weights of the inputs: coefficients of columns. A level that is not set by
   an input of its own goes into the bias. */
static void weights_of(const tacit_inference *inference, const double *of_column,
                       double *weights) {
  const tacit_effects_columns *columns = &inference->columns;
  double *bias = weights + columns->schema->features;
  *bias = inference->damped[0];
  for (size_t g = 0; g < columns->n_groups; ++g) {
    const tacit_effects_group *group = &columns->groups[g];
    const double *from = of_column + group->first;
    double *to = weights + group->feature;
    if (group->is_number) {
      to[0] = from[0] * group->rate;
      *bias -= to[0] * group->shift;
    } else if (group->is_stepped) {
      *bias += from[0];
      for (size_t k = 0; k + 1 < group->n; ++k)
        to[k] = (from[k + 1] - from[k]) * group->steps_root;
    } else {
      for (size_t k = 0; k < group->n; ++k)
        to[k] = from[k];
    }
  }
}

static tacit_status make_model(tacit_inference *inference, const double *weights,
                               json_t *effects, tacit_error *err) {
  const tacit_loss_facts facts = {.margin_max = 1,
                                  .label_max = inference->label.max,
                                  .classes = inference->label.classes};
  tacit_loss *loss = NULL;
  char spec[512];
  TACIT_TRY(
      tacit_loss_new(tacit_effects_loss_name(inference->loss), &facts, &loss, err));
  tacit_status status = tacit_loss_spec_full(loss, spec, sizeof spec, err);
  tacit_loss_free(loss);
  TACIT_TRY(status);
  json_t *training =
      json_pack("{s:O, s:O*}", "effects", effects, "notes", inference->schema->notes);
  if (training == NULL) return tacit_fail_memory(err);
  const tacit_model_parts parts = {
      .schema = inference->schema,
      .loss_spec = spec,
      .row_norm = 1,
      .row_exponent = 2,
      .row_scale = 1,
      .bias = 1,
      .weights = weights,
      .training = training,
      .statement = inference->statement,
  };
  status = tacit_model_new(&parts, &inference->model, err);
  json_decref(training);
  return status;
}

tacit_status tacit_effects_model(tacit_inference *inference, tacit_error *err) {
  size_t d = inference->d, n = inference->columns.n;
  double *room =
      tacit_array_new(d * d + d + n + inference->schema->features + 1, sizeof *room);
  if (room == NULL) return tacit_fail_memory(err);
  double *estimates = room + d * d, *of_column = estimates + d,
         *weights = of_column + n;
  per_unit(inference, estimates, room);
  for (size_t k = 1; k < d; ++k)
    of_column[inference->used[k - 1]] = inference->damped[k];
  weights_of(inference, of_column, weights);
  json_t *effects = effects_of(inference, estimates, room);
  tacit_status status = effects == NULL ? tacit_fail_memory(err)
                                        : make_model(inference, weights, effects, err);
  json_decref(effects);
  tacit_array_free(room);
  return status;
}
