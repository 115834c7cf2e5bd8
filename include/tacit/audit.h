/* SPDX-License-Identifier: MIT */
#ifndef TACIT_AUDIT_H
#define TACIT_AUDIT_H

#include <tacit/config.h>
#include <tacit/evaluate.h>
#include <tacit/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * An audit: many real runs on two neighbouring data sets, and how well an attacker who
 * sees every release tells them apart. The records are made up, the worst case of the
 * plan; an audit reads no data. Every run draws a fresh key from the operating system.
 *
 * The attacker knows both data sets and, given the secret order of the run, computes
 * the exact log-likelihood ratio of all releases. A guarantee of mu allows no better
 * test than telling N(0, 1) from N(mu, 1).
 */
typedef struct tacit_audit tacit_audit;

typedef struct tacit_audit_options {
  size_t struct_size;
  int64_t trials;   /**< runs on each of the two data sets; default 20,000 */
  unsigned threads; /**< 0: all cores */
  /** Called now and then by the calling thread; may be NULL. A non-zero result stops
      the audit with TACIT_ECANCELED. */
  int (*progress)(void *cookie, int64_t done, int64_t all);
  void *cookie;
} tacit_audit_options;

/** Fills in the defaults. */
TACIT_API void tacit_audit_options_init(tacit_audit_options *options);

/**
 * Audits the plan of a config. `rows` or `units` must be set: so many records are made
 * up, sorted by a feature if the config says `shuffled`; with `weighted` they have
 * weights. TACIT_EPRIVACY if the plan is not private or has a seed. TACIT_EINVAL for a
 * gradient callback, a group, a checkpoint, and a plan that is too large.
 */
TACIT_API TACIT_NODISCARD tacit_status
tacit_audit_run(const tacit_config *config, const tacit_audit_options *options,
                tacit_audit **out, tacit_error *err);
/**
 * Audits what tacit_evaluation_run releases, with this budget, about a model whose loss
 * and columns are those of the config. Records and model are made up: `rows` or `units`
 * records, with weights if the config says `weighted`, and always for zero-out, where
 * the second canary has weight 0. Nothing else of the config is used.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_audit_evaluation(
    const tacit_config *config, const tacit_evaluation_options *release,
    const tacit_audit_options *options, tacit_audit **out, tacit_error *err);
/** The same for a description of the columns of the config's schema, which is made by
    tacit_schema_load_counting. */
TACIT_API TACIT_NODISCARD tacit_status tacit_audit_description(
    const tacit_config *config, const tacit_evaluation_options *release,
    const tacit_audit_options *options, tacit_audit **out, tacit_error *err);
TACIT_API void tacit_audit_free(tacit_audit *audit);

/** The plan that was audited; NULL for an evaluation or description. This and the
    statement are valid as long as the audit. */
TACIT_API const tacit_plan *tacit_audit_plan(const tacit_audit *audit);
/** The privacy statement that was audited, as one JSON object, and its mu. */
TACIT_API const char *tacit_audit_statement(const tacit_audit *audit);
TACIT_API double tacit_audit_mu(const tacit_audit *audit);
/**
 * What the canary moves all releases by, in units of their noise: the mu that a perfect
 * audit of these two data sets would find, at most that of the statement. The root mean
 * square over the runs; NaN for pure DP.
 */
TACIT_API double tacit_audit_reach(const tacit_audit *audit);
/** Of the guarantee; 0 for pure DP. */
TACIT_API double tacit_audit_delta(const tacit_audit *audit);

/** How the attacker scores a run. */
typedef enum tacit_audit_score {
  TACIT_AUDIT_EXACT = 0, /**< likelihood ratio, given the order of the run */
  TACIT_AUDIT_ORDER = 1  /**< the same as if the order were that of another run: tells
                            the data sets apart if the order is not secret */
} tacit_audit_score;

/**
 * The scores of the runs on the first (which = 0) or second data set, *out_count of
 * them: larger speaks for the first. NULL if there are none: TACIT_AUDIT_ORDER needs
 * rows in a secret order, and is computed for the first runs only.
 */
TACIT_API const double *tacit_audit_scores(const tacit_audit *audit,
                                           tacit_audit_score score, int which,
                                           int64_t *out_count);

/** What scores say. All limits are one-sided, after Clopper and Pearson. */
typedef struct tacit_audit_result {
  size_t struct_size;
  int64_t judged;   /**< runs on each data set that were judged */
  double threshold; /**< "first" is said of scores above it */
  int64_t false_positives, false_negatives; /**< "first" said of the second; … */
  double alpha_up, beta_up; /**< upper limits of their rates, 97.5% each */
  double mu_low;            /**< the largest mu that these limits rule out */
  double mu_sure;           /**< the same for limits of 99.99%: above the stated mu, the
                               guarantee does not hold */
  double epsilon_low; /**< epsilon at delta is not below this, by the limits of 97.5% */
  double auc;         /**< chance that a run on the first scores higher; all runs */
} tacit_audit_result;

/**
 * Judges scores of `count` runs on each data set, at least 20: the first half picks the
 * threshold, the second is judged by it.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_audit_judge(const double *first,
                                                         const double *second,
                                                         int64_t count, double delta,
                                                         tacit_audit_result *out,
                                                         tacit_error *err);
/**
 * The same with a threshold that is known before the runs, all of which are judged. For
 * exact log-likelihood ratios it is 0: if the releases are two Gaussians whose centres
 * are m apart, both rates of errors are then Phi(-m/2), where mu_low is largest.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_audit_judge_at(
    const double *first, const double *second, int64_t count, double threshold,
    double delta, tacit_audit_result *out, tacit_error *err);

/** The standard normal distribution function, and its inverse for 0 < p < 1. */
TACIT_API double tacit_normal_below(double x);
TACIT_API double tacit_normal_quantile(double p);

#ifdef __cplusplus
}
#endif
#endif
