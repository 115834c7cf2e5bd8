/* SPDX-License-Identifier: MIT */
#ifndef TACIT_LOSS_LOSS_H
#define TACIT_LOSS_LOSS_H

#include <stddef.h>
#include <tacit/loss.h>
#include <tacit/status.h>

enum { TACIT_LOSS_PARAMS_MAX = 8 };

/* A loss with its parameters. It does not change, so threads may share it. */
typedef struct tacit_loss {
  const tacit_loss_ops *ops;
  void *state;
  double values[TACIT_LOSS_PARAMS_MAX]; /* one per parameter in ops->params; NaN is
                                           replaced by the derived value */
  size_t n_values;
  tacit_loss_facts facts;
} tacit_loss;

/* Return the registered loss with this name or index, or NULL if it does not exist. */
const tacit_loss_ops *tacit_loss_find(const char *name);
const tacit_loss_ops *tacit_loss_at(size_t i);

/* Writes the kind of labels that a loss takes. `spec` is "NAME" or
   "NAME:key=value,…". */
tacit_status tacit_loss_labels_of(const char *spec, tacit_loss_labels *out,
                                  tacit_error *err);

/* Makes a registered loss from "NAME" or "NAME:key=value,…". */
tacit_status tacit_loss_new(const char *spec, const tacit_loss_facts *facts,
                            tacit_loss **out, tacit_error *err);
/* Makes a loss from any table, which must outlive the loss. The spec must begin with
   the name of the table, or be NULL for the default of every parameter. */
tacit_status tacit_loss_new_ops(const tacit_loss_ops *ops, const char *spec_or_null,
                                const tacit_loss_facts *facts, tacit_loss **out,
                                tacit_error *err);
void tacit_loss_free(tacit_loss *loss);

/* Returns how many copies of the loss a model uses: 1 for a model with one output and
   for a joint loss of all outputs; otherwise one per class, which compares the class
   with the rest. */
size_t tacit_loss_copies(const tacit_loss *loss);
/* Writes the bounds of a loss for the facts that it was made with. */
void tacit_loss_bounds_of(const tacit_loss *loss, tacit_loss_bounds *out);

/* Returns the number of outputs of a model for these facts: one per class if there are
   more than two classes, otherwise 1. */
size_t tacit_loss_outputs(const tacit_loss_facts *facts);

/* Computes the slopes of `count` examples, for models with one output. */
void tacit_loss_slope_many(const tacit_loss *loss, const double *raw_margins,
                           const double *raw_labels, size_t count, double *raw_out);

/* Compute the loss of one example, its slope in every margin, and the predictions from
   its margins, for models with any number of outputs (the slope only for more than one
   output). With more than two classes the label is the number of the class. */
double tacit_loss_value_all(const tacit_loss *loss, const double *raw_margins,
                            double raw_label);
void tacit_loss_slope_all(const tacit_loss *loss, const double *raw_margins,
                          double raw_label, double *raw_out);
void tacit_loss_predict_all(const tacit_loss *loss, const double *margins, double *out);

/* Compute the loss, its slope and the prediction for one margin. They are called once
   per example, so they are inline. */
static inline double tacit_loss_value(const tacit_loss *loss, double raw_margin,
                                      double raw_label) {
  return loss->ops->value(loss->state, raw_margin, raw_label);
}

static inline double tacit_loss_slope(const tacit_loss *loss, double raw_margin,
                                      double raw_label) {
  return loss->ops->slope(loss->state, raw_margin, raw_label);
}

static inline double tacit_loss_predict(const tacit_loss *loss, double margin) {
  return loss->ops->predict != NULL ? loss->ops->predict(loss->state, margin) : margin;
}

#endif
