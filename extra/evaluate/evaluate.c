/* SPDX-License-Identifier: MIT */
/* Runs an evaluation or a description, from its plan to its result. Only the release of
   the tally and numbers computed from it leave this file. */
#include "extra/evaluate/evaluate.h"

#include <math.h>
#include <string.h>
#include <tacit/account.h>
#include <tacit/version.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "batch/row.h"
#include "data/reader/reader.h"
#include "not_private/laws.h"
#include "not_private/seed.h"
#include "plan/plan.h"
#include "privacy/statement_fields.h"

static const double delta_default = 1e-6; /* or 1/rows^2 if that is smaller */
static const double loss_max_default = 8;

void tacit_evaluation_options_init(tacit_evaluation_options *options) {
  if (options == NULL) return;
  *options = (tacit_evaluation_options){.struct_size = sizeof *options,
                                        .loss_max = loss_max_default};
}

void tacit_evaluation_free(tacit_evaluation *evaluation) {
  if (evaluation == NULL) return;
  if (evaluation->subject != NULL) evaluation->subject->ops->free(evaluation->subject);
  tacit_tally_free(evaluation->tally);
  json_decref(evaluation->statement);
  TACIT_FREE(evaluation->statement_text, evaluation->result, evaluation);
}

const tacit_statement *tacit_evaluation_statement(const tacit_evaluation *evaluation) {
  return &evaluation->stated;
}

const char *tacit_evaluation_statement_json(const tacit_evaluation *evaluation) {
  return evaluation->statement_text;
}

const char *tacit_evaluation_json(const tacit_evaluation *evaluation) {
  return evaluation->result;
}

int tacit_evaluation_noise_begun(const tacit_evaluation *evaluation) {
  return evaluation->noise_begun;
}

tacit_status tacit_release_plan(tacit_evaluation_facts *facts, tacit_reader *reader,
                                tacit_error *err) {
  if (reader->group != NULL)
    return tacit_fail(err, TACIT_EINVAL,
                      "a release of its own is of one process: open the reader without "
                      "group");
  if (tacit_reader_rows(reader) < 0)
    return tacit_fail(err, TACIT_EINVAL,
                      "a private release must know the number of rows before it reads "
                      "them: use a regular file in place of a pipe");
  facts->weighted = tacit_reader_weighted(reader) || facts->options.absent;
  facts->persons = tacit_reader_has_units(reader);
  facts->rows = tacit_reader_rows(reader);
  if (facts->persons) TACIT_TRY(tacit_reader_units(reader, 0, &facts->rows, err));
  if (facts->rows <= 0) return tacit_fail(err, TACIT_EDATA, "no rows");
  return tacit_release_budget(facts, err);
}

tacit_status tacit_release_budget(tacit_evaluation_facts *facts, tacit_error *err) {
  const tacit_evaluation_options *options = &facts->options;
  double n = (double)facts->rows;
  facts->delta = options->delta > 0 ? options->delta : fmin(1 / (n * n), delta_default);
  facts->epsilon = options->epsilon;
  facts->mu = options->mu;
  if ((options->epsilon > 0) == (options->mu > 0))
    return tacit_fail(err, TACIT_EINVAL,
                      "a privacy budget is needed: epsilon, for example 0.5");
  if (options->mu > 0)
    return tacit_epsilon_from_mu_up(facts->mu, facts->delta, &facts->epsilon, err);
  return tacit_mu_from_dp_down(facts->epsilon, facts->delta, &facts->mu, err);
}

tacit_status tacit_release_describe(const tacit_evaluation_facts *facts,
                                    const tacit_schema *schema,
                                    const tacit_release_words *words, json_t **out,
                                    char **out_text, tacit_error *err) {
  char unit[256];
  tacit_statement_parts statement = {
      .is_private = !facts->options.seeded,
      .epsilon = facts->epsilon,
      .delta = facts->delta,
      .mu = facts->mu,
      .adjacency = facts->options.adjacency,
      .unit = tacit_unit_words(facts->persons ? facts->rows : 0, 0,
                               facts->options.unit_name, schema, unit, sizeof unit),
      .persons = facts->persons,
      .rows = facts->rows,
      .rounds = words->passes,
      .passes = words->passes,
      .batches_per_pass = 1,
      .order = words->order,
      .as_sets = 1,
      .weights = facts->weighted ? tacit_weights_words : NULL,
      .mechanism = words->mechanism,
      .noise = "exact",
      .noise_law = tacit_law_summary(&tacit_law_gaussian),
      .bound = words->bound,
      .clip = 1,
      .norm_exponent = 2,
      .sigma_formula = words->sigma_formula,
      .accounting = "mu-GDP, exact Gaussian conversion",
      .sensitivity_factor = 1,
      .noise_multiplier = tacit_div_down(1, facts->mu),
      .second_moment = tacit_law_second_moment(&tacit_law_gaussian, words->columns, 2),
      .preset = words->preset,
      .version = TACIT_VERSION,
  };
  if (facts->options.seeded)
    statement.reasons[statement.n_reasons++] =
        "the noise comes from a seed: whoever knows it can take the noise off";
  json_decref(*out);
  tacit_array_free(*out_text);
  *out = NULL, *out_text = NULL;
  TACIT_TRY(tacit_statement_json(&statement, out, err));
  return tacit_json_text(*out, 1, out_text, err);
}

