/* SPDX-License-Identifier: MIT */
/*
 * The first scan of files that are read by row number. Files are cut into pieces at
 * line starts, and one thread scans each piece. The index has the offset of every row
 * or, if there are millions of rows, of every second, fourth, or 2^shift-th row; the
 * rows between are found by skipping. So the size of the index is bounded for any
 * number of rows.
 */
#include "data/text/row_index.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/text/line_ends.h"
#include "data/text/simd.h"

enum {
  WINDOW_BYTES = 1 << 18,
  SEARCH_BYTES = 1 << 12,
  LONG_LINE = 256, /* bytes; memchr finds the ends of longer lines faster */
  GROUP = 5
};

static const char fault_nul[] = "a NUL byte; this is not a text file";
static const char fault_long[] = "";

static void free_entries(tacit_piece *piece) {
  TACIT_RAW_FREE(piece->bases, piece->steps);
}

void tacit_row_index_fini(tacit_row_index *index) {
  for (size_t i = 0; i < index->count; ++i)
    free_entries(&index->pieces[i]);
  tacit_raw_free(index->pieces);
  index->pieces = NULL;
  index->count = index->capacity = 0;
}

static tacit_status add_piece(tacit_row_index *index, size_t file, int64_t part,
                              int64_t begin, int64_t end, tacit_error *err) {
  if (!tacit_raw_reserve(&index->pieces, &index->capacity, index->count + 1,
                         sizeof *index->pieces))
    return tacit_fail_memory(err);
  index->pieces[index->count++] =
      (tacit_piece){.file = file, .part = part, .begin = begin, .end = end};
  return TACIT_OK;
}

tacit_status tacit_row_index_add(tacit_row_index *index, size_t file, int64_t part,
                                 int64_t parts, tacit_error *err) {
  const tacit_text_file *source = &index->files->list[file];
  int64_t size = tacit_random_access_size(source->access) - source->body;
  int64_t count = (size + index->piece_bytes - 1) / index->piece_bytes;
  if (count < parts) count = parts; /* every part needs bytes of its own */
  for (int64_t i = count * part / parts; i < count * (part + 1) / parts; ++i) {
    int64_t begin = source->body + size / count * i + size % count * i / count;
    int64_t next = i + 1;
    int64_t end = source->body + size / count * next + size % count * next / count;
    TACIT_TRY(add_piece(index, file, part, begin, end, err));
  }
  return TACIT_OK;
}

/* What one thread scans with. */
struct scanner {
  char *window;
  size_t window_capacity;
  tacit_line_ends ends; /* of the window */
  uint32_t *offsets;
  size_t offset_capacity;
  tacit_error error;
  size_t error_task;
};

struct scan {
  tacit_row_index *index;
  struct scanner *scanners;
  int64_t all_bytes;
  int is_simd;
  tacit_status (*step)(const struct scan *scan, struct scanner *scanner,
                       tacit_piece *piece, tacit_error *err);
};

/* Shows bytes offset … offset + size - 1 of a file, mapped or copied to the window.
   Others may change a mapped file at any time, so callers never read past these
   bytes. */
static tacit_status look(const tacit_random_access *access, struct scanner *scanner,
                         int64_t offset, size_t size, const char **out,
                         tacit_error *err) {
  *out = tacit_random_access_pointer(access, offset);
  if (*out != NULL) return TACIT_OK;
  if (!tacit_raw_reserve(&scanner->window, &scanner->window_capacity, size, 1))
    return tacit_fail_memory(err);
  *out = scanner->window;
  return tacit_random_access_read(access, offset, scanner->window, size, err);
}

/* Finds the first line start at or after an offset, or the end of the file. `open` must
   be 1 if a quote is open before it. */
