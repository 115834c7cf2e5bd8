/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_AUDIT_TRIALS_H
#define TACIT_EXTRA_AUDIT_TRIALS_H

#include <tacit/extra/audit.h>

#include "base/threads.h"
#include "plan/plan.h"

/* What both kinds of audit end in: training (audit.c) and one release (evaluation.c).
 */
struct tacit_audit {
  tacit_plan *plan; /* NULL: of an evaluation or description */
  char *statement;  /* … whose statement this is */
  double mu, delta;
  double reach; /* what the two data sets differ by, as mu; NaN: not known */
  int64_t trials, order_trials;
  double *scores[2][2]; /* by kind of score and data set */
};

/* Checks the options of an audit. */
tacit_status tacit_trials_check(const tacit_audit_options *options, tacit_error *err);
/* Makes room for the scores. order_trials: how many have the second kind. */
tacit_status tacit_trials_room(tacit_audit *audit, int64_t trials, int64_t order_trials,
                               tacit_error *err);

/* One run on each data set, whose scores go to the audit. `worker` is the thread. */
typedef tacit_status (*tacit_trial)(void *context, int64_t number, size_t worker,
                                    tacit_error *err);
/* All trials, on all threads of the pool; stops at the first failure. */
tacit_status tacit_trials_run(tacit_audit *audit, const tacit_audit_options *options,
                              tacit_pool *pool, tacit_trial trial, void *context,
                              tacit_error *err);

#endif
