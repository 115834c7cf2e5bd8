/* SPDX-License-Identifier: MIT */
/* Opens text files for reading by row number: headers, hold, count. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/reader/reader.h"
#include "data/text/store.h"

enum { ONE_THREAD_BYTES = 1 << 20 }; /* threads do not pay below */

/* Where the rows of a file begin: behind the header, or behind a byte order mark. */
static tacit_status find_body(tacit_reader *reader, size_t number, tacit_error *err) {
  tacit_reader_file *file = &reader->files[number];
  tacit_source_rewind(file->source);
  tacit_lines_start(reader->lines, file->source);
  reader->file = number;
  if (reader->format->header != NULL) {
    TACIT_TRY(tacit_stream_header(reader, err));
    tacit_lines_place(reader->lines, &file->body, &file->body_line);
    return TACIT_OK;
  }
  tacit_line line;
  int more;
  TACIT_TRY(tacit_lines_next(reader->lines, &line, &more, err));
  file->body = more ? line.mark : 0;
  file->body_line = 1;
  return TACIT_OK;
}

static tacit_status access_files(tacit_reader *reader, tacit_error *err) {
  for (size_t i = 0; i < reader->n_files; ++i) {
    tacit_reader_file *file = &reader->files[i];
    if (file->source == NULL) continue;
    TACIT_TRY(find_body(reader, i, err));
    tacit_source_rewind(file->source);
    TACIT_TRY(tacit_random_access_new(file->source, &reader->room, &file->access, err));
    if (reader->must_rest) tacit_source_rest(file->source);
    if (tacit_random_access_size(file->access) < file->body)
      file->body = 0; /* it was cut */
  }
  return TACIT_OK;
}

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

/* Our parts of all files; a compressed file has one part. */
static tacit_status add_files(const tacit_reader *reader, tacit_row_index *index,
                              tacit_error *err) {
  int64_t parts = tacit_partition_parts(reader);
  for (size_t i = 0; i < reader->n_files; ++i) {
    const tacit_reader_file *file = &reader->files[i];
    if (file->source == NULL) continue;
    int cut = parts > 1 && tacit_source_is_plain(file->source);
    for (int64_t part = 0; part < (cut ? parts : 1); ++part) {
      if (tacit_partition_is_ours(reader, i, part))
        TACIT_TRY(tacit_row_index_add(index, i, part, cut ? parts : 1, err));
    }
  }
  return TACIT_OK;
}

static tacit_status open_store(tacit_reader *reader, tacit_text_store *store,
                               unsigned threads, tacit_error *err) {
  TACIT_TRY(access_files(reader, err));
  store->labels = reader->labels;
  store->n_files = reader->n_files;
  store->index = (tacit_row_index){
      .format = reader->format,
      .schema = reader->schema,
      .files = reader->files,
      .piece_bytes = reader->limits.piece_bytes,
      .max_line = reader->limits.max_line,
      .max_places = reader->limits.max_places,
  };
  TACIT_TRY(add_files(reader, &store->index, err));
  return scan(&store->index, threads, err);
}

tacit_status tacit_reader_open_text(tacit_reader *reader, unsigned threads,
                                    tacit_status status, int64_t *out_rows,
                                    tacit_error *err) {
  tacit_text_store *store = NULL;
  if (status == TACIT_OK) {
    store = tacit_array_new(1, sizeof *store);
    if (store == NULL) status = tacit_fail_memory(err);
  }
  if (status == TACIT_OK) {
    reader->store = (tacit_store){.ops = &tacit_store_text,
                                  .self = store,
                                  .is_partitioned = reader->group != NULL};
    status = open_store(reader, store, threads, err);
  }
  return tacit_partition_number(reader, store != NULL ? &store->index : NULL, status,
                                out_rows, err);
}
