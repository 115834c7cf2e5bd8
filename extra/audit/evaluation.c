/* SPDX-License-Identifier: MIT */
/*
 * Audits of a private evaluation or description. A trial is a whole evaluation on each
 * of two neighbouring tables, from its plan with a key of the operating system to the
 * released numbers. The release is one sum over all rows and does not depend on earlier
 * releases, so the attacker computes both tables once.
 */
#include <math.h>
#include <string.h>
#include <tacit/plan.h>

#include "base/error.h"
#include "base/memory.h"
#include "extra/audit/neighbours.h"
#include "extra/audit/records.h"
#include "extra/audit/trials.h"
#include "extra/evaluate/evaluate.h"
#include "model/model.h"

/* The weight of the first input of a model that is made up, and the size of a row that
   is scaled by its own norm. Margins are then so large that losses exceed their
   bound. */
static const double steep = 100, length = 1000;

/* The data that all threads share. */
struct subject {
  tacit_audit *audit;
  const tacit_config *config;
  const tacit_evaluation_options *options;
  tacit_model *model; /* NULL for a description of the schema of the config */
  tacit_records *records;
  size_t columns;
  double *noise;        /* standard deviation of each column */
  double *raw_table[2]; /* table of each file without noise */
  tacit_reader **readers[2];
  double **tables; /* released table of each thread */
};

static tacit_status begin(const struct subject *subject, tacit_reader *reader,
                          tacit_evaluation **out, tacit_error *err) {
  return subject->model != NULL
             ? tacit_evaluation_new(subject->model, reader, subject->options, out, err)
             : tacit_description_new(subject->config->schema, reader, subject->options,
                                     out, err);
}

/* Returns the log-likelihood ratio of the first file over the second. */
static double ratio_of(const struct subject *subject, const double *table) {
  double ratio = 0;
  for (size_t i = 0; i < subject->columns; ++i) {
    double first = (table[i] - subject->raw_table[0][i]) / subject->noise[i];
    double second = (table[i] - subject->raw_table[1][i]) / subject->noise[i];
    ratio += 0.5 * (second * second - first * first);
  }
  return ratio;
}

static tacit_status try_both(void *context, int64_t number, size_t worker,
                             tacit_error *err) {
  const struct subject *subject = context;
  for (int which = 0; which < 2; ++which) {
    tacit_reader *reader = subject->readers[which][worker];
    tacit_evaluation *evaluation = NULL;
    TACIT_TRY(tacit_reader_rewind(reader, err));
    TACIT_TRY(begin(subject, reader, &evaluation, err));
    tacit_status status =
        tacit_evaluation_table(evaluation, reader, subject->tables[worker], err);
    tacit_evaluation_free(evaluation);
    TACIT_TRY(status);
    subject->audit->scores[0][which][number] =
        ratio_of(subject, subject->tables[worker]);
  }
  return TACIT_OK;
}

/* Returns the squared distance of two kinds of records over all parts, as mu^2. With
   `second` < 0 the first kind is compared with no record. */
static double distance(const tacit_evaluation *evaluation, const uint32_t *raw_columns,
                       const double *raw_values, int64_t first, int64_t second) {
  size_t n_parts = evaluation->subject->n_parts;
  double squares = 0;
  for (size_t p = 0; p < n_parts; ++p) {
    size_t a = (size_t)first * n_parts + p, b = (size_t)second * n_parts + p;
    double noise = tacit_tally_noise(evaluation->tally, p);
    double one = raw_values[a] / noise, other = second < 0 ? 0 : raw_values[b] / noise;
    squares += second < 0 || raw_columns[a] != raw_columns[b]
                   ? one * one + other * other
                   : (one - other) * (one - other);
  }
  return squares;
}

/* Picks the two kinds that differ most as the canary and its opposite. For zero-out,
   picks the kind that adds most. */
static void pick_canary(struct subject *subject, const tacit_evaluation *evaluation,
                        const uint32_t *raw_columns, const double *raw_values) {
  int64_t kinds = subject->records->kinds.view.n_rows, first = 0, second = 0;
  int alone = subject->options->adjacency == TACIT_ZERO_OUT;
  double best = -1;
  for (int64_t a = 0; a < kinds; ++a) {
    for (int64_t b = alone ? -1 : 0; b < (alone ? 0 : kinds); ++b) {
      double here = distance(evaluation, raw_columns, raw_values, a, b);
      if (here <= best) continue;
      best = here;
      first = a;
      second = b;
    }
  }
  subject->audit->reach = sqrt(best);
  tacit_records_put(subject->records, 0, first, 1);
  tacit_records_put(subject->records, 1, alone ? first : second, alone ? 0 : 1);
}

