/* SPDX-License-Identifier: MIT */
/* Answers from a finished row index: where a row is, and what is wrong with a piece. */
#include <inttypes.h>

#include "base/error.h"
#include "base/numbers.h"
#include "data/text/row_index.h"

/* Finds the piece of a row. Pieces have about equal numbers of rows, so the search
   starts where the row would be if they had exactly equal ones. */
int64_t tacit_row_index_piece(const tacit_row_index *index, int64_t row) {
  int64_t low = -1, high = (int64_t)index->count; /* low <= result < high */
  const tacit_piece *pieces = index->pieces;
  if (high == 0) return -1;
  const tacit_piece *last = &pieces[high - 1];
  int64_t rows = last->first_row + last->rows;
  int64_t guess = rows > 0 ? (int64_t)((double)row / (double)rows * (double)high) : 0;
  if (guess >= high) guess = high - 1;
  for (int64_t step = 1;; step *= 2) {
    if (pieces[guess].first_row <= row) {
      low = guess;
      if (guess + step >= high) break;
      guess += step;
    } else {
      high = guess;
      if (guess - step <= low) break;
      guess -= step;
    }
  }
  TACIT_HALVE(int64_t, low, high, pieces[middle].first_row <= row);
  return low;
}

tacit_status tacit_piece_check(const tacit_row_index *index, const tacit_piece *piece,
                               tacit_error *err) {
  if (piece->fault == NULL) return TACIT_OK;
  const char *name = tacit_source_name(index->files->list[piece->file].source);
  int64_t line = piece->first_line + piece->lines;
  if (*piece->fault != '\0')
    return tacit_fail(err, TACIT_EDATA, "%s: line %" PRId64 ": %s", name, line,
                      piece->fault);
  return tacit_line_fail_long(name, line, index->max_line, err);
}
