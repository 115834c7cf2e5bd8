/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_EVALUATE_TABLE_H
#define TACIT_EXTRA_EVALUATE_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/status.h>

#include "extra/evaluate/tally.h"

/* What the table of an evaluation holds. A score is a number from 0 to 1: the
   probability, or 1/(1 + exp(-margin)) if the loss has none. Bin b of B is b/B < score
   <= (b+1)/B, so a score of one half is on the side of the negative class. */
typedef enum tacit_table_kind {
  /* (bin of the score, true class), column 2 b + class; then the loss over loss_max. */
  TACIT_TABLE_TWO,
  /* (predicted, true class), column K predicted + true; (bin of the largest score,
     right), column 2 b + right; then the loss over loss_max. */
  TACIT_TABLE_CLASSES,
  /* With y the label mapped to -1 … 1 and e the error over error_max: (y + 1)/2, y^2,
     (e + 1)/2, |e|, e^2; and 1, if rows have weights. */
  TACIT_TABLE_NUMBERS
} tacit_table_kind;

enum { TACIT_TABLE_PARTS = 6 };

typedef struct tacit_table {
  tacit_table_kind kind;
  size_t classes, bins;
  int is_probability; /* scores are probabilities: calibration means something */
  int weighted;
  double rows; /* rows or persons; the whole of each part if rows have no weights */
  double loss_max;
  double label_min, label_max, error_max;
  tacit_tally_part parts[TACIT_TABLE_PARTS];
  size_t n_parts, columns;
} tacit_table;

/* A number computed from a table, and the range it can have. */
typedef struct tacit_metric {
  const char *name;
  double min, max;
} tacit_metric;

/* metrics.c: how many numbers a table of this kind gives. Two classes: accuracy, auc,
   loss, brier; true positive rate, false positive rate and precision at the scores 1/B
   … (B-1)/B; rate of positives in each bin. Classes: accuracy, loss; recall and
   precision of each class; rate of right rows in each bin. Numbers: rmse, mae, r2,
   mean error. */
size_t tacit_table_count(const tacit_table *table);
/* The first of them, which have names; the others are rates, 0 … 1. */
const tacit_metric *tacit_table_metrics(const tacit_table *table, size_t *out_count);
/* The range of number i. */
tacit_metric tacit_table_metric(const tacit_table *table, size_t i);
/* The numbers, NaN where there is none. `values` is the released table, and is changed:
   what is known of its sums is brought in. `noise`: one number per part, public. */
void tacit_table_compute(const tacit_table *table, const double *noise, double *values,
                         double *out);

typedef struct tacit_interval {
  double value, low, high;
  int too_noisy; /* wider than the range of the number */
} tacit_interval;

/* interval.c: the numbers of a table with 95% intervals, tacit_table_count of them. */
tacit_status tacit_table_intervals(const tacit_table *table, const double *noise,
                                   const double *values, tacit_interval *out,
                                   tacit_error *err);

#endif
