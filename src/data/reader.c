/* SPDX-License-Identifier: MIT */
/* Readers: files to batches of rows, in the order they stand or through the public
   permutation. Memory is bounded: one batch, one line, and for the permutation an index
   of at most 2^20 blocks and, for compressed files only, their decoded bytes up to a
   limit. After an error the reader is dead: a run never goes on with a part of the
   data. */
#include "data/reader.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

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
  if (tacit_format_of(options->schema) == NULL)
    return tacit_fail(err, TACIT_EINVAL,
                      "reader: the schema is for arrays in memory, not for files");
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

static tacit_status open_files(tacit_reader *reader, const char *const *paths,
                               size_t n_paths, tacit_error *err) {
  reader->files = tacit_array_new(n_paths, sizeof *reader->files);
  if (reader->files == NULL) return tacit_fail_memory(err);
  reader->is_regular = 1;
  for (size_t i = 0; i < n_paths; ++i) {
    TACIT_TRY(tacit_source_open(paths[i], &reader->files[i].source, err));
    reader->n_files = i + 1;
    if (!tacit_source_is_regular(reader->files[i].source)) reader->is_regular = 0;
  }
  return TACIT_OK;
}

static tacit_status fail_count(const tacit_reader *reader, int64_t found, int is_more,
                               tacit_error *err) {
  return tacit_fail(err, TACIT_EDATA,
                    "%s%s: declared %" PRId64 " rows, found %s%" PRId64
                    "; correct --rows or the file",
                    tacit_source_name(reader->files[0].source),
                    reader->n_files > 1 ? " and more" : "", reader->expected,
                    is_more ? "more than " : "", found);
}

static tacit_status fail_empty(const tacit_reader *reader, tacit_error *err) {
  return tacit_fail(err, TACIT_EDATA, "%s%s: no rows",
                    tacit_source_name(reader->files[0].source),
                    reader->n_files > 1 ? " and more" : "");
}

static tacit_status scan(tacit_reader *reader, int shuffle, tacit_error *err) {
  int64_t rows;
  TACIT_TRY(tacit_reader_scan(reader, shuffle, &rows, err));
  if (rows == 0) return fail_empty(reader, err);
  if (reader->is_declared && rows != reader->expected)
    return fail_count(reader, rows, 0, err);
  reader->expected = rows;
  reader->is_declared = 0;
  if (!shuffle) return TACIT_OK;
  TACIT_TRY(tacit_order_new(rows, reader->limits.most_blocks, &reader->order, err));
  if (tacit_order_block_rows(reader->order) != reader->index.block_rows)
    return tacit_fail(err, TACIT_ESTATE, "reader: index and order disagree");
  return TACIT_OK;
}

static tacit_status open_reader(tacit_reader *reader, const char *const *paths,
                                size_t n_paths, const tacit_reader_options *options,
                                tacit_error *err) {
  reader->format = tacit_format_of(options->schema);
  reader->expected = options->rows;
  reader->is_declared = options->rows >= 0;
  tacit_index_init(&reader->index, reader->limits.most_blocks);
  TACIT_TRY(
      tacit_parse_init(&reader->parse, options->schema, options->labels != 0, err));
  TACIT_TRY(tacit_lines_new(reader->limits.most_line, &reader->lines, err));
  TACIT_TRY(tacit_rows_init(&reader->rows, options->schema->features,
                            options->schema->n_classes, reader->parse.labels, err));
  TACIT_TRY(open_files(reader, paths, n_paths, err));
  TACIT_TRY(tacit_identity_of_files(paths, n_paths, &reader->identity, err));
  int shuffle = reader->is_regular && options->shuffle;
  if (shuffle || (reader->is_regular && !reader->is_declared))
    return scan(reader, shuffle, err);
  return TACIT_OK;
}

tacit_status tacit_reader_open_limited(const char *const *paths, size_t n_paths,
                                       const tacit_reader_options *options,
                                       const tacit_reader_limits *limits,
                                       tacit_reader **out, tacit_error *err) {
  TACIT_TRY(check_arguments(paths, n_paths, options, out, err));
  tacit_reader *reader = tacit_array_new(1, sizeof *reader);
  if (reader == NULL) return tacit_fail_memory(err);
  reader->limits = *limits;
  tacit_status status = open_reader(reader, paths, n_paths, options, err);
  if (status != TACIT_OK) {
    tacit_reader_free(reader);
    return status;
  }
  *out = reader;
  return TACIT_OK;
}

