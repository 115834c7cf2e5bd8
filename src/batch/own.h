/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BATCH_OWN_H
#define TACIT_BATCH_OWN_H

#include <tacit/data.h>

/*
 * Copies of the caller's rows. Another thread, or another process that shares the
 * memory, may change the caller's arrays at any moment: between the check of an index
 * and its use, or between the norm of a row and its sum. So each number is read once,
 * into a copy, and only the copy is checked and computed with.
 */

/* Copies the struct and the row starts of a batch and checks them (batch/row.h).
   Values, indices, labels and weights still point to the caller's arrays. */
tacit_status tacit_batch_take(const tacit_batch *batch, size_t features, int labels,
                              tacit_batch *out, tacit_error *err);
void tacit_batch_drop(tacit_batch *taken);

/* Some rows of a batch. Zero it before the first use; it can be used again. */
typedef struct tacit_own {
  unsigned char *bytes;
  size_t capacity, used;
  int64_t first;    /* row number of the first one in the batch */
  tacit_batch view; /* shows these rows only */
} tacit_own;

/* Copies rows first … end-1 of a batch from tacit_batch_take. `as_doubles`: floats
   become doubles in raw_values. */
tacit_status tacit_own_rows(tacit_own *own, const tacit_batch *batch, int64_t first,
                            int64_t end, int as_doubles, tacit_error *err);
/* The end of the rows that should be copied together, from `first` on: few enough to
   stay in the cache, at least one, and not past `end`. */
int64_t tacit_own_end(const tacit_batch *batch, int64_t first, int64_t end);
/* Where `count` dense rows from `row` on are in memory, for a prefetch. NULL if the
   batch is sparse or has fewer rows. */
const void *tacit_own_prefetch(const tacit_batch *batch, int64_t row, int64_t count);
void tacit_own_fini(tacit_own *own);

#endif
