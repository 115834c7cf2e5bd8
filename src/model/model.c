/* SPDX-License-Identifier: MIT */
/* A trained model: weights, preprocessing, statement. */
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <tacit/account.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "kernel/margins.h"
#include "privacy/statement_fields.h"

tacit_status tacit_label_rule_of(const tacit_schema *schema, tacit_loss_labels kind,
                                 const char *loss, tacit_label_rule *out,
                                 tacit_error *err) {
  tacit_label_rule rule = {
      .kind = kind, .classes = tacit_schema_classes(schema), .min = -1, .max = 1};
  int number = tacit_schema_label(schema, &rule.min, &rule.max) == TACIT_LABEL_NUMBER;
  if (kind == TACIT_LOSS_CLASSES) {
    if (number) {
      return tacit_fail(
          err, TACIT_EINVAL,
          "loss %s takes two classes, but the label is declared as a number "
          "with bounds: choose a regression loss or declare classes",
          loss);
    }
    rule.min = -1;
    rule.max = 1;
  } else {
    if (!number) {
      return tacit_fail(err, TACIT_EINVAL,
                        "loss %s takes a number: declare the bounds of the label "
                        "(--labels MIN,MAX, or min and max in the schema)",
                        loss);
    }
    if (kind == TACIT_LOSS_COUNT && !(rule.min >= 0)) {
      return tacit_fail(err, TACIT_EINVAL,
                        "loss %s takes counts: the lower bound of the label must be at "
                        "least 0",
                        loss);
    }
  }
  *out = rule;
  return TACIT_OK;
}

tacit_status tacit_loss_spec_full(const tacit_loss *loss, char *out, size_t size,
                                  tacit_error *err) {
  size_t used = 0;
  int length = snprintf(out, size, "%s", loss->ops->name);
  for (size_t i = 0; length >= 0 && (used += (size_t)length) < size; ++i) {
    if (i == loss->n_values) return TACIT_OK;
    char number[40];
    tacit_format_up(loss->values[i], 17, number);
    length = snprintf(out + used, size - used, "%c%s=%s", i == 0 ? ':' : ',',
                      loss->ops->params[i].name, number);
  }
  return tacit_fail(err, TACIT_EINVAL, "loss %s: too many parameters", loss->ops->name);
}

void tacit_model_free(tacit_model *model) {
  if (model == NULL) return;
  tacit_schema_free(model->schema);
  tacit_loss_free(model->loss);
  TACIT_FREE(model->weights, model->wide, model->offset, model->noise);
  json_decref(model->training);
  json_decref(model->statement);
  TACIT_FREE(model->statement_text, model->statement_json, model);
}

static tacit_status copy_schema(const tacit_schema *schema, tacit_schema **out,
                                tacit_error *err) {
  json_t *json = NULL;
  TACIT_TRY(tacit_schema_to_json(schema, &json, err));
  tacit_status status = tacit_schema_from_json(json, "schema", out, err);
  json_decref(json);
  return status;
}

/* Copies numbers that must be finite. */
static tacit_status copy_finite(const double *numbers, size_t count, const char *what,
                                double **out, tacit_error *err) {
  double *copy = *out = tacit_array_new(count, sizeof *copy);
  if (copy == NULL) return tacit_fail_memory(err);
  for (size_t i = 0; i < count; ++i) {
    copy[i] = numbers[i];
    if (!isfinite(copy[i]))
      return tacit_fail(err, TACIT_EDATA, "model: %s %zu is not finite", what, i + 1);
  }
  return TACIT_OK;
}

/* Makes row rule, label rule and loss of a model. */
static tacit_status init_rules(tacit_model *model, const tacit_model_parts *parts,
                               tacit_error *err) {
  TACIT_TRY(copy_schema(parts->schema, &model->schema, err));
  model->row = (tacit_row_rule){
      .features = tacit_schema_features(model->schema),
      .bias = parts->bias,
      .row_norm = parts->row_norm,
      .exponent = parts->row_exponent,
      .scale = parts->row_scale,
  };
  if (!(model->row.row_norm > 0) || !isfinite(model->row.row_norm))
    return tacit_fail(err, TACIT_EDATA, "model: row_norm must be greater than 0");
  if (!(model->row.exponent >= 1))
    return tacit_fail(err, TACIT_EDATA, "model: row_exponent must be at least 1");
  if (!(model->row.scale >= 0) || !isfinite(model->row.scale))
    return tacit_fail(err, TACIT_EDATA, "model: row_scale must be greater than 0");
  tacit_loss_labels kind;
  TACIT_TRY(tacit_loss_labels_of(parts->loss_spec, &kind, err));
  TACIT_TRY(
      tacit_label_rule_of(model->schema, kind, parts->loss_spec, &model->label, err));
  tacit_loss_facts facts = {
      .margin_max = 1, .label_max = model->label.max, .classes = model->label.classes};
  TACIT_TRY(tacit_loss_new(parts->loss_spec, &facts, &model->loss, err));

  model->row.outputs = tacit_loss_outputs(&facts);
  return TACIT_OK;
}

