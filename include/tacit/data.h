/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_H
#define TACIT_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tacit/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A view of some rows. The caller owns the arrays.
 *
 * Dense rows are row-major in raw_values; raw_row_start and raw_indices are NULL.
 * Sparse rows are CSR: row i has the entries raw_row_start[i] ... raw_row_start[i+1]-1,
 * with 0-based indices that ascend strictly within a row. Neither form contains the
 * bias column. Labels are -1 or +1 for two classes, 0, 1, ... for more classes, and any
 * number for regression (the library clamps it to the declared bounds). raw_labels may
 * be NULL for prediction.
 *
 * Values are doubles in raw_values or floats in raw_values32; the other pointer is
 * NULL. All forms give the same model, bit for bit.
 *
 * The weight of a row multiplies its contribution and the bound of the contribution. It
 * must depend on the row itself and on public facts only. Rows that belong to one
 * person share the bound of one row. A batch whose struct_size ends before raw_weights
 * has no weights.
 */
typedef struct tacit_batch {
  size_t struct_size;
  int64_t n_rows;
  size_t n_features;
  const double *raw_values;
  const int64_t *raw_row_start;
  const uint32_t *raw_indices;
  const double *raw_labels;
  const float *raw_values32;     /**< used instead of raw_values */
  const double *raw_weights;     /**< 0 … 1 for each row; NULL: all 1 */
  const uint32_t *raw_unit_rows; /**< for each row, how many rows share its bound,
                                      itself included; 0: the row adds nothing; NULL:
                                      all 1 */
  const void *raw_units; /**< digests of ids, 16 bytes each, which only readers use */
  /** Cells of CSV rows as text, ids_per_row of each row, or NULL. They are the id, if
      rows are read without labels and the schema names the column of ids, then the
      columns of `keep` of the reader. Text j is bytes raw_id_start[j] …
      raw_id_start[j+1]-1 of raw_ids. It is empty if a file lacks the column. Read them
      with tacit_batch_text. */
  const char *raw_ids;
  const int64_t *raw_id_start;
  size_t ids_per_row;
} tacit_batch;

/** Makes an empty batch and fills in its size. */
TACIT_API void tacit_batch_init(tacit_batch *batch);

/** Returns text `which` of a row, of *out_size bytes, or "" if there is no such
    text. */
TACIT_API const char *tacit_batch_text(const tacit_batch *batch, int64_t row,
                                       size_t which, size_t *out_size);

/** Declares what a row is: columns, bounds, categories, label. Immutable. */
typedef struct tacit_schema tacit_schema;

/** The declared kind of label. */
typedef enum tacit_label_kind {
  TACIT_LABEL_CLASSES = 0, /**< classes; of two, the second one is the positive class */
  TACIT_LABEL_NUMBER = 1   /**< a number with declared bounds */
} tacit_label_kind;

/** Reads the schema of a CSV file from a JSON file (docs/howto/schema.md) of at most 64
    MiB. */
TACIT_API TACIT_NODISCARD tacit_status tacit_schema_load(const char *path,
                                                         tacit_schema **out,
                                                         tacit_error *err);
/** Reads a schema from a file of at most `max` bytes; 0 means 64 MiB. */
TACIT_API TACIT_NODISCARD tacit_status tacit_schema_load_limited(const char *path,
                                                                 uint64_t max,
                                                                 tacit_schema **out,
                                                                 tacit_error *err);
/**
 * Makes the schema of a LIBSVM file with `features` columns. If label_min and label_max
 * are NaN, labels are 0/1 or -1/+1; otherwise they are numbers, clamped to these
 * bounds.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_schema_libsvm(size_t features,
                                                           double label_min,
                                                           double label_max,
                                                           tacit_schema **out,
                                                           tacit_error *err);
/** Makes the schema of arrays in memory. Labels are as in tacit_schema_libsvm. */
TACIT_API TACIT_NODISCARD tacit_status tacit_schema_memory(size_t features,
                                                           double label_min,
                                                           double label_max,
                                                           tacit_schema **out,
                                                           tacit_error *err);
/** Make the schemas of a LIBSVM file and of arrays with `classes` > 2 classes, whose
    labels are 0 … classes-1. */
TACIT_API TACIT_NODISCARD tacit_status tacit_schema_libsvm_classes(size_t features,
                                                                   size_t classes,
                                                                   tacit_schema **out,
                                                                   tacit_error *err);
TACIT_API TACIT_NODISCARD tacit_status tacit_schema_memory_classes(size_t features,
                                                                   size_t classes,
                                                                   tacit_schema **out,
                                                                   tacit_error *err);
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
/** Returns the name of the which-th (from 0) CSV column whose declared categories
    contain "other", or NULL if there are no more such columns. For the library, this
    value stands for all values that are not declared. */
