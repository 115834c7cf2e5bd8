/* SPDX-License-Identifier: MIT */
/*
 * Intervals that cover the noise and the choice of the rows. The numbers of a table are
 * computed again from many drawn tables that could have been released too, and the
 * middle 95% of the results is the interval. A drawn table is the released one, plus
 * noise of the same size, plus the error of counts of as many rows drawn from the same
 * rates. All inputs are released or public. The draws come from a public key, so a
 * result can be computed again.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "extra/evaluate/table.h"
#include "vault/words.h"

enum {
  DRAWS = 2000,
  DRAWS_MIN = 200,
  NORMALS_MAX = 200000000 /* random numbers in all; many columns get fewer draws */
};
static const double tail = 0.025; /* share of the draws left out on either side */

static double uniform(tacit_words *words) {
  return ldexp((double)(tacit_words_next(words) >> 11) + 0.5, -53);
}

static double normal(tacit_words *words) {
  double length = sqrt(-2 * log(uniform(words)));
  return length * cos(6.283185307179586 * uniform(words));
}

/* Draws the columns of a part that counts. Their rates are p = max(t, 0)/total. Counts
   of n rows differ from n p by an error with covariance n(diag p - p p'). */
static void vary_counts(tacit_words *words, const double *values, size_t columns,
                        double noise, double *out) {
  double total = 0, together = 0;
  for (size_t i = 0; i < columns; ++i)
    total += fmax(values[i], 0);
  for (size_t i = 0; i < columns; ++i) {
    double off = sqrt(fmax(values[i], 0)) * normal(words);
    together += off;
    out[i] = values[i] + off;
  }
  for (size_t i = 0; i < columns; ++i) {
    if (total > 0) out[i] -= fmax(values[i], 0) / total * together;
    out[i] += noise * normal(words);
  }
}

/* Returns the mean square of the loss over loss_max, estimated from the bins of two
   classes. Returns 1 for other tables. */
static double loss_square(const tacit_score_table *table, const double *values) {
  double sum = 0, total = 0;
  if (table->kind != TACIT_TABLE_TWO || !table->is_probability) return 1;
  for (size_t i = 0; i < 2 * table->bins; ++i) {
    double score = ((double)(i >> 1) + 0.5) / (double)table->bins;
    double loss = -log(i % 2 ? score : 1 - score) / table->loss_max;
    sum += fmax(values[i], 0) * fmin(loss * loss, 1);
    total += fmax(values[i], 0);
  }
  return total > 0 ? sum / total : 1;
}

/* Returns a bound on the variance of the number that one row adds to part i. Numbers
   are 0 … 1, so it is at most mean (1 - mean), or less if another part has the
   squares. */
static double row_variance(const tacit_score_table *table, const double *values,
                           size_t i, const double *means) {
  double mean = fmin(fmax(means[i], 0), 1), most = mean * (1 - mean), square = 1;
  if (table->kind != TACIT_TABLE_NUMBERS)
    square = loss_square(table, values);
  else if (i == 0 || i == 2) /* the part has (v + 1)/2, and another part v^2 */
    return fmin(most, fmax((means[i == 0 ? 1 : 4] - pow(2 * mean - 1, 2)) / 4, 0));
  else if (i == 3)
    square = means[4];
  return fmin(most, fmax(square - mean * mean, 0));
}

/* Draws a table that could have been released instead of `values`. */
static void vary(const tacit_score_table *table, tacit_words *words,
                 const double *noise, const double *values, double *out) {
  double means[TACIT_TABLE_PARTS], total = table->rows;
  const double *at = values;
  if (table->weighted && table->kind == TACIT_TABLE_NUMBERS) total = fmax(values[5], 1);
  for (size_t i = 0; i < table->n_parts; ++i) {
    size_t columns = table->parts[i].columns;
    means[i] = columns == 1 ? *at / total : 0;
    at += columns;
  }
  at = values;
  for (size_t i = 0; i < table->n_parts; ++i) {
    size_t columns = table->parts[i].columns;
    double *to = out + (at - values);
    if (columns > 1) {
      vary_counts(words, at, columns, noise[i], to);
    } else {
      double variance = row_variance(table, values, i, means);
      *to = *at + noise[i] * normal(words) + sqrt(total * variance) * normal(words);
    }
    at += columns;
  }
}

/* Compares numbers. Puts NaN last. */
static int ascending(const void *a, const void *b) {
  double left = *(const double *)a, right = *(const double *)b;
  if (isnan(left) || isnan(right)) return isnan(left) - isnan(right);
  return (left > right) - (left < right);
}

static void set_interval(const tacit_metric *metric, double *draws, size_t count,
                         tacit_interval *out) {
  double range = isinf(metric->min) ? 1 : metric->max - metric->min;
  qsort(draws, count, sizeof *draws, ascending);
  size_t skipped = (size_t)(tail * (double)count), numbers = count;
  while (numbers > 0 && isnan(draws[numbers - 1]))
    --numbers;
  out->too_noisy = isnan(out->value) || numbers + skipped < count;
  if (!out->too_noisy) {
    out->low = draws[skipped];
    out->high = draws[numbers - 1 - skipped];
    out->too_noisy = !(out->high - out->low <= range);
  }
  out->value = fmin(fmax(out->value, metric->min), metric->max);
  out->low = fmin(fmax(out->low, metric->min), metric->max);
  out->high = fmin(fmax(out->high, metric->min), metric->max);
  if (!(out->low < out->high)) out->too_noisy = 1; /* both ends were cut at a bound */
}

static void draw_all(const tacit_score_table *table, const double *noise,
                     const double *values, size_t draws, double *room, double *results,
                     double *numbers) {
  static const unsigned char key[TACIT_KEY_BYTES] = "tacit intervals, not secret";
  size_t count = tacit_score_table_count(table);
  tacit_words words;
  tacit_words_init(&words, key);
  for (size_t draw = 0; draw < draws; ++draw) {
    vary(table, &words, noise, values, room);
    tacit_score_table_compute(table, noise, room, numbers);
    for (size_t i = 0; i < count; ++i)
      results[i * draws + draw] = numbers[i];
  }
}

tacit_status tacit_score_table_intervals(const tacit_score_table *table,
                                         const double *noise, const double *values,
                                         tacit_interval *out, tacit_error *err) {
  size_t count = tacit_score_table_count(table), draws = DRAWS;
  if (table->columns > NORMALS_MAX / DRAWS) draws = NORMALS_MAX / table->columns;
  if (draws < DRAWS_MIN) draws = DRAWS_MIN;
  double *room = tacit_array_new(table->columns, sizeof *room);
  double *results = tacit_array_new(count * draws, sizeof *results);
  double *numbers = tacit_array_new(count, sizeof *numbers);
  tacit_status status = TACIT_OK;
  if (room == NULL || results == NULL || numbers == NULL) {
    status = tacit_fail_memory(err);
  } else {
    draw_all(table, noise, values, draws, room, results, numbers);
    memcpy(room, values, table->columns * sizeof *room);
    tacit_score_table_compute(table, noise, room, numbers);
    for (size_t i = 0; i < count; ++i) {
      tacit_metric metric = tacit_score_table_metric(table, i);
      out[i] = (tacit_interval){.value = numbers[i]};
      set_interval(&metric, results + i * draws, draws, &out[i]);
    }
  }
  TACIT_FREE(room, results, numbers);
  return status;
}
