/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_BATCH_ROWS_H
#define TACIT_DATA_BATCH_ROWS_H

#include <string.h>
#include <tacit/data.h>

/* Rows under construction, and the batch that shows them. */
typedef struct tacit_rows {
  tacit_batch view;
  double *values;
  uint32_t *indices;
  size_t n_entries, entry_capacity;
  int64_t max_rows;
  int64_t *row_start;
  double *labels; /* NULL when labels are not read */
} tacit_rows;

/* n_classes bounds the rows, so that a score for each row and class stays a modest
   table; 0 or 2 when a row has one score. */
tacit_status tacit_rows_init(tacit_rows *rows, size_t n_features, size_t n_classes,
                             int labels, tacit_error *err);
void tacit_rows_fini(tacit_rows *rows);
void tacit_rows_clear(tacit_rows *rows);

/* Room for this many entries more, for tacit_rows_put. */
tacit_status tacit_rows_reserve(tacit_rows *rows, size_t more, tacit_error *err);
/* tacit_rows_push where there is room: entry number count, which stays open when
   the value is zero. Returns the count then; the caller keeps it in rows->n_entries at
   the end of the row. */
static inline size_t tacit_rows_put(tacit_rows *rows, size_t count, size_t index,
                                    double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  rows->values[count] = value;
  rows->indices[count] = (uint32_t)index;
  return count + (bits << 1 != 0);
}
/* An entry of the row under construction; indices ascend. Zeros are left out. */
tacit_status tacit_rows_push(tacit_rows *rows, size_t index, double value,
                             tacit_error *err);
/* The row is complete. There must be room: not tacit_rows_full. */
void tacit_rows_end(tacit_rows *rows, double label);
/* 1 when the batch is large enough to hand out. */
int tacit_rows_full(const tacit_rows *rows);
/* The batch, until the next change. */
const tacit_batch *tacit_rows_view(tacit_rows *rows);

#endif
