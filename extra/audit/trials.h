/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_AUDIT_TRIALS_H
#define TACIT_EXTRA_AUDIT_TRIALS_H

#include <tacit/extra/audit.h>

#include "base/threads.h"
#include "plan/plan.h"

/* The result of an audit, of training (audit.c) or of one release (evaluation.c). */
struct tacit_audit {
  tacit_plan *plan; /* NULL for an evaluation or description */
  char *statement;  /* its statement, if there is no plan */
  double mu, delta;
  double reach; /* distance of the two data sets, as mu, or NaN if not known */
  int64_t trials, order_trials;
  double *scores[2][2]; /* by kind of score and data set */
};

/* Checks the options of an audit. */
tacit_status tacit_trials_check(const tacit_audit_options *options, tacit_error *err);
/* Makes room for the scores. `order_trials` trials also have scores of
   TACIT_AUDIT_ORDER. */
tacit_status tacit_trials_room(tacit_audit *audit, int64_t trials, int64_t order_trials,
                               tacit_error *err);

/* Makes one run on each data set and stores their scores in the audit. `worker` is the
   number of the thread. */
typedef tacit_status (*tacit_trial)(void *context, int64_t number, size_t worker,
                                    tacit_error *err);
/* Makes all trials, on all threads of the pool. Stops at the first failure. */
tacit_status tacit_trials_run(tacit_audit *audit, const tacit_audit_options *options,
                              tacit_pool *pool, tacit_trial trial, void *context,
                              tacit_error *err);

#endif