static tacit_status set_noise(struct subject *subject,
                              const tacit_evaluation *evaluation, tacit_error *err) {
  const tacit_subject *parts = evaluation->subject;
  double *noise;
  subject->columns = tacit_tally_columns(evaluation->tally);
  subject->noise = noise = tacit_array_new(subject->columns, sizeof *noise);
  if (noise == NULL) return tacit_fail_memory(err);
  for (size_t p = 0; p < parts->n_parts; ++p)
    for (size_t i = 0; i < parts->parts[p].columns; ++i)
      *noise++ = tacit_tally_noise(evaluation->tally, p);
  return TACIT_OK;
}

/* Takes the statement and the worst case from a planned evaluation. */
static tacit_status study(struct subject *subject, const tacit_evaluation *evaluation,
                          tacit_error *err) {
  tacit_audit *audit = subject->audit;
  tacit_subject *rows = evaluation->subject;
  const tacit_batch *kinds = &subject->records->kinds.view;
  size_t count = (size_t)kinds->n_rows * rows->n_parts;
  uint32_t *raw_columns = tacit_raw_new(count, sizeof *raw_columns);
  double *raw_values = tacit_raw_new(count, sizeof *raw_values);
  tacit_status status =
      raw_columns != NULL && raw_values != NULL
          ? rows->ops->place(rows, kinds, raw_columns, raw_values, err)
          : tacit_fail_memory(err);
  if (status == TACIT_OK) pick_canary(subject, evaluation, raw_columns, raw_values);
  TACIT_RAW_FREE(raw_columns, raw_values);
  TACIT_TRY(status);
  TACIT_TRY(set_noise(subject, evaluation, err));
  audit->mu = evaluation->facts.mu;
  audit->delta = evaluation->facts.delta;
  audit->statement = tacit_string_copy(evaluation->statement_text);
  return audit->statement != NULL ? TACIT_OK : tacit_fail_memory(err);
}

/* Plans an evaluation of a file. Studies it, or computes the table of the file without
   noise if there is room for it; the release is thrown away. */
static tacit_status know(struct subject *subject, int which, double *raw_table,
                         tacit_error *err) {
  tacit_reader *reader = NULL;
  tacit_evaluation *evaluation = NULL;
  TACIT_TRY(tacit_records_open(subject->records, which, &reader, err));
  tacit_status status = begin(subject, reader, &evaluation, err);
  if (status == TACIT_OK)
    status = raw_table == NULL
                 ? study(subject, evaluation, err)
                 : tacit_evaluation_table(evaluation, reader, raw_table, err);
  if (status == TACIT_OK && raw_table != NULL)
    tacit_tally_raw_sums(evaluation->tally, raw_table);
  tacit_evaluation_free(evaluation);
  tacit_reader_free(reader);
  return status;
}

static tacit_status know_both(struct subject *subject, tacit_error *err) {
  TACIT_TRY(know(subject, 0, NULL, err));
  for (int which = 0; which < 2; ++which) {
    TACIT_TRY(TACIT_RAW_NEW(subject->raw_table[which], subject->columns, err));
    TACIT_TRY(know(subject, which, subject->raw_table[which], err));
  }
  return TACIT_OK;
}

/* Makes readers and tables for the threads. */
static tacit_status make_room(struct subject *subject, size_t workers,
                              tacit_error *err) {
  TACIT_TRY(TACIT_NEW(subject->tables, workers, err));
  for (int which = 0; which < 2; ++which)
    TACIT_TRY(TACIT_NEW(subject->readers[which], workers, err));
  for (size_t i = 0; i < workers; ++i) {
    TACIT_TRY(TACIT_NEW(subject->tables[i], subject->columns, err));
    for (int which = 0; which < 2; ++which)
      TACIT_TRY(tacit_records_open(subject->records, which, &subject->readers[which][i],
                                   err));
  }
  return TACIT_OK;
}

static void subject_fini(struct subject *subject, size_t workers) {
  for (size_t i = 0; i < workers; ++i) {
    if (subject->tables != NULL) tacit_array_free(subject->tables[i]);
    for (int which = 0; which < 2; ++which)
      if (subject->readers[which] != NULL)
        tacit_reader_free(subject->readers[which][i]);
  }
  for (int which = 0; which < 2; ++which) {
    tacit_array_free(subject->readers[which]);
    tacit_raw_free(subject->raw_table[which]);
  }
  TACIT_FREE(subject->tables, subject->noise);
  tacit_records_free(subject->records);
  tacit_model_free(subject->model);
}