static tacit_status line_start(const struct scan *scan, const tacit_text_file *file,
                               struct scanner *scanner, int64_t offset, int open,
                               int64_t *out, tacit_error *err) {
  int quotes = scan->index->files->schema->quoted_newlines;
  int64_t size = tacit_random_access_size(file->access);
  *out = offset;
  if (offset <= file->body || offset >= size) return TACIT_OK;
  for (int64_t at = offset - 1; at < size;) {
    size_t step = size - at < SEARCH_BYTES ? (size_t)(size - at) : SEARCH_BYTES;
    const char *bytes = NULL;
    TACIT_TRY(look(file->access, scanner, at, step, &bytes, err));
    const char *stop = tacit_record_end(bytes, bytes + step, quotes, &open);
    if (stop != NULL) {
      *out = at + (stop - bytes) + 1;
      return TACIT_OK;
    }
    at += (int64_t)step;
  }
  *out = size;
  return TACIT_OK;
}

/* Returns 1 if a line is a record. Its first character decides, unless it may be a
   blank or begin a comment. */
static int is_record(const tacit_row_index *index, const char *at, const char *stop) {
  if (at<stop && * at> '#') return 1;
  if (stop > at && stop[-1] == '\r') --stop;
  return index->files->format->is_record(index->files->schema, at, stop);
}

/* Counts the lines in the first `size` bytes of a window whose line ends are found. All
   lines are whole, except perhaps the last line of a file. */
static tacit_status scan_lines(const struct scan *scan, struct scanner *scanner,
                               tacit_piece *piece, int64_t offset, const char *bytes,
                               size_t size, tacit_error *err) {
  const uint32_t *ends = scanner->ends.after;
  size_t count = scanner->ends.count, max = scan->index->max_line, at = 0, next;
  int64_t rows = piece->rows, lines = piece->lines;
  int quotes = scan->index->files->schema->quoted_newlines;
  if (!tacit_raw_reserve(&scanner->offsets, &scanner->offset_capacity,
                         (size_t)rows + count + 1, sizeof *scanner->offsets))
    return tacit_fail_memory(err);
  uint32_t *offsets = scanner->offsets, before = (uint32_t)(offset - piece->begin);
  for (size_t i = 0; at < size; ++i, at = next) {
    next = i < count ? ends[i] : size;
    const char *line = bytes + at, *stop = bytes + next - (i < count);
    if ((size_t)(stop - line) > max) {
      piece->fault = fault_long;
      break;
    }
    offsets[rows] = before + (uint32_t)at;
    rows += is_record(scan->index, line, stop);
    lines += 1 + (quotes ? tacit_count_lines(line, stop) : 0);
  }
  piece->lines = lines;
  piece->rows = rows;
  return TACIT_OK;
}

static void count_to_nul(tacit_piece *piece, const char *bytes, const char *nul) {
  for (; bytes < nul; ++bytes)
    piece->lines += *bytes == '\n';
  piece->fault = fault_nul;
}

static tacit_status scan_windows(const struct scan *scan, struct scanner *scanner,
                                 tacit_piece *piece, tacit_error *err) {
  const tacit_random_access *access = scan->index->files->list[piece->file].access;
  size_t window = WINDOW_BYTES;
  int quotes = scan->index->files->schema->quoted_newlines;
  if (scanner->ends.after == NULL && !tacit_line_ends_init(&scanner->ends))
    return tacit_fail_memory(err);
  for (int64_t offset = piece->begin; offset < piece->end;) {
    int64_t left = piece->end - offset;
    size_t size = left < (int64_t)window ? (size_t)left : window;
    const char *bytes = NULL;
    TACIT_TRY(look(access, scanner, offset, size, &bytes, err));
    const tacit_line_ends *ends = &scanner->ends;
    int are_short = ends->size <= LONG_LINE * (ends->count + 1); /* as the lines so far
                                                                    are */
    tacit_line_ends_find(&scanner->ends, bytes, size, quotes,
                         scan->is_simd && are_short);
    size_t whole = ends->count > 0 ? ends->after[ends->count - 1] : 0;
    size_t max = scan->index->max_line;
    if ((int64_t)ends->size == left) whole = ends->size;
    if (whole == 0 && size <= max) {
      window = window > max / 2 ? max + 1 : 2 * window;
      continue;
    }
    const char *nul = ends->has_nul ? memchr(bytes, '\0', whole) : NULL;
    if (nul != NULL) {
      count_to_nul(piece, bytes, nul);
      return TACIT_OK;
    }
    if (whole == 0) {
      piece->fault = fault_long;
      return TACIT_OK;
    }
    TACIT_TRY(scan_lines(scan, scanner, piece, offset, bytes, whole, err));
    if (piece->fault != NULL) return TACIT_OK;
    offset += (int64_t)whole;
    window = WINDOW_BYTES;
  }
  return TACIT_OK;
}

