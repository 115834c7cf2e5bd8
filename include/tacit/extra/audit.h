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
 * An audit makes many real runs on two neighbouring data sets and measures how well an
 * attacker who sees every release tells the data sets apart. The records are made up,
 * as the worst case of the plan; an audit reads no data. Every run draws a fresh key
 * from the operating system.
 *
 * The attacker knows both data sets and, given the secret order of the run, computes
 * the exact log-likelihood ratio of all releases. A guarantee of mu allows no better
 * test than telling N(0, 1) from N(mu, 1).
 */
typedef struct tacit_audit tacit_audit;

typedef struct tacit_audit_options {
  size_t struct_size;
  int64_t trials;   /**< number of runs on each of the two data sets; default 20,000 */
  unsigned threads; /**< number of threads; 0 means all cores */
  /** Called between runs by the calling thread; may be NULL. A non-zero result stops
      the audit with TACIT_ECANCELED. */
  int (*progress)(void *cookie, int64_t done, int64_t all);
  void *cookie;
} tacit_audit_options;

/** Fills in the defaults. */
TACIT_API void tacit_audit_options_init(tacit_audit_options *options);

/**
 * Audits the plan of a config. `rows` or `units` must be set: that many records are
 * made up, sorted by a feature if the config says `shuffled`, and with weights if it
 * says `weighted`. Returns TACIT_EPRIVACY if the plan is not private or has a seed.
 * Returns TACIT_EINVAL for a gradient callback, a group, a checkpoint, and a plan that
 * is too large.
 */
TACIT_API TACIT_NODISCARD tacit_status
tacit_audit_run(const tacit_config *config, const tacit_audit_options *options,
                tacit_audit **out, tacit_error *err);
/**
 * Audits what tacit_evaluation_run releases with this budget, for a model with the loss
 * and the columns of the config. Records and model are made up: `rows` or `units`
 * records. They have weights if the config says `weighted`, and always for zero-out,
 * where the second canary has weight 0. Other fields of the config are not used.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_audit_evaluation(
    const tacit_config *config, const tacit_evaluation_options *release,
    const tacit_audit_options *options, tacit_audit **out, tacit_error *err);
/** Audits a description of the columns of the config's schema, like
    tacit_audit_evaluation. The schema must come from tacit_schema_load_counting. */
TACIT_API TACIT_NODISCARD tacit_status tacit_audit_description(
    const tacit_config *config, const tacit_evaluation_options *release,
    const tacit_audit_options *options, tacit_audit **out, tacit_error *err);
TACIT_API void tacit_audit_free(tacit_audit *audit);

/** Returns the plan that was audited, or NULL for an evaluation or description. The
    plan is valid as long as the audit. */
TACIT_API const tacit_plan *tacit_audit_plan(const tacit_audit *audit);
/** Returns the privacy statement that was audited, as one JSON object that is valid as
    long as the audit, and its mu. */
TACIT_API const char *tacit_audit_statement_json(const tacit_audit *audit);
TACIT_API double tacit_audit_mu(const tacit_audit *audit);
/**
 * Returns how far the canary moves all releases, in units of their noise, as the root
 * mean square over the runs: the mu that a perfect audit of these two data sets would
 * find, which is at most the mu of the statement. Returns NaN for pure DP.
 */
TACIT_API double tacit_audit_reach(const tacit_audit *audit);
/** Returns the delta of the guarantee, or 0 for pure DP. */
TACIT_API double tacit_audit_delta(const tacit_audit *audit);

/** How the attacker scores a run. */
typedef enum tacit_audit_score {
  TACIT_AUDIT_EXACT = 0, /**< the likelihood ratio, given the order of the run */
  TACIT_AUDIT_ORDER = 1  /**< the likelihood ratio for the order of another run: tells
                              the data sets apart if the order is not secret */
} tacit_audit_score;

/**
 * Returns the scores of the runs on the first (which = 0) or second data set, and their
 * number in *out_count. Larger scores speak for the first data set. Returns NULL if
 * there are no scores: TACIT_AUDIT_ORDER needs rows in a secret order, and is computed
 * only for the first runs.
 */
