/* SPDX-License-Identifier: MIT */
#ifndef TACIT_MODEL_H
#define TACIT_MODEL_H

#include <tacit/data.h>
#include <tacit/output.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A trained model with its preprocessing and its privacy statement. Immutable. */
typedef struct tacit_model tacit_model;

/** Reads a model file of at most 1 GiB. A damaged or edited file, one that does not fit
    its digest, or one of a later format version is TACIT_EDATA. */
TACIT_API TACIT_NODISCARD tacit_status tacit_model_load(const char *path,
                                                        tacit_model **out,
                                                        tacit_error *err);
/** The same for a file of at most `most` bytes; 0: 1 GiB. */
TACIT_API TACIT_NODISCARD tacit_status tacit_model_load_limited(const char *path,
                                                                uint64_t max,
                                                                tacit_model **out,
                                                                tacit_error *err);
/** Reads a model from `size` bytes of JSON. */
TACIT_API TACIT_NODISCARD tacit_status tacit_model_parse(const char *text, size_t size,
                                                         tacit_model **out,
                                                         tacit_error *err);
/**
 * Writes the model to a file, whole or not at all (tacit/output.h). What is not a
 * regular file is written directly.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_model_save(const tacit_model *model,
                                                        const char *path,
                                                        tacit_error *err);
/** The same into an output that the caller completes and places, when all else that
    could fail is done. */
TACIT_API TACIT_NODISCARD tacit_status tacit_model_write(const tacit_model *model,
                                                         tacit_output *output,
                                                         tacit_error *err);
/** The text of the model file, for tacit_model_parse; free with tacit_string_free. */
TACIT_API TACIT_NODISCARD tacit_status tacit_model_text(const tacit_model *model,
                                                        char **out, tacit_error *err);
TACIT_API void tacit_model_free(tacit_model *model);

/** The schema of the rows the model takes; lives as long as the model. */
TACIT_API const tacit_schema *tacit_model_schema(const tacit_model *model);
/** Name of the loss, "logistic". */
TACIT_API const char *tacit_model_loss(const tacit_model *model);
/** Outputs of the model: 1, or the number of classes when there are more than two. */
TACIT_API size_t tacit_model_outputs(const tacit_model *model);
/**
 * The weights, *out_count of them: for each output its features, then, if the model has
 * a bias, one bias for each output.
 */
TACIT_API const double *tacit_model_weights(const tacit_model *model,
                                            size_t *out_count);
/** 1 when the model has a bias. */
TACIT_API int tacit_model_has_bias(const tacit_model *model);
/**
 * BLAKE2b-256 over everything the model file says (weights, statement, schema, loss,
 * training), 64 hexadecimal digits; the statement carries it as "digest", and a file
 * that does not fit it is refused. It shows that a file is as it was written. It is not
 * a signature: whoever makes a file can make its digest. NULL for a model from a file
 * of version 0.1.0, which has none.
 */
TACIT_API const char *tacit_model_digest(const tacit_model *model);
/** 1 when the statement says private. */
TACIT_API int tacit_model_is_private(const tacit_model *model);
/** The privacy statement for people, and as one JSON object. */
TACIT_API const char *tacit_model_statement_text(const tacit_model *model);
TACIT_API const char *tacit_model_statement_json(const tacit_model *model);

/**
 * One prediction a row. Classes: the probability of the positive class for the logistic
 * loss, else the margin (positive: the positive class); with more than two classes, the
 * number of the likeliest class. Numbers: in the units of the label.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_model_predict(const tacit_model *model,
                                                           const tacit_batch *batch,
                                                           double *out,
                                                           tacit_error *err);
/**
 * One score for each row and output, row by row: n_rows times tacit_model_outputs
 * numbers. For softmax the probabilities of the classes, else as tacit_model_predict
 * for each class against the rest.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_model_scores(const tacit_model *model,
                                                          const tacit_batch *batch,
                                                          double *out,
                                                          tacit_error *err);
/** The margins behind the scores: for each row and output weights times row plus bias.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_model_margins(const tacit_model *model,
                                                           const tacit_batch *batch,
                                                           double *out,
                                                           tacit_error *err);
/** The class a prediction of tacit_model_predict stands for: 1 (positive) or 0 of two.
 */
TACIT_API int tacit_model_class(const tacit_model *model, double prediction);

/** How good a model is on some data. Not private: it depends on these rows directly. */
typedef struct tacit_metrics {
  size_t struct_size;
  int64_t rows;
  double loss; /**< mean loss the model was trained for */
  int classes; /**< 1: accuracy and auc are set; 0: rmse, mae and r2 */
  double accuracy,
      auc; /**< auc is NaN when only one class is present, or more than two */
  double rmse, mae,
      r2; /**< in the units of the label; r2 is NaN for a constant label */
} tacit_metrics;

/** Evaluates on all rows of a reader. */
TACIT_API TACIT_NODISCARD tacit_status tacit_model_eval(const tacit_model *model,
                                                        tacit_reader *reader,
                                                        tacit_metrics *out,
                                                        tacit_error *err);

#ifdef __cplusplus
}
#endif
#endif
