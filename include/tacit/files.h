/* SPDX-License-Identifier: MIT */
#ifndef TACIT_FILES_H
#define TACIT_FILES_H

#include <tacit/data.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Binary files of rows: caches, which this library writes, and NumPy arrays (.npy).
 * tacit_reader_open recognises both by their first bytes.
 */

/** The kind of a file, by its first bytes. */
typedef enum tacit_file_kind {
  TACIT_FILE_TEXT = 0, /**< LIBSVM or CSV, compressed or not; everything else */
  TACIT_FILE_CACHE = 1,
  TACIT_FILE_NPY = 2
} tacit_file_kind;

/** Returns the kind of a regular file. Returns TACIT_FILE_TEXT for "-" and for a file
    that cannot be opened. */
TACIT_API tacit_file_kind tacit_file_kind_of(const char *path);

/** Options of a cache. Fill with tacit_cache_options_init, then change. */
typedef struct tacit_cache_options {
  size_t struct_size;
  const tacit_schema *schema; /**< required: the schema of the reader */
  /** The files that the rows come from. The cache stores a digest of their names, sizes
      and times for tacit_cache_check. May be empty. */
  const char *const *sources;
  size_t n_sources;
  /** The options that the reader was opened with, or NULL. With them the cache also
      stores a digest of the files of labels, weights and ids, and of the largest
      weight. */
  const tacit_reader_options *reading;
  /** Descriptor of an open file to write to, which the caller completes and names. If
     it is 0, the cache is written to a file that becomes `path` when it is complete. */
  int descriptor;
  /** Called now and then with the number of rows written. If it returns non-zero,
      writing stops. May be NULL. */
  int (*progress)(void *cookie, int64_t rows);
  void *progress_cookie;
} tacit_cache_options;

TACIT_API void tacit_cache_options_init(tacit_cache_options *options);

/**
 * Writes the remaining rows of a reader to a cache: parsed, in the reader's order, with
 * the schema and checksums. The file contains the records, so a new file is readable by
 * its owner only (mode 0600). It gets its name when it is complete. An existing file is
 * replaced, but never a file of `sources`. Training on the cache gives the same model,
 * bit for bit, as training on the reader, if its rows are not in a secret order and
 * have no ids. Uses 32 bytes of memory per 256 rows.
 *
 * If the rows have ids, the persons are counted (tacit_reader_units), and the cache
 * stores a keyed hash of every id (16 bytes), whose key is thrown away.
 */
TACIT_API TACIT_NODISCARD tacit_status
tacit_cache_write(tacit_reader *reader, const char *path,
                  const tacit_cache_options *options, tacit_error *err);
/** Reads the schema that a cache was made with. Reads no rows. */
TACIT_API TACIT_NODISCARD tacit_status tacit_cache_schema(const char *path,
                                                          tacit_schema **out,
                                                          tacit_error *err);
/**
 * Checks that a cache was made with the schema and from the sources of `options`, in
 * this order and unchanged since, and that its rows are in a secret order if and only
 * if `shuffled` is not 0. Returns TACIT_EDATA if not.
 */
TACIT_API TACIT_NODISCARD tacit_status
tacit_cache_check(const char *path, const tacit_cache_options *options, int shuffled,
                  tacit_error *err);

/**
 * Reads the numbers of rows and columns of a .npy file. An array of one dimension has 1
 * column. Reads no values.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_npy_shape(const char *path,
                                                       int64_t *out_rows,
                                                       size_t *out_columns,
                                                       tacit_error *err);

#ifdef __cplusplus
}
#endif
#endif
