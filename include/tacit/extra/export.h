/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_EXPORT_H
#define TACIT_EXTRA_EXPORT_H

#include <tacit/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Languages that a model can be written in. The SQL dialects are for tables whose
    columns have the names of the schema, with NULL for a missing cell. */
typedef enum tacit_language {
  TACIT_LANGUAGE_C = 0,   /**< C11, needs only the C library */
  TACIT_LANGUAGE_SQL = 1, /**< standard SQL, without dates */
  TACIT_LANGUAGE_POSTGRESQL = 2,
  TACIT_LANGUAGE_SQLITE = 3,
  TACIT_LANGUAGE_DUCKDB = 4
} tacit_language;

/**
 * Writes the scores of a model (tacit_model_scores) in a language. Free *out with
 * tacit_string_free. For one output SQL is one expression. For several outputs it is a
 * whole SELECT from `table` with one column per class. A row that tacit_model_scores
 * would refuse, because a cell breaks the schema, has the score NULL (C: NAN).
 *
 * Returns TACIT_EINVAL for models that these languages cannot express: hashed columns,
 * columns of words, hashed crosses, rows scaled in a norm other than the Euclidean one,
 * and, in SQL, models of files without named columns. Standard SQL also has no dates.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_model_formula(const tacit_model *model,
                                                           tacit_language language,
                                                           const char *table,
                                                           char **out,
                                                           tacit_error *err);

/**
 * Writes the scores of a model as an ONNX file in memory, in doubles. Free *out with
 * tacit_string_free. Every column is an input of shape [rows, 1] with its name: texts
 * for categories and ordered values ("" is missing), doubles for the others (NAN is
 * missing; a date is the number of days since 1970-01-01, a truth value is 0 or 1).
 * Models of LIBSVM files and arrays have one input "x" of shape [rows, features]. The
 * output "scores" has one column per output, with NAN where a cell breaks the schema.
 *
 * Returns TACIT_EINVAL for models that tacit_model_formula refuses to write in C, for
 * dates with too many days, and for columns whose name is "scores" or begins with
 * "tacit:".
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_model_onnx(const tacit_model *model,
                                                        void **out, size_t *out_size,
                                                        tacit_error *err);

#ifdef __cplusplus
}
#endif
#endif
