/* SPDX-License-Identifier: MIT */
/*
 * Streams: text that is read once from front to back, such as pipes, standard input and
 * compressed files in their own order. Threads take turns at the stream: under a lock
 * one of them cuts a chunk of whole records, then parses it while the next one cuts. So
 * reading continues while rows are parsed, and each thread holds one chunk.
 */
#include <inttypes.h>
#include <pthread.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/reader/reader.h"
#include "data/text/store.h"

enum { CHUNK_BYTES = 1 << 18 };

struct stream {
  tacit_reader base;
  tacit_text_files *files;
  int is_declared; /* 1 if the caller said base.rows, 0 if it was counted */

  pthread_mutex_t lock; /* protects the members below, and files->lines */
  size_t file;          /* the current file; files->count after the last */
  int is_started;       /* 1 if the current file is being read */
  int is_line_kept;     /* 1 if `line` was read and not yet taken */
  tacit_line line;
  int64_t taken; /* rows of this pass so far */
  int has_failed;
};

/* Some lines of a file. */
struct chunk {
  char *text;
  size_t size, capacity;
  int64_t rows;
  int64_t line; /* number of the first line */
  size_t file;
};

/* What one thread reads with. */
struct thread_rows {
  struct chunk chunk;
  tacit_text text; /* what is left of the chunk */
  int64_t at;      /* place of the next row of the chunk */
  tacit_text_builder builder;
  tacit_batch view;
  int64_t places[TACIT_CURSOR_ROWS];
};

struct stream_cursor {
  tacit_cursor base;
  struct stream *stream;
  int64_t block_rows;
  size_t threads;
  struct thread_rows *by_thread;
  int64_t end;      /* end of the range */
  int is_elsewhere; /* 1 if the range does not begin where the stream is */
};

static void restart(struct stream *stream) {
  stream->file = 0;
  stream->is_started = 0;
  stream->is_line_kept = 0;
  stream->taken = 0;
}

/* Finds the next record in the order of the files. *out_more becomes 0 after the
   last. */
static tacit_status next_record(struct stream *stream, tacit_line *out, int *out_more,
                                tacit_error *err) {
  tacit_text_files *files = stream->files;
  for (; stream->file < files->count; ++stream->file, stream->is_started = 0) {
    if (!stream->is_started)
      TACIT_TRY(tacit_text_files_start(files, stream->file, err));
    stream->is_started = 1;
    for (;;) {
      TACIT_TRY(tacit_lines_next(files->lines, out, out_more, err));
      if (!*out_more) break;
      if (files->format->is_record(files->schema, out->begin, out->end))
        return TACIT_OK;
    }
    TACIT_TRY(tacit_source_check(files->list[stream->file].source, err));
    tacit_text_files_rest(files, stream->file);
  }
  *out_more = 0;
  return TACIT_OK;
}

static tacit_status count_rows(struct stream *stream, int64_t *out_rows,
                               tacit_error *err) {
  int64_t rows = 0;
  for (;; ++rows) {
    tacit_line line;
    int more;
    TACIT_TRY(next_record(stream, &line, &more, err));
    if (!more) break;
  }
  restart(stream);
  *out_rows = rows;
  return TACIT_OK;
}

static tacit_status fail_count(const struct stream *stream, int64_t found, int is_more,
                               tacit_error *err) {
  return tacit_fail(err, TACIT_EDATA,
                    "%s%s: declared %" PRId64 " rows, found %s%" PRId64
                    "; correct --rows or the file",
                    tacit_text_files_name(stream->files),
                    tacit_text_files_more(stream->files), stream->base.rows,
                    is_more ? "more than " : "", found);
}

static tacit_status fail_changed(const struct stream *stream, tacit_error *err) {
  const tacit_text_files *files = stream->files;
  size_t file = stream->file < files->count ? stream->file : 0;
  return tacit_fail(err, TACIT_EDATA,
                    "%s: changed while being read; run again when it is complete",
                    tacit_source_name(files->list[file].source));
}

/* Checks the number of rows. The stream must be at its end, or must have given all its
   rows; `more` is 1 if there are more. */
static tacit_status check_end(const struct stream *stream, int more, tacit_error *err) {
  int64_t rows = stream->base.rows;
  if (rows < 0)
    return tacit_text_files_check_rows(stream->files, -1, stream->taken, err);
  if (!more && stream->taken == rows) return TACIT_OK;
  if (!stream->is_declared) return fail_changed(stream, err);
  return fail_count(stream, more ? rows : stream->taken, more, err);
}

static tacit_status append(struct chunk *chunk, const tacit_line *line,
                           tacit_error *err) {
  size_t size = (size_t)(line->end - line->begin);
  size_t needed = chunk->size + size + 1 + TACIT_TEXT_PADDING;
  if (!tacit_raw_reserve(&chunk->text, &chunk->capacity, needed, 1))
    return tacit_fail_memory(err);
  memcpy(chunk->text + chunk->size, line->begin, size);
  chunk->size += size;
  chunk->text[chunk->size++] = '\n';
  return TACIT_OK;
}