tacit_status tacit_reader_open(const char *const *paths, size_t n_paths,
                               const tacit_reader_options *options, tacit_reader **out,
                               tacit_error *err) {
  static const tacit_reader_limits limits = {
      .most_blocks = TACIT_ORDER_BLOCKS,
      .most_loaded = INT64_C(1) << 31,
      .most_line = TACIT_LINE_MOST,
  };
  return tacit_reader_open_limited(paths, n_paths, options, &limits, out, err);
}

void tacit_reader_free(tacit_reader *reader) {
  if (reader == NULL) return;
  for (size_t i = 0; i < reader->n_files; ++i) {
    tacit_source_free(reader->files[i].source);
    if (reader->format->layout_free != NULL)
      reader->format->layout_free(reader->files[i].layout);
  }
  tacit_array_free(reader->files);
  tacit_memory_free(reader->memory);
  tacit_order_free(reader->order);
  tacit_index_fini(&reader->index);
  tacit_lines_free(reader->lines);
  tacit_rows_fini(&reader->rows);
  tacit_parse_fini(&reader->parse);
  tacit_raw_free(reader->raw_text);
  tacit_array_free(reader);
}

int64_t tacit_reader_rows(const tacit_reader *reader) { return reader->expected; }

int tacit_reader_shuffled(const tacit_reader *reader) { return reader->order != NULL; }

int tacit_reader_rewinds(const tacit_reader *reader) { return reader->is_regular; }

static tacit_status fail_changed(const tacit_reader *reader, tacit_error *err) {
  return tacit_fail(err, TACIT_EDATA,
                    "%s: changed while being read; run again when it is complete",
                    tacit_source_name(reader->files[reader->file].source));
}

static void go_to(tacit_reader *reader, const tacit_place *raw_place,
                  const tacit_place *raw_next) {
  tacit_reader_file *file = &reader->files[raw_place->file];
  int64_t size = 0;
  if (raw_next != NULL && raw_next->file == raw_place->file)
    size = raw_next->raw_offset - raw_place->raw_offset;
  tacit_lines_seek(reader->lines, file->source, raw_place->raw_offset, raw_place->line,
                   size);
  reader->file = raw_place->file;
  reader->parse.name = tacit_source_name(file->source);
  reader->parse.layout = file->layout;
}

/* The next record in the public order: the next of the block at hand, which may go on
   in the next file, or the first of the next block. */
static tacit_status shuffled_record(tacit_reader *reader, tacit_line *out,
                                    int *out_more, tacit_error *err) {
  if (reader->block_left == 0) {
    if (reader->position == tacit_order_blocks(reader->order)) {
      *out_more = 0;
      return TACIT_OK;
    }
    int64_t block = tacit_order_block(reader->order, reader->position++);
    int64_t m = reader->index.block_rows, left = reader->expected - block * m;
    const tacit_place *raw_place = &reader->index.raw_places[block];
    int is_last = (size_t)block + 1 == reader->index.n_places;
    go_to(reader, raw_place, is_last ? NULL : raw_place + 1);
    reader->block_left = left < m ? left : m;
  }
  for (;;) {
    int more;
    TACIT_TRY(tacit_lines_next(reader->lines, out, &more, err));
    if (!more) {
      do {
        if (reader->file + 1 == reader->n_files) return fail_changed(reader, err);
        ++reader->file;
      } while (reader->files[reader->file].first.line == 0); /* a file without rows */
      go_to(reader, &reader->files[reader->file].first, NULL);
      continue;
    }
    if (reader->format->is_record(reader->parse.schema, out->raw_begin, out->raw_end))
      break;
  }
  --reader->block_left;
  *out_more = 1;
  return TACIT_OK;
}

/* All expected rows are there: nothing may follow, and the files must be the ones that
   were counted. Told before the last rows are handed out. */
