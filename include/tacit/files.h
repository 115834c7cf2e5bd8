/* SPDX-License-Identifier: MIT */
#ifndef TACIT_FILES_H
#define TACIT_FILES_H

#include <tacit/data.h>
#include <tacit/output.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Binary files of rows: caches, which this library writes, and NumPy arrays (.npy).
 * tacit_reader_open recognises both by their first bytes.
 */

/** What a file is by its first bytes. */
typedef enum tacit_file_kind {
  TACIT_FILE_TEXT = 0, /**< anything else: LIBSVM or CSV, compressed or not */
  TACIT_FILE_CACHE = 1,
  TACIT_FILE_NPY = 2
} tacit_file_kind;

/** The kind of a regular file; TACIT_FILE_TEXT for what cannot be opened, and "-". */
TACIT_API tacit_file_kind tacit_file_kind_of(const char *path);

/** How a cache is made. Fill with tacit_cache_options_init, then change. */
typedef struct tacit_cache_options {
  size_t struct_size;
  const tacit_schema *schema; /**< required: that of the reader */
  /** Files the rows come from: the cache remembers a digest of their names, sizes and
      times for tacit_cache_check. None: nothing is remembered. */
  const char *const *sources;
  size_t n_sources;
  /** Where the cache is written, if the caller wants to complete and place it himself;
      NULL: an output of `path`, which is completed and placed. */
  tacit_output *output;
  /** Called now and then with the rows written; a non-zero return stops. May be NULL.
   */
  int (*progress)(void *cookie, int64_t rows);
  void *progress_cookie;
} tacit_cache_options;

TACIT_API void tacit_cache_options_init(tacit_cache_options *options);

/**
 * Writes the rows of a reader, from where it stands to its end, to a cache: parsed, in
 * the order they come, with the schema and checksums. The file holds records: only its
 * owner may read a new one (mode 0600). It appears under its name when it is complete;
 * what was there before is replaced, but never a file of `sources`. Training on the
 * cache gives the model of training on the reader, to the bit. Memory does not grow
 * with the rows, but for 32 bytes for every 256 of them.
 */
TACIT_API TACIT_NODISCARD tacit_status
tacit_cache_write(tacit_reader *reader, const char *path,
                  const tacit_cache_options *options, tacit_error *err);
/** The schema a cache was made with. Its rows are not looked at. */
TACIT_API TACIT_NODISCARD tacit_status tacit_cache_schema(const char *path,
                                                          tacit_schema **out,
                                                          tacit_error *err);
/**
 * TACIT_EDATA unless the cache was made with the schema and from the sources of
 * `options`, in this order and as they are now, and its rows stand in the public
 * permutation exactly when `shuffled` is not 0.
 */
TACIT_API TACIT_NODISCARD tacit_status
tacit_cache_check(const char *path, const tacit_cache_options *options, int shuffled,
                  tacit_error *err);

/**
 * Rows and columns of a .npy file; 1 column for an array of one dimension. Its numbers
 * are not looked at.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_npy_shape(const char *path,
                                                       int64_t *out_rows,
                                                       size_t *out_columns,
                                                       tacit_error *err);

#ifdef __cplusplus
}
#endif
#endif