/* Adds an empty line for each blank line or comment, which are left out of a chunk, so
   that the lines after them keep their numbers. */
static tacit_status keep_number(struct chunk *chunk, int64_t *line, int64_t number,
                                tacit_error *err) {
  const tacit_line empty = {"", "", 0, 0, 0};
  for (; *line < number; ++*line)
    TACIT_TRY(append(chunk, &empty, err));
  return TACIT_OK;
}

/* Cuts the next records of one file, at most `max`. The chunk has no rows at the end of
   the stream. Reports a wrong number of rows before the last rows are given out. */
static tacit_status cut(struct stream *stream, int64_t max, struct chunk *out,
                        tacit_error *err) {
  int64_t line = 0, rows = stream->base.rows;
  out->size = 0;
  out->rows = 0;
  if (rows >= 0 && max > rows - stream->taken) max = rows - stream->taken;
  while (out->rows < max && out->size < CHUNK_BYTES) {
    int more = 1;
    if (!stream->is_line_kept)
      TACIT_TRY(next_record(stream, &stream->line, &more, err));
    if (!more) return check_end(stream, 0, err);
    stream->is_line_kept = 1;
    if (out->rows > 0 && stream->file != out->file) break;
    if (out->rows == 0) {
      out->file = stream->file;
      out->line = line = stream->line.number;
    }
    TACIT_TRY(keep_number(out, &line, stream->line.number, err));
    TACIT_TRY(append(out, &stream->line, err));
    line += 1 + tacit_count_lines(stream->line.begin, stream->line.end);
    stream->is_line_kept = 0;
    ++out->rows;
    ++stream->taken;
  }
  if (out->rows == 0 || stream->taken != rows) return TACIT_OK;
  /* The chunk has the last rows that there should be: no record may follow. */
  tacit_line after;
  int more;
  TACIT_TRY(next_record(stream, &after, &more, err));
  return check_end(stream, more, err);
}

static tacit_status cut_in_range(const struct stream_cursor *cursor,
                                 struct thread_rows *own, tacit_error *err) {
  struct stream *stream = cursor->stream;
  struct chunk *chunk = &own->chunk;
  int64_t left = cursor->end - stream->taken;
  TACIT_TRY(
      cut(stream, left < cursor->block_rows ? left : cursor->block_rows, chunk, err));
  if (chunk->rows == 0 && left > 0 && cursor->end != INT64_MAX)
    return tacit_fail(err, TACIT_EDATA, "a pass has fewer rows than declared");
  own->text = (tacit_text){chunk->text, chunk->text + chunk->size, chunk->line};
  return TACIT_OK;
}

/* Gives the thread the next chunk of the range, or an empty one at its end. */
static tacit_status take_turn(const struct stream_cursor *cursor,
                              struct thread_rows *own, tacit_error *err) {
  struct stream *stream = cursor->stream;
  tacit_status status = TACIT_OK;
  pthread_mutex_lock(&stream->lock);
  own->at = stream->taken;
  own->text = (tacit_text){NULL, NULL, 0};
  if (cursor->is_elsewhere)
    status = tacit_fail(err, TACIT_ESTATE, "a stream is read from front to back");
  else if (!stream->has_failed && stream->taken < cursor->end)
    status = cut_in_range(cursor, own, err);
  if (status != TACIT_OK) stream->has_failed = 1;
  pthread_mutex_unlock(&stream->lock);
  return status;
}

/* Parses the text of a thread. Rows that do not fit into one batch come with the next
   call. */
static tacit_status parse(struct stream *stream, struct thread_rows *own,
                          tacit_error *err) {
  const tacit_text_file *file = &stream->files->list[own->chunk.file];
  tacit_text_builder *builder = &own->builder;
  builder->parse.name = tacit_source_name(file->source);
  builder->parse.layout = file->layout;
  int64_t rows;
  tacit_status status = stream->files->format->parse(
      &builder->parse, &own->text, TACIT_CURSOR_ROWS, &builder->rows, &rows, err);
  if (status != TACIT_EDATA) return status;
  /* If the file was changed meanwhile, the change is the fault. */
  pthread_mutex_lock(&stream->lock);
  tacit_status changed = tacit_source_check(file->source, err);
  pthread_mutex_unlock(&stream->lock);
  return changed != TACIT_OK ? changed : status;
}