static size_t noise_count(const tacit_model *model) {
  return model->row.outputs * model->row.features;
}

static tacit_status copy_noise(tacit_model *model, const double *noise,
                               tacit_error *err) {
  if (noise == NULL) return TACIT_OK;
  TACIT_TRY(copy_finite(noise, noise_count(model), "noise", &model->noise, err));
  for (size_t i = 0; i < noise_count(model); ++i)
    if (noise[i] < 0)
      return tacit_fail(err, TACIT_EDATA, "model: noise %zu is negative", i + 1);
  return TACIT_OK;
}

static tacit_status model_init(tacit_model *model, const tacit_model_parts *parts,
                               tacit_error *err) {
  TACIT_TRY(init_rules(model, parts, err));
  model->dim = tacit_row_weights(&model->row);
  model->term_scale = tacit_term_scale_of(model->schema, &model->row);
  if (model->label.kind == TACIT_LOSS_UNIT)
    model->term_scale *= (model->label.max - model->label.min) / 2;
  TACIT_TRY(copy_finite(parts->weights, model->dim, "weight", &model->weights, err));
  if (parts->offset != NULL)
    TACIT_TRY(
        copy_finite(parts->offset, model->row.outputs, "offset", &model->offset, err));
  TACIT_TRY(copy_noise(model, parts->noise, err));
  if (model->row.outputs > 1) {
    TACIT_TRY(TACIT_NEW(model->wide, tacit_wide_size(&model->row, 1), err));
    tacit_wide_fill(NULL, &model->row, model->weights, 0, 1, 0, model->wide);
  }
  model->unsealed = parts->unsealed;
  model->training = json_incref(parts->training);
  model->statement = json_incref(parts->statement);
  TACIT_TRY(tacit_statement_text(model->statement, &model->statement_text, err));
  if (!parts->unsealed) TACIT_TRY(tacit_model_seal(model, err));
  TACIT_TRY(tacit_statement_read(model->statement, &model->stated, &model->stated_init,
                                 NULL, err));

  return tacit_json_text(model->statement, 2, &model->statement_json, err);
}

tacit_status tacit_model_new(const tacit_model_parts *parts, tacit_model **out,
                             tacit_error *err) {
  tacit_model *model = tacit_array_new(1, sizeof *model);
  if (model == NULL) return tacit_fail_memory(err);
  tacit_status status = model_init(model, parts, err);
  return TACIT_HAND_OVER(status, model, tacit_model_free, out);
}

const tacit_schema *tacit_model_schema(const tacit_model *model) {
  return model->schema;
}
const char *tacit_model_loss(const tacit_model *model) {
  return model->loss->ops->name;
}
size_t tacit_model_outputs(const tacit_model *model) { return model->row.outputs; }
int tacit_model_has_bias(const tacit_model *model) { return model->row.bias; }
const tacit_statement *tacit_model_statement(const tacit_model *model) {
  return &model->stated;
}

const double *tacit_model_weights(const tacit_model *model, size_t *out_count) {
  *out_count = model->dim;
  return model->weights;
}

const double *tacit_model_noise(const tacit_model *model, size_t *out_count) {
  if (out_count != NULL) *out_count = model->noise != NULL ? noise_count(model) : 0;
  return model->noise;
}

double tacit_model_row_norm(const tacit_model *model) { return model->row.row_norm; }

double tacit_model_row_scale(const tacit_model *model) {
  double longest =
      tacit_schema_norm_max(model->schema, model->row.bias, model->row.exponent);
  if (model->row.scale > 0) return model->row.scale;
  return longest <= model->row.row_norm ? 1 : 0;
}
const double *tacit_model_offset(const tacit_model *model) { return model->offset; }

const char *tacit_model_statement_text(const tacit_model *model) {
  return model->statement_text;
}

const char *tacit_model_statement_json(const tacit_model *model) {
  return model->statement_json;
}
