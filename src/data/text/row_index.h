/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_TEXT_ROW_INDEX_H
#define TACIT_DATA_TEXT_ROW_INDEX_H

#include "base/threads.h"
#include "data/text/files.h"

/* Some megabytes of a file, from one line start to another. */
typedef struct tacit_piece {
  size_t file;
  int64_t part;       /* part of the file; one rank reads all pieces of a part */
  int64_t begin, end; /* offsets in bytes; the scan moves both to line starts */
  int64_t first_row, rows;
  int64_t first_line, lines;
  int shift; /* every 2^shift-th row of the piece has an entry in the index, from row 0
                on */
  /* Entry i begins at begin + bases[i / 2^group] + steps[i]. If lines are long, steps
     is NULL and every entry has a base of its own. */
  uint32_t *bases;
  uint16_t *steps;
  int group;
  /* Used if a line break may be between quotes: how many quotes there are between the
     piece before it in the index and this one, and in this one; then whether a quote is
     open at its beginning and at its end. */
  int64_t quotes_before, quotes;
  int begins_quoted, ends_quoted;
  const char *fault; /* what is wrong with the line after the last counted one; NULL if
                        nothing is */
} tacit_piece;

/* The row index: how many rows there are and where they begin. */
typedef struct tacit_row_index {
  const tacit_text_files *files;
  int64_t piece_bytes; /* approximate size of a piece */
  size_t max_line;     /* bytes of the longest line */
  int64_t max_offsets; /* approximate limit for the entries of all pieces, halved if
                          lines are long */
  tacit_piece *pieces;
  size_t count, capacity;
} tacit_row_index;

/* Adds the pieces of part number `part` of a file that is cut into `parts` parts of
   equal size. The file must have random access. */
tacit_status tacit_row_index_add(tacit_row_index *index, size_t file, int64_t part,
                                 int64_t parts, tacit_error *err);
/* Scans all pieces on all threads. The caller sets first_row and first_line
   afterwards. */
tacit_status tacit_row_index_scan(tacit_row_index *index, tacit_pool *pool,
                                  tacit_error *err);
/* Returns the last piece whose first row is at or before `row`, or -1. */
int64_t tacit_row_index_piece(const tacit_row_index *index, int64_t row);
/* Returns where entry `noted` of the index begins, counted from the beginning of the
   piece. */
static inline uint32_t tacit_piece_step(const tacit_piece *piece, uint64_t noted) {
  uint32_t base = piece->bases[noted >> piece->group];
  return piece->steps != NULL ? base + piece->steps[noted] : base;
}
/* Returns the offset of entry `noted` of the index, or of the end of the piece after
   its last entry. */
static inline int64_t tacit_piece_offset(const tacit_piece *piece, int64_t noted) {
  return noted << piece->shift < piece->rows
             ? piece->begin + tacit_piece_step(piece, (uint64_t)noted)
             : piece->end;
}
/* Returns the fault of a scanned piece as an error. first_line must be set. */
tacit_status tacit_piece_check(const tacit_row_index *index, const tacit_piece *piece,
                               tacit_error *err);
void tacit_row_index_fini(tacit_row_index *index);

#endif