TACIT_API const char *tacit_schema_other(const tacit_schema *schema, size_t which);
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
  size_t n_values;      /**< declared values of a category, levels of an ordinal */
  const char *const *values; /**< the values in the order declared, or NULL */
  size_t n_atoms;            /**< atoms of a number: declared values with inputs of
                                their own, which are the last inputs. The other inputs
                                are then twice as large */
  const double *atoms;       /**< the atoms, ascending, or NULL */
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

/**
 * Writes the JSON text of a schema whose knots come from private counts: numbers with a
 * broken line (hats) get knots where the rows are. `path` is the output of `tacit
 * describe --json` with the same schema, of at most `max` bytes (0 means 64 MiB). Sets
 * *out_private to 1 if the counts were private; out_private may be NULL. Free *out with
 * tacit_string_free.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_schema_knots(const tacit_schema *schema,
                                                          const char *path,
                                                          uint64_t max, char **out,
                                                          int *out_private,
                                                          tacit_error *err);

TACIT_API void tacit_string_free(char *text);

/** Options of a reader. Fill with tacit_reader_options_init, then change. */
typedef struct tacit_reader_options {
  size_t struct_size;
  const tacit_schema *schema; /**< required; must outlive the reader */
  int64_t rows;               /**< declared number of rows; -1: count them first */
  int shuffle;                /**< the order in which runs use the rows: 1 secret
                                   (default), 0 file order, -1 whichever order the file
                                   has */
  bool labels;                /**< true if a label is required in every row (default) */
  unsigned threads;           /**< threads that count rows; 0: all cores (default) */
  /** Processes that read together (tacit/group.h), or NULL (default). Each rank reads
      its part of the files, which must be regular. File i belongs to rank i mod size.
     If there are fewer files than ranks, each plain file is cut at line ends into
      ceil(size/files) parts, and part j of file i belongs to rank
      (i ceil(size/files) + j) mod size. Rows are numbered as in one process. */
  const struct tacit_group *group;
  const char *label_path; /**< .npy only: the file of the labels, or NULL */
  bool map; /**< true: plain text files are mapped, up to an eighth of the machine's
              memory. This is faster, but if a file is cut while it is read, the process
              gets SIGBUS instead of TACIT_EDATA. False (default): files are read */
  uint64_t max_line; /**< largest line of text in bytes; 0: 64 MiB (default) */
  uint64_t max_temp; /**< largest temporary file in bytes, for decoded files that do not
                        fit into memory; 0: 64 GiB (default) */
  const char *unit_path; /**< the file of the ids of persons, for rows without ids: text
                              with one id per line, or a .npy file of whole numbers; may
                              be NULL (default). See tacit_reader_units */
  const char *weight_path; /**< for LIBSVM and .npy files: the file with the weight of
                                every row, one number per line or .npy; may be NULL */
  double max_weight; /**< largest weight, declared: weights of the file or the arrays
                          are divided by it, and larger weights become 1. 0 (default): a
                          weight above 1 is TACIT_EDATA */
  bool may_be_empty; /**< true: regular text files may have no rows, as on a day of a
                       stream (default false: TACIT_EDATA) */
  bool extra; /**< CSV only: true to leave out columns that the schema does not declare;
                  with false (default) they are TACIT_EDATA */
  const char *const
      *keep; /**< CSV only: names of n_keep columns, declared or not, whose cells
                  batches contain as text; they must outlive the reader */
  size_t n_keep;
  uint64_t max_kept; /**< largest memory, in bytes, in which a run of several passes
                        keeps the rows, in its own order, so that it reads the files
                        once. If the rows need more, every pass reads the files again.
                        Arrays are not copied. 0 (default): an eighth of the memory of
                        the machine or container; 1: no rows are kept */
} tacit_reader_options;

TACIT_API void tacit_reader_options_init(tacit_reader_options *options);

/** A source of rows: one or more files in sequence; "-" is standard input. */
typedef struct tacit_reader tacit_reader;

/**
 * Opens the files. Their first bytes say whether they are gzip, zstd or binary
 * (tacit/files.h).
 *
 * A binary file is opened alone. A cache must have been made with the same schema and
 * is read in the order it was made in. Returns TACIT_EDATA if that is not the order of
 * its sources and `shuffle` is 0. A .npy file of rows is mapped: if it is cut while it
 * is read, the process gets SIGBUS.
 *
 * Regular files are scanned once to count rows, unless `rows` is declared and `shuffle`
 * is 0. A pipe cannot be counted, shuffled or rewound: it needs `rows` and is always
 * read in order.
 *
 * If there are more than 64 files (or fewer, where a process may open less than 256),
 * none is kept open. Each is opened again by its path when it is needed, which fails
 * with TACIT_EDATA if the path then leads to another file.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_reader_open(
    const char *const *paths, size_t n_paths, const tacit_reader_options *options,
    tacit_reader **out, tacit_error *err);
/** Returns the number of rows in one pass, counted or declared, or -1 if it is
    unknown. */
