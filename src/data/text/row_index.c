/* SPDX-License-Identifier: MIT */
/*
 * The first scan of files that are read by row number. Files are cut into pieces at
 * line starts, and each piece is scanned by one thread. The index has the offset of
 * every row or, with millions of rows, of every second, fourth, … row; the rows between
 * are found by skipping. So the size of the index is bounded for any number of rows.
 */
#include "data/text/row_index.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { WINDOW_BYTES = 1 << 18, SEARCH_BYTES = 1 << 12, GROUP = 5 };

static const char fault_nul[] = "a NUL byte; this is not a text file";
static const char fault_long[] = "";

static void free_entries(tacit_piece *piece) {
  tacit_raw_free(piece->bases);
  tacit_raw_free(piece->steps);
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
  if (index->count == index->capacity) {
    size_t capacity = index->capacity > 0 ? 2 * index->capacity : 16;
    tacit_piece *larger = tacit_raw_grow(index->pieces, capacity, sizeof *larger);
    if (larger == NULL) return tacit_fail_memory(err);
    index->pieces = larger;
    index->capacity = capacity;
  }
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
  uint32_t *offsets;
  size_t offset_capacity;
  tacit_error error;
  size_t error_task;
};

struct scan {
  tacit_row_index *index;
  struct scanner *scanners;
  int64_t all_bytes;
  tacit_status (*step)(const struct scan *scan, struct scanner *scanner,
                       tacit_piece *piece, tacit_error *err);
};

/* Bytes [offset, offset + size) of a file, in place or copied to the window. In place,
   others may change them at any time, so callers never read past them. */
static tacit_status look(const tacit_random_access *access, struct scanner *scanner,
                         int64_t offset, size_t size, const char **out,
                         tacit_error *err) {
  *out = tacit_random_access_pointer(access, offset);
  if (*out != NULL) return TACIT_OK;
  if (size > scanner->window_capacity) {
    char *larger = tacit_raw_grow(scanner->window, size, 1);
    if (larger == NULL) return tacit_fail_memory(err);
    scanner->window = larger;
    scanner->window_capacity = size;
  }
  *out = scanner->window;
  return tacit_random_access_read(access, offset, scanner->window, size, err);
}

/* The first line start at or after an offset, or the end of the file. `open`: 1 if a
   quote is open before it. */
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

static tacit_status note(struct scanner *scanner, int64_t row, int64_t offset,
                         tacit_error *err) {
  if ((size_t)row == scanner->offset_capacity) {
    size_t capacity = row > 0 ? 2 * (size_t)row : 65536;
    uint32_t *larger = tacit_raw_grow(scanner->offsets, capacity, sizeof *larger);
    if (larger == NULL) return tacit_fail_memory(err);
    scanner->offsets = larger;
    scanner->offset_capacity = capacity;
  }
  scanner->offsets[row] = (uint32_t)offset;
  return TACIT_OK;
}

/* Counts the lines of a window. All are whole, except perhaps the last line of a
   file. */
static tacit_status scan_lines(const struct scan *scan, struct scanner *scanner,
                               tacit_piece *piece, int64_t offset, const char *bytes,
                               size_t size, tacit_error *err) {
  const tacit_row_index *index = scan->index;
  const char *end = bytes + size;
  int quotes = index->files->schema->quoted_newlines;
  for (const char *at = bytes; at < end;) {
    int open = 0;
    const char *stop = tacit_record_end(at, end, quotes, &open);
    if (stop == NULL) stop = end;
    if ((size_t)(stop - at) > index->max_line) {
      piece->fault = fault_long;
      return TACIT_OK;
    }
    const char *last = stop;
    if (last > at && last[-1] == '\r') --last;
    if (index->files->format->is_record(index->files->schema, at, last)) {
      TACIT_TRY(note(scanner, piece->rows, offset - piece->begin + (at - bytes), err));
      ++piece->rows;
    }
    piece->lines += 1 + (quotes ? tacit_count_lines(at, stop) : 0);
    at = stop + 1;
  }
  return TACIT_OK;
}

