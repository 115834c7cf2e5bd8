/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_TEXT_ROW_INDEX_H
#define TACIT_DATA_TEXT_ROW_INDEX_H

#include "base/threads.h"
#include "data/text/files.h"

/* Some megabytes of a file, from one line start to another. */
typedef struct tacit_piece {
  size_t file;
  int64_t part;       /* of the file; one rank reads all pieces of a part */
  int64_t begin, end; /* in bytes; the scan moves both to line starts */
  int64_t first_row, rows;
  int64_t first_line, lines;
  int shift; /* the index has rows 0, 2^shift, 2 2^shift, … of the piece */
  /* Entry i begins at begin + bases[i / 2^group] + steps[i]. Where lines are long,
     steps is NULL and every entry has a base of its own. */
  uint32_t *bases;
  uint16_t *steps;
  int group;
  /* Where a line break may be between quotes: how many quotes there are before the
     piece, since the one before it in the index, and in it; then whether one is open at
     either end. */
  int64_t quotes_before, quotes;
  int begins_quoted, ends_quoted;
  const char *
      fault; /* what is wrong with the line after the last counted one; NULL: nothing */
} tacit_piece;

/* The row index: how many rows there are and where they begin. */
typedef struct tacit_row_index {
  const tacit_text_files *files;
  int64_t piece_bytes; /* approximate size of a piece */
  size_t max_line;     /* bytes of the longest line */
  int64_t max_offsets; /* approximate limit for the entries of all pieces; half as many
                          where lines are long */
  tacit_piece *pieces;
  size_t count, capacity;
} tacit_row_index;

/* Adds part number `part` of a file, which has `parts` parts of equal size and random
   access. */
tacit_status tacit_row_index_add(tacit_row_index *index, size_t file, int64_t part,
                                 int64_t parts, tacit_error *err);
/* Scans all pieces on all threads. The caller sets first_row and first_line. */
tacit_status tacit_row_index_scan(tacit_row_index *index, tacit_pool *pool,
                                  tacit_error *err);
/* The last piece whose first row is at or before `row`; -1: none. */
int64_t tacit_row_index_piece(const tacit_row_index *index, int64_t row);
/* Where entry `noted` of the index begins, counted from the beginning of the piece. */
static inline uint32_t tacit_piece_step(const tacit_piece *piece, uint64_t noted) {
  uint32_t base = piece->bases[noted >> piece->group];
  return piece->steps != NULL ? base + piece->steps[noted] : base;
}
/* Offset of entry `noted` of the index, or of the end of the piece after the last
   one. */
static inline int64_t tacit_piece_offset(const tacit_piece *piece, int64_t noted) {
  return noted << piece->shift < piece->rows
             ? piece->begin + tacit_piece_step(piece, (uint64_t)noted)
             : piece->end;
}
/* The fault of a scanned piece, as an error. Needs first_line. */
tacit_status tacit_piece_check(const tacit_row_index *index, const tacit_piece *piece,
                               tacit_error *err);
void tacit_row_index_fini(tacit_row_index *index);

#endif