static tacit_status check_end(tacit_reader *reader, tacit_error *err) {
  if (reader->order == NULL) {
    tacit_line line;
    int more;
    TACIT_TRY(tacit_reader_record(reader, &line, &more, err));
    if (!more) return TACIT_OK; /* tacit_reader_record checked the files */
    if (reader->is_declared) return fail_count(reader, reader->expected, 1, err);
    return fail_changed(reader, err);
  }
  for (size_t i = 0; i < reader->n_files; ++i)
    TACIT_TRY(tacit_source_check(reader->files[i].source, err));
  return TACIT_OK;
}

static tacit_status check_short(tacit_reader *reader, tacit_error *err) {
  if (reader->expected < 0)
    return reader->given > 0 ? TACIT_OK : fail_empty(reader, err);
  if (reader->given == reader->expected) return TACIT_OK;
  if (reader->is_declared) return fail_count(reader, reader->given, 0, err);
  if (reader->file == reader->n_files) reader->file = 0;
  return fail_changed(reader, err);
}

static tacit_status parse_line(tacit_reader *reader, const tacit_line *line,
                               tacit_error *err) {
  size_t size = (size_t)(line->raw_end - line->raw_begin);
  size_t needed = size + 1 + TACIT_TEXT_PADDING;
  if (needed > reader->text_size) {
    char *raw_larger = tacit_raw_grow(reader->raw_text, 2 * needed, 1);
    if (raw_larger == NULL) return tacit_fail_memory(err);
    reader->raw_text = raw_larger;
    reader->text_size = 2 * needed;
  }
  memcpy(reader->raw_text, line->raw_begin, size);
  reader->raw_text[size] = '\n';
  tacit_text text = {reader->raw_text, reader->raw_text + size + 1, line->number};
  int64_t taken;
  return reader->format->parse(&reader->parse, &text, 1, &reader->rows, &taken, err);
}

static tacit_status fill(tacit_reader *reader, tacit_error *err) {
  tacit_rows_clear(&reader->rows);
  if (reader->expected >= 0 && reader->given == reader->expected) return TACIT_OK;
  while (!tacit_rows_full(&reader->rows)) {
    tacit_line line;
    int more;
    TACIT_TRY(reader->order != NULL ? shuffled_record(reader, &line, &more, err)
                                    : tacit_reader_record(reader, &line, &more, err));
    if (!more) return check_short(reader, err);
    TACIT_TRY(parse_line(reader, &line, err));
    ++reader->given;
    if (reader->given == reader->expected) return check_end(reader, err);
  }
  return TACIT_OK;
}

/* A fault in a file that changed under us is that change. */
static void explain(const tacit_reader *reader, tacit_error *err) {
  tacit_error changed;
  if (err == NULL || err->status != TACIT_EDATA || reader->file >= reader->n_files)
    return;
  const tacit_source *source = reader->files[reader->file].source;
  if (tacit_source_check(source, &changed) == TACIT_EDATA) *err = changed;
}

tacit_status tacit_reader_next(tacit_reader *reader, const tacit_batch **out,
                               tacit_error *err) {
  if (reader == NULL || out == NULL)
    return tacit_fail(err, TACIT_EINVAL, "reader: reader or out is NULL");
  if (reader->is_dead)
    return tacit_fail(err, TACIT_ESTATE, "reader: an earlier call failed");
  if (reader->memory != NULL) {
    tacit_status status = tacit_memory_next(reader->memory, out, err);
    reader->is_dead = status != TACIT_OK;
    return status;
  }
  tacit_status status = fill(reader, err);
  if (status != TACIT_OK) {
    explain(reader, err);
    reader->is_dead = 1;
    return status;
  }
  *out = tacit_rows_view(&reader->rows);
  return TACIT_OK;
}

tacit_status tacit_reader_rewind(tacit_reader *reader, tacit_error *err) {
  if (reader == NULL) return tacit_fail(err, TACIT_EINVAL, "reader: reader is NULL");
  if (reader->is_dead)
    return tacit_fail(err, TACIT_ESTATE, "reader: an earlier call failed");
  if (reader->memory != NULL) {
    tacit_memory_rewind(reader->memory);
    return TACIT_OK;
  }
  if (!reader->is_regular)
    return tacit_fail(err, TACIT_EINVAL,
                      "%s: a pipe cannot be read twice; write it to a file first",
                      tacit_source_name(reader->files[0].source));
  tacit_reader_restart(reader);
  reader->given = 0;
  reader->position = 0;
  reader->block_left = 0;
  return TACIT_OK;
}
