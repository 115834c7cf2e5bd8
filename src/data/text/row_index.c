/* SPDX-License-Identifier: MIT */
/*
 * The first scan of files that are read by row number. Files are cut into pieces at
 * line starts, each piece is scanned by one worker, and every row's place is noted, or,
 * when there are millions, every second, fourth, … row's: a row is then found by
 * passing over the few before it. So the index is bounded whatever the number of rows.
 */
#include "data/text/row_index.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { WINDOW_BYTES = 1 << 18, SEARCH_BYTES = 1 << 12 };

static const char fault_nul[] = "a NUL byte; this is not a text file";
static const char fault_long[] = "";

void tacit_pieces_fini(tacit_pieces *pieces) {
  for (size_t i = 0; i < pieces->count; ++i)
    tacit_raw_free(pieces->raw_list[i].raw_offsets);
  tacit_raw_free(pieces->raw_list);
  pieces->raw_list = NULL;
  pieces->count = pieces->capacity = 0;
}

static tacit_status add_piece(tacit_pieces *pieces, size_t file, int64_t part,
                              int64_t begin, int64_t end, tacit_error *err) {
  if (pieces->count == pieces->capacity) {
    size_t capacity = pieces->capacity > 0 ? 2 * pieces->capacity : 16;
    tacit_piece *raw_larger =
        tacit_raw_grow(pieces->raw_list, capacity, sizeof *raw_larger);
    if (raw_larger == NULL) return tacit_fail_memory(err);
    pieces->raw_list = raw_larger;
    pieces->capacity = capacity;
  }
  pieces->raw_list[pieces->count++] =
      (tacit_piece){.file = file, .part = part, .begin = begin, .end = end};
  return TACIT_OK;
}

tacit_status tacit_pieces_add(tacit_pieces *pieces, size_t file, int64_t part,
                              int64_t parts, tacit_error *err) {
  const tacit_reader_file *source = &pieces->files[file];
  int64_t size = tacit_hold_size(source->hold) - source->body;
  int64_t count = (size + pieces->piece_bytes - 1) / pieces->piece_bytes;
  if (count < parts) count = parts; /* so that every part has its own bytes */
  for (int64_t i = count * part / parts; i < count * (part + 1) / parts; ++i) {
    int64_t begin = source->body + size / count * i + size % count * i / count;
    int64_t next = i + 1;
    int64_t end = source->body + size / count * next + size % count * next / count;
    TACIT_TRY(add_piece(pieces, file, part, begin, end, err));
  }
  return TACIT_OK;
}

/* What a worker scans with. */
struct scanner {
  char *raw_window;
  size_t window_capacity;
  uint32_t *raw_offsets;
  size_t offset_capacity;
  tacit_error error;
  size_t error_task;
};

struct scan {
  tacit_pieces *pieces;
  struct scanner *scanners;
  int64_t all_bytes;
};

/* Bytes [offset, offset + size) of a file: in place, or through the window. In place
   others may change them: whatever they are, nothing is read beyond. */
static tacit_status look(const tacit_hold *hold, struct scanner *scanner,
                         int64_t offset, size_t size, const char **raw_out,
                         tacit_error *err) {
  *raw_out = tacit_hold_place(hold, offset);
  if (*raw_out != NULL) return TACIT_OK;
  if (size > scanner->window_capacity) {
    char *raw_larger = tacit_raw_grow(scanner->raw_window, size, 1);
    if (raw_larger == NULL) return tacit_fail_memory(err);
    scanner->raw_window = raw_larger;
    scanner->window_capacity = size;
  }
  *raw_out = scanner->raw_window;
  return tacit_hold_read(hold, offset, scanner->raw_window, size, err);
}

/* The first line start at or behind an offset: the body's, behind a line end, or the
   end of the file. */
