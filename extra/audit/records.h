/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_AUDIT_RECORDS_H
#define TACIT_EXTRA_AUDIT_RECORDS_H

#include <tacit/config.h>

#include "data/schema/schema.h"

/*
 * Records made up for the audit of an evaluation or a description, which is one sum
 * over all rows. There are a few kinds of records. Two of them, as different as the
 * release can tell, are the canary and what it is replaced by; all other records are
 * the same in both files. Their order does not matter.
 */
typedef struct tacit_records {
  tacit_schema *schema; /* of arrays with as many inputs as the rows have */
  size_t features;
  int64_t kinds;
  double *raw_kind_values, *raw_kind_labels;
  int64_t rows;     /* of a file */
  int64_t canaries; /* rows of the canary, which are the first: several for a person */
  double *raw_values[2], *raw_labels[2], *raw_weights[2];
  int64_t *raw_units; /* NULL: rows are no persons */
} tacit_records;

/* Kinds and files, in which the canary is of kind 0. `size`: of a row that a model
   scores, along the first input and back; 0: rows are counted by columns. Records have
   weights if the config says `weighted`. */
tacit_status tacit_records_new(const tacit_config *config, double size,
                               tacit_records **out, tacit_error *err);
void tacit_records_free(tacit_records *records);

/* The kinds, one row each; valid as long as the records. */
void tacit_records_kinds(const tacit_records *records, tacit_batch *out);
/* The canary of a file is of this kind; with weight 0 it adds nothing. */
void tacit_records_put(tacit_records *records, int which, int64_t kind, double weight);
/* A reader of a file. */
tacit_status tacit_records_open(const tacit_records *records, int which,
                                tacit_reader **out, tacit_error *err);

#endif
