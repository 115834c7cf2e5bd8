/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_TEXT_LINE_ENDS_H
#define TACIT_DATA_TEXT_LINE_ENDS_H

#include <stddef.h>
#include <stdint.h>

/* Where the lines of a text end: the places after their line feeds, counted from the
   beginning of the text. Depends on records. */
typedef struct tacit_line_ends {
  uint32_t *after; /* the places, with room for TACIT_LINE_ENDS of them */
  size_t count;    /* how many places are in use */
  size_t size;     /* bytes that were searched, fewer than given if the room is full */
  int has_nul;     /* 1 if one of the searched bytes is a NUL */
} tacit_line_ends;

/* How many lines there is room for. A text with more lines is searched only in part. */
enum { TACIT_LINE_ENDS = 1 << 14 };

/* Makes the room. Returns 0 if memory runs out. */
int tacit_line_ends_init(tacit_line_ends *ends);
void tacit_line_ends_fini(tacit_line_ends *ends);
/* Finds the line ends in `size` bytes and reads no byte after them. `quotes` must be 1
   if LF between quotes ends no line. `is_simd` must be a result of
   tacit_simd_allowed. */
void tacit_line_ends_find(tacit_line_ends *ends, const char *bytes, size_t size,
                          int quotes, int is_simd);

/* Finds the line ends of a text without quotes, compiled for the level of the
   processor. */
void tacit_simd_line_ends(tacit_line_ends *ends, const char *bytes, size_t size);

#endif
