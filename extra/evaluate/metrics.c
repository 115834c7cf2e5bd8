/* SPDX-License-Identifier: MIT */
/* Computes metrics from a released table. Noisy counts are not clipped, so that noise
   averages out. */
#include <math.h>

#include "extra/evaluate/table.h"

static const tacit_metric of_two[] = {
    {"accuracy", 0, 1}, {"auc", 0, 1}, {"loss", 0, 0}, {"brier", 0, 1}};
static const tacit_metric of_classes[] = {{"accuracy", 0, 1}, {"loss", 0, 0}};
/* r2 has no lower bound; an interval wider than 1 is too noisy. */
static const tacit_metric of_numbers[] = {
    {"rmse", 0, 0}, {"mae", 0, 0}, {"r2", -INFINITY, 1}, {"mean_error", 0, 0}};

enum { N_TWO = 4, N_CLASSES = 2, N_NUMBERS = 4 };

const tacit_metric *tacit_score_table_metrics(const tacit_score_table *table,
                                              size_t *out_count) {
  *out_count = table->kind == TACIT_TABLE_CLASSES ? N_CLASSES : N_TWO;
  return table->kind == TACIT_TABLE_TWO       ? of_two
         : table->kind == TACIT_TABLE_CLASSES ? of_classes
                                              : of_numbers;
}

size_t tacit_score_table_count(const tacit_score_table *table) {
  if (table->kind == TACIT_TABLE_TWO)
    return N_TWO + 3 * (table->bins - 1) + table->bins;
  if (table->kind == TACIT_TABLE_CLASSES)
    return N_CLASSES + 2 * table->classes + table->bins;
  return N_NUMBERS;
}

tacit_metric tacit_score_table_metric(const tacit_score_table *table, size_t i) {
  size_t count;
  const tacit_metric *metrics = tacit_score_table_metrics(table, &count);
  if (i >= count) return (tacit_metric){NULL, 0, 1};
  tacit_metric metric = metrics[i];
  if (metric.max > 0) return metric;
  metric.max = table->kind == TACIT_TABLE_NUMBERS ? table->error_max : table->loss_max;
  if (table->kind == TACIT_TABLE_NUMBERS && i == 3) metric.min = -metric.max;
  return metric;
}

static double ratio(double part, double whole) {
  return whole > 0 ? part / whole : NAN;
}

/* Returns the sum of the columns of a part. Without weights it is the number of rows,
   which is public: the excess is taken from all columns alike. */
static double settle(const tacit_score_table *table, double *values, size_t columns) {
  double total = 0;
  for (size_t i = 0; i < columns; ++i)
    total += values[i];
  if (table->weighted) return total;
  for (size_t i = 0; i < columns; ++i)
    values[i] += (table->rows - total) / (double)columns;
  return table->rows;
}

/* Computes the area under the curve through the bins. A pair of rows of one bin counts
   one half, plus what a straight line through the neighbouring bins says about their
   order: (p_{b+1} n_b - p_b n_{b+1})/12 for positives p and negatives n. */
static double area(const double *values, size_t bins, double positives,
                   double negatives) {
  double below = 0, wins = 0;
  for (size_t b = 0; b < bins; ++b) {
    double n = values[2 * b], p = values[2 * b + 1];
    wins += p * (below + n / 2);
    if (b + 1 < bins) wins += (values[2 * b + 3] * n - p * values[2 * b + 2]) / 12;
    below += n;
  }
  return positives > 0 && negatives > 0 ? wins / (positives * negatives) : NAN;
}

static double brier(const double *values, size_t bins, double total) {
  double width = 1 / (double)bins, sum = 0;
  for (size_t b = 0; b < bins; ++b) {
    double score = ((double)b + 0.5) * width;
    sum += values[2 * b] * (score * score + width * width / 12);
    sum += values[2 * b + 1] * ((1 - score) * (1 - score) + width * width / 12);
  }
  return ratio(sum, total);
}

static void compute_two(const tacit_score_table *table, double *values, double *out) {
  size_t bins = table->bins;
  double total = settle(table, values, 2 * bins), positives = 0, right = 0;
  for (size_t b = 0; b < bins; ++b) {
    positives += values[2 * b + 1];
    right += values[2 * b + (b >= bins / 2)];
  }
  double negatives = total - positives;
  *out++ = ratio(right, total);
  *out++ = area(values, bins, positives, negatives);
  *out++ = table->loss_max * ratio(values[2 * bins], total);
  *out++ = table->is_probability ? brier(values, bins, total) : NAN;
  double true_above = positives, false_above = negatives;
  for (size_t b = 1; b < bins; ++b) {
    false_above -= values[2 * b - 2];
    true_above -= values[2 * b - 1];
    *out++ = ratio(true_above, positives);
    *out++ = ratio(false_above, negatives);
    *out++ = ratio(true_above, true_above + false_above);
  }
  for (size_t b = 0; b < bins; ++b)
    *out++ = ratio(values[2 * b + 1], values[2 * b] + values[2 * b + 1]);
}

static void compute_classes(const tacit_score_table *table, const double *noise,
                            double *values, double *out) {
  size_t k = table->classes, bins = table->bins;
  double *cells = values, *tops = values + k * k;
  double total = settle(table, cells, k * k), diagonal = 0, right = 0;
  double total_tops = settle(table, tops, 2 * bins);
  for (size_t i = 0; i < k; ++i)
    diagonal += cells[i * k + i];
  for (size_t b = 0; b < bins; ++b)
    right += tops[2 * b + 1];
  /* Takes the right rows from the part in which their sum has less noise. */
  int by_cells =
      (double)(k - 1) * noise[0] * noise[0] < (double)bins / 2 * noise[1] * noise[1];
  *out++ = by_cells ? ratio(diagonal, total) : ratio(right, total_tops);
  *out++ = table->loss_max * ratio(tops[2 * bins], total_tops);
  for (size_t i = 0; i < k; ++i) {
    double as_true = 0, as_predicted = 0;
    for (size_t j = 0; j < k; ++j) {
      as_true += cells[j * k + i];
      as_predicted += cells[i * k + j];
    }
    *out++ = ratio(cells[i * k + i], as_true);
    *out++ = ratio(cells[i * k + i], as_predicted);
  }
  for (size_t b = 0; b < bins; ++b)
    *out++ = ratio(tops[2 * b + 1], tops[2 * b] + tops[2 * b + 1]);
}

static void compute_numbers(const tacit_score_table *table, const double *values,
                            double *out) {
  double total = table->weighted ? values[5] : table->rows;
  double label = 2 * ratio(values[0], total) - 1;
  double spread = ratio(values[1], total) - label * label;
  double squares = ratio(values[4], total), range = table->label_max - table->label_min;
  /* In units of the label: y is 2/range times the label, plus a constant. */
  double unexplained = squares * table->error_max * table->error_max;
  out[0] = table->error_max * sqrt(fmax(squares, 0));
  out[1] = table->error_max * ratio(values[3], total);
  out[2] = 1 - ratio(unexplained, spread * range * range / 4);
  out[3] = table->error_max * (2 * ratio(values[2], total) - 1);
}

void tacit_score_table_compute(const tacit_score_table *table, const double *noise,
                               double *values, double *out) {
  if (table->kind == TACIT_TABLE_TWO)
    compute_two(table, values, out);
  else if (table->kind == TACIT_TABLE_CLASSES)
    compute_classes(table, noise, values, out);
  else
    compute_numbers(table, values, out);
}
