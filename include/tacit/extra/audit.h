/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_AUDIT_H
#define TACIT_EXTRA_AUDIT_H

#include <tacit/config.h>
#include <tacit/extra/evaluate.h>
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

/**
 * What a program claims, and so what the verdict compares: mu, or epsilon at delta. A
 * claim of (epsilon, delta) is weaker than the mu that has this pair: a Laplace
 * mechanism keeps (1, 1e-5), and no such mu.
 */
typedef struct tacit_audit_claim {
  int is_epsilon; /**< the verdict compares epsilon; mu is not used */
  double mu, epsilon, delta;
} tacit_audit_claim;

/** The largest rate of true positives that the claim allows at a rate of false
    positives. */
TACIT_API double tacit_audit_allowed(const tacit_audit_claim *claim,
                                     double false_positives);
/** The largest area under the curve that the claim allows. */
TACIT_API double tacit_audit_auc_allowed(const tacit_audit_claim *claim);

/**
 * What scores say. All limits are one-sided. Limits of rates are those of Clopper and
 * Pearson, limits of the area that of Hoeffding; none is wrong more often than said.
 */
typedef struct tacit_audit_result {
  size_t struct_size;
  int64_t judged;   /**< runs on each data set that were judged */
  double threshold; /**< "first" is said of scores above it */
  int64_t false_positives, false_negatives; /**< "first" said of the second; … */
  double alpha_up, beta_up; /**< upper limits of their rates, 97.5% each */
  double mu_low;            /**< the largest mu that these limits rule out */
  double mu_sure;           /**< the same for limits of 99.99% */
  double epsilon_low; /**< epsilon at delta is not below this, by the limits of 97.5% */
  double epsilon_sure; /**< the same for limits of 99.99% */
  double most; /**< what mu_sure, or epsilon_sure, would be without any error: these
                  runs cannot contradict a claim of more */
  double auc;  /**< chance that a judged run on the first scores higher */
  double auc_low, auc_up; /**< its limits, 97.5% each */
  int holds; /**< mu_sure, or epsilon_sure, is not above the claim. A claim that is true
                is contradicted with probability 0.0002 at most: two limits */
} tacit_audit_result;

/**
 * Judges scores of `count` runs on each data set, at least 20: the first half picks the
 * threshold, which for a claim of epsilon may be in a tail; the second is judged by it.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_audit_judge(
    const tacit_audit_claim *claim, const double *first, const double *second,
    int64_t count, tacit_audit_result *out, tacit_error *err);
/**
 * The same with a threshold that is known before the runs, all of which are judged. For
 * exact log-likelihood ratios it is 0: if the releases are two Gaussians whose centres
 * are m apart, both rates of errors are then Phi(-m/2), where mu_low is largest.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_audit_judge_at(
    const tacit_audit_claim *claim, const double *first, const double *second,
    int64_t count, double threshold, tacit_audit_result *out, tacit_error *err);

/** How the numbers that a run released became its score. */
typedef struct tacit_audit_view {
  int64_t number; /**< 1, 2, …; 0: the sum of all, weighted by how far their medians are
                     apart */
  int is_distance; /**< the score is how far it is from `centre` */
  int is_negative; /**< smaller ones speak for the first data set */
  double centre;
} tacit_audit_view;

/**
 * Makes scores of `count` runs on each data set, of which each released `numbers`
 * numbers, one run after another. The first half of the runs picks the view that speaks
 * most against the claim, so that tacit_audit_judge, which judges the second half, is
 * not deceived.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_audit_look(
    const tacit_audit_claim *claim, const double *first, const double *second,
    int64_t count, int64_t numbers, double *out_first, double *out_second,
    tacit_audit_view *out, tacit_error *err);

/** The standard normal distribution function, and its inverse for 0 < p < 1. */
TACIT_API double tacit_normal_below(double x);
TACIT_API double tacit_normal_quantile(double p);

#ifdef __cplusplus
}
#endif
#endif
