/* SPDX-License-Identifier: MIT */
/*
 * From scores to a lower bound on mu. With upper limits alpha and beta on the error
 * rates of a threshold, a mechanism that is mu-GDP has Phi^-1(1 - alpha) - Phi^-1(beta)
 * <= mu. The threshold must not depend on the runs that are judged by it: it is known
 * before, or picked on other runs.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tacit/audit.h>

#include "base/error.h"
#include "base/memory.h"

enum { CANDIDATES = 99, TRIALS_MIN = 20 };

static const double printed = 0.025, sure = 1e-4; /* how often a limit may be wrong */

double tacit_normal_below(double x) { return 0.5 * erfc(-x / sqrt(2)); }

double tacit_normal_quantile(double p) {
  if (p > 0.5) return -tacit_normal_quantile(1 - p);
  double low = -39, high = 0;
  for (int i = 0; i < 100; ++i) {
    double middle = 0.5 * (low + high);
    if (tacit_normal_below(middle) < p)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* The continued fraction of the incomplete beta function, by Lentz's method; converges
   fast for x < (a + 1)/(a + b + 2). */
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

/* The chance that at most k of n independent events happen, each of probability p, for
   k < n: the regularised incomplete beta function of 1 - p with n - k and k + 1. */
static double at_most(double k, double n, double p) {
  double a = n - k, b = k + 1;
  double front =
      exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log1p(-p) + b * log(p));
  if (1 - p < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, 1 - p) / a;
  return 1 - front * beta_fraction(b, a, p) / b;
}

/* Upper limit of a rate: k of n were seen, and the limit is too low with probability at
   most `wrong`. */
static double limit_up(int64_t k, int64_t n, double wrong) {
  if (k >= n) return 1;
  double low = (double)k / (double)n, high = 1;
  for (int i = 0; i < 60; ++i) {
    double middle = 0.5 * (low + high);
    if (at_most((double)k, (double)n, middle) > wrong)
      low = middle;
    else
      high = middle;
  }
  return high;
}

static double mu_of(double alpha, double beta) {
  if (alpha >= 1 || beta >= 1) return 0;
  return fmax(0, tacit_normal_quantile(1 - alpha) - tacit_normal_quantile(beta));
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* How many of sorted scores are at most x. */
static int64_t count_below(const double *sorted, int64_t count, double x) {
  int64_t low = 0, high = count;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (sorted[middle] <= x)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* What a threshold gives for sorted runs: the rates of its errors, or their limits. */
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

/* The threshold with as many false positives as false negatives. */
static double even(const double *first, const double *second, int64_t count) {
  int64_t low = 0, high = count - 1;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (count - count_below(second, count, first[middle]) > middle + 1)
      low = middle + 1;
    else
      high = middle;
  }
  return first[low];
}

/* The threshold that these runs, sorted, speak for. An even one is best for the shifts
   of a Gaussian, and is kept unless another one is clearly better, beyond what the best
   of many is by chance. Candidates are quantiles of both, and the two thresholds with
   errors of one kind only. */
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

static double auc_of(const double *first, const double *second, int64_t count) {
  double right = 0;
  for (int64_t i = 0; i < count; ++i) {
    double below = (double)count_below(second, count, nextafter(first[i], -INFINITY));
    right += 0.5 * (below + (double)count_below(second, count, first[i]));
  }
  return right / ((double)count * (double)count);
}

static double epsilon_of(double alpha, double beta, double delta) {
  double one = (1 - delta - beta) / alpha, other = (1 - delta - alpha) / beta;
  double larger = fmax(one, other);
  return larger > 1 ? log(larger) : 0;
}

static void judge(const double *first, const double *second, int64_t count,
                  double delta, tacit_audit_result *result) {
  result->judged = count;
  for (int64_t i = 0; i < count; ++i) {
    result->false_negatives += !(first[i] > result->threshold);
    result->false_positives += second[i] > result->threshold;
  }
  result->alpha_up = limit_up(result->false_positives, count, printed);
  result->beta_up = limit_up(result->false_negatives, count, printed);
  result->mu_low = mu_of(result->alpha_up, result->beta_up);
  result->mu_sure = mu_of(limit_up(result->false_positives, count, sure),
                          limit_up(result->false_negatives, count, sure));
  result->epsilon_low = epsilon_of(result->alpha_up, result->beta_up, delta);
}

static tacit_status check(const double *first, const double *second, int64_t count,
                          const tacit_audit_result *out, tacit_error *err) {
  if (first == NULL || second == NULL || out == NULL || count < TRIALS_MIN)
    return tacit_fail(err, TACIT_EINVAL, "an audit needs %d trials of each kind",
                      TRIALS_MIN);
  for (int64_t i = 0; i < count; ++i) {
    if (isfinite(first[i]) && isfinite(second[i])) continue;
    return tacit_fail(err, TACIT_EDATA, "the score of trial %lld is not a number",
                      (long long)i + 1);
  }
  return TACIT_OK;
}

/* The first `picking` runs pick the threshold, if there are any; the others are judged.
 */
static tacit_status judge_after(const double *first, const double *second,
                                int64_t count, int64_t picking, double delta,
                                tacit_audit_result *result, tacit_error *err) {
  size_t bytes = (size_t)count * sizeof(double);
  double *one = tacit_array_new((size_t)count, sizeof *one);
  double *two = tacit_array_new((size_t)count, sizeof *two);
  if (one != NULL && two != NULL) {
    memcpy(one, first, bytes);
    memcpy(two, second, bytes);
    qsort(one, (size_t)picking, sizeof *one, by_value);
    qsort(two, (size_t)picking, sizeof *two, by_value);
    if (picking > 0) result->threshold = pick(one, two, picking);
    judge(first + picking, second + picking, count - picking, delta, result);
    qsort(one, (size_t)count, sizeof *one, by_value);
    qsort(two, (size_t)count, sizeof *two, by_value);
    result->auc = auc_of(one, two, count);
  }
  tacit_status status = one != NULL && two != NULL ? TACIT_OK : tacit_fail_memory(err);
  tacit_array_free(one);
  tacit_array_free(two);
  return status;
}

tacit_status tacit_audit_judge_at(const double *first, const double *second,
                                  int64_t count, double threshold, double delta,
                                  tacit_audit_result *out, tacit_error *err) {
  tacit_audit_result result = {.struct_size = sizeof result, .threshold = threshold};
  TACIT_TRY(check(first, second, count, out, err));
  TACIT_TRY(judge_after(first, second, count, 0, delta, &result, err));
  *out = result;
  return TACIT_OK;
}

tacit_status tacit_audit_judge(const double *first, const double *second, int64_t count,
                               double delta, tacit_audit_result *out,
                               tacit_error *err) {
  tacit_audit_result result = {.struct_size = sizeof result};
  TACIT_TRY(check(first, second, count, out, err));
  TACIT_TRY(judge_after(first, second, count, count / 2, delta, &result, err));
  *out = result;
  return TACIT_OK;
}