static tacit_status line_start(const tacit_reader_file *file, struct scanner *scanner,
                               int64_t offset, int64_t *out, tacit_error *err) {
  int64_t size = tacit_hold_size(file->hold);
  *out = offset;
  if (offset <= file->body || offset >= size) return TACIT_OK;
  for (int64_t at = offset - 1; at < size;) {
    size_t step = size - at < SEARCH_BYTES ? (size_t)(size - at) : SEARCH_BYTES;
    const char *raw_bytes = NULL;
    TACIT_TRY(look(file->hold, scanner, at, step, &raw_bytes, err));
    const char *raw_stop = memchr(raw_bytes, '\n', step);
    if (raw_stop != NULL) {
      *out = at + (raw_stop - raw_bytes) + 1;
      return TACIT_OK;
    }
    at += (int64_t)step;
  }
  *out = size;
  return TACIT_OK;
}

static tacit_status note(struct scanner *scanner, int64_t row, int64_t offset,
                         tacit_error *err) {
  if ((size_t)row == scanner->offset_capacity) {
    size_t capacity = row > 0 ? 2 * (size_t)row : 65536;
    uint32_t *raw_larger =
        tacit_raw_grow(scanner->raw_offsets, capacity, sizeof *raw_larger);
    if (raw_larger == NULL) return tacit_fail_memory(err);
    scanner->raw_offsets = raw_larger;
    scanner->offset_capacity = capacity;
  }
  scanner->raw_offsets[row] = (uint32_t)offset;
  return TACIT_OK;
}

/* Counts the lines of a window; all are whole but for the last one of a file. */
static tacit_status scan_lines(const struct scan *scan, struct scanner *scanner,
                               tacit_piece *piece, int64_t offset,
                               const char *raw_bytes, size_t size, tacit_error *err) {
  const tacit_pieces *pieces = scan->pieces;
  const char *raw_end = raw_bytes + size;
  for (const char *raw_at = raw_bytes; raw_at < raw_end;) {
    const char *raw_stop = memchr(raw_at, '\n', (size_t)(raw_end - raw_at));
    if (raw_stop == NULL) raw_stop = raw_end;
    if ((size_t)(raw_stop - raw_at) > pieces->max_line) {
      piece->fault = fault_long;
      return TACIT_OK;
    }
    const char *raw_last = raw_stop;
    if (raw_last > raw_at && raw_last[-1] == '\r') --raw_last;
    if (pieces->format->is_record(pieces->schema, raw_at, raw_last)) {
      TACIT_TRY(note(scanner, piece->rows, offset - piece->begin + (raw_at - raw_bytes),
                     err));
      ++piece->rows;
    }
    ++piece->lines;
    raw_at = raw_stop + 1;
  }
  return TACIT_OK;
}

/* Where the whole lines of a window end; 0 when it has none. */
static size_t whole_lines(const char *raw_bytes, size_t size) {
  const char *raw_last = memrchr(raw_bytes, '\n', size);
  return raw_last != NULL ? (size_t)(raw_last - raw_bytes) + 1 : 0;
}

static void count_to_nul(tacit_piece *piece, const char *raw_bytes,
                         const char *raw_nul) {
  for (; raw_bytes < raw_nul; ++raw_bytes)
    piece->lines += *raw_bytes == '\n';
  piece->fault = fault_nul;
}

static tacit_status scan_windows(const struct scan *scan, struct scanner *scanner,
                                 tacit_piece *piece, tacit_error *err) {
  const tacit_hold *hold = scan->pieces->files[piece->file].hold;
  size_t window = WINDOW_BYTES;
  for (int64_t offset = piece->begin; offset < piece->end;) {
    int64_t left = piece->end - offset;
    size_t size = left < (int64_t)window ? (size_t)left : window;
    const char *raw_bytes = NULL;
    TACIT_TRY(look(hold, scanner, offset, size, &raw_bytes, err));
    size_t whole = (int64_t)size == left ? size : whole_lines(raw_bytes, size);
    size_t max = scan->pieces->max_line;
    if (whole == 0 && size <= max) {
      window = window > max / 2 ? max + 1 : 2 * window;
      continue;
    }
    const char *raw_nul = memchr(raw_bytes, '\0', whole);
    if (raw_nul != NULL) {
      count_to_nul(piece, raw_bytes, raw_nul);
      return TACIT_OK;
    }
    if (whole == 0) {
      piece->fault = fault_long;
      return TACIT_OK;
    }
    TACIT_TRY(scan_lines(scan, scanner, piece, offset, raw_bytes, whole, err));
    if (piece->fault != NULL) return TACIT_OK;
    offset += (int64_t)whole;
    window = WINDOW_BYTES;
  }
  return TACIT_OK;
}

