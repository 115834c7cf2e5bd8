/* SPDX-License-Identifier: MIT */
#ifndef TACIT_GRADIENT_LABEL_H
#define TACIT_GRADIENT_LABEL_H

#include <math.h>
#include <stddef.h>
#include <tacit/loss.h>

/* How a label becomes the input of a loss. Classes stay as they are; numbers are
   clamped to [min, max] and, unless the loss counts, mapped to [-1, 1]. */
typedef struct tacit_label_rule {
  tacit_loss_labels kind;
  size_t classes; /* declared classes: labels are -1 and +1 for two, otherwise 0 …
                     classes-1 */
  double min, max;
} tacit_label_rule;

/* Returns 1 if a label is one of the declared classes, or if the rule declares no
   classes. */
static inline int tacit_label_is_declared(const tacit_label_rule *rule,
                                          double raw_label) {
  if (rule->kind != TACIT_LOSS_CLASSES) return 1;
  if (rule->classes <= 2)
    return fabs(raw_label) == 1; /* a single branch, which
                                    processors predict well */
  return raw_label >= 0 && raw_label < (double)rule->classes &&
         raw_label == floor(raw_label);
}
/* Returns the number of a declared class, counted from 0. */
size_t tacit_label_class(const tacit_label_rule *rule, double raw_label);
/* Returns the label in the form that the loss takes. NaN stays NaN. */
double tacit_label_inside(const tacit_label_rule *rule, double raw_label);

#endif
