/* SPDX-License-Identifier: MIT */
/*
 * Audits of training. A trial is a whole run on each of two neighbouring data sets,
 * from tacit_train_new with a key of the operating system to the last release. The
 * attacker (extra/audit/attacker.c) sees its releases. Nothing in a run knows that it
 * is audited, and the rows are made up (extra/audit/neighbours.c).
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "extra/audit/attacker.h"
#include "extra/audit/trials.h"

/* Trials with the second score. They suffice because an order that is not secret shows
   in few runs, and each costs as much as two. */
enum { TRIALS_ORDER = 2000 };

/* The data that all threads share. */
struct runs {
  tacit_audit *audit;
  const tacit_config *config;
  const tacit_seen_order *order;
  tacit_attacker *attackers; /* one per thread */
};

/* Makes one run on each of the two data sets. */
static tacit_status try_both(void *context, int64_t number, size_t worker,
                             tacit_error *err) {
  const struct runs *runs = context;
  tacit_audit *audit = runs->audit;
  tacit_attacker *attacker = &runs->attackers[worker];
  attacker->order = number < audit->order_trials ? runs->order : NULL;
  for (int which = 0; which < 2; ++which) {
    TACIT_TRY(tacit_attacker_run(attacker, runs->config, which, err));
    audit->scores[0][which][number] = attacker->ratios[0];
    if (number < audit->order_trials)
      audit->scores[1][which][number] = attacker->ratios[1];
  }
  return TACIT_OK;
}

/* Sets the reach to the root mean square over all runs. Pure DP has no such
   distance. */
static void measure_reach(const struct runs *runs, size_t workers) {
  tacit_audit *audit = runs->audit;
  double squares = 0;
  for (size_t i = 0; i < workers; ++i)
    squares += runs->attackers[i].distances;
  audit->reach = audit->plan->vault.law->pure
                     ? (double)NAN
                     : sqrt(squares / (2 * (double)audit->trials));
}

/* Learns the order of a run that is not audited, then makes the trials. */
static tacit_status try_all(struct runs *runs, const tacit_neighbours *both,
                            tacit_pool *pool, const tacit_audit_options *options,
                            tacit_error *err) {
  tacit_seen_order order = {0};
  tacit_status status = TACIT_OK;
  if (both->moved) {
    runs->order = &order;
    status = tacit_attacker_learn(&runs->attackers[0], runs->config, &order, err);
  }
  if (status == TACIT_OK)
    status = tacit_trials_run(runs->audit, options, pool, try_both, runs, err);
  TACIT_FREE(order.starts, order.rows);
  return status;
}

static tacit_status run_trials(struct runs *runs, const tacit_neighbours *both,
                               const tacit_audit_options *options, tacit_error *err) {
  tacit_pool *pool = NULL;
  TACIT_TRY(tacit_pool_new(options->threads, &pool, err));
  size_t workers = tacit_pool_workers(pool), made = 0;
  tacit_status status = TACIT_NEW(runs->attackers, workers, err);
  while (status == TACIT_OK && made < workers)
    status =
        tacit_attacker_init(&runs->attackers[made++], both, runs->audit->plan, err);
  if (status == TACIT_OK) status = try_all(runs, both, pool, options, err);
  if (status == TACIT_OK) measure_reach(runs, workers);
  for (size_t i = 0; i < made; ++i)
    tacit_attacker_fini(&runs->attackers[i]);
  tacit_array_free(runs->attackers);
  tacit_pool_free(pool);
  return status;
}

static tacit_status check(const tacit_config *config,
                          const tacit_audit_options *options, tacit_error *err) {
  TACIT_TRY(tacit_trials_check(options, err));
  if (config == NULL || config->schema == NULL)
    return tacit_fail(err, TACIT_EINVAL, "audit: config or schema is missing");
  if (config->gradient != NULL || config->group != NULL || config->checkpoint != NULL ||
      config->centre == TACIT_CENTRE_HEAD)
    return tacit_fail(err, TACIT_EINVAL,
                      "audit: no gradient callback, group, checkpoint or centre head");
  if (config->seeded || config->leaks != NULL)
    return tacit_fail(err, TACIT_EPRIVACY,
                      "a run with a seed or leaks is not private: there is nothing to "
                      "audit");
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
  audit->mu = audit->plan->mu;
  audit->delta = audit->plan->config.pure ? 0 : audit->plan->delta;
  int64_t order_trials = 0;
  if ((*both)->moved)
    order_trials = options->trials < TRIALS_ORDER ? options->trials : TRIALS_ORDER;
  return tacit_trials_room(audit, options->trials, order_trials, err);
}

tacit_status tacit_audit_run(const tacit_config *config,
                             const tacit_audit_options *options, tacit_audit **out,
                             tacit_error *err) {
  if (out == NULL) return tacit_fail(err, TACIT_EINVAL, "no place for the audit");
  TACIT_TRY(check(config, options, err));
  tacit_audit *audit = tacit_array_new(1, sizeof *audit);
  if (audit == NULL) return tacit_fail_memory(err);
  tacit_neighbours *both = NULL;
  struct runs runs = {.audit = audit, .config = config};
  tacit_status status = make(config, options, audit, &both, err);
  if (status == TACIT_OK) status = run_trials(&runs, both, options, err);
  tacit_neighbours_free(both);
  return TACIT_HAND_OVER(status, audit, tacit_audit_free, out);
}
