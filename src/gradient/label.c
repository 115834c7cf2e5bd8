/* SPDX-License-Identifier: MIT */
/* Labels in the form that losses take, for training and for evaluation. */
#include "gradient/label.h"

#include <math.h>

double tacit_label_inside(const tacit_label_rule *rule, double raw_label) {
  if (rule->kind == TACIT_LOSS_CLASSES || isnan(raw_label)) return raw_label;
  double raw_clamped = raw_label < rule->min   ? rule->min
                       : raw_label > rule->max ? rule->max
                                               : raw_label;
  if (rule->kind == TACIT_LOSS_COUNT) return raw_clamped;
  return 2 * ((raw_clamped - rule->min) / (rule->max - rule->min)) - 1;
}

size_t tacit_label_class(const tacit_label_rule *rule, double raw_label) {
  return rule->classes <= 2 ? raw_label > 0 : (size_t)raw_label;
}
