/* SPDX-License-Identifier: MIT */
#ifndef TACIT_EXTRA_EXPORT_H
#define TACIT_EXTRA_EXPORT_H

#include <tacit/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Languages that a model can be written in. The SQL of each is for tables whose
   columns have the names of the schema, with NULL for a missing cell. */
typedef enum tacit_language {
  TACIT_LANGUAGE_C = 0,   /**< a C11 file that needs the C library only */
  TACIT_LANGUAGE_SQL = 1, /**< standard SQL, without dates */
  TACIT_LANGUAGE_POSTGRESQL = 2,
  TACIT_LANGUAGE_SQLITE = 3,
  TACIT_LANGUAGE_DUCKDB = 4
} tacit_language;

/**
 * The scores of a model (tacit_model_scores) as text in a language; free it with
 * tacit_string_free. For one output SQL is one expression. For several it is a whole
 * SELECT from `table` with one column per class. A row that tacit_model_scores would
 * not get, because a cell breaks the schema, has the score NULL (C: NAN).
 *
 * TACIT_EINVAL for what these languages cannot say: hashed columns, columns of words
 * and hashed crosses, rows that are scaled in another norm than the Euclidean, models
 * of files without named columns in SQL, dates in standard SQL.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_model_formula(const tacit_model *model,
                                                           tacit_language language,
                                                           const char *table,
                                                           char **out,
                                                           tacit_error *err);

/**
 * The scores of a model as an ONNX file in memory, in doubles; free it with
 * tacit_string_free. Every column is an input of shape [rows, 1] with its name: texts
 * for categories and ordered values ("" is missing), doubles for the others (NAN is
 * missing; a date is the number of days since 1970-01-01, a truth value 0 or 1). Models
 * of LIBSVM files and arrays have one input "x" of shape [rows, features]. The output
 * "scores" has a column per output, NAN where a cell breaks the schema.
 *
 * TACIT_EINVAL as for tacit_model_formula, and for columns whose names ONNX takes for
 * others.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_model_onnx(const tacit_model *model,
                                                        void **out, size_t *out_size,
                                                        tacit_error *err);

#ifdef __cplusplus
}
#endif
#endif
