/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_AUDIT_RECORDS_H
#define TACIT_EXTRA_AUDIT_RECORDS_H

#include <tacit/config.h>

#include "data/schema/schema.h"
#include "extra/audit/rows.h"

/*
 * Records made up for the audit of an evaluation or a description, which is one sum
 * over all rows. There are a few kinds of records. Two kinds, as different as the
 * release can tell, are the canary and its opposite. All other records are equal in
 * both files. Their order does not matter.
 */
typedef struct tacit_records {
  tacit_schema *schema; /* schema of arrays with as many inputs as the rows have */
  size_t features;
  tacit_made_rows kinds; /* one row per kind */
  int64_t rows;          /* number of rows of a file */
  int64_t canaries; /* number of rows of the canary, which come first: several for a
                       person */
  tacit_made_rows files[2];
  int64_t *raw_units; /* persons by row number, or NULL if rows are no persons */
} tacit_records;

/* Makes the kinds and both files, in which the canary is of kind 0. `size` is the size
   of a row that a model scores: kinds lie along the first input, in both directions.
   With `size` 0 rows are counted by columns. Records have weights if the config says
   `weighted`. */
tacit_status tacit_records_new(const tacit_config *config, double size,
                               tacit_records **out, tacit_error *err);
void tacit_records_free(tacit_records *records);

/* Makes the canary of a file a record of this kind. With weight 0 it adds nothing. */
void tacit_records_put(tacit_records *records, int which, int64_t kind, double weight);
/* Opens a file as a reader. */
tacit_status tacit_records_open(const tacit_records *records, int which,
                                tacit_reader **out, tacit_error *err);

#endif
