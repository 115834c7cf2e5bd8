/* SPDX-License-Identifier: MIT */
#ifndef TACIT_PLAN_PRESET_H
#define TACIT_PLAN_PRESET_H

#include "plan/plan.h"

/*
 * Values that a plan chooses if the user does not, and advice. Every rule uses public
 * numbers only: declared rows, dimension, budget, and constants of the loss. No record
 * is read, so choosing costs no privacy. What the user gives is kept.
 */

/* plan/preset_practical.c: fills in the choices of the practical preset that the user
   did not make. Does nothing if its recipe does not apply. */
void tacit_rules_practical(tacit_plan *plan);
/* Returns the number of passes that the practical preset chooses. */
int tacit_rules_practical_passes(const tacit_plan *plan);
/* Sets rows, passes, rounds and the power of the weights. */
void tacit_rules_rounds(tacit_plan *plan);
/* Returns the radius of the domain. */
double tacit_rules_radius(const tacit_config *config);
/* Returns the clip for a loss whose slope is at most `slope`. */
double tacit_rules_clip(double row_norm, double slope);
/* Sets learner, power and bound by the rules of the preset anytime. In a run with the
   recipe of the practical preset, sets only the clip, which holds if rows are not
   centred. */
void tacit_rules_learner(tacit_plan *plan);

/* Returns the advised number of passes, which is the choice of the recipe if the run
   uses it. For other runs, more passes pay below a signal-to-noise ratio of about 2000,
   as measured on a9a and MNIST (docs/results/utility.md). */
int tacit_rules_passes(const tacit_plan *plan);
/* Returns the noise as a share of the largest gradient. For runs with the recipe this
   is the noise of one mean gradient over all rows with the whole budget, times a factor
   for the passes. For other runs it is the noise of the last gradient. */
double tacit_rules_noise_share(const tacit_plan *plan);
/* Returns words for the expected loss of accuracy. The noise is multiplied by
   dim^(1/4), because noise in many weights hurts more than its norm says. */
const char *tacit_rules_outlook(const tacit_plan *plan);

#endif