static tacit_status describe(tacit_evaluation *evaluation, tacit_error *err) {
  const tacit_subject *subject = evaluation->subject;
  const tacit_release_words words = {
      .passes = 1,
      .order = "one sum over all rows",
      .mechanism = "one release",
      .bound = "a row adds a number from 0 to 1 to one column of each part of a table",
      .sigma_formula = "sigma_i = Delta_i / mu_i in part i, sum of mu_i^2 <= mu^2; "
                       "Delta_i = 1, or sqrt 2 for replace and several columns",
      .columns = tacit_tally_columns(evaluation->tally),
      .preset = subject->ops->preset,
  };
  TACIT_TRY(tacit_release_describe(&evaluation->facts, subject->schema, &words,
                                   &evaluation->statement, &evaluation->statement_text,
                                   err));
  return tacit_statement_read(evaluation->statement, &evaluation->stated, NULL, NULL,
                              err);
}

static tacit_status plan(tacit_evaluation *evaluation, const tacit_model *model,
                         const tacit_schema *schema, tacit_reader *reader,
                         tacit_error *err) {
  tacit_evaluation_facts *facts = &evaluation->facts;
  TACIT_TRY(tacit_release_plan(facts, reader, err));
  TACIT_TRY(model != NULL
                ? tacit_subject_of_model(model, facts, &evaluation->subject, err)
                : tacit_subject_of_columns(schema, facts, &evaluation->subject, err));
  const tacit_tally_facts tally = {
      .parts = evaluation->subject->parts,
      .n_parts = evaluation->subject->n_parts,
      .rows = facts->rows,
      .kappa = facts->options.adjacency == TACIT_ZERO_OUT ? 1 : 2,
      .mu = facts->mu,
  };
  TACIT_TRY(tacit_tally_new(&tally, &evaluation->tally, err));
  return describe(evaluation, err);
}

static tacit_status new_of(const tacit_model *model, const tacit_schema *schema,
                           tacit_reader *reader,
                           const tacit_evaluation_options *options,
                           tacit_evaluation **out, tacit_error *err) {
  if ((model == NULL && schema == NULL) || reader == NULL || options == NULL ||
      out == NULL || options->struct_size != sizeof *options)
    return tacit_fail(err, TACIT_EINVAL,
                      "an evaluation needs rows, and options that "
                      "tacit_evaluation_options_init filled in");
  tacit_evaluation *evaluation = tacit_array_new(1, sizeof *evaluation);
  if (evaluation == NULL) return tacit_fail_memory(err);
  evaluation->facts.options = *options;
  tacit_status status = plan(evaluation, model, schema, reader, err);
  return TACIT_HAND_OVER(status, evaluation, tacit_evaluation_free, out);
}

tacit_status tacit_evaluation_new(const tacit_model *model, tacit_reader *reader,
                                  const tacit_evaluation_options *options,
                                  tacit_evaluation **out, tacit_error *err) {
  return new_of(model, NULL, reader, options, out, err);
}

tacit_status tacit_description_new(const tacit_schema *schema, tacit_reader *reader,
                                   const tacit_evaluation_options *options,
                                   tacit_evaluation **out, tacit_error *err) {
  return new_of(NULL, schema, reader, options, out, err);
}

/* Columns and numbers of the rows of one batch. Both arrays have room for raw_rows
   rows. */
struct placed {
  uint32_t *raw_columns;
  double *raw_values;
  int64_t raw_rows;
};

static void placed_free(struct placed *placed) {
  TACIT_RAW_FREE(placed->raw_columns, placed->raw_values);
  *placed = (struct placed){0};
}

