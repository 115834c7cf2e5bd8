/* SPDX-License-Identifier: MIT */
#ifndef TACIT_MODEL_H
#define TACIT_MODEL_H

#include <tacit/data.h>
#include <tacit/statement.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A trained model with its preprocessing and its privacy statement. Immutable. */
typedef struct tacit_model tacit_model;

/** Reads a model file of at most `max` bytes; 0 means 1 GiB, or 64 MiB for a file that
    does not say at its beginning that it is a model. Returns TACIT_EDATA if the file is
    damaged, does not match its digest, has a later format version, or is larger. */
TACIT_API TACIT_NODISCARD tacit_status tacit_model_load(const char *path, uint64_t max,
                                                        tacit_model **out,
                                                        tacit_error *err);
/** Reads a model from `size` bytes of JSON. */
TACIT_API TACIT_NODISCARD tacit_status tacit_model_parse(const char *text, size_t size,
                                                         tacit_model **out,
                                                         tacit_error *err);
/**
 * Writes the model to a file, completely or not at all. A path that is
 * not a regular file, such as a pipe, is written directly.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_model_save(const tacit_model *model,
                                                        const char *path,
                                                        tacit_error *err);
/** Writes the text of the model file, for tacit_model_parse. Free *out with
    tacit_string_free. */
TACIT_API TACIT_NODISCARD tacit_status tacit_model_text(const tacit_model *model,
                                                        char **out, tacit_error *err);
TACIT_API void tacit_model_free(tacit_model *model);

/** Returns the schema of the model's rows, valid as long as the model. */
TACIT_API const tacit_schema *tacit_model_schema(const tacit_model *model);
/** Returns the name of the loss, for example "logistic". */
TACIT_API const char *tacit_model_loss(const tacit_model *model);
/** Returns the number of outputs: 1, or the number of classes if there are more than
    two. */
TACIT_API size_t tacit_model_outputs(const tacit_model *model);
/**
 * Returns the weights, *out_count numbers: the features of each output in turn, then
 * one bias per output if the model has a bias.
 */
TACIT_API const double *tacit_model_weights(const tacit_model *model,
                                            size_t *out_count);
/**
 * Returns the offset of the margins, one number per output, or NULL if it is 0. It is
 * added to the margins of the scaled row, and contains the intercept of a model that
 * was trained on centred rows.
 */
TACIT_API const double *tacit_model_offset(const tacit_model *model);
/**
 * Returns the approximate standard deviation that the noise of the training gives each
 * weight: the features of each output in turn, *out_count numbers (out_count may be
 * NULL). It is computed from released numbers (docs/results/bands.md). Returns NULL and
 * 0 if the model does not have it, because it was trained without noise, in too many
 * rounds, or by a learner without the slot carry.
 */
TACIT_API const double *tacit_model_noise(const tacit_model *model, size_t *out_count);
/**
 * Computes the shape of a term of the schema for one output: what the term adds to the
 * score (the log-odds, or the prediction in units of the label), less its mean over the
 * points, and the approximate standard deviation of the noise in it. A number has
 * `points` points, 2 or more, from min to max at equal distances, and after them one
 * point per atom. Other terms have a point per input; ordered values and flags have one
 * more, which is the first, and a category has none for texts that are not declared
 * unless "other" is. Writes the number of points. `out_shape` and `out_noise` must have
 * room for that many numbers, or be NULL. The noise is NaN if tacit_model_noise returns
 * NULL.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_model_shape(
    const tacit_model *model, size_t term, size_t output, size_t points,
    size_t *out_count, double *out_shape, double *out_noise, tacit_error *err);
/** Returns the number that every row, with its bias, is multiplied by, or 0 if each row
    is scaled by its own norm instead. If it is not 0, the score is a sum of one
   function per column: a model whose effects can be read. */
TACIT_API double tacit_model_row_scale(const tacit_model *model);
/** Returns what a weight is multiplied by to say what an input of 1 adds to the score
   of a row of the largest norm that the schema allows: the number by which the row is
    multiplied (tacit_model_row_scale if that is not 0), for labels that are numbers
    times half their range, so in units of the label. */
