/* SPDX-License-Identifier: MIT */
/*
 * Files read once from front to back: pipes, standard input, compressed files in the
 * order they stand. One thread finds the lines and cuts them into chunks of whole
 * records; chunks are parsed by whoever has time.
 */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/reader/reader.h"
#include "data/text/store.h"

enum { CHUNK_BYTES = 1 << 18 };

void tacit_stream_restart(tacit_reader *reader) {
  reader->file = 0;
  reader->started = 0;
  reader->line_kept = 0;
}

tacit_status tacit_stream_header(tacit_reader *reader, tacit_error *err) {
  tacit_reader_file *file = &reader->files[reader->file];
  tacit_line line;
  int more;
  do {
    TACIT_TRY(tacit_lines_next(reader->lines, &line, &more, err));
    if (!more)
      return tacit_fail(err, TACIT_EDATA, "%s: no rows: the file has no header line",
                        tacit_source_name(file->source));
  } while (!reader->format->is_record(reader->schema, line.begin, line.end));
  if (file->layout != NULL) return TACIT_OK; /* checked in an earlier pass */
  reader->parse.name = tacit_source_name(file->source);
  return reader->format->header(&reader->parse, &line, &file->layout, err);
}

static tacit_status start_file(tacit_reader *reader, tacit_error *err) {
  tacit_reader_file *file = &reader->files[reader->file];
  if (tacit_source_is_regular(file->source)) tacit_source_rewind(file->source);
  tacit_lines_start(reader->lines, file->source);
  if (reader->format->header != NULL) TACIT_TRY(tacit_stream_header(reader, err));
  reader->started = 1;
  return TACIT_OK;
}

tacit_status tacit_stream_record(tacit_reader *reader, tacit_line *out, int *out_more,
                                 tacit_error *err) {
  while (reader->file < reader->n_files) {
    if (!reader->started) TACIT_TRY(start_file(reader, err));
    int more;
    TACIT_TRY(tacit_lines_next(reader->lines, out, &more, err));
    if (!more) {
      tacit_source *source = reader->files[reader->file].source;
      TACIT_TRY(tacit_source_check(source, err));
      if (reader->must_rest) tacit_source_rest(source);
      ++reader->file;
      reader->started = 0;
      continue;
    }
    if (!reader->format->is_record(reader->schema, out->begin, out->end)) continue;
    *out_more = 1;
    return TACIT_OK;
  }
  *out_more = 0;
  return TACIT_OK;
}

tacit_status tacit_stream_count(tacit_reader *reader, int64_t *out_rows,
                                tacit_error *err) {
  int64_t rows = 0;
  for (;;) {
    tacit_line line;
    int more;
    TACIT_TRY(tacit_stream_record(reader, &line, &more, err));
    if (!more) break;
    ++rows;
  }
  tacit_stream_restart(reader);
  *out_rows = rows;
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

static tacit_status fail_changed(const tacit_reader *reader, tacit_error *err) {
  size_t file = reader->file < reader->n_files ? reader->file : 0;
  return tacit_fail(err, TACIT_EDATA,
                    "%s: changed while being read; run again when it is complete",
                    tacit_source_name(reader->files[file].source));
}

/* The stream is over, or has all the rows there should be. */
static tacit_status check_end(const tacit_reader *reader, int more, tacit_error *err) {
  if (more) {
    if (reader->is_declared) return fail_count(reader, reader->expected, 1, err);
    return fail_changed(reader, err);
  }
  if (reader->expected < 0) {
    if (reader->given > 0) return TACIT_OK;
    return tacit_fail(err, TACIT_EDATA, "%s%s: no rows",
                      tacit_source_name(reader->files[0].source),
                      reader->n_files > 1 ? " and more" : "");
  }
  if (reader->given == reader->expected) return TACIT_OK;
  if (reader->is_declared) return fail_count(reader, reader->given, 0, err);
  return fail_changed(reader, err);
}

static tacit_status append(tacit_chunk *chunk, const tacit_line *line,
                           tacit_error *err) {
  size_t size = (size_t)(line->end - line->begin);
  size_t needed = chunk->size + size + 1 + TACIT_TEXT_PADDING;
  if (needed > chunk->capacity) {
    size_t capacity = needed > 2 * CHUNK_BYTES ? needed : 2 * CHUNK_BYTES;
    char *larger = tacit_raw_grow(chunk->text, capacity, 1);
    if (larger == NULL) return tacit_fail_memory(err);
    chunk->text = larger;
    chunk->capacity = capacity;
  }
  memcpy(chunk->text + chunk->size, line->begin, size);
  chunk->size += size;
  chunk->text[chunk->size++] = '\n';
  return TACIT_OK;
}

/* Blank lines and comments are left out of a chunk, so lines keep their numbers by an
   empty line in the place of each. */
static tacit_status keep_number(tacit_chunk *chunk, int64_t *line, int64_t number,
                                tacit_error *err) {
  const tacit_line empty = {"", "", 0, 0, 0};
  for (; *line < number; ++*line)
    TACIT_TRY(append(chunk, &empty, err));
  return TACIT_OK;
}

tacit_status tacit_stream_cut(tacit_reader *reader, int64_t max, tacit_chunk *out,
                              tacit_error *err) {
  int64_t line = 0;
  out->size = 0;
  out->rows = 0;
  if (reader->expected >= 0 && max > reader->expected - reader->given)
    max = reader->expected - reader->given;
  while (out->rows < max && out->size < CHUNK_BYTES) {
    int more = 1;
    if (!reader->line_kept)
      TACIT_TRY(tacit_stream_record(reader, &reader->line, &more, err));
    if (!more) return check_end(reader, 0, err);
    reader->line_kept = 1;
    if (out->rows > 0 && reader->file != out->file) break;
    if (out->rows == 0) {
      out->file = reader->file;
      out->line = line = reader->line.number;
    }
    TACIT_TRY(keep_number(out, &line, reader->line.number, err));
    TACIT_TRY(append(out, &reader->line, err));
    reader->line_kept = 0;
    ++line;
    ++out->rows;
    ++reader->given;
  }
  if (out->rows == 0 || reader->given != reader->expected) return TACIT_OK;
  /* All there should be: nothing may follow. */
  tacit_line behind;
  int more;
  TACIT_TRY(tacit_stream_record(reader, &behind, &more, err));
  return check_end(reader, more, err);
}

tacit_status tacit_stream_parse(const tacit_reader *reader, const tacit_chunk *chunk,
                                tacit_text_builder *builder, tacit_text *text,
                                const tacit_batch **out, tacit_error *err) {
  const tacit_reader_file *file = &reader->files[chunk->file];
  builder->parse.name = tacit_source_name(file->source);
  builder->parse.layout = file->layout;
  tacit_rows_clear(&builder->rows);
  int64_t taken;
  tacit_status status = reader->format->parse(&builder->parse, text, INT64_MAX,
                                              &builder->rows, &taken, err);
  if (status == TACIT_EDATA) {
    /* A fault in a file that changed under us is that change. */
    TACIT_TRY(tacit_source_check(file->source, err));
  }
  if (status != TACIT_OK) return status;
  *out = tacit_rows_view(&builder->rows);
  return TACIT_OK;
}

void tacit_chunk_fini(tacit_chunk *chunk) {
  tacit_raw_free(chunk->text);
  memset(chunk, 0, sizeof *chunk);
}
