/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_EVALUATE_TABLE_H
#define TACIT_EXTRA_EVALUATE_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/status.h>

#include "extra/evaluate/tally.h"

/* The layouts of the table of an evaluation. A score is a number from 0 to 1: the
   probability, or 1/(1 + exp(-margin)) if the loss has no probability. Bin b of B holds
   scores with b/B < score <= (b+1)/B, so a score of one half counts for the negative
   class. */
typedef enum tacit_score_table_kind {
  /* Two classes. Part 1 counts rows by bin of the score and true class, in column 2 bin
     + class. Part 2 sums the loss over loss_max. */
  TACIT_TABLE_TWO,
  /* K classes. Part 1 counts rows by predicted and true class, in column K predicted +
     true. Part 2 counts rows by bin of the largest score and whether it is right, in
     column 2 bin + right. Part 3 sums the loss over loss_max. */
  TACIT_TABLE_CLASSES,
  /* Numbers. With y the label mapped to -1 … 1 and e the error over error_max, the
     parts sum (y + 1)/2, y^2, (e + 1)/2, |e| and e^2. If rows have weights, one more
     part sums 1. */
  TACIT_TABLE_NUMBERS
} tacit_score_table_kind;

enum { TACIT_TABLE_PARTS = 6 };

typedef struct tacit_score_table {
  tacit_score_table_kind kind;
  size_t classes, bins;
  int is_probability; /* 1 if scores are probabilities, so that a calibration curve
                         makes sense */
  int weighted;
  double rows; /* number of rows or persons; the total of each part if rows have no
                  weights */
  double loss_max;
  double label_min, label_max, error_max;
  tacit_tally_part parts[TACIT_TABLE_PARTS];
  size_t n_parts, columns;
} tacit_score_table;

/* A number computed from a table, and its range. */
typedef struct tacit_metric {
  const char *name;
  double min, max;
} tacit_metric;

/* metrics.c: returns how many numbers a table of this kind gives. Two classes give
   accuracy, auc, loss and brier; the true positive rate, false positive rate and
   precision at each of the scores 1/B … (B-1)/B; and the rate of positives in each bin.
   K classes give accuracy and loss; recall and precision of each class; and the rate of
   right rows in each bin. Numbers give rmse, mae, r2 and mean error. */
size_t tacit_score_table_count(const tacit_score_table *table);
/* Returns the named numbers, which come first. The unnamed ones are rates, 0 … 1. */
const tacit_metric *tacit_score_table_metrics(const tacit_score_table *table,
                                              size_t *out_count);
/* Returns the name and range of number i; the name may be NULL. */
tacit_metric tacit_score_table_metric(const tacit_score_table *table, size_t i);
/* Computes the numbers, NaN where a number cannot be computed. `values` is the released
   table. Without weights it is changed: columns are moved so that they add up to the
   public number of rows. `noise` has one public number per part. */
void tacit_score_table_compute(const tacit_score_table *table, const double *noise,
                               double *values, double *out);

typedef struct tacit_interval {
  double value, low, high;
  int too_noisy; /* 1 if the interval is wider than the range of the number, or outside
                  */
} tacit_interval;

/* interval.c: computes the tacit_score_table_count numbers of a table with 95%
 * intervals. */
tacit_status tacit_score_table_intervals(const tacit_score_table *table,
                                         const double *noise, const double *values,
                                         tacit_interval *out, tacit_error *err);

#endif
