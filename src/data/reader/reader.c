/* SPDX-License-Identifier: MIT */
/*
 * Readers: rows of files, arrays or a cache, in the order they stand or through the
 * public permutation. What can be read by row number is a store and an order over it;
 * the rest is a stream (data/reader/stream.c). After an error the reader is dead: a run
 * never goes on with a part of the data.
 */
#include "data/reader/reader.h"

#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/text/store.h"

enum { FILES_OPEN_MAX = 64 };
static const uint64_t usual_temp = UINT64_C(1) << 36;

void tacit_reader_options_init(tacit_reader_options *options) {
  if (options == NULL) return;
  memset(options, 0, sizeof *options);
  options->struct_size = sizeof *options;
  options->rows = -1;
  options->shuffle = 1;
  options->labels = 1;
}

static tacit_status check_arguments(const char *const *paths, size_t n_paths,
                                    const tacit_reader_options *options,
                                    tacit_reader **out, tacit_error *err) {
  if (paths == NULL || options == NULL || out == NULL || options->schema == NULL ||
      options->struct_size < sizeof *options)
    return tacit_fail(err, TACIT_EINVAL,
                      "reader: paths, options, schema or out is missing");
  if (n_paths == 0) return tacit_fail(err, TACIT_EINVAL, "reader: no input file");
  if (options->rows < -1 || options->rows == 0)
    return tacit_fail(err, TACIT_EINVAL, "the number of rows must be at least 1");
  size_t n_stdin = 0;
  for (size_t i = 0; i < n_paths; ++i) {
    if (paths[i] == NULL)
      return tacit_fail(err, TACIT_EINVAL, "reader: a path is NULL");
    n_stdin += strcmp(paths[i], "-") == 0;
  }
  if (n_stdin > 1)
    return tacit_fail(err, TACIT_EINVAL, "standard input (-) can be given only once");
  return TACIT_OK;
}

/* Notes whether all files can be read again, and at any place at no cost. */
static tacit_status open_files(tacit_reader *reader, const char *const *paths,
                               size_t n_paths, int *out_plain, tacit_error *err) {
  reader->files = tacit_array_new(n_paths, sizeof *reader->files);
  if (reader->files == NULL) return tacit_fail_memory(err);
  reader->is_regular = 1;
  reader->n_files = n_paths;
  reader->must_rest = n_paths > reader->limits.max_open;
  *out_plain = 1;
  for (size_t i = 0; i < n_paths; ++i) {
    tacit_source **source = &reader->files[i].source;
    if (!tacit_partition_is_ours(reader, i, -1)) continue;
    TACIT_TRY(tacit_source_open(paths[i], source, err));
    if (tacit_partition_is_ours(reader, i, 0))
      TACIT_TRY(tacit_identity_add(&reader->identity, i, paths[i], err));
    reader->is_regular = reader->is_regular && tacit_source_is_regular(*source);
    *out_plain = *out_plain && tacit_source_is_plain(*source);
    if (reader->must_rest) tacit_source_rest(*source);
  }
  return TACIT_OK;
}

static tacit_status check_rows(tacit_reader *reader, int64_t rows, tacit_error *err) {
  const char *name = tacit_reader_name(reader);
  const char *more = reader->n_files > 1 ? " and more" : "";
  if (rows == 0) return tacit_fail(err, TACIT_EDATA, "%s%s: no rows", name, more);
  if (reader->is_declared && rows != reader->expected)
    return tacit_fail(err, TACIT_EDATA,
                      "%s%s: declared %" PRId64 " rows, found %" PRId64
                      "; correct --rows or the file",
                      name, more, reader->expected, rows);
  reader->expected = rows;
  reader->is_declared = 0;
  return TACIT_OK;
}

static tacit_status open_stream(tacit_reader *reader, tacit_error *err) {
  if (reader->is_regular && !reader->is_declared) {
    int64_t rows;
    TACIT_TRY(tacit_stream_count(reader, &rows, err));
    TACIT_TRY(check_rows(reader, rows, err));
  }
  reader->parser = tacit_raw_new(1, sizeof *reader->parser);
  if (reader->parser == NULL) return tacit_fail_memory(err);
  return tacit_text_builder_init(reader->parser, reader->schema, reader->labels, err);
}

