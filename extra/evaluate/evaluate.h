/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_EVALUATE_EVALUATE_H
#define TACIT_EXTRA_EVALUATE_EVALUATE_H

#include <jansson.h>
#include <tacit/extra/evaluate.h>

#include "extra/evaluate/tally.h"

/*
 * The way of an evaluation: rows become columns and numbers of a tally (score.c for
 * models, columns.c for descriptions), the tally is released once (tally.c), and the
 * released table becomes metrics with intervals (metrics.c, interval.c) and JSON
 * (result.c).
 */

/* What is public about the rows and the release. */
typedef struct tacit_evaluation_facts {
  tacit_evaluation_options options;
  int64_t rows; /* or persons */
  int persons, weighted;
  double epsilon, delta, mu;
} tacit_evaluation_facts;

/* What is counted: a model's scores, or the columns of a table. */
typedef struct tacit_subject tacit_subject;
struct tacit_subject_ops {
  const char *preset; /* its name in the statement */
  /* Columns and numbers of the rows of a batch, as tacit_tally_add takes them. */
  tacit_status (*place)(tacit_subject *subject, const tacit_batch *batch,
                        uint32_t *raw_columns, double *raw_values, tacit_error *err);
  /* Adds what the released table says to a JSON object; noise has one number per part.
   */
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
  char *statement_text, *result;
  int has_begun; /* rows were read: it cannot run again */
  int noise_begun;
};

/* The first half of tacit_evaluation_run: writes the released table, one number per
   column of the tally, before metrics are computed. */
tacit_status tacit_evaluation_table(tacit_evaluation *evaluation, tacit_reader *reader,
                                    double *out, tacit_error *err);
/* tacit_evaluation_run with the key of the caller, who answers for its secrecy and for
   using it once: for a run that evaluates again and again under keys of its own. */
tacit_status tacit_evaluation_run_key(tacit_evaluation *evaluation,
                                      tacit_reader *reader, const tacit_key *key,
                                      tacit_error *err);

#endif
