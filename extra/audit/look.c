/* SPDX-License-Identifier: MIT */
/*
 * Makes scores of runs that released several numbers. A view is one of the numbers, or
 * a weighted sum of all. The first data set may be shown by larger values, by smaller
 * ones, by values far from the middle or by values near it. The first half of the runs
 * picks the view, and the threshold (judge.c). The second half is judged.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "extra/audit/judge.h"

struct look {
  const tacit_audit_claim *claim;
  const double *runs[2]; /* `numbers` numbers per run */
  int64_t count, numbers;
  double *weights;   /* weights of the numbers in the sum */
  double *scores[2]; /* scores in the view that is tried */
  double *sorted[2];
  double *best[2]; /* scores in the best view so far */
};

static double bounded(double x) {
  return isnan(x) ? 0 : fmin(fmax(x, -DBL_MAX), DBL_MAX);
}

static double number_of(const struct look *look, int which, int64_t run,
                        int64_t number) {
  const double *numbers = look->runs[which] + run * look->numbers;
  double sum = 0;
  if (number > 0) return numbers[number - 1];
  for (int64_t i = 0; i < look->numbers; ++i)
    sum += look->weights[i] * numbers[i];
  return bounded(sum);
}

/* Sorts one number of the picking runs on one data set. */
static const double *sort_number(const struct look *look, int which, int64_t number) {
  int64_t picking = look->count / 2;
  for (int64_t run = 0; run < picking; ++run)
    look->sorted[which][run] = number_of(look, which, run, number);
  tacit_scores_sort(look->sorted[which], picking);
  return look->sorted[which];
}

/* Computes Fisher's weights of independent numbers, with medians and quartiles instead
   of means and deviations, so that a few wild runs do not decide. */
static void weigh(const struct look *look) {
  int64_t picking = look->count / 2;
  for (int64_t i = 0; i < look->numbers; ++i) {
    double squares = 0, apart = 0;
    for (int which = 0; which < 2; ++which) {
      const double *sorted = sort_number(look, which, i + 1);
      double spread = sorted[3 * picking / 4] - sorted[picking / 4];
      squares += spread * spread;
      apart += (which == 0 ? 1 : -1) * sorted[picking / 2];
    }
    double weight = apart / squares;
    look->weights[i] = isfinite(weight) ? weight : 0;
  }
}

static double middle_of(const struct look *look, int64_t number) {
  int64_t middle = look->count / 4;
  double sum = 0;
  for (int which = 0; which < 2; ++which)
    sum += 0.5 * sort_number(look, which, number)[middle];
  return sum;
}

/* Returns how much the picking runs rule out with this view. */
static double try_view(const struct look *look, const tacit_audit_view *view) {
  int64_t picking = look->count / 2;
  double ruled_out;
  for (int which = 0; which < 2; ++which) {
    double *scores = look->scores[which];
    for (int64_t run = 0; run < look->count; ++run) {
      double x = number_of(look, which, run, view->number);
      if (view->is_distance) x = bounded(fabs(x - view->centre));
      scores[run] = view->is_negative ? -x : x;
    }
    memcpy(look->sorted[which], scores, (size_t)picking * sizeof *scores);
    tacit_scores_sort(look->sorted[which], picking);
  }
  (void)tacit_threshold_pick(look->claim, look->sorted[0], look->sorted[1], picking,
                             &ruled_out);
  return ruled_out;
}

/* Picks the best view. The first number itself is tried first and wins ties. */
static tacit_audit_view look_all(struct look *look) {
  tacit_audit_view best = {0};
  double most = -1;
  weigh(look);
  for (int64_t i = 1; i <= look->numbers + (look->numbers > 1); ++i) {
    int64_t number = i <= look->numbers ? i : 0;
    double centre = middle_of(look, number);
    for (int kind = 0; kind < 4; ++kind) {
      tacit_audit_view view = {number, kind / 2, kind % 2, centre};
      double found = try_view(look, &view);
      if (found <= most) continue;
      most = found;
      best = view;
      for (int which = 0; which < 2; ++which)
        memcpy(look->best[which], look->scores[which],
               (size_t)look->count * sizeof(double));
    }
  }
  return best;
}

tacit_status tacit_audit_look(const tacit_audit_claim *claim, const double *first,
                              const double *second, int64_t count, int64_t numbers,
                              double *out_first, double *out_second,
                              tacit_audit_view *out, tacit_error *err) {
  if (claim == NULL || out_first == NULL || out_second == NULL || out == NULL)
    return tacit_fail(err, TACIT_EINVAL, "audit: no claim, or no place for the scores");
  TACIT_TRY(tacit_scores_check(first, second, count, numbers, err));
  size_t runs = (size_t)count;
  double *room = tacit_array_new(4 * runs, sizeof *room);
  double *weights = tacit_array_new((size_t)numbers, sizeof *weights);
  if (room != NULL && weights != NULL) {
    struct look look = {claim,
                        {first, second},
                        count,
                        numbers,
                        weights,
                        {room, room + runs},
                        {room + 2 * runs, room + 3 * runs},
                        {out_first, out_second}};
    *out = look_all(&look);
  }
  tacit_status status =
      room != NULL && weights != NULL ? TACIT_OK : tacit_fail_memory(err);
  TACIT_FREE(room, weights);
  return status;
}