static tacit_status prepare(tacit_reader *reader, const char *const *paths,
                            size_t n_paths, int *out_plain, tacit_error *err) {
  TACIT_TRY(tacit_parse_init(&reader->parse, reader->schema, reader->labels, err));
  TACIT_TRY(tacit_lines_new(reader->limits.max_line, &reader->lines, err));
  TACIT_TRY(open_files(reader, paths, n_paths, out_plain, err));
  if (reader->group != NULL && !reader->is_regular)
    return tacit_fail(err, TACIT_EINVAL,
                      "%s: not a regular file: it cannot be read by several processes",
                      tacit_reader_name(reader));
  return TACIT_OK;
}

/* Of rows that were counted. */
static tacit_status make_order(tacit_reader *reader, int64_t rows, int shuffle,
                               tacit_error *err) {
  TACIT_TRY(check_rows(reader, rows, err));
  if (shuffle)
    TACIT_TRY(tacit_order_new(rows, reader->limits.max_blocks, &reader->order, err));
  return tacit_cursor_new(&reader->store, reader->order, &reader->cursor, err);
}

static tacit_status open_reader(tacit_reader *reader, const char *const *paths,
                                size_t n_paths, const tacit_reader_options *options,
                                tacit_error *err) {
  int plain = 0, binary = 0;
  reader->schema = options->schema;
  reader->labels = options->labels != 0;
  reader->room.mapping = options->map != 0 ? reader->limits.max_mapped : 0;
  reader->expected = options->rows;
  reader->is_declared = options->rows >= 0;
  reader->group = options->group;
  TACIT_TRY(tacit_partition_names(reader, paths, n_paths, err));
  tacit_status status =
      tacit_reader_open_binary(reader, paths, n_paths, options, &binary, err);
  reader->format = tacit_format_of(options->schema);
  if (status == TACIT_OK && !binary && reader->format == NULL)
    status = tacit_fail(err, TACIT_EINVAL,
                        "reader: the schema is for arrays in memory, not for files");
  /* All ranks read a binary file; its rows are shared out by their places. */
  if (binary || status != TACIT_OK) return tacit_partition_end(reader, status, err);
  status = prepare(reader, paths, n_paths, &plain, err);
  int shuffle = reader->is_regular && options->shuffle > 0;
  if (reader->group == NULL) {
    if (status != TACIT_OK) return status;
    /* In order, what needs no count or would have to be decoded first is a stream. */
    if (!shuffle && (!plain || reader->is_declared)) return open_stream(reader, err);
  }
  int64_t rows = 0;
  TACIT_TRY(tacit_reader_open_text(reader, options->threads, status, &rows, err));
  return tacit_partition_end(reader, make_order(reader, rows, shuffle, err), err);
}

tacit_status tacit_reader_open_limited(const char *const *paths, size_t n_paths,
                                       const tacit_reader_options *options,
                                       const tacit_reader_limits *limits,
                                       tacit_reader **out, tacit_error *err) {
  TACIT_TRY(check_arguments(paths, n_paths, options, out, err));
  tacit_reader *reader = tacit_array_new(1, sizeof *reader);
  if (reader == NULL) return tacit_fail_memory(err);
  reader->limits = *limits;
  tacit_random_access_space_init(&reader->room, limits->max_held, 0, limits->max_temp);
  tacit_status status = open_reader(reader, paths, n_paths, options, err);
  if (status != TACIT_OK) {
    tacit_reader_free(reader);
    return status;
  }
  *out = reader;
  return TACIT_OK;
}

/* Descriptors are needed for other things too. */
static size_t max_open(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur / 4 > FILES_OPEN_MAX)
    return FILES_OPEN_MAX;
  return (size_t)limit.rlim_cur / 4;
}

tacit_status tacit_reader_open(const char *const *paths, size_t n_paths,
                               const tacit_reader_options *options, tacit_reader **out,
                               tacit_error *err) {
  TACIT_TRY(check_arguments(paths, n_paths, options, out, err));
  uint64_t temp = options->max_temp > 0 ? options->max_temp : usual_temp;
  long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
  const tacit_reader_limits limits = {
      .max_blocks = TACIT_ORDER_BLOCKS,
      .max_held = INT64_C(1) << 27,
      .max_mapped = pages > 0 && page_bytes > 0 ? (int64_t)pages * page_bytes / 8 : 0,
      .max_line = tacit_line_max(options->max_line),
      .max_temp = temp < INT64_MAX ? (int64_t)temp : INT64_MAX,
      .max_open = max_open(),
      .piece_bytes = INT64_C(1) << 22,
      .max_places = 4 * TACIT_ORDER_BLOCKS,
  };
  return tacit_reader_open_limited(paths, n_paths, options, &limits, out, err);
}

