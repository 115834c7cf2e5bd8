/* SPDX-License-Identifier: MIT */
/*
 * Many runs on two neighbouring data sets, on all cores. A run is a whole one, from
 * tacit_train_new with a key of the operating system to the last release; the attacker
 * beside it (audit/attacker.c) sees what it releases. Nothing in a run knows that it is
 * audited, and the rows are made up (audit/neighbours.c).
 */
#include <math.h>
#include <string.h>
#include <tacit/audit.h>

#include "audit/attacker.h"
#include "base/error.h"
#include "base/memory.h"

enum {
  TRIALS_DEFAULT = 20000,
  TRIALS_ORDER = 2000, /* a known order shows in few runs, and costs as much as two */
  TRIALS_PER_TURN = 4  /* of a thread, between two calls of the progress callback */
};

struct tacit_audit {
  tacit_plan *plan;
  int64_t trials, order_trials;
  double *scores[2][2]; /* by kind of score and data set */
};

void tacit_audit_options_init(tacit_audit_options *options) {
  if (options == NULL) return;
  *options =
      (tacit_audit_options){.struct_size = sizeof *options, .trials = TRIALS_DEFAULT};
}

/* What the threads share. */
struct work {
  tacit_audit *audit;
  const tacit_config *config;
  const tacit_seen_order *order;
  tacit_attacker *attackers; /* one per thread */
  tacit_error *errors;       /* … */
  int64_t next;              /* the first trial of this turn */
};

/* One run on each of the two data sets. */
static void try_both(void *context, size_t task, size_t worker) {
  const struct work *work = context;
  tacit_audit *audit = work->audit;
  tacit_attacker *attacker = &work->attackers[worker];
  int64_t trial = work->next + (int64_t)task;
  if (trial >= audit->trials || work->errors[worker].status != TACIT_OK) return;
  attacker->order = trial < audit->order_trials ? work->order : NULL;
  for (int which = 0; which < 2; ++which) {
    tacit_error *err = &work->errors[worker];
    if (tacit_attacker_run(attacker, work->config, which, err) != TACIT_OK) return;
    audit->scores[0][which][trial] = attacker->ratios[0];
    if (trial < audit->order_trials)
      audit->scores[1][which][trial] = attacker->ratios[1];
  }
}

static tacit_status try_all(struct work *work, tacit_pool *pool,
                            const tacit_audit_options *options, tacit_error *err) {
  int64_t trials = work->audit->trials;
  size_t workers = tacit_pool_workers(pool), turn = workers * TRIALS_PER_TURN;
  while (work->next < trials) {
    if (options->progress != NULL &&
        options->progress(options->cookie, 2 * work->next, 2 * trials) != 0)
      return tacit_fail(err, TACIT_ECANCELED, "stopped before the last trial");
    tacit_pool_run(pool, turn, try_both, work);
    for (size_t i = 0; i < workers; ++i) {
      if (work->errors[i].status == TACIT_OK) continue;
      if (err != NULL) *err = work->errors[i];
      return work->errors[i].status;
    }
    work->next += (int64_t)turn;
  }
  return TACIT_OK;
}

/* Attackers, the order of a run that is not audited, then the trials. */
static tacit_status run_trials(struct work *work, const tacit_neighbours *both,
                               const tacit_audit_options *options, tacit_error *err) {
  tacit_pool *pool = NULL;
  tacit_seen_order order = {0};
  TACIT_TRY(tacit_pool_new(options->threads, &pool, err));
  size_t workers = tacit_pool_workers(pool), made = 0;
  work->attackers = tacit_array_new(workers, sizeof *work->attackers);
  work->errors = tacit_array_new(workers, sizeof *work->errors);
  tacit_status status = work->attackers != NULL && work->errors != NULL
                            ? TACIT_OK
                            : tacit_fail_memory(err);
  while (status == TACIT_OK && made < workers)
    status =
        tacit_attacker_init(&work->attackers[made++], both, work->audit->plan, err);
  if (status == TACIT_OK && both->moved) {
    work->order = &order;
    status = tacit_attacker_learn(&work->attackers[0], work->config, &order, err);
  }
  if (status == TACIT_OK) status = try_all(work, pool, options, err);
  for (size_t i = 0; i < made; ++i)
    tacit_attacker_fini(&work->attackers[i]);
  tacit_array_free(order.starts);
  tacit_array_free(order.rows);
  tacit_array_free(work->attackers);
  tacit_array_free(work->errors);
  tacit_pool_free(pool);
  return status;
}

