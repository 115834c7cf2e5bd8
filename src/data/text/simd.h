/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_TEXT_SIMD_H
#define TACIT_DATA_TEXT_SIMD_H

#include <stddef.h>
#include <stdint.h>

#include "batch/rows.h"

/*
 * The SIMD parser, for processors with AVX2 or NEON. It reads a text in two steps:
 *
 * 1. Find the stops of the next lines: the characters that end a number or a cell. This
 *    takes 64 characters at a time, and no branch depends on their positions.
 * 2. Convert what is between the stops, four numbers at a time. It is known where each
 * of
 *    them begins, so the processor works on many at once.
 *
 * It takes only lines without anything unusual. The parsers in csv_fast.c and libsvm.c
 * read all other lines, and all parsers give equal rows.
 */

struct tacit_parse;
struct tacit_text;

/* The stops of some lines. Depends on records. */
typedef struct tacit_stops {
  uint32_t *memory;
  uint32_t *after; /* the place after each stop, counted from base; after[-1] is 0 */
  uint32_t *ends;  /* per line: the number of stops up to its LF, LF included; ends[-1]
                      is 0 */
  size_t window;   /* characters that there is room for */
  const char *base;
  size_t n_lines, line; /* lines found, and how many of them were passed */
} tacit_stops;

/* One line. Cell i is from after[i-1] to before its stop at after[i] - 1. The last of
   `count` stops is LF. */
typedef struct tacit_stops_line {
  const char *base;
  const uint32_t *after;
  size_t count;
} tacit_stops_line;

/* Finds the stops of the text from stops->base on, at most stops->window characters of
   it, up to the last whole line or the first line that is unusual. */
typedef void tacit_simd_find(tacit_stops *stops, const char *end, char delimiter);

/* Returns 1 if the SIMD parser may be used: the processor has the instructions,
   TACIT_DISPATCH allows them, and a short self-test finds the bits of
   tacit_number_take. */
int tacit_simd_allowed(void);

void tacit_stops_fini(tacit_stops *stops);
/* Forgets the lines that were found, because another text comes. */
static inline void tacit_stops_forget(tacit_stops *stops) {
  stops->n_lines = stops->line = 0;
}
/* Gives the last `count` lines back: they were not used and will be asked for again. */
static inline void tacit_stops_back(tacit_stops *stops, size_t count) {
  stops->line -= count;
}
/* Finds the lines from `at` on. Returns 0 if the line at `at` is unusual or too long,
   or if memory runs out. */
int tacit_stops_find_more(tacit_stops *stops, tacit_simd_find *find, const char *at,
                          const char *end, char delimiter);

/* Finds the line at `at` of a text that ends at `end`. Lines must be asked for in their
   order; some may be left out. Returns 0 if the line is unusual or too long, or if
   memory runs out. */
static inline int tacit_stops_next(tacit_stops *stops, tacit_simd_find *find,
                                   const char *at, const char *end, char delimiter,
                                   tacit_stops_line *out) {
  uint32_t first = 0;
  for (; stops->line < stops->n_lines; ++stops->line) {
    first = stops->ends[(ptrdiff_t)stops->line - 1];
    if (stops->base + stops->after[(ptrdiff_t)first - 1] >= at) break;
  }
  if (stops->line == stops->n_lines ||
      stops->base + stops->after[(ptrdiff_t)first - 1] != at) {
    if (!tacit_stops_find_more(stops, find, at, end, delimiter)) return 0;
    first = 0;
  }
  out->base = stops->base;
  out->after = stops->after + first;
  out->count = stops->ends[stops->line++] - first;
  return 1;
}

/* The functions below are compiled for the level of the processor. They must be called
   only if tacit_simd_allowed returns 1. */

/* Find stops: in CSV delimiters and LF outside quotes, in LIBSVM ':' and every byte up
   to ' '. */
tacit_simd_find tacit_simd_find_cells, tacit_simd_find_entries;

/* Converts four cells of a line to numbers. Bit i of the result is set if number i is
   not a simple one. */
unsigned tacit_simd_numbers(const tacit_stops_line *line, const uint32_t *cells,
                            double *out);

/* Parses records of CSV into the rows, from text->at on, until there are `max` of them,
   the rows are full, the text ends, or another parser must read the next line. Moves
   `text` past them and returns how many they are. */
int64_t tacit_simd_csv(struct tacit_parse *parse, struct tacit_text *text, int64_t max,
                       tacit_rows *rows);

/* Parses the entries of a line of LIBSVM into the rows, which must have room for them.
   The first stop of the line must be after the label. Returns where the next line
   begins. Returns NULL and adds nothing if another parser must read the line. The
   caller ends the row. */
const char *tacit_simd_libsvm(const struct tacit_parse *parse,
                              const tacit_stops_line *line, tacit_rows *rows);

#endif
