/* SPDX-License-Identifier: MIT */
/*
 * The registry of losses and their checked construction. Only this file and the inline
 * functions of loss.h use the slots of a table. To add a loss, write a file with one
 * const table and add a line to `registry` and to meson.build; the contract test finds
 * it.
 */
#include "loss/loss.h"

#include <math.h>
#include <string.h>

#include "base/args.h"
#include "base/error.h"
#include "base/memory.h"
#include "loss/tables.h"

static const tacit_loss_ops *const registry[] = {
    &tacit_loss_logistic, &tacit_loss_squared,       &tacit_loss_huber,
    &tacit_loss_hinge,    &tacit_loss_squared_hinge, &tacit_loss_quantile,
    &tacit_loss_poisson,  &tacit_loss_softmax,       NULL,
};

const tacit_loss_ops *tacit_loss_at(size_t i) { return TACIT_REGISTRY_AT(registry, i); }

static const char *name_at(size_t i) {
  const tacit_loss_ops *ops = tacit_loss_at(i);
  return ops != NULL ? ops->name : NULL;
}

const tacit_loss_ops *tacit_loss_find(const char *name) {
  return registry[tacit_registry_index(name_at, name)];
}

static tacit_status find_spec(const char *spec, const tacit_loss_ops **out,
                              tacit_error *err) {
  char name[TACIT_ARGS_NAME_SIZE];
  TACIT_TRY(tacit_args_name(spec, name, sizeof name, err));
  const tacit_loss_ops *ops = tacit_loss_find(name);
  if (ops == NULL) return tacit_args_unknown("loss", name, name_at, err);
  *out = ops;
  return TACIT_OK;
}

tacit_status tacit_loss_labels_of(const char *spec, tacit_loss_labels *out,
                                  tacit_error *err) {
  const tacit_loss_ops *ops = NULL;
  TACIT_TRY(find_spec(spec, &ops, err));
  *out = ops->labels;
  return TACIT_OK;
}

tacit_status tacit_loss_new(const char *spec, const tacit_loss_facts *facts,
                            tacit_loss **out, tacit_error *err) {
  const tacit_loss_ops *ops = NULL;
  TACIT_TRY(find_spec(spec, &ops, err));
  return tacit_loss_new_ops(ops, spec, facts, out, err);
}

static tacit_status check_ops(const tacit_loss_ops *ops, tacit_error *err) {
  if (ops == NULL || ops->version < 1 || ops->version > 2)
    return tacit_fail(err, TACIT_EINVAL,
                      "the loss table is missing or of another version; set version "
                      "to 1 or 2");
  if (ops->name == NULL || ops->name[0] == '\0' || ops->summary == NULL ||
      ops->value == NULL || ops->slope == NULL || ops->bounds == NULL)
    return tacit_fail(
        err, TACIT_EINVAL,
        "the loss table lacks a required slot; fill name, summary, value, "
        "slope and bounds");
  int joint = ops->value_joint != NULL;
  if (joint != (ops->slope_joint != NULL) || joint != (ops->predict_joint != NULL))
    return tacit_fail(err, TACIT_EINVAL,
                      "loss %s: value_joint, slope_joint and predict_joint go together",
                      ops->name);
  if ((int)ops->labels < TACIT_LOSS_CLASSES || (int)ops->labels > TACIT_LOSS_COUNT)
    return tacit_fail(err, TACIT_EINVAL,
                      "loss %s: unknown kind of labels; use a tacit_loss_labels value",
                      ops->name);
  return TACIT_OK;
}

static tacit_status check_facts(const tacit_loss_ops *ops,
                                const tacit_loss_facts *facts, tacit_error *err) {
  if (facts == NULL || !(facts->margin_max >= 0 && isfinite(facts->margin_max)))
    return tacit_fail(err, TACIT_EINVAL,
                      "loss %s: the largest margin must be finite and not negative; "
                      "check radius and row norm",
                      ops->name);
  if (!(facts->label_max > 0 && isfinite(facts->label_max)))
    return tacit_fail(err, TACIT_EINVAL,
                      "loss %s: the largest label must be positive and finite; declare "
                      "the label bounds",
                      ops->name);
  if (facts->classes > 2 && ops->labels != TACIT_LOSS_CLASSES)
    return tacit_fail(err, TACIT_EINVAL, "loss %s takes a number, not classes",
                      ops->name);
  return TACIT_OK;
}

