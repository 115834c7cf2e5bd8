/* SPDX-License-Identifier: MIT */
#ifndef TACIT_SCHEMA_H
#define TACIT_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tacit/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Declares what a row is: columns, bounds, categories, label. Immutable. */
typedef struct tacit_schema tacit_schema;

/** The declared kind of label. */
typedef enum tacit_label_kind {
  TACIT_LABEL_CLASSES = 0, /**< classes; of two, the second one is the positive class */
  TACIT_LABEL_NUMBER = 1   /**< a number with declared bounds */
} tacit_label_kind;

/** Reads the schema of a CSV file from a JSON file (docs/howto/schema.md) of at most
   `max` bytes; 0 means 64 MiB. */
TACIT_API TACIT_NODISCARD tacit_status tacit_schema_load(const char *path, uint64_t max,
                                                         tacit_schema **out,
                                                         tacit_error *err);
/**
 * Makes the schema of a LIBSVM file with `features` columns. With 2 classes labels are
 * 0/1 or -1/+1, with more classes 0 … classes-1. If `classes` is 0, labels are numbers,
 * clamped to label_min and label_max, which are otherwise not used.
 */
TACIT_API TACIT_NODISCARD tacit_status
tacit_schema_libsvm(size_t features, size_t classes, double label_min, double label_max,
                    tacit_schema **out, tacit_error *err);
/** Makes the schema of arrays in memory. Labels are as in tacit_schema_libsvm. */
TACIT_API TACIT_NODISCARD tacit_status
tacit_schema_memory(size_t features, size_t classes, double label_min, double label_max,
                    tacit_schema **out, tacit_error *err);
TACIT_API void tacit_schema_free(tacit_schema *schema);

/** Returns the number of model inputs per row, without the bias. */
TACIT_API size_t tacit_schema_features(const tacit_schema *schema);
/** Returns 1 for a CSV schema, 0 for other schemas. */
TACIT_API int tacit_schema_is_csv(const tacit_schema *schema);
/** Returns the kind of label. For a number, writes its declared bounds; out_min and
    out_max may be NULL. */
TACIT_API tacit_label_kind tacit_schema_label(const tacit_schema *schema,
                                              double *out_min, double *out_max);
/** Returns the number of declared classes, 2 or more, or 0 if the label is a number. */
TACIT_API size_t tacit_schema_classes(const tacit_schema *schema);
/** Returns the name of the CSV column that says which person a row belongs to, or
    NULL. */
TACIT_API const char *tacit_schema_unit(const tacit_schema *schema);
/** Returns the name of class `which`, or NULL past the end. Of two classes, 0 is
    negative and 1 positive. */
TACIT_API const char *tacit_schema_class(const tacit_schema *schema, int which);
/**
 * Returns the name of model input `index`: "age", "age[20,30)" (a step), "age@20" (a
 * knot), "smoker=yes", "smoker=other", "zip#3", or "f1" for the first input of LIBSVM
 * files and arrays. Returns NULL past the end, and for every input if there are more
 * than 2^18 inputs or their names take more than 64 MiB.
 */
TACIT_API const char *tacit_schema_feature_name(const tacit_schema *schema,
                                                size_t index);

/** How the inputs of a term follow from a cell. */
typedef enum tacit_term_kind {
  TACIT_TERM_LINE = 0,   /**< one input: a number, mapped to [-1, 1] or [0, 1] */
  TACIT_TERM_STEPS = 1,  /**< input i is 1 if points[i] <= number < points[i + 1] */
  TACIT_TERM_HATS = 2,   /**< input i is 1 at points[i] and falls to 0 at its
                              neighbours; input n_points is the number itself, a
                              line */
  TACIT_TERM_VALUES = 3, /**< input i is 1 for value i; the last input of a category is
                              1 for all values that are not declared */
  TACIT_TERM_LEVELS = 4, /**< input i is 1/sqrt(count) from level i + 1 on */
  TACIT_TERM_FLAG = 5,   /**< one input: 1 for true, or for a missing cell */
  TACIT_TERM_HASHED = 6, /**< the input that the hash of the cell names is 1 */
  TACIT_TERM_WORDS = 7,  /**< counts of words by hash, scaled to norm 1 */
  TACIT_TERM_CROSS = 8   /**< products of the inputs of several columns */
} tacit_term_kind;

/** A group of model inputs that belong together. A column has one term, a date one per
    part, and a column whose missing cells have their own input one more. The pointers
    live as long as the schema. */
typedef struct tacit_term {
  size_t struct_size;   /**< must be sizeof(tacit_term), set by the caller */
  const char *name;     /**< "age", "admitted.month", "age=missing", "age*sex" */
  const char *column;   /**< name of the CSV column; NULL for a cross of columns */
  tacit_term_kind kind; /**< what the inputs are */
  size_t first;         /**< number of its first model input */
  size_t count;         /**< number of its model inputs */
  double min;           /**< lower bound of a number; of elapsed days, in days
                             since 1970-01-01 */
  double max;           /**< upper bound of a number, as min; numbers are clamped
                             to these bounds */
  const char *map;      /**< function applied to a number: "linear", "log", "log1p"
                             or "sqrt" */
  size_t n_points;      /**< steps: one edge more than inputs that are not of atoms;
                           hats: knots, as many as such inputs, or one less if there
                           is a line; else 0 */
  const double *points; /**< the points in the units of the file, from min to max */
  size_t n_atoms;       /**< atoms of a number: declared values with inputs of
                           their own, which are the last inputs. The other inputs
                           are then twice as large */
  const double *atoms;  /**< the atoms, ascending, or NULL */
  size_t n_values;      /**< declared values of a category, levels of an ordinal */
  const char *const *values; /**< the values in the order declared, or NULL */
  bool has_other; /**< category: true if "other" is declared, which stands for
                     all values that are not declared, and not in `values` */
} tacit_term;

/** Returns the number of terms of a CSV schema, which are in the order of their inputs,
    or 0 for other schemas. */
TACIT_API size_t tacit_schema_terms(const tacit_schema *schema);
/** Writes term number `which`. Returns TACIT_EINVAL past the end. */
TACIT_API TACIT_NODISCARD tacit_status tacit_schema_term(const tacit_schema *schema,
                                                         size_t which, tacit_term *out,
                                                         tacit_error *err);
/** Returns what a term of kind line, steps or hats adds to the score of a row whose
    number is `value`. `weights` has the weight of each input of the term. Returns NaN
    for other kinds. */
TACIT_API double tacit_schema_term_score(const tacit_schema *schema, size_t which,
                                         const double *weights, double value);

/** Makes a schema from the JSON text of a schema file; `where` starts messages. */
TACIT_API TACIT_NODISCARD tacit_status tacit_schema_from_text(const char *text,
                                                              size_t size,
                                                              const char *where,
                                                              tacit_schema **out,
                                                              tacit_error *err);
/** Writes the JSON text of a schema with all defaults. Free *out with
    tacit_string_free. */
TACIT_API TACIT_NODISCARD tacit_status tacit_schema_to_text(const tacit_schema *schema,
                                                            char **out,
                                                            tacit_error *err);

#ifdef __cplusplus
}
#endif
#endif
