/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BATCH_ROWS_H
#define TACIT_BATCH_ROWS_H

#include <string.h>
#include <tacit/data.h>

#include "batch/unit.h"

/* A batch with so many entries is full. */
enum { TACIT_BATCH_ENTRIES = 87000 };

/* Rows under construction, and the batch that shows them. */
typedef struct tacit_rows {
  tacit_batch view;
  double *values;
  uint32_t *indices;
  size_t n_entries, entry_capacity;
  int64_t max_rows;
  int64_t *row_start;
  double *labels;    /* NULL when labels are not read */
  double *weights;   /* NULL when rows have no weights: tacit_rows_weigh */
  tacit_unit *units; /* NULL when rows have no ids: tacit_rows_name */
  /* Texts of ids, one after the other: tacit_rows_keep_ids. */
  char *ids;
  size_t id_room;
  int64_t *id_start; /* NULL when texts are not kept */
  size_t id_next;    /* texts so far */
} tacit_rows;

/* With many classes a batch has fewer rows, so that a table of one score per row and
   class stays small. n_classes is 0 or 2 when a row has one score. */
tacit_status tacit_rows_init(tacit_rows *rows, size_t n_features, size_t n_classes,
                             int labels, tacit_error *err);
/* Gives rows ids; whoever ends row i writes units[i]. */
tacit_status tacit_rows_name(tacit_rows *rows, tacit_error *err);
/* Keeps `per_row` texts of each row: its id, and cells that were asked for. Whoever
   ends a row puts them before, in order; those left out are empty. */
tacit_status tacit_rows_keep_ids(tacit_rows *rows, size_t per_row, tacit_error *err);
tacit_status tacit_rows_put_id(tacit_rows *rows, size_t which, const char *text,
                               size_t size, tacit_error *err);
/* Gives rows weights; whoever ends row i writes weights[i]. */
tacit_status tacit_rows_weigh(tacit_rows *rows, tacit_error *err);
void tacit_rows_fini(tacit_rows *rows);
void tacit_rows_clear(tacit_rows *rows);

/* Makes room for `more` entries, for tacit_rows_put. */
tacit_status tacit_rows_reserve(tacit_rows *rows, size_t more, tacit_error *err);
/* tacit_rows_push without a branch, when there is room. Writes entry number `count` and
   returns the new count, which is the same if the value is zero: the next entry then
   overwrites this one. The caller stores the count in rows->n_entries at the end of the
   row. */
static inline size_t tacit_rows_put(tacit_rows *rows, size_t count, size_t index,
                                    double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  rows->values[count] = value;
  rows->indices[count] = (uint32_t)index;
  return count + (bits << 1 != 0);
}
/* Adds an entry to the current row; indices ascend. Zeros are left out. */
tacit_status tacit_rows_push(tacit_rows *rows, size_t index, double value,
                             tacit_error *err);
/* Texts of the current row that were not put are empty. */
void tacit_rows_end_ids(tacit_rows *rows);
/* Completes the current row. Requires that tacit_rows_full was 0. */
static inline void tacit_rows_end(tacit_rows *rows, double label) {
  if (rows->labels != NULL) rows->labels[rows->view.n_rows] = label;
  if (rows->id_start != NULL) tacit_rows_end_ids(rows);
  ++rows->view.n_rows;
  rows->row_start[rows->view.n_rows] = (int64_t)rows->n_entries;
}
/* 1 if the batch is large enough to be given out. */
static inline int tacit_rows_full(const tacit_rows *rows) {
  return rows->view.n_rows >= rows->max_rows || rows->n_entries >= TACIT_BATCH_ENTRIES;
}
/* The batch. Valid until the next change. */
const tacit_batch *tacit_rows_view(tacit_rows *rows);

/* Parsers may write this many entries after the last one. */
enum { TACIT_ROWS_SPARE = 8 };

#endif
