/* SPDX-License-Identifier: MIT */
/*
 * Computes lower bounds on mu and epsilon from scores. With upper limits alpha and beta
 * on the error rates of a threshold, a mechanism that is mu-GDP has Phi^-1(1 - alpha) -
 * Phi^-1(beta) <= mu. One that keeps (epsilon, delta) has 1 - delta - beta <= e^epsilon
 * alpha, and also with alpha and beta exchanged. The threshold must not depend on the
 * runs that it judges: it is known before, or picked on other runs.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tacit/extra/audit.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "extra/audit/judge.h"

enum { CANDIDATES = 99, TAILS = 42, TRIALS_MIN = 20 };

static const double printed = 0.025, sure = 1e-4; /* probability that a limit is
                                                     wrong */

double tacit_normal_below(double x) { return 0.5 * erfc(-x / sqrt(2)); }

double tacit_normal_quantile(double p) {
  if (p > 0.5) return -tacit_normal_quantile(1 - p);
  double low = -39, high = 0;
  TACIT_HALVE(double, low, high, tacit_normal_below(middle) < p);
  return low;
}

/* Computes the continued fraction of the incomplete beta function by Lentz's method.
   Converges fast for x < (a + 1)/(a + b + 2). */
static double beta_fraction(double a, double b, double x) {
  double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), value = d;
  for (int m = 1; m < 10000; ++m) {
    double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / (1 + even * d);
    c = 1 + even / c;
    value *= c * d;
    d = 1 / (1 + odd * d);
    c = 1 + odd / c;
    value *= c * d;
    if (fabs(c * d - 1) < 1e-14) break;
  }
  return value;
}

/* Returns the probability that at most k of n independent events of probability p
   happen, for k < n: the regularised incomplete beta function of 1 - p with n - k and k
   + 1. */
static double at_most(double k, double n, double p) {
  double a = n - k, b = k + 1;
  double front =
      exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log1p(-p) + b * log(p));
  if (1 - p < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, 1 - p) / a;
  return 1 - front * beta_fraction(b, a, p) / b;
}

/* Returns an upper limit of a rate of which k of n were seen. The limit is too low with
   probability at most `wrong`. */
static double limit_up(int64_t k, int64_t n, double wrong) {
  if (k >= n) return 1;
  double low = (double)k / (double)n, high = 1;
  TACIT_HALVE(double, low, high, at_most((double)k, (double)n, middle) > wrong);
  return high;
}

static double mu_of(double alpha, double beta) {
  if (alpha >= 1 || beta >= 1) return 0;
  return fmax(0, tacit_normal_quantile(1 - alpha) - tacit_normal_quantile(beta));
}

static double epsilon_of(double alpha, double beta, double delta) {
  double one = (1 - delta - beta) / alpha, other = (1 - delta - alpha) / beta;
  double larger = fmax(one, other);
  return larger > 1 ? log(larger) : 0;
}

/* Returns how much of a claim these errors of n runs each rule out. */
static double ruled_out(const tacit_audit_claim *claim, int64_t positives,
                        int64_t negatives, int64_t n, double wrong) {
  double alpha = limit_up(positives, n, wrong), beta = limit_up(negatives, n, wrong);
  return claim->is_epsilon ? epsilon_of(alpha, beta, claim->delta) : mu_of(alpha, beta);
}

double tacit_audit_allowed(const tacit_audit_claim *claim, double false_positives) {
  double alpha = fmin(fmax(false_positives, 0), 1);
  if (claim->is_epsilon) {
    double up = claim->delta + exp(claim->epsilon) * alpha;
    return fmin(fmin(1, up), 1 - exp(-claim->epsilon) * (1 - claim->delta - alpha));
  }
  if (!(alpha > 0) || !(alpha < 1)) return alpha;
  return tacit_normal_below(tacit_normal_quantile(alpha) + claim->mu);
}

