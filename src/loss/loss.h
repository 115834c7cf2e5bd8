/* SPDX-License-Identifier: MIT */
#ifndef TACIT_LOSS_LOSS_H
#define TACIT_LOSS_LOSS_H

#include <stddef.h>
#include <tacit/loss.h>
#include <tacit/status.h>

enum { TACIT_LOSS_PARAMS_MAX = 8 };

/* A loss with its numbers resolved. Immutable once made, so threads may share it. */
typedef struct tacit_loss {
  const tacit_loss_ops *ops;
  void *state;
  double
      values[TACIT_LOSS_PARAMS_MAX]; /* one per ops->params, derived ones filled in */
  size_t n_values;
  tacit_loss_facts facts;
} tacit_loss;

/* The registry: by name, and by number (NULL after the last). */
const tacit_loss_ops *tacit_loss_find(const char *name);
const tacit_loss_ops *tacit_loss_at(size_t i);

/* The labels of the loss that "NAME" or "NAME:key=value,…" names: known before there
   are facts. */
tacit_status tacit_loss_labels_of(const char *spec, tacit_loss_labels *out,
                                  tacit_error *err);

/* A loss of the registry. */
tacit_status tacit_loss_new(const char *spec, const tacit_loss_facts *facts,
                            tacit_loss **out, tacit_error *err);
/* A loss from any table, which must outlive the loss. spec may be NULL: all fallbacks;
   else its name is the table's. */
tacit_status tacit_loss_new_ops(const tacit_loss_ops *ops, const char *spec_or_null,
                                const tacit_loss_facts *facts, tacit_loss **out,
                                tacit_error *err);
void tacit_loss_free(tacit_loss *loss);

/* Losses that stand side by side, one for each class against the rest; 1 for a loss of
   one output or of all of them together. */
size_t tacit_loss_copies(const tacit_loss *loss);
/* Bounds for the facts the loss was made with. */
void tacit_loss_bounds_of(const tacit_loss *loss, tacit_loss_bounds *out);

/* Outputs of a model for these facts: 1, or a margin a class for more than two. */
size_t tacit_loss_outputs(const tacit_loss_facts *facts);

/* The slopes of `count` examples of one output. */
void tacit_loss_slope_many(const tacit_loss *loss, const double *raw_margins,
                           const double *raw_labels, size_t count, double *raw_out);

/* For any number of outputs: the loss, its slope in every margin (more than one output
   only), and predictions from the margins. The label of more than two classes is its
   number. */
double tacit_loss_value_all(const tacit_loss *loss, const double *raw_margins,
                            double raw_label);
void tacit_loss_slope_all(const tacit_loss *loss, const double *raw_margins,
                          double raw_label, double *raw_out);
void tacit_loss_predict_all(const tacit_loss *loss, const double *margins, double *out);

/* One call an example: inline, the margin and the label are raw. */
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