/* The end of the whole lines of a window; 0: it has none. */
static size_t whole_lines(const char *bytes, size_t size, int quotes) {
  const char *last = quotes ? NULL : memrchr(bytes, '\n', size);
  const char *next = bytes;
  int open = 0;
  while (quotes && (next = tacit_record_end(next, bytes + size, 1, &open)) != NULL)
    last = next++;
  return last != NULL ? (size_t)(last - bytes) + 1 : 0;
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
  for (int64_t offset = piece->begin; offset < piece->end;) {
    int64_t left = piece->end - offset;
    size_t size = left < (int64_t)window ? (size_t)left : window;
    const char *bytes = NULL;
    TACIT_TRY(look(access, scanner, offset, size, &bytes, err));
    size_t whole = (int64_t)size == left ? size : whole_lines(bytes, size, quotes);
    size_t max = scan->index->max_line;
    if (whole == 0 && size <= max) {
      window = window > max / 2 ? max + 1 : 2 * window;
      continue;
    }
    const char *nul = memchr(bytes, '\0', whole);
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

/* How many entries a piece has if every 2^shift-th row is one, such that all pieces
   together have about `max`. */
static size_t entries_of(const struct scan *scan, tacit_piece *piece, double max) {
  double rows_a_byte = (double)piece->rows / (double)(piece->end - piece->begin);
  double all_rows = rows_a_byte * (double)scan->all_bytes;
  for (piece->shift = 0; all_rows > max; all_rows /= 2)
    ++piece->shift;
  return (size_t)((piece->rows - 1) >> piece->shift) + 1;
}

/* Entries in groups that share a base: two bytes each. 0 if lines are too long. */
static int are_close(const struct scanner *scanner, const tacit_piece *piece,
                     size_t count) {
  for (size_t i = 0; i < count; ++i) {
    size_t first = i >> GROUP << GROUP;
    if (scanner->offsets[i << piece->shift] - scanner->offsets[first << piece->shift] >
        UINT16_MAX)
      return 0;
  }
  return 1;
}

static tacit_status keep_offsets(const struct scan *scan, const struct scanner *scanner,
                                 tacit_piece *piece, tacit_error *err) {
  double max = (double)scan->index->max_offsets;
  if (piece->rows == 0) return TACIT_OK;
  size_t count = entries_of(scan, piece, max);
  if (are_close(scanner, piece, count)) {
    piece->group = GROUP;
    piece->steps = tacit_raw_new(count, sizeof *piece->steps);
    if (piece->steps == NULL) return tacit_fail_memory(err);
  } else {
    count = entries_of(scan, piece, fmax(1, max / 2));
  }
  piece->bases = tacit_raw_new(((count - 1) >> piece->group) + 1, sizeof *piece->bases);
  if (piece->bases == NULL) return tacit_fail_memory(err);
  for (size_t i = 0; i < count; ++i) {
    uint32_t offset = scanner->offsets[i << piece->shift];
    uint32_t *base = &piece->bases[i >> piece->group];
    if ((i & (((size_t)1 << piece->group) - 1)) == 0) *base = offset;
    if (piece->steps != NULL) piece->steps[i] = (uint16_t)(offset - *base);
  }
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

/* line_start looks from the byte before an offset on: quotes count up to there. */
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

/* A quote is open where an odd number of them is before. */
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
  scan.scanners = tacit_raw_new(threads, sizeof *scan.scanners);
  if (scan.scanners == NULL) return tacit_fail_memory(err);
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

/* Pieces have about the same number of rows, so the search starts where the row would
   be if they had exactly the same. */
int64_t tacit_row_index_piece(const tacit_row_index *index, int64_t row) {
  int64_t low = -1, high = (int64_t)index->count; /* low <= answer < high */
  const tacit_piece *pieces = index->pieces;
  if (high == 0) return -1;
  const tacit_piece *last = &pieces[high - 1];
  int64_t rows = last->first_row + last->rows;
  int64_t guess = rows > 0 ? (int64_t)((double)row / (double)rows * (double)high) : 0;
  if (guess >= high) guess = high - 1;
  for (int64_t step = 1;; step *= 2) {
    if (pieces[guess].first_row <= row) {
      low = guess;
      if (guess + step >= high) break;
      guess += step;
    } else {
      high = guess;
      if (guess - step <= low) break;
      guess -= step;
    }
  }
  while (high - low > 1) {
    int64_t middle = low + (high - low) / 2;
    if (pieces[middle].first_row <= row)
      low = middle;
    else
      high = middle;
  }
  return low;
}

tacit_status tacit_piece_check(const tacit_row_index *index, const tacit_piece *piece,
                               tacit_error *err) {
  if (piece->fault == NULL) return TACIT_OK;
  const char *name = tacit_source_name(index->files->list[piece->file].source);
  int64_t line = piece->first_line + piece->lines;
  if (*piece->fault != '\0')
    return tacit_fail(err, TACIT_EDATA, "%s: line %" PRId64 ": %s", name, line,
                      piece->fault);
  return tacit_line_fail_long(name, line, index->max_line, err);
}