/* Chooses the shift of a piece, so that all pieces together have about `max` entries.
   Returns how many entries the piece then has. */
static size_t entries_of(const struct scan *scan, tacit_piece *piece, double max) {
  double rows_a_byte = (double)piece->rows / (double)(piece->end - piece->begin);
  double all_rows = rows_a_byte * (double)scan->all_bytes;
  for (piece->shift = 0; all_rows > max; all_rows /= 2)
    ++piece->shift;
  return (size_t)((piece->rows - 1) >> piece->shift) + 1;
}

/* Returns 1 if entries can be stored in two bytes each, in groups that share a base; 0
   if lines are too long for that. Offsets ascend, so the last of a group is the
   furthest. */
static int are_close(const struct scanner *scanner, const tacit_piece *piece,
                     size_t count) {
  const size_t group = (size_t)1 << GROUP;
  for (size_t i = 0; i < count; i += group) {
    size_t last = (count - i < group ? count : i + group) - 1;
    if (scanner->offsets[last << piece->shift] - scanner->offsets[i << piece->shift] >
        UINT16_MAX)
      return 0;
  }
  return 1;
}

static void fill_entries(const struct scanner *scanner, tacit_piece *piece,
                         size_t count) {
  const uint32_t *offsets = scanner->offsets;
  const size_t group = (size_t)1 << piece->group;
  for (size_t i = 0; i < count; i += group) {
    size_t end = count - i < group ? count : i + group;
    uint32_t base = offsets[i << piece->shift];
    piece->bases[i >> piece->group] = base;
    for (size_t j = i; piece->steps != NULL && j < end; ++j)
      piece->steps[j] = (uint16_t)(offsets[j << piece->shift] - base);
  }
}

static tacit_status keep_offsets(const struct scan *scan, const struct scanner *scanner,
                                 tacit_piece *piece, tacit_error *err) {
  double max = (double)scan->index->max_offsets;
  if (piece->rows == 0) return TACIT_OK;
  size_t count = entries_of(scan, piece, max);
  if (are_close(scanner, piece, count)) {
    piece->group = GROUP;
    TACIT_TRY(TACIT_RAW_NEW(piece->steps, count, err));
  } else {
    count = entries_of(scan, piece, fmax(1, max / 2));
  }
  TACIT_TRY(TACIT_RAW_NEW(piece->bases, ((count - 1) >> piece->group) + 1, err));
  fill_entries(scanner, piece, count);
  return TACIT_OK;
}

static tacit_status scan_piece(const struct scan *scan, struct scanner *scanner,
                               tacit_piece *piece, tacit_error *err) {
  const tacit_text_file *file = &scan->index->files->list[piece->file];
  TACIT_TRY(line_start(scan, file, scanner, piece->begin, piece->begins_quoted,
                       &piece->begin, err));
  TACIT_TRY(line_start(scan, file, scanner, piece->end, piece->ends_quoted, &piece->end,
                       err));
  TACIT_TRY(scan_windows(scan, scanner, piece, err));
  return keep_offsets(scan, scanner, piece, err);
}

