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
  double values[TACIT_LOSS_PARAMS_MAX]; /* one per ops->params, with derived ones filled
                                           in */
  size_t n_values;
  tacit_loss_facts facts;
} tacit_loss;

/* Registered losses by name and by index; NULL if there is none. */
const tacit_loss_ops *tacit_loss_find(const char *name);
const tacit_loss_ops *tacit_loss_at(size_t i);

/* The kind of labels of a loss given as "NAME" or "NAME:key=value,…", without making
   it. */
tacit_status tacit_loss_labels_of(const char *spec, tacit_loss_labels *out,
                                  tacit_error *err);

/* A registered loss, given as "NAME" or "NAME:key=value,…". */
tacit_status tacit_loss_new(const char *spec, const tacit_loss_facts *facts,
                            tacit_loss **out, tacit_error *err);
/* A loss from any table, which must outlive the loss. spec must have the table's name,
   or be NULL for the default of every parameter. */
tacit_status tacit_loss_new_ops(const tacit_loss_ops *ops, const char *spec_or_null,
                                const tacit_loss_facts *facts, tacit_loss **out,
                                tacit_error *err);
void tacit_loss_free(tacit_loss *loss);

/* How many copies of the loss a model uses: one per class, each against the rest, or 1
   for a loss with one output and for a joint loss of all outputs. */
size_t tacit_loss_copies(const tacit_loss *loss);
/* Bounds for the facts the loss was made with. */
void tacit_loss_bounds_of(const tacit_loss *loss, tacit_loss_bounds *out);

/* Outputs of a model for these facts: one per class if there are more than two,
   otherwise 1. */
size_t tacit_loss_outputs(const tacit_loss_facts *facts);

/* The slopes of `count` examples, for models with one output. */
void tacit_loss_slope_many(const tacit_loss *loss, const double *raw_margins,
                           const double *raw_labels, size_t count, double *raw_out);

/* For models with any number of outputs: the loss, its slope in every margin (only for
   more than one output), and predictions from the margins. With more than two classes
   the label is the number of the class. */
double tacit_loss_value_all(const tacit_loss *loss, const double *raw_margins,
                            double raw_label);
void tacit_loss_slope_all(const tacit_loss *loss, const double *raw_margins,
                          double raw_label, double *raw_out);
void tacit_loss_predict_all(const tacit_loss *loss, const double *margins, double *out);

/* Called once per example, so inline. */
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