TACIT_API const double *tacit_audit_scores(const tacit_audit *audit,
                                           tacit_audit_score score, int which,
                                           int64_t *out_count);

/**
 * The claim that a verdict is about: mu, or epsilon at delta. A claim of (epsilon,
 * delta) is weaker than the mu that has this pair. For example, a Laplace mechanism
 * keeps (1, 1e-5) but not this mu.
 */
typedef struct tacit_audit_claim {
  bool is_epsilon; /**< true if the verdict compares epsilon; mu is then not used */
  double mu, epsilon, delta;
} tacit_audit_claim;

/** Returns the largest rate of true positives that the claim allows at a rate of false
    positives. */
TACIT_API double tacit_audit_allowed(const tacit_audit_claim *claim,
                                     double false_positives);
/** Returns the largest area under the curve that the claim allows. */
TACIT_API double tacit_audit_auc_allowed(const tacit_audit_claim *claim);

/**
 * What scores say. All limits are one-sided. Limits of rates are by Clopper and
 * Pearson, limits of the area by Hoeffding; none is wrong more often than its field
 * says.
 */
typedef struct tacit_audit_result {
  size_t struct_size;
  int64_t judged;   /**< number of runs on each data set that were judged */
  double threshold; /**< scores above it count as "first" */
  int64_t false_positives, false_negatives; /**< runs on the second data set judged as
                                                 "first", and runs on the first judged
                                                 as "second" */
  double alpha_up, beta_up; /**< upper limits of their rates, 97.5% each */
  double mu_low;            /**< largest mu that these limits rule out */
  double mu_sure;           /**< largest mu that limits of 99.99% rule out */
  double epsilon_low; /**< largest epsilon at delta that the limits of 97.5% rule out */
  double epsilon_sure; /**< largest epsilon at delta that limits of 99.99% rule out */
  double most; /**< mu_sure, or epsilon_sure, if these runs had no error: they cannot
                    contradict a larger claim */
  double auc;  /**< probability that a judged run on the first data set scores higher
                    than one on the second */
  double auc_low, auc_up; /**< limits of auc, 97.5% each */
  bool holds; /**< true if mu_sure, or epsilon_sure, is not above the claim. A true
                 claim is contradicted with probability at most 0.0002, because there
                 are two limits */
} tacit_audit_result;

/**
 * Judges scores of `count` runs on each data set. `count` must be at least 20. The
 * first half of the runs picks the threshold, which for a claim of epsilon may be in a
 * tail; the second half is judged by it.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_audit_judge(
    const tacit_audit_claim *claim, const double *first, const double *second,
    int64_t count, tacit_audit_result *out, tacit_error *err);
/**
 * Judges scores of `count` runs on each data set by a threshold that is known before
 * the runs. All runs are judged. For exact log-likelihood ratios the threshold is 0: if
 * the releases are two Gaussians whose centres are m apart, both error rates are then
 * Phi(-m/2), where mu_low is largest.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_audit_judge_at(
    const tacit_audit_claim *claim, const double *first, const double *second,
    int64_t count, double threshold, tacit_audit_result *out, tacit_error *err);

/** How the numbers that a run released became its score. */
typedef struct tacit_audit_view {
  int64_t number;   /**< which of the numbers, from 1; 0 for the sum of all, weighted by
                         how far their medians are apart */
  bool is_distance; /**< true if the score is the distance from `centre` */
  bool is_negative; /**< true if smaller values speak for the first data set */
  double centre;
} tacit_audit_view;

/**
 * Makes scores of `count` runs on each data set. Every run released `numbers` numbers;
 * they stand one run after another. The first half of the runs picks the view that
 * speaks most against the claim. tacit_audit_judge judges only the second half, so this
 * choice does not deceive it.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_audit_look(
    const tacit_audit_claim *claim, const double *first, const double *second,
    int64_t count, int64_t numbers, double *out_first, double *out_second,
    tacit_audit_view *out, tacit_error *err);

#ifdef __cplusplus
}
#endif
#endif