TACIT_API int64_t tacit_reader_rows(const tacit_reader *reader);
/** Returns 1 if runs use the rows in a secret uniform order, which the run draws from
    its key or the cache has. tacit_reader_next gives the rows in the order in which
    they are stored. */
TACIT_API int tacit_reader_shuffled(const tacit_reader *reader);
/** Returns 1 if rows have weights. */
TACIT_API int tacit_reader_weighted(const tacit_reader *reader);
/** Returns 1 if rows have ids of persons, whom tacit_reader_units counts. */
TACIT_API int tacit_reader_has_units(const tacit_reader *reader);
/** Returns 1 if the source can be read again. */
TACIT_API int tacit_reader_rewinds(const tacit_reader *reader);
/**
 * Reads the next rows. The batch is valid until the next call on the reader; its n_rows
 * is 0 at the end. Returns TACIT_EDATA if the number of rows is not the counted or
 * declared number.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_reader_next(tacit_reader *reader,
                                                         const tacit_batch **out,
                                                         tacit_error *err);
/** Goes back to the first row, for another pass in the same order. */
TACIT_API TACIT_NODISCARD tacit_status tacit_reader_rewind(tacit_reader *reader,
                                                           tacit_error *err);
TACIT_API void tacit_reader_free(tacit_reader *reader);
/**
 * Counts persons, so that persons instead of rows are units. Reads the ids of all rows:
 * from the column that the schema names, from `unit_path`, or from raw_units of the
 * arrays. Writes the number of different ids to *out. It is a public fact and must be
 * `units` of the config; the number of rows is then secret. `unit_rows` must be the
 * unit_rows of the config. Call the function before the run, on all ranks; later calls
 * give the same number. Returns TACIT_EDATA if an id is missing or the number of ids is
 * not the number of rows, and TACIT_EINVAL if the reader has no ids or cannot be read
 * twice.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_reader_units(tacit_reader *reader,
                                                          int64_t unit_rows,
                                                          int64_t *out,
                                                          tacit_error *err);

/** Types of numbers in the caller's arrays; native byte order, any alignment. */
typedef enum tacit_number {
  TACIT_FLOAT64 = 0,
  TACIT_FLOAT32 = 1,
  TACIT_INT64 = 2,
  TACIT_INT32 = 3
} tacit_number;

/**
 * Rows in the caller's arrays. A reader converts some rows at a time and copies nothing
 * else. If raw_row_start is NULL the rows are dense in any layout; otherwise they are
 * CSR with indices that ascend strictly within a row. Labels as in tacit_batch.
 */
typedef struct tacit_arrays {
  size_t struct_size;
  int64_t n_rows;
  size_t n_features;
  const void *raw_values;
  tacit_number values_type;  /**< TACIT_FLOAT64 or TACIT_FLOAT32 */
  int64_t row_stride;        /**< dense: bytes from one row to the next */
  int64_t column_stride;     /**< dense: bytes from one column to the next */
  const void *raw_row_start; /**< CSR: n_rows + 1 numbers; NULL if rows are dense */
  tacit_number starts_type;  /**< TACIT_INT64 or TACIT_INT32 */
  const void *raw_indices;   /**< CSR: 0-based */
  tacit_number indices_type; /**< TACIT_INT64 or TACIT_INT32 */
  int64_t n_entries;         /**< CSR: number of values and of indices */
  const double *raw_labels;  /**< may be NULL if labels are not read */
  const void *raw_units;     /**< ids of persons (see tacit_reader_units), or NULL */
  size_t unit_bytes; /**< 0: ids are int64; else texts of this many bytes, padded
                        at the end with zero bytes */
  const double *raw_weights; /**< one per row, >= 0 (max_weight); NULL: all 1 */
} tacit_arrays;

/** Makes empty arrays and fills in the size. */
TACIT_API void tacit_arrays_init(tacit_arrays *arrays);
/**
 * Opens a reader of arrays; `rows` of the options must be -1 or the number of rows. The
 * arrays must outlive the reader; the struct need not. A run uses the rows in a secret
 * order unless `shuffle` is 0; with a seed, the same rows in a file give the same
 * model. Reading returns TACIT_EDATA if a value is not finite or indices do not ascend.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_reader_open_arrays(
    const tacit_arrays *arrays, const tacit_reader_options *options, tacit_reader **out,
    tacit_error *err);

#ifdef __cplusplus
}
#endif
#endif