double tacit_audit_auc_allowed(const tacit_audit_claim *claim) {
  if (!claim->is_epsilon) return tacit_normal_below(claim->mu / sqrt(2));
  /* The area above the three lines of tacit_audit_allowed. */
  return 1 - (1 - claim->delta) * (1 - claim->delta) / (1 + exp(claim->epsilon));
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void tacit_scores_sort(double *scores, int64_t count) {
  qsort(scores, (size_t)count, sizeof *scores, by_value);
}

/* Returns how many of the sorted scores are at most x. */
static int64_t count_below(const double *sorted, int64_t count, double x) {
  int64_t low = -1, high = count;
  TACIT_HALVE(int64_t, low, high, sorted[middle] <= x);
  return high;
}

/* Returns the mu of a threshold x for sorted runs: by the limits of its error rates if
   `limits` is 1, else by the rates. */
static double mu_at(const double *first, const double *second, int64_t count, double x,
                    int limits) {
  int64_t positives = count - count_below(second, count, x);
  int64_t negatives = count_below(first, count, x);
  if (limits)
    return mu_of(limit_up(positives, count, printed),
                 limit_up(negatives, count, printed));
  return mu_of(((double)positives + 0.5) / ((double)count + 1),
               ((double)negatives + 0.5) / ((double)count + 1));
}

/* Returns the threshold with as many false positives as false negatives. */
static double even(const double *first, const double *second, int64_t count) {
  int64_t low = -1, high = count - 1;
  TACIT_HALVE(int64_t, low, high,
              count - count_below(second, count, first[middle]) > middle + 1);
  return first[high];
}

/* Picks a threshold for a claim of mu from sorted runs. The even threshold is best if
   one Gaussian is the other one shifted. It is kept unless another threshold is better
   than the best of many is by chance. Candidates are quantiles of both samples, and the
   two thresholds with errors of one kind only. */
static double pick(const double *first, const double *second, int64_t count) {
  double threshold = even(first, second, count), best;
  best = mu_at(first, second, count, threshold, 1);
  best += 0.5 * (mu_at(first, second, count, threshold, 0) - best);
  for (int i = 0; i < 2 * CANDIDATES + 2; ++i) {
    const double *scores = i % 2 == 0 ? first : second;
    double x = i == 2 * CANDIDATES  ? nextafter(first[0], -INFINITY)
               : i > 2 * CANDIDATES ? second[count - 1]
                                    : scores[(i / 2 + 1) * count / (CANDIDATES + 1)];
    double mu = mu_at(first, second, count, x, 1);
    if (mu <= best) continue;
    best = mu;
    threshold = x;
  }
  return threshold;
}

/* Returns the place of candidate i among sorted scores: every hundredth, and places at
   powers of 2 from both ends. */
static int64_t place_of(int i, int64_t count) {
  if (i < CANDIDATES) return (i + 1) * count / (CANDIDATES + 1);
  int64_t end = ((int64_t)1 << (i - CANDIDATES) / 2) - 1;
  if (end > count - 1) end = count - 1;
  return (i - CANDIDATES) % 2 == 0 ? end : count - 1 - end;
}

/* Returns the middle of the gap between x and the next larger score, which keeps all
   counts. */
static double gap_above(const double *first, const double *second, int64_t count,
                        double x) {
  int64_t one = count_below(first, count, x), two = count_below(second, count, x);
  double next = fmin(one < count ? first[one] : (double)INFINITY,
                     two < count ? second[two] : (double)INFINITY);
  double middle = isfinite(next) ? 0.5 * x + 0.5 * next : x;
  return middle > x && middle < next ? middle : x;
}

/* Picks the threshold for a claim of epsilon, by the limits of the verdict. The claim
   compares one rate with e^epsilon times another, so it may be broken only far out in a
   tail. A candidate counts as one error of each kind, because n further scores exceed
   the largest of n scores once on average. */
static double pick_tail(const tacit_audit_claim *claim, const double *first,
                        const double *second, int64_t count, double *out_best) {
  double threshold = second[count - 1], best = -1;
  for (int i = 0; i < 2 * (CANDIDATES + TAILS); ++i) {
    int64_t place = place_of(i / 2, count);
    double x = i % 2 == 0 ? nextafter(first[place], -INFINITY) : second[place];
    int64_t positives = count - count_below(second, count, x);
    int64_t negatives = count_below(first, count, x);
    double found = ruled_out(claim, positives + 1, negatives + 1, count, sure);
    if (found <= best) continue;
    best = found;
    threshold = x;
  }
  *out_best = best;
  /* If limits of 99.99% rule out nothing, the limits of 97.5% pick. */
  if (best <= 0) return pick(first, second, count);
  return gap_above(first, second, count, threshold);
}

double tacit_threshold_pick(const tacit_audit_claim *claim, const double *first,
                            const double *second, int64_t count, double *out_best) {
  if (claim->is_epsilon) return pick_tail(claim, first, second, count, out_best);
  double threshold = pick(first, second, count);
  *out_best = mu_at(first, second, count, threshold, 1);
  return threshold;
}

static double auc_of(const double *first, const double *second, int64_t count) {
  double right = 0;
  for (int64_t i = 0; i < count; ++i) {
    double below = (double)count_below(second, count, nextafter(first[i], -INFINITY));
    right += 0.5 * (below + (double)count_below(second, count, first[i]));
  }
  return right / ((double)count * (double)count);
}

static void judge(const tacit_audit_claim *claim, const double *first,
                  const double *second, int64_t count, tacit_audit_result *result) {
  result->judged = count;
  for (int64_t i = 0; i < count; ++i) {
    result->false_negatives += !(first[i] > result->threshold);
    result->false_positives += second[i] > result->threshold;
  }
  result->alpha_up = limit_up(result->false_positives, count, printed);
  result->beta_up = limit_up(result->false_negatives, count, printed);
  result->mu_low = mu_of(result->alpha_up, result->beta_up);
  result->epsilon_low = epsilon_of(result->alpha_up, result->beta_up, claim->delta);
  double alpha = limit_up(result->false_positives, count, sure);
  double beta = limit_up(result->false_negatives, count, sure);
  result->mu_sure = mu_of(alpha, beta);
  result->epsilon_sure = epsilon_of(alpha, beta, claim->delta);
  result->most = ruled_out(claim, 0, 0, count, sure);
  result->holds = claim->is_epsilon ? result->epsilon_sure <= claim->epsilon
                                    : result->mu_sure <= claim->mu;
}

/* Computes the area under the curve from sorted scores. It is the mean of a comparison
   of two runs, for which Hoeffding's inequality holds as for the mean of `count`
   independent ones. */
static void measure_area(const double *first, const double *second, int64_t count,
                         tacit_audit_result *result) {
  double off = sqrt(-log(printed) / (2 * (double)count));
  result->auc = auc_of(first, second, count);
  result->auc_low = fmax(0, result->auc - off);
  result->auc_up = fmin(1, result->auc + off);
}

tacit_status tacit_scores_check(const double *first, const double *second,
                                int64_t count, int64_t numbers, tacit_error *err) {
  if (first == NULL || second == NULL || count < TRIALS_MIN || numbers < 1)
    return tacit_fail(err, TACIT_EINVAL, "an audit needs %d trials of each kind",
                      TRIALS_MIN);
  for (int64_t i = 0; i < count * numbers; ++i) {
    if (isfinite(first[i]) && isfinite(second[i])) continue;
    return tacit_fail(err, TACIT_EDATA, "the score of trial %lld is not a number",
                      (long long)(i / numbers) + 1);
  }
  return TACIT_OK;
}

static tacit_status check(const tacit_audit_claim *claim, const double *first,
                          const double *second, int64_t count,
                          const tacit_audit_result *out, tacit_error *err) {
  if (claim == NULL || out == NULL)
    return tacit_fail(err, TACIT_EINVAL, "audit: no claim, or no place for the result");
  return tacit_scores_check(first, second, count, 1, err);
}

/* Judges runs by a threshold. The first `picking` runs, if any, pick it and are not
   judged. */
static tacit_status judge_after(const tacit_audit_claim *claim, const double *first,
                                const double *second, int64_t count, int64_t picking,
                                tacit_audit_result *result, tacit_error *err) {
  size_t bytes = (size_t)count * sizeof(double);
  double *one = tacit_array_new((size_t)count, sizeof *one), best;
  double *two = tacit_array_new((size_t)count, sizeof *two);
  if (one != NULL && two != NULL) {
    memcpy(one, first, bytes);
    memcpy(two, second, bytes);
    for (int part = 0; part < 2; ++part) {
      int64_t from = part * picking, size = part == 0 ? picking : count - picking;
      tacit_scores_sort(one + from, size);
      tacit_scores_sort(two + from, size);
    }
    if (picking > 0)
      result->threshold = tacit_threshold_pick(claim, one, two, picking, &best);
    judge(claim, first + picking, second + picking, count - picking, result);
    measure_area(one + picking, two + picking, count - picking, result);
  }
  tacit_status status = one != NULL && two != NULL ? TACIT_OK : tacit_fail_memory(err);
  TACIT_FREE(one, two);
  return status;
}

tacit_status tacit_audit_judge_at(const tacit_audit_claim *claim, const double *first,
                                  const double *second, int64_t count, double threshold,
                                  tacit_audit_result *out, tacit_error *err) {
  tacit_audit_result result = {.struct_size = sizeof result, .threshold = threshold};
  TACIT_TRY(check(claim, first, second, count, out, err));
  TACIT_TRY(judge_after(claim, first, second, count, 0, &result, err));
  *out = result;
  return TACIT_OK;
}

tacit_status tacit_audit_judge(const tacit_audit_claim *claim, const double *first,
                               const double *second, int64_t count,
                               tacit_audit_result *out, tacit_error *err) {
  tacit_audit_result result = {.struct_size = sizeof result};
  TACIT_TRY(check(claim, first, second, count, out, err));
  TACIT_TRY(judge_after(claim, first, second, count, count / 2, &result, err));
  *out = result;
  return TACIT_OK;
}
