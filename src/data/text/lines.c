/* SPDX-License-Identifier: MIT */
/* Where rows begin and end: lines of a source through one growing buffer. */
#include "data/text/lines.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { READ_BYTES = 256 * 1024 };

struct tacit_lines {
  tacit_source *source;
  size_t max;
  char *raw_buffer;
  size_t capacity;
  size_t begin, end;  /* bytes read and not yet given out */
  int64_t raw_offset; /* of raw_buffer[begin] in the decoded file */
  int64_t number;     /* of the line that starts there */
  int ended;
};

tacit_status tacit_lines_new(size_t max, tacit_lines **out, tacit_error *err) {
  tacit_lines *lines = tacit_array_new(1, sizeof *lines);
  if (lines == NULL) return tacit_fail_memory(err);
  lines->max = max;
  lines->capacity = READ_BYTES;
  lines->raw_buffer = tacit_raw_new(lines->capacity, 1);
  if (lines->raw_buffer == NULL) {
    tacit_array_free(lines);
    return tacit_fail_memory(err);
  }
  *out = lines;
  return TACIT_OK;
}

void tacit_lines_free(tacit_lines *lines) {
  if (lines == NULL) return;
  tacit_raw_free(lines->raw_buffer);
  tacit_array_free(lines);
}

void tacit_lines_start(tacit_lines *lines, tacit_source *source) {
  lines->source = source;
  lines->begin = lines->end = 0;
  lines->raw_offset = 0;
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
    memmove(lines->raw_buffer, lines->raw_buffer + lines->begin,
            lines->end - lines->begin);
    lines->end -= lines->begin;
    lines->begin = 0;
  }
  if (lines->end > lines->max) return fail_long(lines, err);
  if (lines->end == lines->capacity) {
    /* One byte more than a line may have tells that it has too many. */
    size_t capacity =
        lines->capacity > lines->max / 2 ? lines->max + 1 : 2 * lines->capacity;
    char *raw_larger = tacit_raw_grow(lines->raw_buffer, capacity, 1);
    if (raw_larger == NULL) return tacit_fail_memory(err);
    lines->raw_buffer = raw_larger;
    lines->capacity = capacity;
  }
  size_t room = lines->capacity - lines->end, got;
  TACIT_TRY(tacit_source_read(lines->source, lines->raw_buffer + lines->end, room, &got,
                              err));
  lines->end += got;
  if (got == 0) lines->ended = 1;
  return TACIT_OK;
}

tacit_status tacit_lines_next(tacit_lines *lines, tacit_line *out, int *out_more,
                              tacit_error *err) {
  char *raw_newline = NULL;
  size_t searched = 0;
  for (;;) {
    size_t size = lines->end - lines->begin;
    if (size > searched)
      raw_newline =
          memchr(lines->raw_buffer + lines->begin + searched, '\n', size - searched);
    if (raw_newline != NULL || lines->ended) break;
    searched = size;
    TACIT_TRY(read_more(lines, err));
  }
  if (lines->begin == lines->end) {
    *out_more = 0;
    return TACIT_OK;
  }
  char *raw_begin = lines->raw_buffer + lines->begin;
  char *raw_end = raw_newline != NULL ? raw_newline : lines->raw_buffer + lines->end;
  size_t taken = (size_t)(raw_end - raw_begin) + (raw_newline != NULL);
  if ((size_t)(raw_end - raw_begin) > lines->max) return fail_long(lines, err);
  if (memchr(raw_begin, '\0', (size_t)(raw_end - raw_begin)) != NULL)
    return tacit_fail(err, TACIT_EDATA,
                      "%s: line %" PRId64 ": a NUL byte; this is not a text file",
                      tacit_source_name(lines->source), lines->number);
  if (raw_end > raw_begin && raw_end[-1] == '\r') --raw_end;
  out->raw_offset = lines->raw_offset;
  out->number = lines->number;
  out->raw_mark = 0;
  if (lines->raw_offset == 0 && raw_end - raw_begin >= 3 &&
      memcmp(raw_begin, "\xef\xbb\xbf", 3) == 0) {
    raw_begin += 3;
    out->raw_mark = 3;
  }
  out->raw_begin = raw_begin;
  out->raw_end = raw_end;
  lines->begin += taken;
  lines->raw_offset += (int64_t)taken;
  ++lines->number;
  *out_more = 1;
  return TACIT_OK;
}

void tacit_lines_place(const tacit_lines *lines, int64_t *raw_offset, int64_t *number) {
  *raw_offset = lines->raw_offset;
  *number = lines->number;
}