static tacit_status check(const tacit_config *config,
                          const tacit_audit_options *options, tacit_error *err) {
  if (config == NULL || options == NULL || config->schema == NULL ||
      options->struct_size < sizeof *options)
    return tacit_fail(err, TACIT_EINVAL,
                      "audit: config, schema or options are missing");
  if (options->trials < 20 || options->trials > 100000000)
    return tacit_fail(err, TACIT_EINVAL, "trials must be 20 to 100000000");
  if (config->gradient != NULL || config->group != NULL || config->checkpoint != NULL ||
      config->centre == TACIT_CENTRE_HEAD)
    return tacit_fail(err, TACIT_EINVAL,
                      "audit: no gradient callback, group, checkpoint or centre head");
  if (config->seeded || config->noise == TACIT_NOISE_FAST || config->leaks != NULL)
    return tacit_fail(err, TACIT_EPRIVACY,
                      "a run with a seed, fast noise or leaks is not private: there is "
                      "nothing to audit");
  return tacit_neighbours_check(config, err);
}

static tacit_status make(const tacit_config *config, const tacit_audit_options *options,
                         tacit_audit *audit, tacit_neighbours **both,
                         tacit_error *err) {
  TACIT_TRY(tacit_plan_new(config, &audit->plan, err));
  const tacit_vault_facts *facts = &audit->plan->vault;
  if (!isfinite(facts->budget) || !facts->law->exact)
    return tacit_fail(err, TACIT_EPRIVACY,
                      "the plan gives no guarantee: there is nothing to audit");
  TACIT_TRY(tacit_neighbours_new(audit->plan, both, err));
  audit->trials = options->trials;
  if ((*both)->moved)
    audit->order_trials = audit->trials < TRIALS_ORDER ? audit->trials : TRIALS_ORDER;
  for (int i = 0; i < 4; ++i) {
    size_t count = (size_t)(i < 2 ? audit->trials : audit->order_trials);
    audit->scores[i / 2][i % 2] = tacit_array_new(count, sizeof(double));
    if (audit->scores[i / 2][i % 2] == NULL) return tacit_fail_memory(err);
  }
  return TACIT_OK;
}

tacit_status tacit_audit_run(const tacit_config *config,
                             const tacit_audit_options *options, tacit_audit **out,
                             tacit_error *err) {
  if (out == NULL) return tacit_fail(err, TACIT_EINVAL, "no place for the audit");
  TACIT_TRY(check(config, options, err));
  tacit_audit *audit = tacit_array_new(1, sizeof *audit);
  if (audit == NULL) return tacit_fail_memory(err);
  tacit_neighbours *both = NULL;
  struct work work = {.audit = audit, .config = config};
  tacit_status status = make(config, options, audit, &both, err);
  if (status == TACIT_OK) status = run_trials(&work, both, options, err);
  tacit_neighbours_free(both);
  if (status != TACIT_OK) {
    tacit_audit_free(audit);
    return status;
  }
  *out = audit;
  return TACIT_OK;
}

void tacit_audit_free(tacit_audit *audit) {
  if (audit == NULL) return;
  for (int i = 0; i < 4; ++i)
    tacit_array_free(audit->scores[i / 2][i % 2]);
  tacit_plan_free(audit->plan);
  tacit_array_free(audit);
}

const tacit_plan *tacit_audit_plan(const tacit_audit *audit) { return audit->plan; }
double tacit_audit_mu(const tacit_audit *audit) { return audit->plan->mu; }
double tacit_audit_delta(const tacit_audit *audit) {
  return audit->plan->config.pure ? 0 : audit->plan->delta;
}

const double *tacit_audit_scores(const tacit_audit *audit, tacit_audit_score score,
                                 int which, int64_t *out_count) {
  int64_t count = score == TACIT_AUDIT_EXACT ? audit->trials : audit->order_trials;
  if (out_count != NULL) *out_count = count;
  return count > 0 ? audit->scores[score == TACIT_AUDIT_ORDER][which != 0] : NULL;
}
