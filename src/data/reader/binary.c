/* SPDX-License-Identifier: MIT */
/* Readers of binary files: a cache or an array of NumPy's, recognised by its first
   bytes. Each is given alone. */
#include <inttypes.h>
#include <tacit/files.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/array/npy.h"
#include "data/cache/store.h"
#include "data/reader/reader.h"

static tacit_status open_cache(tacit_reader *reader, const char *path,
                               const tacit_reader_options *options, tacit_error *err) {
  TACIT_TRY(tacit_cache_store_open(path, options, &reader->store, &reader->expected,
                                   &reader->is_stored_shuffled, err));
  return tacit_cursor_new(&reader->store, NULL, &reader->cursor, err);
}

static tacit_status open_npy(tacit_reader *reader, const char *path,
                             const tacit_reader_options *options, tacit_error *err) {
  reader->npy = tacit_array_new(1, sizeof *reader->npy);
  if (reader->npy == NULL) return tacit_fail_memory(err);
  TACIT_TRY(tacit_npy_data_open(reader->npy, path,
                                options->labels ? options->label_path : NULL,
                                options->schema, err));
  const tacit_npy *rows = &reader->npy->rows;
  if (options->labels && options->label_path == NULL)
    return tacit_fail(err, TACIT_EINVAL,
                      "%s: its labels are missing: give their file (--label-file)",
                      rows->name);
  if (options->rows >= 0 && options->rows != rows->head.n_rows)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: declared %" PRId64 " rows, found %" PRId64
                      "; correct --rows or the file",
                      rows->name, options->rows, rows->head.n_rows);
  return tacit_reader_take_arrays(reader, &reader->npy->arrays, options, err);
}

tacit_status tacit_reader_open_binary(tacit_reader *reader, const char *const *paths,
                                      size_t n_paths,
                                      const tacit_reader_options *options,
                                      int *out_binary, tacit_error *err) {
  tacit_file_kind kind = TACIT_FILE_TEXT;
  for (size_t i = 0; i < n_paths && kind == TACIT_FILE_TEXT; ++i) {
    kind = tacit_file_kind_of(paths[i]);
    if (kind == TACIT_FILE_TEXT || n_paths == 1) continue;
    char name[TACIT_NAME_BYTES];
    tacit_name_shorten(paths[i], 90, name);
    return tacit_fail(err, TACIT_EINVAL,
                      "%s: %s is read alone, not together with other files", name,
                      kind == TACIT_FILE_CACHE ? "a cache" : "a .npy file");
  }
  *out_binary = kind != TACIT_FILE_TEXT;
  if (kind != TACIT_FILE_NPY && options->label_path != NULL)
    return tacit_fail(
        err, TACIT_EINVAL,
        "a file of labels is for .npy: the rows of other files have their "
        "labels with them");
  if (kind == TACIT_FILE_TEXT) return TACIT_OK;
  reader->is_regular = 1;
  TACIT_TRY(tacit_identity_add(&reader->identity, 0, paths[0], err));
  if (options->labels && options->label_path != NULL)
    TACIT_TRY(tacit_identity_add(&reader->identity, 1, options->label_path, err));
  return kind == TACIT_FILE_CACHE ? open_cache(reader, paths[0], options, err)
                                  : open_npy(reader, paths[0], options, err);
}

void tacit_reader_close_binary(tacit_reader *reader) {
  if (reader->npy != NULL) tacit_npy_data_close(reader->npy);
  tacit_array_free(reader->npy);
}
