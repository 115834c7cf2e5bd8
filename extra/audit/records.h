/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_AUDIT_RECORDS_H
#define TACIT_EXTRA_AUDIT_RECORDS_H

#include <tacit/config.h>

#include "data/schema/schema.h"

/*
 * Records made up for the audit of an evaluation or a description, which is one sum
 * over all rows. There are a few kinds of records. Two kinds, as different as the
 * release can tell, are the canary and its opposite. All other records are equal in
 * both files. Their order does not matter.
 */
typedef struct tacit_records {
  tacit_schema *schema; /* schema of arrays with as many inputs as the rows have */
  size_t features;
  int64_t kinds;
  double *raw_kind_values, *raw_kind_labels;
  int64_t rows;     /* number of rows of a file */
  int64_t canaries; /* number of rows of the canary, which come first: several for a
                       person */
  double *raw_values[2], *raw_labels[2], *raw_weights[2];
  int64_t *raw_units; /* persons by row number, or NULL if rows are no persons */
} tacit_records;

/* Makes the kinds and both files, in which the canary is of kind 0. `size` is the size
   of a row that a model scores: kinds lie along the first input, in both directions.
   With `size` 0 rows are counted by columns. Records have weights if the config says
   `weighted`. */
tacit_status tacit_records_new(const tacit_config *config, double size,
                               tacit_records **out, tacit_error *err);
void tacit_records_free(tacit_records *records);

/* Writes a batch with one row per kind; valid as long as the records. */
void tacit_records_kinds(const tacit_records *records, tacit_batch *out);
/* Makes the canary of a file a record of this kind. With weight 0 it adds nothing. */
void tacit_records_put(tacit_records *records, int which, int64_t kind, double weight);
/* Opens a file as a reader. */
tacit_status tacit_records_open(const tacit_records *records, int which,
                                tacit_reader **out, tacit_error *err);

#endif
