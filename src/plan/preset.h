/* SPDX-License-Identifier: MIT */
#ifndef TACIT_PLAN_PRESET_H
#define TACIT_PLAN_PRESET_H

#include "plan/plan.h"

/*
 * What a plan chooses when the user does not, and what it advises. Every rule uses
 * public numbers only: declared rows, dimension, budget, and constants of the loss. No
 * record is read, so choosing costs no privacy. What the user gives is kept.
 */

/* plan/preset_practical.c: fills in what the practical preset chooses where the user
   did not; nothing if its recipe does not apply. */
void tacit_rules_practical(tacit_plan *plan);
/* The passes that it chooses. */
int tacit_rules_practical_passes(const tacit_plan *plan);
/* Rows, passes, rounds and the power of the weights. */
void tacit_rules_rounds(tacit_plan *plan);
/* Radius of the domain. */
double tacit_rules_radius(const tacit_config *config);
/* Clip of a loss whose slope is at most `slope`. */
double tacit_rules_clip(double row_norm, double slope);
/* Learner, power and bound of the preset anytime; the clip of rows that are not
   centred. */
void tacit_rules_learner(tacit_plan *plan);

/* Advised passes: those of the recipe. For the other presets, measured on a9a and MNIST
   (docs/results/utility.md), more passes pay below a signal-to-noise ratio of about
   2000. */
int tacit_rules_passes(const tacit_plan *plan);
/* The noise as a share of the largest gradient. Runs of the recipe: that of one mean
   gradient over all rows which had the whole budget; it holds for all its learners.
   Others: that of the last gradient. */
double tacit_rules_noise_share(const tacit_plan *plan);
/* What to expect. The noise of many weights hurts more than its norm says. */
const char *tacit_rules_outlook(const tacit_plan *plan);

#endif