void tacit_reader_free(tacit_reader *reader) {
  if (reader == NULL) return;
  tacit_cursor_free(reader->cursor);
  if (reader->store.ops != NULL) reader->store.ops->free(reader->store.self);
  tacit_reader_close_binary(reader);
  for (size_t i = 0; i < reader->n_files; ++i) {
    tacit_random_access_free(reader->files[i].access);
    tacit_source_free(reader->files[i].source);
    if (reader->format->layout_free != NULL)
      reader->format->layout_free(reader->files[i].layout);
  }
  tacit_random_access_space_fini(&reader->room);
  tacit_array_free(reader->files);
  tacit_order_free(reader->order);
  tacit_lines_free(reader->lines);
  tacit_parse_fini(&reader->parse);
  tacit_chunk_fini(&reader->chunk);
  if (reader->parser != NULL) tacit_text_builder_fini(reader->parser);
  tacit_raw_free(reader->parser);
  tacit_array_free(reader);
}

int64_t tacit_reader_rows(const tacit_reader *reader) { return reader->expected; }

int tacit_reader_shuffled(const tacit_reader *reader) {
  return reader->order != NULL || reader->is_stored_shuffled;
}

int tacit_reader_rewinds(const tacit_reader *reader) { return reader->is_regular; }

tacit_status tacit_reader_kill(tacit_reader *reader, tacit_status status) {
  reader->is_dead = 1;
  return status;
}

static tacit_status next_of_store(tacit_reader *reader, const tacit_batch **out,
                                  tacit_error *err) {
  if (reader->given == 0) tacit_cursor_range(reader->cursor, 0, reader->expected);
  const tacit_batch *batch;
  TACIT_TRY(tacit_cursor_next(reader->cursor, &batch, NULL, err));
  reader->given += batch->n_rows;
  if (batch->n_rows > 0 && reader->given == reader->expected &&
      reader->store.ops->check != NULL)
    TACIT_TRY(reader->store.ops->check(reader->store.self, err));
  *out = batch;
  return TACIT_OK;
}

static tacit_status next_of_stream(tacit_reader *reader, const tacit_batch **out,
                                   tacit_error *err) {
  if (reader->text.at == reader->text.end) {
    tacit_chunk *chunk = &reader->chunk;
    TACIT_TRY(tacit_stream_cut(reader, INT64_MAX, chunk, err));
    reader->text = (tacit_text){chunk->text, chunk->text + chunk->size, chunk->line};
  }
  return tacit_stream_parse(reader, &reader->chunk, reader->parser, &reader->text, out,
                            err);
}

tacit_status tacit_reader_next(tacit_reader *reader, const tacit_batch **out,
                               tacit_error *err) {
  if (reader == NULL || out == NULL)
    return tacit_fail(err, TACIT_EINVAL, "reader: reader or out is NULL");
  if (reader->is_dead)
    return tacit_fail(err, TACIT_ESTATE, "reader: an earlier call failed");
  tacit_status status = reader->store.ops != NULL ? next_of_store(reader, out, err)
                                                  : next_of_stream(reader, out, err);
  return status == TACIT_OK ? status : tacit_reader_kill(reader, status);
}

tacit_status tacit_reader_rewind(tacit_reader *reader, tacit_error *err) {
  if (reader == NULL) return tacit_fail(err, TACIT_EINVAL, "reader: reader is NULL");
  if (reader->is_dead)
    return tacit_fail(err, TACIT_ESTATE, "reader: an earlier call failed");
  if (!reader->is_regular)
    return tacit_fail(err, TACIT_EINVAL,
                      "%s: a pipe cannot be read twice; write it to a file first",
                      tacit_source_name(reader->files[0].source));
  tacit_stream_restart(reader);
  reader->text = (tacit_text){NULL, NULL, 0};
  reader->given = 0;
  return TACIT_OK;
}
