/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_EVALUATE_H
#define TACIT_EXTRA_EVALUATE_H

#include <tacit/config.h>
#include <tacit/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The quality of a model on people's rows, and what is in a table, with privacy: one
 * noisy release, everything else is computed from it (docs/howto/evaluate.md).
 *
 *   status = tacit_evaluation_new(model, reader, &options, &evaluation, &err);
 *   … reserve the budget of tacit_evaluation_statement in a ledger …
 *   status = tacit_evaluation_run(evaluation, reader, &err);
 *   puts(tacit_evaluation_json(evaluation));
 */
typedef struct tacit_evaluation tacit_evaluation;

/** What an evaluation or a description may spend, and declared bounds. No value may be
    computed from the records. */
typedef struct tacit_evaluation_options {
  size_t struct_size;
  double epsilon; /**< > 0 */
  double delta;   /**< 0: 1/rows^2, at most 1e-6 */
  double mu;      /**< in place of epsilon; 0: not given */
  tacit_adjacency adjacency;
  int seeded; /**< 1: noise from `seed`; the result is then not private */
  uint64_t seed;
  double loss_max;  /**< the loss of a row counts at most as this; default 8 */
  double error_max; /**< for numbers: errors count at most as this, in units of the
                       label; 0: the declared range of the label */
  int bins; /**< of scores, 0: 16, or 64 where noise is small; of a label that is a
               number and is described, 0: 16 */
  int wide; /**< descriptions: a label that is a number is counted by sign and power of
               two, as numbers are after tacit_schema_load_counting with `wide` */
  const char *unit_name; /**< as in the config */
  int absent; /**< 1: some persons may count nothing, as on a later day of a stream, so
                 totals are released and not taken from the number of persons */
} tacit_evaluation_options;

TACIT_API void tacit_evaluation_options_init(tacit_evaluation_options *options);

/**
 * Plans the private evaluation of a model on all rows of a reader, whose number must be
 * known. If rows have ids of persons, these are counted and persons are protected.
 * Reads no row otherwise. The model must outlive the evaluation. TACIT_EINVAL for
 * options that do not fit.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_evaluation_new(
    const tacit_model *model, tacit_reader *reader,
    const tacit_evaluation_options *options, tacit_evaluation **out, tacit_error *err);
/**
 * Plans the description of the rows of a reader: noisy counts of the categories and of
 * bins of numbers and dates, and of the label. `schema` is that of the reader, made by
 * tacit_schema_load_counting, and must outlive the description.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_description_new(
    const tacit_schema *schema, tacit_reader *reader,
    const tacit_evaluation_options *options, tacit_evaluation **out, tacit_error *err);
TACIT_API void tacit_evaluation_free(tacit_evaluation *evaluation);

/** The privacy statement of the release, as one JSON object; valid as long as the
    evaluation. */
TACIT_API const char *tacit_evaluation_statement(const tacit_evaluation *evaluation);
/** Reads the rows and releases. Once. */
TACIT_API TACIT_NODISCARD tacit_status tacit_evaluation_run(
    tacit_evaluation *evaluation, tacit_reader *reader, tacit_error *err);
/** 1 as soon as noise may have been drawn, even if the run then failed: the budget is
    spent. */
TACIT_API int tacit_evaluation_noise_begun(const tacit_evaluation *evaluation);
/** The result as one JSON object, with the statement; NULL before the run. */
TACIT_API const char *tacit_evaluation_json(const tacit_evaluation *evaluation);

#ifdef __cplusplus
}
#endif
#endif
