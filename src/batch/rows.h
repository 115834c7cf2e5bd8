/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BATCH_ROWS_H
#define TACIT_BATCH_ROWS_H

#include <string.h>
#include <tacit/data.h>

#include "batch/unit.h"

/* A batch with this many entries is full. */
enum { TACIT_BATCH_ENTRIES = 87000 };

/* Rows under construction, and the batch that shows them. */
typedef struct tacit_rows {
  tacit_batch view;
  double *values;
  uint32_t *indices;
  size_t n_entries, entry_capacity;
  int64_t max_rows;
  int64_t *row_start;
  double *labels;    /* NULL if labels are not read */
  double *weights;   /* NULL unless tacit_rows_weigh was called */
  tacit_unit *units; /* NULL unless tacit_rows_name was called */
  /* Texts of ids, one after the other; NULL unless tacit_rows_keep_ids was called. */
  char *ids;
  size_t id_room;
  int64_t *id_start; /* where each text begins in `ids`; NULL like `ids` */
  size_t id_next;    /* number of texts so far */
} tacit_rows;

/* Prepares an empty batch. With many classes a batch has fewer rows, so that a table of
   one score per row and class stays small. n_classes is 0 or 2 if a row has one
   score. */
tacit_status tacit_rows_init(tacit_rows *rows, size_t n_features, size_t n_classes,
                             int labels, tacit_error *err);
/* Gives rows ids. Whoever calls tacit_rows_end for row i must write units[i] before. */
tacit_status tacit_rows_name(tacit_rows *rows, tacit_error *err);
/* Keeps `per_row` texts of each row: its id, and cells that were asked for. The texts
   of a row must be put with tacit_rows_put_id, in ascending order of `which`, before
   tacit_rows_end. Texts that were not put are empty. */
tacit_status tacit_rows_keep_ids(tacit_rows *rows, size_t per_row, tacit_error *err);
tacit_status tacit_rows_put_id(tacit_rows *rows, size_t which, const char *text,
                               size_t size, tacit_error *err);
/* Gives rows weights. Whoever calls tacit_rows_end for row i must write weights[i]
   before. */
tacit_status tacit_rows_weigh(tacit_rows *rows, tacit_error *err);
void tacit_rows_fini(tacit_rows *rows);
void tacit_rows_clear(tacit_rows *rows);

/* Makes room for `more` entries, for tacit_rows_put. */
tacit_status tacit_rows_reserve(tacit_rows *rows, size_t more, tacit_error *err);
/* Does what tacit_rows_push does, without a branch. There must be room
   (tacit_rows_reserve). Writes entry number `count` and returns the new count. The
   count does not change if the value is zero, so that the next entry overwrites this
   one. The caller stores the count in rows->n_entries at the end of the row. */
static inline size_t tacit_rows_put(tacit_rows *rows, size_t count, size_t index,
                                    double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  rows->values[count] = value;
  rows->indices[count] = (uint32_t)index;
  return count + (bits << 1 != 0);
}
/* Adds an entry to the current row, unless the value is zero. Indices must ascend. */
tacit_status tacit_rows_push(tacit_rows *rows, size_t index, double value,
                             tacit_error *err);
/* Stores an empty text for each id of the current row that was not put. */
void tacit_rows_end_ids(tacit_rows *rows);
/* Completes the current row. The batch must not have been full (tacit_rows_full). */
static inline void tacit_rows_end(tacit_rows *rows, double label) {
  if (rows->labels != NULL) rows->labels[rows->view.n_rows] = label;
  if (rows->id_start != NULL) tacit_rows_end_ids(rows);
  ++rows->view.n_rows;
  rows->row_start[rows->view.n_rows] = (int64_t)rows->n_entries;
}
/* Returns 1 if the batch is full and must be given out. */
static inline int tacit_rows_full(const tacit_rows *rows) {
  return rows->view.n_rows >= rows->max_rows || rows->n_entries >= TACIT_BATCH_ENTRIES;
}
/* Returns the batch, which is valid until the rows change. */
const tacit_batch *tacit_rows_view(tacit_rows *rows);

/* Parsers may write this many entries after the last one. */
enum { TACIT_ROWS_SPARE = 8 };

#endif
