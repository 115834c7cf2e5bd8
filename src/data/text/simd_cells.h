/* SPDX-License-Identifier: MIT */
/* Cells and lines of CSV, for the SIMD parser. */
#ifndef TACIT_DATA_TEXT_SIMD_CELLS_H
#define TACIT_DATA_TEXT_SIMD_CELLS_H

#include "data/text/simd.h"
#include "data/text/simd_vectors.h"

/* The text of a cell. */
typedef struct tacit_simd_cell {
  const char *text;
  size_t size;
} tacit_simd_cell;

static inline int tacit_simd_is_blank(char c) { return c == ' ' || c == '\t'; }

/* Strips blanks, CR and quotes from a cell. Returns 0 if a quote opens and does not
   close. */
static inline int tacit_simd_unwrap(const char *begin, const char *end, int is_last,
                                    tacit_simd_cell *out) {
  if (is_last && end > begin && end[-1] == '\r') --end;
  while (begin < end && tacit_simd_is_blank(*begin))
    ++begin;
  if (begin < end && *begin == '"') {
    if (end - begin < 2 || end[-1] != '"') return 0;
    *out = (tacit_simd_cell){begin + 1, (size_t)(end - begin) - 2};
    return 1;
  }
  while (end > begin && tacit_simd_is_blank(end[-1]))
    --end;
  *out = (tacit_simd_cell){begin, (size_t)(end - begin)};
  return 1;
}

/* Finds the text of a cell of a line. Returns 0 if a quote opens and does not close. */
TACIT_SIMD_INLINE int tacit_simd_cell_of(const tacit_stops_line *line, size_t field,
                                         tacit_simd_cell *out) {
  const uint32_t *after = line->after + field;
  const char *begin = line->base + after[-1], *end = line->base + after[0] - 1;
  *out = (tacit_simd_cell){begin, (size_t)(end - begin)};
  if (begin == end) return 1;
  if (*begin == ' ' && begin + 1 < end) {
    ++begin;
    *out = (tacit_simd_cell){begin, out->size - 1};
  }
  /* a quote, a blank or a tab at the beginning; a blank, a tab or CR at the end */
  if (__builtin_expect((unsigned char)*begin <= '"' || (unsigned char)end[-1] <= ' ',
                       0))
    return tacit_simd_unwrap(begin, end, field + 1 == line->count, out);
  return 1;
}

/* Neighbouring lines with as many cells as the header has. */
typedef struct tacit_window_lines {
  tacit_stops_line first;
  size_t count;
} tacit_window_lines;

static inline tacit_stops_line tacit_window_line(const tacit_window_lines *lines,
                                                 size_t which) {
  tacit_stops_line line = lines->first;
  line.after += which * line.count;
  return line;
}

/* Reads the numbers of the lines, one line after the other, into parse->numbers, which
   must have room for them. Returns how many lines are good: a column of the next line
   has a cell that is not a number. */
size_t tacit_simd_read_numbers(const struct tacit_parse *parse,
                               const tacit_window_lines *lines);

#endif
