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
  int shift;         /* rows 0, 2^shift, 2 2^shift, … of the piece begin at … */
  uint32_t *offsets; /* … begin + these */
  const char *
      fault; /* what is wrong with the line after the last counted one; NULL: nothing */
} tacit_piece;

/* The row index: how many rows there are and where they begin. */
typedef struct tacit_row_index {
  const tacit_text_files *files;
  int64_t piece_bytes; /* approximate size of a piece */
  size_t max_line;     /* bytes of the longest line */
  int64_t max_offsets; /* approximate limit for the offsets of all pieces */
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
/* Offset of entry `noted` of the index, or of the end of the piece after the last
   one. */
static inline int64_t tacit_piece_offset(const tacit_piece *piece, int64_t noted) {
  return noted << piece->shift < piece->rows ? piece->begin + piece->offsets[noted]
                                             : piece->end;
}
/* The fault of a scanned piece, as an error. Needs first_line. */
tacit_status tacit_piece_check(const tacit_row_index *index, const tacit_piece *piece,
                               tacit_error *err);
void tacit_row_index_fini(tacit_row_index *index);

#endif