static tacit_status stream_next(tacit_cursor *base, size_t thread, int64_t *reached,
                                tacit_cursor_rows *out, tacit_error *err) {
  struct stream_cursor *cursor = (struct stream_cursor *)base;
  struct thread_rows *own = &cursor->by_thread[thread];
  tacit_status status = TACIT_OK;
  if (own->text.at == own->text.end) status = take_turn(cursor, own, err);
  *reached = own->at;
  TACIT_TRY(status);
  tacit_rows_clear(&own->builder.rows);
  if (own->text.at < own->text.end) TACIT_TRY(parse(cursor->stream, own, err));
  const tacit_batch *batch = tacit_rows_view(&own->builder.rows);
  for (int64_t i = 0; i < batch->n_rows; ++i)
    own->places[i] = own->at++;
  /* Weights are in the order of the rows. */
  own->view = *batch;
  if (cursor->stream->base.weights != NULL)
    own->view.raw_weights = cursor->stream->base.weights + (own->at - batch->n_rows);
  *out = (tacit_cursor_rows){&own->view, own->places};
  return TACIT_OK;
}

static tacit_status stream_range(tacit_cursor *base, int64_t first, int64_t end,
                                 tacit_error *err) {
  (void)err;
  struct stream_cursor *cursor = (struct stream_cursor *)base;
  cursor->end = end;
  cursor->is_elsewhere = first != cursor->stream->taken;
  for (size_t i = 0; i < cursor->threads; ++i)
    cursor->by_thread[i].text = (tacit_text){NULL, NULL, 0};
  return TACIT_OK;
}

static void stream_cursor_free(tacit_cursor *base) {
  struct stream_cursor *cursor = (struct stream_cursor *)base;
  for (size_t i = 0; cursor->by_thread != NULL && i < cursor->threads; ++i) {
    tacit_raw_free(cursor->by_thread[i].chunk.text);
    tacit_text_builder_fini(&cursor->by_thread[i].builder);
  }
  tacit_raw_free(cursor->by_thread);
  tacit_array_free(cursor);
}

static const struct tacit_cursor_ops stream_cursor_ops = {
    .range = stream_range,
    .next = stream_next,
    .free = stream_cursor_free,
};

static tacit_status init_thread_rows(struct stream_cursor *cursor, tacit_error *err) {
  const tacit_text_files *files = cursor->stream->files;
  TACIT_TRY(TACIT_RAW_NEW(cursor->by_thread, cursor->threads, err));
  for (size_t i = 0; i < cursor->threads; ++i)
    TACIT_TRY(tacit_text_builder_init(&cursor->by_thread[i].builder, files, err));
  return TACIT_OK;
}

static tacit_status stream_cursor_new(tacit_reader *reader, const tacit_order *order,
                                      size_t threads, int64_t block_rows,
                                      tacit_cursor **out, tacit_error *err) {
  (void)order; /* a stream has one order */
  struct stream_cursor *cursor = tacit_array_new(1, sizeof *cursor);
  if (cursor == NULL) return tacit_fail_memory(err);
  cursor->stream = (struct stream *)reader;
  cursor->threads = threads;
  cursor->block_rows = block_rows;
  tacit_status status =
      tacit_cursor_init(&cursor->base, &stream_cursor_ops, threads, err);
  if (status == TACIT_OK) status = init_thread_rows(cursor, err);
  return TACIT_HAND_OVER(status, &cursor->base, tacit_cursor_free, out);
}

static void stream_rewind(tacit_reader *reader) { restart((struct stream *)reader); }

static void stream_free(tacit_reader *reader) {
  struct stream *stream = (struct stream *)reader;
  pthread_mutex_destroy(&stream->lock);
  tacit_text_files_free(stream->files);
  tacit_array_free(stream);
}

static const struct tacit_reader_ops stream_ops = {
    .cursor = stream_cursor_new,
    .rewind = stream_rewind,
    .content = tacit_content_of_stream,
    .free = stream_free,
};

tacit_text_files *tacit_stream_files(tacit_reader *reader) {
  return ((struct stream *)reader)->files;
}

tacit_status tacit_stream_new(tacit_text_files *files, int64_t declared,
                              tacit_reader **out, tacit_error *err) {
  struct stream *stream = tacit_array_new(1, sizeof *stream);
  if (stream == NULL) {
    tacit_text_files_free(files);
    return tacit_fail_memory(err);
  }
  pthread_mutex_init(&stream->lock, NULL);
  stream->base.ops = &stream_ops;
  stream->base.rows = declared;
  stream->base.can_rewind = files->is_regular;
  stream->base.identity = files->identity;
  stream->is_declared = declared >= 0;
  stream->files = files;
  tacit_status status = TACIT_OK;
  if (files->is_regular && declared < 0) {
    status = count_rows(stream, &stream->base.rows, err);
    if (status == TACIT_OK)
      status = tacit_text_files_check_rows(files, -1, stream->base.rows, err);
  }
  return TACIT_HAND_OVER(status, &stream->base, tacit_reader_free, out);
}
