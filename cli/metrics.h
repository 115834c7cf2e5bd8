/* SPDX-License-Identifier: MIT */
/* What `tacit eval` prints beyond the numbers of the library: counts per class, the
   confusion matrix, the Brier score and the calibration of probabilities. */
#ifndef TACIT_CLI_METRICS_H
#define TACIT_CLI_METRICS_H

#include <jansson.h>
#include <tacit/model.h>

#include "options.h"

struct cli_tables;

/* The option that cli_threshold reads. */
#define TACIT_CLI_THRESHOLD                                                            \
  REAL("threshold", "T", -1e300, 1e300,                                                \
       "of two classes, predict the positive one if its score is above T",             \
       DEFAULT("0.5 for probabilities, 0 for margins"), COMMON)

/* The option --extra of commands that read a CSV file with the schema of a model. */
#define TACIT_CLI_EXTRA                                                                \
  CHOICE("extra", "WHAT", "refuse ignore",                                             \
         "what to do with columns of a CSV file that the model does not know",         \
         DEFAULT("refuse"), COMMON)
static inline int cli_ignores_extra(const struct cli_args *args) {
  return cli_given(args, "extra") && cli_value(args, "extra")->choice == 1;
}

/* The class of a row: with two classes 1 if the score is above the threshold (NaN:
   where the margin is 0). */
size_t cli_class_of(const tacit_model *model, double threshold, const double *scores);
/* The threshold of the options; NaN if none is given. Returns 0, or prints one line and
   returns the exit code: a threshold is for two classes. */
int cli_threshold(const struct cli_args *args, const tacit_model *model, double *out);

/* Empty tables for a model of classes; NULL if memory ran out. */
struct cli_tables *cli_tables_new(const tacit_model *model, double threshold);
void cli_tables_free(struct cli_tables *tables);
/* A tacit_scored_fn: counts one row. */
tacit_status cli_tables_add(void *tables, const double *scores, double label,
                            double weight, tacit_error *err);

/* The share of rows whose class is predicted, and the mean squared error of the
   probabilities (two classes: of the positive one); NaN if scores are no probabilities.
 */
double cli_tables_accuracy(const struct cli_tables *tables);
double cli_tables_brier(const struct cli_tables *tables);
/* Prints all tables. `counted` says what their counts are of: "rows" or "persons". */
void cli_tables_print(const struct cli_tables *tables, const char *counted);
/* Adds all tables to a JSON object. */
void cli_tables_json(const struct cli_tables *tables, json_t *object);

#endif
