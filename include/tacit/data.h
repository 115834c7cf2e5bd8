/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_H
#define TACIT_DATA_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Some rows, as a view: the pointers belong to whoever made the batch. Dense rows are
 * row-major in raw_values and raw_row_start and raw_indices are NULL; sparse rows are
 * CSR: row i has the entries raw_row_start[i] ... raw_row_start[i+1]-1, indices 0-based
 * and strictly ascending within a row. Neither holds the bias column. Labels: -1 or +1
 * for two classes, 0, 1, ... for more, any number for regression (clamped to the
 * declared bounds inside). raw_labels may be NULL for prediction.
 *
 * The values are doubles in raw_values or floats in raw_values32, the other one NULL.
 * The same rows give the same model to the last bit in either form, dense or sparse.
 */
typedef struct tacit_batch {
  size_t struct_size;
  int64_t n_rows;
  size_t n_features;
  const double *raw_values;
  const int64_t *raw_row_start;
  const uint32_t *raw_indices;
  const double *raw_labels;
  const float *raw_values32; /**< in place of raw_values */
} tacit_batch;

/** An empty batch with its size filled in. */
TACIT_API void tacit_batch_init(tacit_batch *batch);

/** What a row of a file becomes: columns, bounds, categories, label. Immutable. */
typedef struct tacit_schema tacit_schema;

/** What the label is, as declared. */
typedef enum tacit_label_kind {
  TACIT_LABEL_CLASSES = 0, /**< classes; of two, the second one is the positive class */
  TACIT_LABEL_NUMBER = 1   /**< a number with declared bounds */
} tacit_label_kind;

/** The schema of a CSV file, read from a JSON file (docs/howto/schema.md) of at most
    1 GiB. */
TACIT_API TACIT_NODISCARD tacit_status tacit_schema_load(const char *path,
                                                         tacit_schema **out,
                                                         tacit_error *err);
/** The same for a file of at most `most` bytes; 0: 1 GiB. */
TACIT_API TACIT_NODISCARD tacit_status tacit_schema_load_limited(const char *path,
                                                                 uint64_t max,
                                                                 tacit_schema **out,
                                                                 tacit_error *err);
/**
 * The schema of a LIBSVM file with `features` columns: labels 0/1 or -1/+1 when
 * label_min and label_max are NaN, else numbers clamped to these bounds.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_schema_libsvm(size_t features,
                                                           double label_min,
                                                           double label_max,
                                                           tacit_schema **out,
                                                           tacit_error *err);
/** The schema of arrays in memory; the labels as for LIBSVM. */
TACIT_API TACIT_NODISCARD tacit_status tacit_schema_memory(size_t features,
                                                           double label_min,
                                                           double label_max,
                                                           tacit_schema **out,
                                                           tacit_error *err);
/** As above with `classes` > 2 classes: labels 0 … classes-1 in the file. */
TACIT_API TACIT_NODISCARD tacit_status tacit_schema_libsvm_classes(size_t features,
                                                                   size_t classes,
                                                                   tacit_schema **out,
                                                                   tacit_error *err);
TACIT_API TACIT_NODISCARD tacit_status tacit_schema_memory_classes(size_t features,
                                                                   size_t classes,
                                                                   tacit_schema **out,
                                                                   tacit_error *err);
TACIT_API void tacit_schema_free(tacit_schema *schema);

/** Number of model inputs a row becomes, without the bias. */
TACIT_API size_t tacit_schema_features(const tacit_schema *schema);
/** 1 for a CSV schema, 0 for the others. */
TACIT_API int tacit_schema_is_csv(const tacit_schema *schema);
/** Kind of label; for a number its declared bounds (outputs may be NULL). */
TACIT_API tacit_label_kind tacit_schema_label(const tacit_schema *schema,
                                              double *out_min, double *out_max);
/** Number of declared classes, 2 or more; 0 for a number label. */
TACIT_API size_t tacit_schema_classes(const tacit_schema *schema);
/** Name of class 0, 1, …; of two, 0 is negative and 1 positive. NULL past the end. */
TACIT_API const char *tacit_schema_class(const tacit_schema *schema, int which);
/**
 * Name of model input `index` ("age", "smoker=yes", "smoker=other", "zip#3"; "f1" is
 * the first one of LIBSVM and of arrays). NULL past the end, and for every input when
 * there are more than 2^20 of them.
 */
TACIT_API const char *tacit_schema_feature_name(const tacit_schema *schema,
                                                size_t index);

/**
 * A schema template from the header line of a CSV file ("-" is standard input): only
 * the header is read. *out is JSON text for a person to complete; free it with
 * tacit_string_free. The last column becomes the label unless `label` names another.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_schema_template(const char *path,
                                                             const char *label,
                                                             char **out,
                                                             tacit_error *err);
/** The same for a header line of at most `max_line` bytes; 0: 64 MiB. */
TACIT_API TACIT_NODISCARD tacit_status tacit_schema_template_limited(const char *path,
                                                                     const char *label,
                                                                     uint64_t max_line,
                                                                     char **out,
                                                                     tacit_error *err);
TACIT_API void tacit_string_free(char *text);

