/* SPDX-License-Identifier: MIT */
/* Opens readers of a binary file: a cache, or a NumPy array. Each is read alone. */
#include <inttypes.h>

#include "base/error.h"
#include "data/array/store.h"
#include "data/cache/store.h"
#include "data/reader/reader.h"

static tacit_status open_cache(const char *path, const tacit_reader_options *options,
                               tacit_stored_reader **out, tacit_error *err) {
  tacit_store store;
  tacit_cache_facts facts;
  TACIT_TRY(tacit_cache_store_open(path, options, &store, &facts, err));
  TACIT_TRY(tacit_stored_new(&store, facts.rows, 0, out, err));
  (*out)->base.is_shuffled = facts.is_shuffled;
  (*out)->base.is_weighted = facts.is_weighted;
  (*out)->base.has_units = (*out)->base.has_hashes = facts.has_units && options->labels;
  return TACIT_OK;
}

static tacit_status check_npy(const tacit_npy *rows,
                              const tacit_reader_options *options, tacit_error *err) {
  if (options->labels && options->label_path == NULL)
    return tacit_fail(err, TACIT_EINVAL,
                      "%s: its labels are missing: give their file (--label-file)",
                      rows->name);
  if (options->rows >= 0 && options->rows != rows->head.n_rows)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: declared %" PRId64 " rows, found %" PRId64
                      "; correct --rows or the file",
                      rows->name, options->rows, rows->head.n_rows);
  return TACIT_OK;
}

static tacit_status open_npy(const char *path, const tacit_reader_options *options,
                             tacit_stored_reader **out, tacit_error *err) {
  tacit_npy_data *npy = NULL;
  TACIT_TRY(tacit_npy_data_new(path, options->labels ? options->label_path : NULL,
                               options->schema, &npy, err));
  tacit_store store;
  tacit_status status = check_npy(&npy->rows, options, err);
  if (status == TACIT_OK)
    status =
        tacit_array_store_new(&npy->arrays, npy, options->labels != 0, &store, err);
  if (status != TACIT_OK) {
    tacit_npy_data_free(npy);
    return status;
  }
  return tacit_stored_new(&store, npy->arrays.n_rows, options->shuffle > 0, out, err);
}

tacit_status tacit_reader_open_binary(tacit_file_kind kind, const char *path,
                                      const tacit_reader_options *options,
                                      tacit_reader **out, tacit_error *err) {
  tacit_identity identity = {{0}};
  tacit_stored_reader *stored;
  TACIT_TRY(tacit_identity_add(&identity, 0, path, err));
  if (options->labels && options->label_path != NULL)
    TACIT_TRY(tacit_identity_add(&identity, 1, options->label_path, err));
  TACIT_TRY(kind == TACIT_FILE_CACHE ? open_cache(path, options, &stored, err)
                                     : open_npy(path, options, &stored, err));
  stored->base.identity = identity;
  *out = &stored->base;
  return TACIT_OK;
}
