/* SPDX-License-Identifier: MIT */
/* Records in the order of the files, and the first scan: how many rows there are and
   where blocks of them begin. */
#include "base/error.h"
#include "base/memory.h"
#include "data/reader.h"

void tacit_reader_restart(tacit_reader *reader) {
  reader->file = 0;
  reader->started = 0;
}

static tacit_status read_header(tacit_reader *reader, tacit_error *err) {
  tacit_reader_file *file = &reader->files[reader->file];
  tacit_line line;
  int more;
  do {
    TACIT_TRY(tacit_lines_next(reader->lines, &line, &more, err));
    if (!more)
      return tacit_fail(err, TACIT_EDATA, "%s: no rows: the file has no header line",
                        tacit_source_name(file->source));
  } while (
      !reader->format->is_record(reader->parse.schema, line.raw_begin, line.raw_end));
  if (file->layout != NULL) return TACIT_OK; /* checked in an earlier pass */
  return reader->format->header(&reader->parse, &line, &file->layout, err);
}

static tacit_status start_file(tacit_reader *reader, tacit_error *err) {
  tacit_reader_file *file = &reader->files[reader->file];
  if (tacit_source_is_regular(file->source)) tacit_source_rewind(file->source);
  tacit_lines_start(reader->lines, file->source);
  reader->parse.name = tacit_source_name(file->source);
  if (reader->format->header != NULL) TACIT_TRY(read_header(reader, err));
  reader->parse.layout = file->layout;
  reader->started = 1;
  return TACIT_OK;
}

tacit_status tacit_reader_record(tacit_reader *reader, tacit_line *out, int *out_more,
                                 tacit_error *err) {
  while (reader->file < reader->n_files) {
    if (!reader->started) TACIT_TRY(start_file(reader, err));
    int more;
    TACIT_TRY(tacit_lines_next(reader->lines, out, &more, err));
    if (!more) {
      TACIT_TRY(tacit_source_check(reader->files[reader->file].source, err));
      ++reader->file;
      reader->started = 0;
      continue;
    }
    if (!reader->format->is_record(reader->parse.schema, out->raw_begin, out->raw_end))
      continue;
    *out_more = 1;
    return TACIT_OK;
  }
  *out_more = 0;
  return TACIT_OK;
}

static tacit_status load_files(tacit_reader *reader, tacit_error *err) {
  int64_t budget = reader->limits.most_loaded;
  for (size_t i = 0; i < reader->n_files; ++i) {
    tacit_source *source = reader->files[i].source;
    if (!tacit_source_seeks(source)) TACIT_TRY(tacit_source_load(source, &budget, err));
  }
  return TACIT_OK;
}

tacit_status tacit_reader_scan(tacit_reader *reader, int indexed, int64_t *out_rows,
                               tacit_error *err) {
  if (indexed) TACIT_TRY(load_files(reader, err));
  int64_t rows = 0;
  size_t last_file = reader->n_files;
  for (;;) {
    tacit_line line;
    int more;
    TACIT_TRY(tacit_reader_record(reader, &line, &more, err));
    if (!more) break;
    ++rows;
    if (!indexed) continue;
    tacit_place raw_place = {line.raw_offset, line.number, reader->file};
    TACIT_TRY(tacit_index_add(&reader->index, &raw_place, err));
    if (reader->file != last_file) reader->files[reader->file].first = raw_place;
    last_file = reader->file;
  }
  tacit_reader_restart(reader);
  *out_rows = rows;
  return TACIT_OK;
}
