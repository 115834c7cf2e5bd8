/* SPDX-License-Identifier: MIT */
/* Makes many trials on all cores, and keeps the results of an audit. */
#include "extra/audit/trials.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"

enum {
  TRIALS_DEFAULT = 20000,
  TRIALS_PER_TURN = 4 /* trials per thread between two calls of the progress callback */
};

void tacit_audit_options_init(tacit_audit_options *options) {
  if (options == NULL) return;
  *options =
      (tacit_audit_options){.struct_size = sizeof *options, .trials = TRIALS_DEFAULT};
}

tacit_status tacit_trials_check(const tacit_audit_options *options, tacit_error *err) {
  if (options == NULL || options->struct_size < sizeof *options)
    return tacit_fail(err, TACIT_EINVAL, "audit: options are missing");
  if (options->trials < 20 || options->trials > 100000000)
    return tacit_fail(err, TACIT_EINVAL, "trials must be 20 to 100000000");
  return TACIT_OK;
}

tacit_status tacit_trials_room(tacit_audit *audit, int64_t trials, int64_t order_trials,
                               tacit_error *err) {
  audit->trials = trials;
  audit->order_trials = order_trials;
  for (int i = 0; i < 4; ++i) {
    size_t count = (size_t)(i < 2 ? trials : order_trials);
    audit->scores[i / 2][i % 2] = tacit_array_new(count, sizeof(double));
    if (audit->scores[i / 2][i % 2] == NULL) return tacit_fail_memory(err);
  }
  return TACIT_OK;
}

/* The data that all threads share. */
struct work {
  int64_t trials, next; /* next: first trial of this turn */
  tacit_trial trial;
  void *context;
  tacit_error *errors; /* one per thread */
};

static void try_one(void *context, size_t task, size_t worker) {
  const struct work *work = context;
  tacit_error *err = &work->errors[worker];
  int64_t number = work->next + (int64_t)task;
  if (number >= work->trials || err->status != TACIT_OK) return;
  err->status = work->trial(work->context, number, worker, err);
}

static tacit_status try_all(struct work *work, tacit_pool *pool,
                            const tacit_audit_options *options, tacit_error *err) {
  size_t workers = tacit_pool_workers(pool), turn = workers * TRIALS_PER_TURN;
  while (work->next < work->trials) {
    if (options->progress != NULL &&
        options->progress(options->cookie, 2 * work->next, 2 * work->trials) != 0)
      return tacit_fail(err, TACIT_ECANCELED, "stopped before the last trial");
    tacit_pool_run(pool, turn, try_one, work);
    for (size_t i = 0; i < workers; ++i) {
      if (work->errors[i].status == TACIT_OK) continue;
      if (err != NULL) *err = work->errors[i];
      return work->errors[i].status;
    }
    work->next += (int64_t)turn;
  }
  return TACIT_OK;
}

tacit_status tacit_trials_run(tacit_audit *audit, const tacit_audit_options *options,
                              tacit_pool *pool, tacit_trial trial, void *context,
                              tacit_error *err) {
  struct work work = {.trials = audit->trials, .trial = trial, .context = context};
  TACIT_TRY(TACIT_NEW(work.errors, tacit_pool_workers(pool), err));
  tacit_status status = try_all(&work, pool, options, err);
  tacit_array_free(work.errors);
  return status;
}

void tacit_audit_free(tacit_audit *audit) {
  if (audit == NULL) return;
  for (int i = 0; i < 4; ++i)
    tacit_array_free(audit->scores[i / 2][i % 2]);
  tacit_plan_free(audit->plan);
  TACIT_FREE(audit->statement, audit);
}

const tacit_plan *tacit_audit_plan(const tacit_audit *audit) { return audit->plan; }
double tacit_audit_mu(const tacit_audit *audit) { return audit->mu; }
double tacit_audit_delta(const tacit_audit *audit) { return audit->delta; }
double tacit_audit_reach(const tacit_audit *audit) { return audit->reach; }

const char *tacit_audit_statement_json(const tacit_audit *audit) {
  return audit->plan != NULL ? tacit_plan_statement_json(audit->plan)
                             : audit->statement;
}

const double *tacit_audit_scores(const tacit_audit *audit, tacit_audit_score score,
                                 int which, int64_t *out_count) {
  int64_t count = score == TACIT_AUDIT_EXACT ? audit->trials : audit->order_trials;
  if (out_count != NULL) *out_count = count;
  return count > 0 ? audit->scores[score == TACIT_AUDIT_ORDER][which != 0] : NULL;
}
