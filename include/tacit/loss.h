/* SPDX-License-Identifier: MIT */
#ifndef TACIT_LOSS_H
#define TACIT_LOSS_H

#include <stdbool.h>
#include <stddef.h>
#include <tacit/catalog.h>
#include <tacit/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The labels that a loss takes. */
typedef enum tacit_loss_labels {
  TACIT_LOSS_CLASSES = 0, /**< -1 or +1; with more than two classes 0, 1, … */
  TACIT_LOSS_UNIT = 1,    /**< a number; its declared bounds are mapped to [-1, 1] */
  TACIT_LOSS_COUNT = 2    /**< a number in [0, label_max], not mapped */
} tacit_loss_labels;

/** Public facts that a loss may use for its bounds. */
typedef struct tacit_loss_facts {
  double margin_max; /**< largest |margin|: domain radius times row norm */
  double label_max;  /**< largest label; 1 unless labels are TACIT_LOSS_COUNT */
  size_t classes;    /**< number of declared classes; 0 if the label is a number */
  bool plain;        /**< true if the learner takes plain gradients, so that a corner of
                         the loss may be sharp */
} tacit_loss_facts;

/** Bounds over all margins up to margin_max and all allowed labels. */
typedef struct tacit_loss_bounds {
  double slope;     /**< bound on |slope|; G = slope * row_norm */
  double curvature; /**< Lipschitz constant of the slope: H = curvature * row_norm^2 */
  double slope_at_zero; /**< bound on |slope| at margin 0 */
  bool slope_is_global; /**< true if `slope` holds for every margin */
} tacit_loss_bounds;

/**
 * A loss of a linear model: phi(margin, label), convex and continuously differentiable
 * in the margin. One const table per loss. It sees raw values and stores none of them.
 * A wrong bound costs accuracy, never privacy, because contributions are clipped.
 */
typedef struct tacit_loss_ops {
  int version; /**< 1, or 2 for a table with slope_many; new slots are added at the end
                */
  const char *name;          /**< required */
  const char *summary;       /**< required; one line */
  const tacit_param *params; /**< optional; ends with a NULL name */
  tacit_loss_labels labels;  /**< required */
  size_t state_size; /**< bytes that `self` points to, zeroed before init; may be 0 */
  /**
   * Optional. `values` has one number per param, in range, or NaN if it must be
   * derived. init replaces NaN by the derived value, for the model and the statement.
   */
  tacit_status (*init)(void *self, double *values, const tacit_loss_facts *facts,
                       tacit_error *err);
  double (*value)(const void *self, double margin, double label); /**< required */
  double (*slope)(const void *self, double margin, double label); /**< required */
  /** Required. Writes bounds that hold for all margins and labels of the facts. */
  void (*bounds)(const void *self, const tacit_loss_facts *facts,
                 tacit_loss_bounds *out);
  /** Optional. Returns the prediction for a margin, on the scale of the label. Without
      it, the prediction is the margin. */
  double (*predict)(const void *self, double margin);
  /**
   * Optional, all three or none: value, slopes and predictions of a loss of `outputs` >
   * 2 margins together, one per class. Without them a loss on classes compares each
   * class with the rest.
   */
  double (*value_joint)(const void *self, const double *margins, size_t outputs,
                        size_t label);
  void (*slope_joint)(const void *self, const double *margins, size_t outputs,
                      size_t label, double *out);
  void (*predict_joint)(const void *self, const double *margins, size_t outputs,
                        double *out);
  /**
   * Optional, for tables of version 2. Writes slope(self, margins[i], labels[i]) to
   * out[i] for i = 0 … count-1, with the same bits.
   */
  void (*slope_many)(const void *self, const double *margins, const double *labels,
                     size_t count, double *out);
} tacit_loss_ops;

#ifdef __cplusplus
}
#endif
#endif
