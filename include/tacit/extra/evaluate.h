/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_EVALUATE_H
#define TACIT_EXTRA_EVALUATE_H

#include <tacit/config.h>
#include <tacit/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * An evaluation measures the quality of a model on people's rows, with privacy; a
 * description says what is in a table. Each is one noisy release, and everything else
 * is computed from it (docs/howto/evaluate.md).
 *
 *   status = tacit_evaluation_new(model, reader, &options, &evaluation, &err);
 *   reserve the budget of tacit_evaluation_statement_json in a ledger;
 *   status = tacit_evaluation_run(evaluation, reader, &err);
 *   puts(tacit_evaluation_json(evaluation));
 */
typedef struct tacit_evaluation tacit_evaluation;

/** The budget of an evaluation or a description, and declared bounds. No value may be
    computed from the records. */
typedef struct tacit_evaluation_options {
  size_t struct_size;
  double epsilon; /**< must be positive, unless mu is given */
  double delta;   /**< 0 means 1/rows^2, at most 1e-6 */
  double mu;      /**< replaces epsilon; 0 if epsilon is given */
  tacit_adjacency adjacency;
  bool
      seeded; /**< true to draw the noise from `seed`; the result is then not private */
  uint64_t seed;
  double loss_max;  /**< largest loss that a row counts with; default 8 */
  double error_max; /**< largest error that a row counts with if the label is a number,
                         in units of the label; 0 means the declared range of the
                         label */
  int bins;  /**< bins of scores, where 0 means 16, or 64 if noise is small; bins of a
                  number label that is described, where 0 means 16 */
  bool wide; /**< true to count a described number label by sign and power of two, as
                 tacit_schema_load_counting with `wide` counts numbers */
  const char *by;        /**< column of the model whose values are groups that are also
                              evaluated, in the same release, or NULL. It must be a
                              category or a bool with at most 64 values */
  const char *unit_name; /**< unit_name of the config */
  bool absent; /**< true if some persons may count nothing, as on a later day of a
                  stream: totals are then released and not taken from the number of
                  persons */
} tacit_evaluation_options;

TACIT_API void tacit_evaluation_options_init(tacit_evaluation_options *options);

/**
 * Plans the private evaluation of a model on all rows of a reader. The number of rows
 * must be known. If rows have ids of persons, counts the persons and protects persons;
 * reads no row otherwise. The model must outlive the evaluation. Returns TACIT_EINVAL
 * for options that do not fit.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_evaluation_new(
    const tacit_model *model, tacit_reader *reader,
    const tacit_evaluation_options *options, tacit_evaluation **out, tacit_error *err);
/**
 * Plans the description of the rows of a reader: noisy counts of categories, of bins of
 * numbers and dates, and of the label. `schema` must be the schema of the reader, come
 * from tacit_schema_load_counting and outlive the description.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_description_new(
    const tacit_schema *schema, tacit_reader *reader,
    const tacit_evaluation_options *options, tacit_evaluation **out, tacit_error *err);
TACIT_API void tacit_evaluation_free(tacit_evaluation *evaluation);

/** Return the privacy statement of the release, and the statement as one JSON object.
    Valid as long as the evaluation. */
TACIT_API const tacit_statement *
tacit_evaluation_statement(const tacit_evaluation *evaluation);
TACIT_API const char *
tacit_evaluation_statement_json(const tacit_evaluation *evaluation);
/** Reads the rows and releases the result. Must be called only once. */
TACIT_API TACIT_NODISCARD tacit_status tacit_evaluation_run(
    tacit_evaluation *evaluation, tacit_reader *reader, tacit_error *err);
/** Returns 1 as soon as noise may have been drawn, even if the run then failed: the
    budget is spent. */
TACIT_API int tacit_evaluation_noise_begun(const tacit_evaluation *evaluation);
/** Returns the result as one JSON object, with the statement, or NULL before the
    run. */
TACIT_API const char *tacit_evaluation_json(const tacit_evaluation *evaluation);

/**
 * Reads a schema file for counting (tacit_description_new): numbers and dates become
 * `bins` steps between their bounds, or the declared steps or edges; ordered values
 * become categories; hashed columns and texts are ignored. If `wide` is not 0, numbers
 * need no bounds and are counted by sign and power of two, 2^-40 to 2^40.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_schema_load_counting(const char *path,
                                                                  uint64_t max,
                                                                  int bins, int wide,
                                                                  tacit_schema **out,
                                                                  tacit_error *err);

#ifdef __cplusplus
}
#endif
#endif
