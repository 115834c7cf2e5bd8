/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_EVALUATE_EVALUATE_H
#define TACIT_EXTRA_EVALUATE_EVALUATE_H

#include <jansson.h>
#include <tacit/extra/evaluate.h>

#include "extra/evaluate/tally.h"

/*
 * The steps of an evaluation. The rows become columns and numbers of a tally, by
 * score.c for models and by columns.c for descriptions. The tally is released once
 * (tally.c). The released table becomes metrics with intervals (metrics.c, interval.c)
 * and JSON (result.c).
 */

/* Public facts about the rows and the release. */
typedef struct tacit_evaluation_facts {
  tacit_evaluation_options options;
  int64_t rows; /* number of rows or persons */
  int persons, weighted;
  double epsilon, delta, mu;
} tacit_evaluation_facts;

/* Counts the rows of a reader, and sets the budget with tacit_release_budget. */
tacit_status tacit_release_plan(tacit_evaluation_facts *facts,
                                struct tacit_reader *reader, tacit_error *err);
/* Sets epsilon, delta and mu from the options and the number of rows. */
tacit_status tacit_release_budget(tacit_evaluation_facts *facts, tacit_error *err);
/* What a statement says of releases that are sums over all rows. */
typedef struct tacit_release_words {
  int passes;
  size_t columns; /* numbers of the last release */
  const char *order, *mechanism, *bound, *sigma_formula, *preset;
} tacit_release_words;
/* Writes the statement as an object and as text, in place of older ones, or NULL, at
 *out and *out_text. */
tacit_status tacit_release_describe(const tacit_evaluation_facts *facts,
                                    const tacit_schema *schema,
                                    const tacit_release_words *words, json_t **out,
                                    char **out_text, tacit_error *err);

/* Counts the scores of a model, or the columns of a table. */
typedef struct tacit_subject tacit_subject;
struct tacit_subject_ops {
  const char *preset; /* name of the subject in the statement */
  /* Finds the columns and numbers of the rows of a batch, as tacit_tally_add takes
     them. */
  tacit_status (*place)(tacit_subject *subject, const tacit_batch *batch,
                        uint32_t *raw_columns, double *raw_values, tacit_error *err);
  /* Adds the results of the released table to a JSON object. `noise` has one number per
     part. */
  tacit_status (*result)(const tacit_subject *subject, const double *table,
                         const double *noise, json_t *object, tacit_error *err);
  void (*free)(tacit_subject *subject);
};
struct tacit_subject {
  const struct tacit_subject_ops *ops;
  const tacit_schema *schema;
  size_t features;
  tacit_tally_part *parts;
  size_t n_parts;
};

tacit_status tacit_subject_of_model(const tacit_model *model,
                                    const tacit_evaluation_facts *facts,
                                    tacit_subject **out, tacit_error *err);
tacit_status tacit_subject_of_columns(const tacit_schema *schema,
                                      const tacit_evaluation_facts *facts,
                                      tacit_subject **out, tacit_error *err);

struct tacit_evaluation {
  tacit_evaluation_facts facts;
  tacit_subject *subject;
  tacit_tally *tally;
  json_t *statement;
  tacit_statement stated; /* read from `statement` */
  char *statement_text, *result;
  int has_begun; /* 1 once rows were read: it cannot run again */
  int noise_begun;
};

/* Reads the rows and writes the released table, with one number per column of the
   tally, but computes no metrics. Must be called only once. */
tacit_status tacit_evaluation_table(tacit_evaluation *evaluation, tacit_reader *reader,
                                    double *out, tacit_error *err);
/* Does the work of tacit_evaluation_run with the key of the caller, who must keep it
   secret and use it once. For streams, which evaluate every day. */
tacit_status tacit_evaluation_run_key(tacit_evaluation *evaluation,
                                      tacit_reader *reader, const tacit_key *key,
                                      tacit_error *err);

#endif
