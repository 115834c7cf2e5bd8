/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_AUDIT_JUDGE_H
#define TACIT_EXTRA_AUDIT_JUDGE_H

#include <tacit/extra/audit.h>

/* Checks the scores of runs. Returns TACIT_EINVAL if there are too few runs,
   TACIT_EDATA if one of the `numbers` numbers of a run is not finite. */
tacit_status tacit_scores_check(const double *first, const double *second,
                                int64_t count, int64_t numbers, tacit_error *err);
void tacit_scores_sort(double *scores, int64_t count);
/* Picks the threshold that these runs speak for. The scores must be sorted. *out_best
   is how much the threshold rules out of the claim, by limits. */
double tacit_threshold_pick(const tacit_audit_claim *claim, const double *first,
                            const double *second, int64_t count, double *out_best);

/* Return the standard normal distribution function, and its inverse for 0 < p < 1. */
double tacit_normal_below(double x);
double tacit_normal_quantile(double p);

#endif
