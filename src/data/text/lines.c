/* SPDX-License-Identifier: MIT */
/* Reads the lines of a source through one growing buffer. */
#include "data/text/lines.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { READ_BYTES = 256 * 1024 };

struct tacit_lines {
  tacit_source *source;
  size_t max;
  int quotes; /* 1 if line breaks between quotes end no line */
  char *buffer;
  size_t capacity;
  size_t begin, end; /* bytes that were read and not yet given out */
  int64_t offset;    /* offset of buffer[begin] in the decoded file */
  int64_t number;    /* number of the line that starts at buffer[begin] */
  int ended;
};

const char *tacit_record_end(const char *at, const char *end, int quotes,
                             int *io_open) {
  if (at == end) return NULL;
  if (!quotes) return memchr(at, '\n', (size_t)(end - at));
  while (at < end) {
    size_t size = (size_t)(end - at);
    const char *stop = *io_open ? NULL : memchr(at, '\n', size);
    if (stop != NULL) size = (size_t)(stop - at);
    const char *quote = memchr(at, '"', size);
    if (quote == NULL) return stop;
    *io_open = !*io_open;
    at = quote + 1;
  }
  return NULL;
}

int64_t tacit_count_lines(const char *at, const char *end) {
  int64_t count = 0;
  while (at < end && (at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
    ++at;
    ++count;
  }
  return count;
}

tacit_status tacit_lines_new(size_t max, int quotes, tacit_lines **out,
                             tacit_error *err) {
  tacit_lines *lines = tacit_array_new(1, sizeof *lines);
  if (lines == NULL) return tacit_fail_memory(err);
  lines->max = max;
  lines->quotes = quotes;
  lines->capacity = READ_BYTES;
  lines->buffer = tacit_raw_new(lines->capacity, 1);
  if (lines->buffer == NULL) {
    tacit_array_free(lines);
    return tacit_fail_memory(err);
  }
  *out = lines;
  return TACIT_OK;
}

void tacit_lines_free(tacit_lines *lines) {
  if (lines == NULL) return;
  tacit_raw_free(lines->buffer);
  tacit_array_free(lines);
}

void tacit_lines_start(tacit_lines *lines, tacit_source *source) {
  lines->source = source;
  lines->begin = lines->end = 0;
  lines->offset = 0;
  lines->number = 1;
  lines->ended = 0;
}

tacit_status tacit_line_fail_long(const char *name, int64_t number, size_t max,
                                  tacit_error *err) {
  return tacit_fail(err, TACIT_EDATA,
                    "%s: line %" PRId64 ": longer than %zu bytes; is this text with "
                    "one record per line? Then raise --max-line",
                    name, number, max);
}

static tacit_status fail_long(const tacit_lines *lines, tacit_error *err) {
  return tacit_line_fail_long(tacit_source_name(lines->source), lines->number,
                              lines->max, err);
}

static tacit_status read_more(tacit_lines *lines, tacit_error *err) {
  if (lines->begin > 0) {
    memmove(lines->buffer, lines->buffer + lines->begin, lines->end - lines->begin);
    lines->end -= lines->begin;
    lines->begin = 0;
  }
  if (lines->end > lines->max) return fail_long(lines, err);
  if (lines->end == lines->capacity) {
    /* Makes room for one byte more than the limit, to see that a line is too long. */
    size_t capacity =
        lines->capacity > lines->max / 2 ? lines->max + 1 : 2 * lines->capacity;
    char *larger = tacit_raw_grow(lines->buffer, capacity, 1);
    if (larger == NULL) return tacit_fail_memory(err);
    lines->buffer = larger;
    lines->capacity = capacity;
  }
  size_t room = lines->capacity - lines->end, got;
  TACIT_TRY(
      tacit_source_read(lines->source, lines->buffer + lines->end, room, &got, err));
  lines->end += got;
  if (got == 0) lines->ended = 1;
  return TACIT_OK;
}

tacit_status tacit_lines_next(tacit_lines *lines, tacit_line *out, int *out_more,
                              tacit_error *err) {
  const char *newline = NULL;
  size_t searched = 0;
  int open = 0;
  for (;;) {
    size_t size = lines->end - lines->begin;
    const char *at = lines->buffer + lines->begin;
    if (size > searched)
      newline = tacit_record_end(at + searched, at + size, lines->quotes, &open);
    if (newline != NULL || lines->ended) break;
    searched = size;
    TACIT_TRY(read_more(lines, err));
  }
  if (lines->begin == lines->end) {
    *out_more = 0;
    return TACIT_OK;
  }
  const char *begin = lines->buffer + lines->begin;
  const char *end = newline != NULL ? newline : lines->buffer + lines->end;
  size_t taken = (size_t)(end - begin) + (newline != NULL);
  if ((size_t)(end - begin) > lines->max) return fail_long(lines, err);
  if (memchr(begin, '\0', (size_t)(end - begin)) != NULL)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: line %" PRId64 ": a NUL byte; this is not a text file",
                      tacit_source_name(lines->source), lines->number);
  if (end > begin && end[-1] == '\r') --end;
  out->offset = lines->offset;
  out->number = lines->number;
  out->mark = 0;
  if (lines->offset == 0 && end - begin >= 3 && memcmp(begin, "\xef\xbb\xbf", 3) == 0) {
    begin += 3;
    out->mark = 3;
  }
  out->begin = begin;
  out->end = end;
  lines->begin += taken;
  lines->offset += (int64_t)taken;
  lines->number += 1 + (lines->quotes ? tacit_count_lines(begin, end) : 0);
  *out_more = 1;
  return TACIT_OK;
}

void tacit_lines_position(const tacit_lines *lines, int64_t *offset, int64_t *number) {
  *offset = lines->offset;
  *number = lines->number;
}