TACIT_API double tacit_model_term_scale(const tacit_model *model);
/** Returns the norm that longer rows, with their bias, are scaled down to if
    tacit_model_row_scale is 0. */
TACIT_API double tacit_model_row_norm(const tacit_model *model);
/** Returns 1 if the model has a bias. */
TACIT_API int tacit_model_has_bias(const tacit_model *model);
/**
 * Returns BLAKE2b-256 over everything in the model file (weights, statement, schema,
 * loss, training) as 64 hexadecimal digits. The statement contains it as "digest", and
 * a file that does not match is refused. The digest shows that a file was not changed
 * by accident. It is not a signature: whoever edits a file can also edit the digest.
 * Returns NULL for files of format version 1, which have no digest.
 */
TACIT_API const char *tacit_model_digest(const tacit_model *model);
/** Return the privacy statement, as text for people, and as one JSON object. Valid as
    long as the model. */
TACIT_API const tacit_statement *tacit_model_statement(const tacit_model *model);
TACIT_API const char *tacit_model_statement_text(const tacit_model *model);
TACIT_API const char *tacit_model_statement_json(const tacit_model *model);

/**
 * Writes one prediction per row. For two classes: the probability of the positive class
 * if the loss is logistic, otherwise the margin, which is positive for the positive
 * class. For more classes: the number of the most likely class. For numbers: the
 * prediction in the units of the label.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_model_predict(const tacit_model *model,
                                                           const tacit_batch *batch,
                                                           double *out,
                                                           tacit_error *err);
/**
 * Writes one score per row and output, row by row: n_rows times tacit_model_outputs
 * numbers. With one output the score is the result of tacit_model_predict. With more
 * outputs the scores are the probabilities of the classes for softmax, and for other
 * losses the prediction for each class against the rest.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_model_scores(const tacit_model *model,
                                                          const tacit_batch *batch,
                                                          double *out,
                                                          tacit_error *err);
/** Writes the margins from which scores are computed, row by row, one per output: the
    scale of the row times (weights times row plus bias), plus the offset. */
TACIT_API TACIT_NODISCARD tacit_status tacit_model_margins(const tacit_model *model,
                                                           const tacit_batch *batch,
                                                           double *out,
                                                           tacit_error *err);
/** Returns the class that a result of tacit_model_predict means; of two classes, 1 is
    positive. */
TACIT_API int tacit_model_class(const tacit_model *model, double prediction);

/** Quality of a model on some rows. Not private: it depends on these rows directly. */
typedef struct tacit_metrics {
  size_t struct_size; /**< must be sizeof(tacit_metrics); otherwise only the fields up
                           to r2 are written */
  int64_t rows;
  double loss;  /**< mean of the loss that the model was trained with */
  bool classes; /**< true if accuracy and auc are set; false if rmse, mae and r2 are
                    set */
  double accuracy, auc; /**< auc is NaN unless exactly two classes occur */
  double rmse, mae, r2; /**< rmse and mae are in the units of the label; r2 is NaN for a
                           constant label */
  double deviance;      /**< mean Poisson deviance; NaN for losses other than poisson */
} tacit_metrics;

/**
 * A function that is called for every row that is evaluated, in file order, with its
 * scores (tacit_model_scores), its label as in a batch, and its weight. The weight of a
 * row of a person with m rows is divided by m.
 */
typedef tacit_status (*tacit_scored_fn)(void *cookie, const double *scores,
                                        double label, double weight, tacit_error *err);
/** Evaluates a model on all rows of a reader. Calls `take` for every row, for metrics
   of the caller, unless it is NULL. */
TACIT_API TACIT_NODISCARD tacit_status tacit_model_eval(const tacit_model *model,
                                                        tacit_reader *reader,
                                                        tacit_metrics *out,
                                                        tacit_scored_fn take,
                                                        void *cookie, tacit_error *err);

#ifdef __cplusplus
}
#endif
#endif
