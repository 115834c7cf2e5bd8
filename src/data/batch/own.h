/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_BATCH_OWN_H
#define TACIT_DATA_BATCH_OWN_H

#include <tacit/data.h>

/*
 * Rows of a caller in memory of our own. Another thread, or another process that shares
 * the memory, may change the caller's arrays at any moment: between the check of an
 * index and its use, between the norm of a row and its sum. So each number is read from
 * there once, and all that is checked and computed is checked and computed on the copy.
 */

/* What of a batch says where its rows are: the struct and the row starts are copied,
   then checked (data/batch/row.h); values, indices and labels are still the caller's.
 */
tacit_status tacit_batch_take(const tacit_batch *batch, size_t features, int labels,
                              tacit_batch *out, tacit_error *err);
void tacit_batch_drop(tacit_batch *taken);

/* Some rows. Zeroed to begin with; used again and again. */
typedef struct tacit_own {
  unsigned char *bytes;
  size_t capacity, used;
  int64_t first;    /* number of the first of them in the batch they are from */
  tacit_batch view; /* of the rows and of nothing else */
} tacit_own;

/* Copies rows first … end-1 of a batch that was taken; `as_doubles`: floats too become
   raw_values. */
tacit_status tacit_own_rows(tacit_own *own, const tacit_batch *batch, int64_t first,
                            int64_t end, int as_doubles, tacit_error *err);
/* Where rows from `first` on end that are to be copied together: few enough to stay in
   the cache, at least one, at most up to `end`. */
int64_t tacit_own_end(const tacit_batch *batch, int64_t first, int64_t end);
/* Where `count` dense rows from `row` on lie, so that they can be asked for early; NULL
   where there are not so many. */
const void *tacit_own_prefetch(const tacit_batch *batch, int64_t row, int64_t count);
void tacit_own_fini(tacit_own *own);

#endif
