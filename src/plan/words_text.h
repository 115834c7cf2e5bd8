/* SPDX-License-Identifier: MIT */
#ifndef TACIT_PLAN_WORDS_TEXT_H
#define TACIT_PLAN_WORDS_TEXT_H

#include "plan/plan.h"

/* plan/words_lines.c: fills in `text`. */
tacit_status tacit_plan_lines(tacit_plan *plan, tacit_error *err);
/* Returns why the theorem on convergence does not hold for a plan, or NULL if it holds.
   If it does not hold, the terms of the plan have no meaning. */
const char *tacit_plan_obstacle(const tacit_plan *plan);

/* plan/words_text.c: returns the rule that bounds a contribution, in words. */
const char *tacit_plan_contribution(const tacit_plan *plan);
/* Returns the sensitivity S of the matrix C as a real number: how far one record whose
   bounds are 1 can move all rows of C u. */
double tacit_plan_sens(const tacit_plan *plan);
/* Returns the memory of a run in bytes, without the rows that are being read. */
double tacit_plan_memory(const tacit_plan *plan);

#endif