/* Keeps every stride-th offset, stride such that the places of all pieces together are
   about as many as wanted. */
static tacit_status keep_offsets(const struct scan *scan, const struct scanner *scanner,
                                 tacit_piece *piece, tacit_error *err) {
  piece->stride = 1;
  if (piece->rows == 0) return TACIT_OK;
  double rows_a_byte = (double)piece->rows / (double)(piece->end - piece->begin);
  double all_rows = rows_a_byte * (double)scan->all_bytes;
  while (all_rows / (double)piece->stride > (double)scan->pieces->max_places)
    piece->stride *= 2;
  size_t count = (size_t)((piece->rows + piece->stride - 1) / piece->stride);
  piece->raw_offsets = tacit_raw_new(count, sizeof *piece->raw_offsets);
  if (piece->raw_offsets == NULL) return tacit_fail_memory(err);
  for (size_t i = 0; i < count; ++i)
    piece->raw_offsets[i] = scanner->raw_offsets[i * (size_t)piece->stride];
  return TACIT_OK;
}

static tacit_status scan_piece(const struct scan *scan, struct scanner *scanner,
                               tacit_piece *piece, tacit_error *err) {
  const tacit_reader_file *file = &scan->pieces->files[piece->file];
  TACIT_TRY(line_start(file, scanner, piece->begin, &piece->begin, err));
  TACIT_TRY(line_start(file, scanner, piece->end, &piece->end, err));
  TACIT_TRY(scan_windows(scan, scanner, piece, err));
  return keep_offsets(scan, scanner, piece, err);
}

static void scan_task(void *context, size_t task, size_t worker) {
  const struct scan *scan = context;
  struct scanner *scanner = &scan->scanners[worker];
  if (scanner->error.status != TACIT_OK) return;
  tacit_error error = {TACIT_OK, ""};
  if (scan_piece(scan, scanner, &scan->pieces->raw_list[task], &error) != TACIT_OK) {
    scanner->error = error;
    scanner->error_task = task;
  }
}

tacit_status tacit_pieces_scan(tacit_pieces *pieces, tacit_pool *pool,
                               tacit_error *err) {
  size_t workers = tacit_pool_workers(pool);
  struct scan scan = {.pieces = pieces};
  for (size_t i = 0; i < pieces->count; ++i)
    scan.all_bytes += pieces->raw_list[i].end - pieces->raw_list[i].begin;
  scan.scanners = tacit_raw_new(workers, sizeof *scan.scanners);
  if (scan.scanners == NULL) return tacit_fail_memory(err);
  tacit_pool_run(pool, pieces->count, scan_task, &scan);
  const struct scanner *failed = NULL;
  for (size_t i = 0; i < workers; ++i) {
    const struct scanner *scanner = &scan.scanners[i];
    if (scanner->error.status != TACIT_OK &&
        (failed == NULL || scanner->error_task < failed->error_task))
      failed = scanner;
    tacit_raw_free(scanner->raw_window);
    tacit_raw_free(scanner->raw_offsets);
  }
  tacit_status status = TACIT_OK;
  if (failed != NULL) {
    status = failed->error.status;
    if (err != NULL) *err = failed->error;
  }
  tacit_raw_free(scan.scanners);
  return status;
}

tacit_status tacit_piece_check(const tacit_pieces *pieces, const tacit_piece *piece,
                               tacit_error *err) {
  if (piece->fault == NULL) return TACIT_OK;
  const char *name = tacit_source_name(pieces->files[piece->file].source);
  int64_t line = piece->first_line + piece->lines;
  if (*piece->fault != '\0')
    return tacit_fail(err, TACIT_EDATA, "%s: line %" PRId64 ": %s", name, line,
                      piece->fault);
  return tacit_line_fail_long(name, line, pieces->max_line, err);
}
