/* SPDX-License-Identifier: MIT */
/* Opens readers of text files: as a stream, or by row number after all rows were
   counted. */
#include "base/error.h"
#include "base/memory.h"
#include "data/reader/reader.h"
#include "data/text/partition.h"
#include "data/text/store.h"

enum {
  ONE_THREAD_BYTES = 1 << 20
}; /* threads cost more than they gain for fewer
      bytes */

static tacit_status scan(tacit_row_index *index, unsigned threads, tacit_error *err) {
  int64_t bytes = 0;
  for (size_t i = 0; i < index->count; ++i)
    bytes += index->pieces[i].end - index->pieces[i].begin;
  tacit_pool *pool;
  TACIT_TRY(tacit_pool_new(bytes < ONE_THREAD_BYTES ? 1 : threads, &pool, err));
  tacit_status status = tacit_row_index_scan(index, pool, err);
  tacit_pool_free(pool);
  return status;
}

/* Adds this rank's parts of all files. A compressed file has one part. */
static tacit_status add_files(const tacit_text_files *files, tacit_row_index *index,
                              tacit_error *err) {
  int64_t parts = tacit_partition_parts(files);
  for (size_t i = 0; i < files->count; ++i) {
    const tacit_text_file *file = &files->list[i];
    if (file->source == NULL) continue;
    int cut = parts > 1 && tacit_source_is_plain(file->source);
    for (int64_t part = 0; part < (cut ? parts : 1); ++part)
      if (tacit_partition_is_ours(files, i, part))
        TACIT_TRY(tacit_row_index_add(index, i, part, cut ? parts : 1, err));
  }
  return TACIT_OK;
}

/* Returns 1 if rows have ids. Such rows are read twice, first for their ids, which say
   how much a row counts, so pipes are kept in a temporary file. */
static int has_units(const tacit_reader_options *options) {
  return options->unit_path != NULL ||
         (options->labels && options->schema->unit_column != NULL);
}

static tacit_status fill_store(tacit_text_store *store,
                               const tacit_reader_options *options,
                               const tacit_reader_limits *limits, tacit_error *err) {
  tacit_random_access_space_init(
      &store->space, limits->max_held, options->map != 0 ? limits->max_mapped : 0,
      has_units(options) ? store->files->max_kept : limits->max_temp);
  TACIT_TRY(tacit_text_files_access(store->files, &store->space, err));
  store->index = (tacit_row_index){
      .files = store->files,
      .piece_bytes = limits->piece_bytes,
      .max_line = limits->max_line,
      .max_offsets = limits->max_offsets,
  };
  TACIT_TRY(add_files(store->files, &store->index, err));
  return scan(&store->index, options->threads, err);
}

/* Makes a store, which owns the files. */
static tacit_status new_store(tacit_text_files *files,
                              const tacit_reader_options *options,
                              const tacit_reader_limits *limits, tacit_text_store **out,
                              tacit_error *err) {
  tacit_text_store *store = tacit_array_new(1, sizeof *store);
  if (store == NULL) {
    tacit_text_files_free(files);
    return tacit_fail_memory(err);
  }
  store->files = files;
  tacit_status status = fill_store(store, options, limits, err);
  return TACIT_HAND_OVER(status, store, tacit_text_store_free, out);
}

/* Makes a reader, which owns the store. The rows of the store must be numbered. */
static tacit_status new_reader(tacit_text_store *store, int64_t rows,
                               const tacit_reader_options *options, tacit_reader **out,
                               tacit_error *err) {
  tacit_text_files *files = store->files;
  int is_empty = rows == 0 && options->rows <= 0 && options->may_be_empty;
  tacit_status status =
      is_empty ? TACIT_OK
               : tacit_text_files_check_rows(files, options->rows, rows, err);
  if (status != TACIT_OK) {
    tacit_text_store_free(store);
    return status;
  }
  const tacit_store table = {
      .ops = &tacit_store_text, .self = store, .is_partitioned = files->group != NULL};
  tacit_stored_reader *stored;
  TACIT_TRY(tacit_stored_new(&table, rows, options->shuffle > 0, &stored, err));
  stored->base.identity = files->identity;
  stored->text = files;
  *out = &stored->base;
  return TACIT_OK;
}

/* Returns 1 if the files are read as a stream: rows in their own order that need not be
   counted, or that would have to be decoded to be read at any offset. */
static int is_stream(const tacit_text_files *files,
                     const tacit_reader_options *options) {
  int shuffle = files->is_regular && options->shuffle > 0;
  return files->group == NULL && !shuffle && !has_units(options) &&
         (!files->is_plain || options->rows >= 0);
}

tacit_status tacit_reader_open_text(const char *const *paths, size_t n_paths,
                                    const tacit_reader_options *options,
                                    const tacit_reader_limits *limits,
                                    tacit_reader **out, tacit_error *err) {
  const tacit_text_limits text_limits = {limits->max_line, limits->max_open,
                                         has_units(options) ? limits->max_temp : 0};
  tacit_text_files *files = NULL;
  tacit_text_store *store = NULL;
  tacit_reader *reader = NULL;
  tacit_status status =
      tacit_text_files_new(paths, n_paths, options, &text_limits, &files, err);
  if (status == TACIT_OK && is_stream(files, options)) {
    status = tacit_stream_new(files, options->rows, &reader, err);
    return tacit_reader_open_end(options, status, reader, out, err);
  }
  if (status == TACIT_OK) status = new_store(files, options, limits, &store, err);
  status = tacit_group_agree(options->group, TACIT_PARTITION_STEP_SCANNED, status, err);
  int64_t rows = 0;
  if (status == TACIT_OK)
    status = tacit_partition_number(store->files, &store->index, &rows, err);
  if (status != TACIT_OK) {
    tacit_text_store_free(store);
    return status;
  }
  status = new_reader(store, rows, options, &reader, err);
  return tacit_reader_open_end(options, status, reader, out, err);
}