/* Counts the quotes from one offset to another. */
static tacit_status count_between(const tacit_text_file *file, struct scanner *scanner,
                                  int64_t begin, int64_t end, int64_t *out,
                                  tacit_error *err) {
  for (int64_t at = begin; at < end;) {
    size_t step = end - at < WINDOW_BYTES ? (size_t)(end - at) : WINDOW_BYTES;
    const char *bytes = NULL;
    TACIT_TRY(look(file->access, scanner, at, step, &bytes, err));
    for (size_t i = 0; i < step; ++i)
      *out += bytes[i] == '"';
    at += (int64_t)step;
  }
  return TACIT_OK;
}

/* Returns the offset up to which quotes count, because line_start looks from the byte
   before an offset on. */
static int64_t before(const tacit_text_file *file, int64_t offset) {
  return offset > file->body ? offset - 1 : file->body;
}

static tacit_status count_quotes(const struct scan *scan, struct scanner *scanner,
                                 tacit_piece *piece, tacit_error *err) {
  const tacit_text_file *file = &scan->index->files->list[piece->file];
  int is_first = piece == scan->index->pieces || piece[-1].file != piece->file;
  int64_t begin = before(file, piece->begin);
  TACIT_TRY(count_between(file, scanner,
                          is_first ? file->body : before(file, piece[-1].end), begin,
                          &piece->quotes_before, err));
  return count_between(file, scanner, begin, before(file, piece->end), &piece->quotes,
                       err);
}

/* Sets whether a quote is open at the ends of each piece: after an odd number of
   quotes. */
static void add_up_quotes(tacit_row_index *index) {
  int64_t quotes = 0;
  for (size_t i = 0; i < index->count; ++i) {
    tacit_piece *piece = &index->pieces[i];
    if (i > 0 && piece[-1].file != piece->file) quotes = 0;
    quotes += piece->quotes_before;
    piece->begins_quoted = quotes % 2 != 0;
    quotes += piece->quotes;
    piece->ends_quoted = quotes % 2 != 0;
  }
}

static void scan_task(void *context, size_t task, size_t thread) {
  const struct scan *scan = context;
  struct scanner *scanner = &scan->scanners[thread];
  if (scanner->error.status != TACIT_OK) return;
  tacit_error error = {TACIT_OK, ""};
  if (scan->step(scan, scanner, &scan->index->pieces[task], &error) != TACIT_OK) {
    scanner->error = error;
    scanner->error_task = task;
  }
}

tacit_status tacit_row_index_scan(tacit_row_index *index, tacit_pool *pool,
                                  tacit_error *err) {
  size_t threads = tacit_pool_workers(pool);
  struct scan scan = {.index = index};
  for (size_t i = 0; i < index->count; ++i)
    scan.all_bytes += index->pieces[i].end - index->pieces[i].begin;
  TACIT_TRY(TACIT_RAW_NEW(scan.scanners, threads, err));
  scan.is_simd = tacit_simd_allowed();
  if (index->files->schema->quoted_newlines) {
    scan.step = count_quotes;
    tacit_pool_run(pool, index->count, scan_task, &scan);
    add_up_quotes(index);
  }
  scan.step = scan_piece;
  tacit_pool_run(pool, index->count, scan_task, &scan);
  const struct scanner *failed = NULL;
  for (size_t i = 0; i < threads; ++i) {
    const struct scanner *scanner = &scan.scanners[i];
    if (scanner->error.status != TACIT_OK &&
        (failed == NULL || scanner->error_task < failed->error_task))
      failed = scanner;
    tacit_raw_free(scanner->window);
    tacit_line_ends_fini(&scan.scanners[i].ends);
    tacit_raw_free(scanner->offsets);
  }
  tacit_status status = TACIT_OK;
  if (failed != NULL) {
    status = failed->error.status;
    if (err != NULL) *err = failed->error;
  }
  tacit_raw_free(scan.scanners);
  return status;
}
