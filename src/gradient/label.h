/* SPDX-License-Identifier: MIT */
#ifndef TACIT_GRADIENT_LABEL_H
#define TACIT_GRADIENT_LABEL_H

#include <math.h>
#include <stddef.h>
#include <tacit/loss.h>

/* How a label becomes the input of a loss: classes stay -1/+1, numbers are clamped to
   [min, max] and, unless the loss counts, mapped to [-1, 1]. */
typedef struct tacit_label_rule {
  tacit_loss_labels kind;
  size_t classes; /* declared ones; labels are -1 and +1, or 0 … classes-1 */
  double min, max;
} tacit_label_rule;

/* 1 if a label is one of the declared classes, or the rule declares no classes. */
static inline int tacit_label_is_declared(const tacit_label_rule *rule,
                                          double raw_label) {
  if (rule->kind != TACIT_LOSS_CLASSES) return 1;
  if (rule->classes <= 2) return fabs(raw_label) == 1; /* one branch, foreseeable */
  return raw_label >= 0 && raw_label < (double)rule->classes &&
         raw_label == floor(raw_label);
}
/* The number of a declared class, from 0. */
size_t tacit_label_class(const tacit_label_rule *rule, double raw_label);
/* The label as the loss takes it. Not finite stays so. */
double tacit_label_inside(const tacit_label_rule *rule, double raw_label);

#endif
