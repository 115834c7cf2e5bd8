/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_H
#define TACIT_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tacit/schema.h>

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