/** How to read. Fill with tacit_reader_options_init, then change. */
typedef struct tacit_reader_options {
  size_t struct_size;
  const tacit_schema *schema; /**< required, borrowed while the reader lives */
  int64_t rows;               /**< declared number of rows; -1: count them first */
  int shuffle;                /**< 1: through the public permutation (default); 0: in
                                 file order; -1: in whichever order is at hand */
  int labels;                 /**< 1: a label is required in every row (default 1) */
  unsigned threads;           /**< to count rows with; 0: all cores (default) */
  /** Several processes that read together (tacit/group.h), or NULL (default): each
      reads its share of the files, which must be regular. File i belongs to rank i mod
      size; when there are fewer files than ranks, each plain one is cut into
      ceil(size/files) parts at line ends, and part j of file i belongs to rank
      (i ceil(size/files) + j) mod size. Rows are numbered as in one process. */
  const struct tacit_group *group;
  const char *label_path; /**< .npy only: the file of the labels; NULL: none */
  int map; /**< 1: plain text files are mapped, up to an eighth of the machine's memory,
              which is quicker; but should one be cut while it is read, the process gets
              SIGBUS and not TACIT_EDATA (default 0: they are read in place) */
  uint64_t max_line; /**< bytes of the longest line of text; 0: 64 MiB (default) */
  uint64_t max_temp; /**< bytes that decoded files may take in a temporary file when
                        they do not fit in memory; 0: 64 GiB (default) */
} tacit_reader_options;

TACIT_API void tacit_reader_options_init(tacit_reader_options *options);

/** A source of rows: files one after the other, "-" is standard input. */
typedef struct tacit_reader tacit_reader;

/**
 * Opens the files; gzip and zstd are recognised by their first bytes, and so are binary
 * files (tacit/files.h), each of which is opened alone: a cache, which must have been
 * made with this very schema and is read in the order it was made in (TACIT_EDATA when
 * that is the permutation and `shuffle` is 0), and a .npy file of rows, which is
 * mapped: should it be cut while it is read, the process gets SIGBUS. Regular files are
 * scanned once to count rows unless `rows` is declared and shuffling is off. A pipe
 * cannot be counted, shuffled or rewound: it needs `rows`, and it is read in order
 * whatever `shuffle` says. Of more than 64 files none is kept open (fewer, where a
 * process may open less than 256): each is opened again by its path when it is needed,
 * and TACIT_EDATA if another file is there by then.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_reader_open(
    const char *const *paths, size_t n_paths, const tacit_reader_options *options,
    tacit_reader **out, tacit_error *err);
/** Rows in one pass: counted, or as declared. -1 when unknown. */
TACIT_API int64_t tacit_reader_rows(const tacit_reader *reader);
/** 1 when rows come through the public permutation. */
TACIT_API int tacit_reader_shuffled(const tacit_reader *reader);
/** 1 when the source can be read again. */
TACIT_API int tacit_reader_rewinds(const tacit_reader *reader);
/**
 * The next rows, as a view that lives until the next call on the reader; n_rows 0 at
 * the end. A number of rows other than counted or declared is TACIT_EDATA.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_reader_next(tacit_reader *reader,
                                                         const tacit_batch **out,
                                                         tacit_error *err);
/** Back to the first row, for another pass in the same order. */
TACIT_API TACIT_NODISCARD tacit_status tacit_reader_rewind(tacit_reader *reader,
                                                           tacit_error *err);
TACIT_API void tacit_reader_free(tacit_reader *reader);

/** Kinds of numbers in arrays of the caller's; native byte order, any alignment. */
typedef enum tacit_number {
  TACIT_FLOAT64 = 0,
  TACIT_FLOAT32 = 1,
  TACIT_INT64 = 2,
  TACIT_INT32 = 3
} tacit_number;

/**
 * Rows in arrays of the caller's, which stay where they are: a reader converts some
 * rows at a time. Dense rows in any layout when raw_row_start is NULL, else CSR,
 * indices strictly ascending within a row. Labels as in tacit_batch.
 */
typedef struct tacit_arrays {
  size_t struct_size;
  int64_t n_rows;
  size_t n_features;
  const void *raw_values;
  tacit_number values_type;  /**< TACIT_FLOAT64 or TACIT_FLOAT32 */
  int64_t row_stride;        /**< dense: bytes from a row to the next */
  int64_t column_stride;     /**< dense: bytes from a column to the next */
  const void *raw_row_start; /**< CSR: n_rows + 1 numbers; NULL: dense */
  tacit_number starts_type;  /**< TACIT_INT64 or TACIT_INT32 */
  const void *raw_indices;   /**< CSR: 0-based */
  tacit_number indices_type; /**< TACIT_INT64 or TACIT_INT32 */
  int64_t n_entries;         /**< CSR: values and indices there are */
  const double *raw_labels;  /**< may be NULL when labels are not read */
} tacit_arrays;

/** No rows, with the size filled in. */
TACIT_API void tacit_arrays_init(tacit_arrays *arrays);
/**
 * A reader of arrays; `rows` of the options is -1 or their number. The arrays are
 * borrowed while the reader lives, the struct for this call. Read through the public
 * permutation unless `shuffle` is 0: the same rows in a file give the same model. A
 * value that is not finite, and indices that do not ascend, are TACIT_EDATA.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_reader_open_arrays(
    const tacit_arrays *arrays, const tacit_reader_options *options, tacit_reader **out,
    tacit_error *err);

#ifdef __cplusplus
}
#endif
#endif
