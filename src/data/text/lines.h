/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_TEXT_LINES_H
#define TACIT_DATA_TEXT_LINES_H

#include "data/bytes/source.h"

/* Default limit for the bytes of one line (--max-line). */
#define TACIT_LINE_MAX ((size_t)1 << 26)

/* Returns the limit that the user asked for, or the default if `asked` is 0. */
static inline size_t tacit_line_max(uint64_t asked) {
  if (asked == 0) return TACIT_LINE_MAX;
  return asked < SIZE_MAX / 4 ? (size_t)asked : SIZE_MAX / 4;
}

/* One line without its end (LF or CR LF) and without a byte order mark. It points into
   the buffer of its tacit_lines. */
typedef struct tacit_line {
  const char *begin, *end;
  int64_t offset; /* offset of the line in the decoded file */
  int64_t number; /* counts every line of the file, from 1 */
  int64_t mark;   /* bytes of a byte order mark before the line */
} tacit_line;

/* Returns where the record at `at` ends: the next line feed, or if `quotes` is 1 the
   next line feed that is not between quotes. Returns NULL if it does not end before
   `end`. *io_open says whether a quote is open at `at`, and on return whether one is
   open at the end of the text. */
const char *tacit_record_end(const char *at, const char *end, int quotes, int *io_open);
/* Returns the number of line feeds. */
int64_t tacit_count_lines(const char *at, const char *end);

/* The lines of one source after another, through one buffer. */
typedef struct tacit_lines tacit_lines;

/* Makes a reader of lines. Its buffer grows with the lines, up to the limit. `quotes`
   must be 1 if a line break between quotes does not end a line. */
tacit_status tacit_lines_new(size_t max, int quotes, tacit_lines **out,
                             tacit_error *err);
void tacit_lines_free(tacit_lines *lines);

/* Continues with a source, which must be at its first byte. */
void tacit_lines_start(tacit_lines *lines, tacit_source *source);
/* Reads the next line. *out_more becomes 0 at the end. Returns TACIT_EDATA for a line
   that exceeds the limit or has a NUL byte. */
tacit_status tacit_lines_next(tacit_lines *lines, tacit_line *out, int *out_more,
                              tacit_error *err);
/* Writes the offset and the number of the next line. */
void tacit_lines_position(const tacit_lines *lines, int64_t *offset, int64_t *number);
/* Returns the error for a line that exceeds the limit. */
tacit_status tacit_line_fail_long(const char *name, int64_t number, size_t max,
                                  tacit_error *err);

#endif
