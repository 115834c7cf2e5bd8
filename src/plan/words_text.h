/* SPDX-License-Identifier: MIT */
#ifndef TACIT_PLAN_WORDS_TEXT_H
#define TACIT_PLAN_WORDS_TEXT_H

#include "plan/plan.h"

/* plan/words_lines.c: fills in `text`. */
tacit_status tacit_plan_lines(tacit_plan *plan, tacit_error *err);
/* Returns why the theorem on convergence does not hold for a plan, or NULL if it does.
   The terms of a plan mean nothing else. */
const char *tacit_plan_obstacle(const tacit_plan *plan);

/* plan/words_text.c: the rule that bounds a contribution, in words. */
const char *tacit_plan_contribution(const tacit_plan *plan);
/* The sensitivity S of C in real numbers: how far one record can move all rows of C u
   when its bounds are 1. */
double tacit_plan_sens(const tacit_plan *plan);
/* Memory of a run besides the rows being read, in bytes. */
double tacit_plan_memory(const tacit_plan *plan);

#endif