/* Makes a model with the loss of the config that depends only on the first input. The
   rows that it scores have size *out_size. */
static tacit_status make_model(const tacit_config *config, tacit_model **out,
                               double *out_size, tacit_error *err) {
  tacit_config own;
  tacit_plan *plan = NULL;
  tacit_config_init(&own);
  own.schema = config->schema;
  own.loss = config->loss;
  own.rows = config->units > 0 ? config->units : config->rows;
  own.rho = 1;
  TACIT_TRY(tacit_plan_new(&own, &plan, err));
  const tacit_row_rule *row = &plan->row;
  double *weights = tacit_array_new(plan->dim, sizeof *weights);
  for (size_t k = 0; weights != NULL && k < row->outputs; ++k)
    weights[k * (plan->dim / row->outputs)] = k % 2 == 0 ? steep : -steep;
  const tacit_model_parts parts = {
      .schema = plan->schema,
      .loss_spec = plan->loss_spec,
      .row_norm = row->row_norm,
      .row_exponent = row->exponent,
      .row_scale = row->scale,
      .bias = row->bias,
      .weights = weights,
      .training = plan->training,
      .statement = plan->statement,
  };
  *out_size = row->scale > 0 ? row->row_norm / row->scale : length * row->row_norm;
  tacit_status status =
      weights != NULL ? tacit_model_new(&parts, out, err) : tacit_fail_memory(err);
  tacit_array_free(weights);
  tacit_plan_free(plan);
  return status;
}

static tacit_status make(struct subject *subject, int describes,
                         const tacit_audit_options *options, tacit_error *err) {
  double size = 0;
  if (!describes) TACIT_TRY(make_model(subject->config, &subject->model, &size, err));
  TACIT_TRY(tacit_records_new(subject->config, size, &subject->records, err));
  TACIT_TRY(know_both(subject, err));
  return tacit_trials_room(subject->audit, options->trials, 0, err);
}

static tacit_status audit_one(struct subject *subject, int describes,
                              const tacit_audit_options *options, tacit_error *err) {
  tacit_pool *pool = NULL;
  TACIT_TRY(tacit_pool_new(options->threads, &pool, err));
  size_t workers = tacit_pool_workers(pool);
  tacit_status status = make(subject, describes, options, err);
  if (status == TACIT_OK) status = make_room(subject, workers, err);
  if (status == TACIT_OK)
    status = tacit_trials_run(subject->audit, options, pool, try_both, subject, err);
  subject_fini(subject, workers);
  tacit_pool_free(pool);
  return status;
}

static tacit_status check(const tacit_config *config,
                          const tacit_evaluation_options *release,
                          const tacit_audit_options *options, tacit_error *err) {
  TACIT_TRY(tacit_trials_check(options, err));
  if (config == NULL || config->schema == NULL || release == NULL)
    return tacit_fail(err, TACIT_EINVAL, "audit: config, schema or budget is missing");
  if (release->seeded)
    return tacit_fail(err, TACIT_EPRIVACY,
                      "a release with a seed is not private: there is nothing to "
                      "audit");
  return tacit_neighbours_check(config, err);
}

static tacit_status run(const tacit_config *config,
                        const tacit_evaluation_options *release, int describes,
                        const tacit_audit_options *options, tacit_audit **out,
                        tacit_error *err) {
  if (out == NULL) return tacit_fail(err, TACIT_EINVAL, "no place for the audit");
  TACIT_TRY(check(config, release, options, err));
  tacit_audit *audit = tacit_array_new(1, sizeof *audit);
  if (audit == NULL) return tacit_fail_memory(err);
  tacit_config own = *config; /* weighted, so that a row can add nothing with weight
                                 0 */
  own.weighted |= release->adjacency == TACIT_ZERO_OUT;
  struct subject subject = {.audit = audit, .config = &own, .options = release};
  tacit_status status = audit_one(&subject, describes, options, err);
  return TACIT_HAND_OVER(status, audit, tacit_audit_free, out);
}

tacit_status tacit_audit_evaluation(const tacit_config *config,
                                    const tacit_evaluation_options *release,
                                    const tacit_audit_options *options,
                                    tacit_audit **out, tacit_error *err) {
  return run(config, release, 0, options, out, err);
}

tacit_status tacit_audit_description(const tacit_config *config,
                                     const tacit_evaluation_options *release,
                                     const tacit_audit_options *options,
                                     tacit_audit **out, tacit_error *err) {
  return run(config, release, 1, options, out, err);
}