static tacit_status add_batch(tacit_evaluation *evaluation, const tacit_batch *batch,
                              struct placed *placed, tacit_error *err) {
  tacit_subject *subject = evaluation->subject;
  TACIT_TRY(tacit_batch_check(batch, subject->features, 1, err));
  if (batch->n_rows > placed->raw_rows) {
    size_t count = (size_t)batch->n_rows * subject->n_parts;
    placed_free(placed);
    TACIT_TRY(TACIT_RAW_NEW(placed->raw_columns, count, err));
    TACIT_TRY(TACIT_RAW_NEW(placed->raw_values, count, err));
    placed->raw_rows = batch->n_rows;
  }
  TACIT_TRY(subject->ops->place(subject, batch, placed->raw_columns, placed->raw_values,
                                err));
  return tacit_tally_add(evaluation->tally, batch, placed->raw_columns,
                         placed->raw_values, err);
}

static tacit_status add_rows(tacit_evaluation *evaluation, tacit_reader *reader,
                             tacit_error *err) {
  struct placed placed = {0};
  const tacit_batch *batch = NULL;
  tacit_status status;
  while ((status = tacit_reader_next(reader, &batch, err)) == TACIT_OK &&
         batch->n_rows > 0) {
    status = add_batch(evaluation, batch, &placed, err);
    if (status != TACIT_OK) break;
  }
  placed_free(&placed);
  return status;
}

static tacit_status make_result(tacit_evaluation *evaluation, const double *table,
                                tacit_error *err) {
  const tacit_subject *subject = evaluation->subject;
  const tacit_evaluation_facts *facts = &evaluation->facts;
  double *noise = tacit_array_new(subject->n_parts, sizeof *noise);
  json_t *object =
      json_pack("{s:b, s:I}", "private", !facts->options.seeded,
                facts->persons ? "units" : "rows", (json_int_t)facts->rows);
  tacit_status status = TACIT_OK;
  if (noise == NULL || object == NULL) status = tacit_fail_memory(err);
  for (size_t i = 0; status == TACIT_OK && i < subject->n_parts; ++i)
    noise[i] = tacit_tally_noise(evaluation->tally, i);
  if (status == TACIT_OK)
    status = subject->ops->result(subject, table, noise, object, err);
  if (status == TACIT_OK &&
      json_object_set(object, "statement", evaluation->statement) != 0)
    status = tacit_fail_memory(err);
  if (status == TACIT_OK) status = tacit_json_text(object, 1, &evaluation->result, err);
  json_decref(object);
  tacit_array_free(noise);
  return status;
}

/* Reads the rows and releases the table. */
static tacit_status make_table(tacit_evaluation *evaluation, tacit_reader *reader,
                               const tacit_key *key, double *out, tacit_error *err) {
  if (evaluation->has_begun)
    return tacit_fail(err, TACIT_ESTATE, "an evaluation runs once");
  evaluation->has_begun = 1;
  TACIT_TRY(add_rows(evaluation, reader, err));
  evaluation->noise_begun = 1;
  return tacit_tally_end(evaluation->tally, key, out, err);
}

static tacit_status own_key(const tacit_evaluation *evaluation, tacit_key *out,
                            tacit_error *err) {
  const tacit_evaluation_options *options = &evaluation->facts.options;
  return options->seeded ? tacit_key_from_seed(options->seed, out, err)
                         : tacit_key_from_os(out, err);
}

tacit_status tacit_evaluation_table(tacit_evaluation *evaluation, tacit_reader *reader,
                                    double *out, tacit_error *err) {
  tacit_key key;
  TACIT_TRY(own_key(evaluation, &key, err));
  tacit_status status = make_table(evaluation, reader, &key, out, err);
  tacit_key_wipe(&key);
  return status;
}

tacit_status tacit_evaluation_run_key(tacit_evaluation *evaluation,
                                      tacit_reader *reader, const tacit_key *key,
                                      tacit_error *err) {
  double *table =
      tacit_array_new(tacit_tally_columns(evaluation->tally), sizeof *table);
  if (table == NULL) return tacit_fail_memory(err);
  tacit_status status = make_table(evaluation, reader, key, table, err);
  if (status == TACIT_OK) status = make_result(evaluation, table, err);
  tacit_array_free(table);
  return status;
}

tacit_status tacit_evaluation_run(tacit_evaluation *evaluation, tacit_reader *reader,
                                  tacit_error *err) {
  tacit_key key;
  if (evaluation == NULL || reader == NULL)
    return tacit_fail(err, TACIT_EINVAL, "no evaluation");
  TACIT_TRY(own_key(evaluation, &key, err));
  tacit_status status = tacit_evaluation_run_key(evaluation, reader, &key, err);
  tacit_key_wipe(&key);
  return status;
}