tacit_status tacit_loss_new_ops(const tacit_loss_ops *ops, const char *spec_or_null,
                                const tacit_loss_facts *facts, tacit_loss **out,
                                tacit_error *err) {
  TACIT_TRY(check_ops(ops, err));
  TACIT_TRY(check_facts(ops, facts, err));
  double values[TACIT_LOSS_PARAMS_MAX] = {0};
  TACIT_TRY(tacit_args_values_of(spec_or_null, "loss", ops->name, ops->params, values,
                                 TACIT_LOSS_PARAMS_MAX, err));

  tacit_loss *loss = tacit_array_new(1, sizeof *loss);
  if (loss == NULL) return tacit_fail_memory(err);
  loss->ops = ops;
  loss->facts = *facts;
  loss->n_values = tacit_args_count(ops->params);
  memcpy(loss->values, values, sizeof values);
  loss->state = tacit_array_new(1, ops->state_size);
  tacit_status status = tacit_made(loss->state, err);
  if (status == TACIT_OK && ops->init != NULL)
    status = ops->init(loss->state, loss->values, &loss->facts, err);
  return TACIT_HAND_OVER(status, loss, tacit_loss_free, out);
}

void tacit_loss_free(tacit_loss *loss) {
  if (loss == NULL) return;
  TACIT_FREE(loss->state, loss);
}

size_t tacit_loss_outputs(const tacit_loss_facts *facts) {
  return facts->classes > 2 ? facts->classes : 1;
}

size_t tacit_loss_copies(const tacit_loss *loss) {
  return loss->ops->slope_joint != NULL ? 1 : tacit_loss_outputs(&loss->facts);
}

void tacit_loss_bounds_of(const tacit_loss *loss, tacit_loss_bounds *out) {
  size_t copies = tacit_loss_copies(loss);
  loss->ops->bounds(loss->state, &loss->facts, out);
  if (copies > 1) {
    /* The slopes of the copies are the coordinates of one vector, whose norm is
       bounded. */
    out->slope *= sqrt((double)copies);
    out->slope_at_zero *= sqrt((double)copies);
  }
}

/* Returns the label of an example in the loss "class k against the rest". */
static double against_rest(size_t k, size_t label) { return k == label ? 1 : -1; }

double tacit_loss_value_all(const tacit_loss *loss, const double *raw_margins,
                            double raw_label) {
  size_t outputs = tacit_loss_outputs(&loss->facts);
  if (outputs == 1) return tacit_loss_value(loss, raw_margins[0], raw_label);
  size_t raw_class = (size_t)raw_label;
  if (loss->ops->value_joint != NULL)
    return loss->ops->value_joint(loss->state, raw_margins, outputs, raw_class);
  double raw_sum = 0;
  for (size_t k = 0; k < outputs; ++k)
    raw_sum += tacit_loss_value(loss, raw_margins[k], against_rest(k, raw_class));
  return raw_sum;
}

void tacit_loss_slope_many(const tacit_loss *loss, const double *raw_margins,
                           const double *raw_labels, size_t count, double *raw_out) {
  if (loss->ops->version >= 2 && loss->ops->slope_many != NULL) {
    loss->ops->slope_many(loss->state, raw_margins, raw_labels, count, raw_out);
    return;
  }
  for (size_t i = 0; i < count; ++i)
    raw_out[i] = tacit_loss_slope(loss, raw_margins[i], raw_labels[i]);
}

void tacit_loss_slope_all(const tacit_loss *loss, const double *raw_margins,
                          double raw_label, double *raw_out) {
  size_t outputs = tacit_loss_outputs(&loss->facts), raw_class = (size_t)raw_label;
  if (loss->ops->slope_joint != NULL) {
    loss->ops->slope_joint(loss->state, raw_margins, outputs, raw_class, raw_out);
    return;
  }
  for (size_t k = 0; k < outputs; ++k)
    raw_out[k] = tacit_loss_slope(loss, raw_margins[k], against_rest(k, raw_class));
}

void tacit_loss_predict_all(const tacit_loss *loss, const double *margins,
                            double *out) {
  size_t outputs = tacit_loss_outputs(&loss->facts);
  if (outputs > 1 && loss->ops->predict_joint != NULL) {
    loss->ops->predict_joint(loss->state, margins, outputs, out);
    return;
  }
  for (size_t k = 0; k < outputs; ++k)
    out[k] = tacit_loss_predict(loss, margins[k]);
}
