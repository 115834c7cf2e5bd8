/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_TEXT_LINE_ENDS_H
#define TACIT_DATA_TEXT_LINE_ENDS_H

#include <stddef.h>
#include <stdint.h>

/* Where the lines of a text end: the places after their line feeds, counted from its
   beginning. Depends on records. */
typedef struct tacit_line_ends {
  uint32_t *after; /* as many as there is room for, */
  size_t count;    /* and those in use */
  size_t size;     /* bytes that were looked at: fewer than given if the room is full */
  int has_nul;     /* 1 if a NUL is among them */
} tacit_line_ends;

/* Room for so many lines; a text with more is looked at in part. */
enum { TACIT_LINE_ENDS = 1 << 14 };

/* 0: there is no memory. */
int tacit_line_ends_init(tacit_line_ends *ends);
void tacit_line_ends_fini(tacit_line_ends *ends);
/* Finds the ends in `size` bytes, of which none after them is read. `quotes`: 1 if
   LF between quotes ends no line. `is_simd`: as tacit_simd_allowed. */
void tacit_line_ends_find(tacit_line_ends *ends, const char *bytes, size_t size,
                          int quotes, int is_simd);

/* The same without quotes, compiled for the level of the processor. */
void tacit_simd_line_ends(tacit_line_ends *ends, const char *bytes, size_t size);

#endif
