/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BATCH_OWN_H
#define TACIT_BATCH_OWN_H

#include <tacit/data.h>

/*
 * Copies of the caller's rows. Another thread, or another process that shares the
 * memory, may change the caller's arrays at any moment: between the check of an index
 * and its use, or between the norm of a row and its sum. So each number is read once,
 * into a copy, and only the copy is checked and used.
 */

/* Copies the struct and the row starts of a batch and checks them (batch/row.h).
   Values, indices, labels and weights still point to the caller's arrays. */
tacit_status tacit_batch_take(const tacit_batch *batch, size_t features, int labels,
                              tacit_batch *out, tacit_error *err);
void tacit_batch_drop(tacit_batch *taken);

/* Copies of some rows of a batch. Zero the struct before the first use. It can be
   filled again. */
typedef struct tacit_own {
  unsigned char *bytes;
  size_t capacity, used;
  int64_t first;    /* number in the batch of the first row */
  tacit_batch view; /* shows the copied rows only */
} tacit_own;

/* Copies rows first … end-1 of a batch from tacit_batch_take. Turns floats into doubles
   if `as_doubles` is 1. */
tacit_status tacit_own_rows(tacit_own *own, const tacit_batch *batch, int64_t first,
                            int64_t end, int as_doubles, tacit_error *err);
/* Returns the end of the rows from `first` on that should be copied together: few
   enough to stay in the cache, at least one, and not past `end`. */
int64_t tacit_own_end(const tacit_batch *batch, int64_t first, int64_t end);
/* Returns where `count` dense rows from `row` on are in memory, for a prefetch, or NULL
   if the batch is sparse or has fewer rows. */
const void *tacit_own_prefetch(const tacit_batch *batch, int64_t row, int64_t count);
/* Multiplies the copied rows by these factors, one per column, which are powers of two.
   Leaves entries with an index that is too large as they are. */
void tacit_own_stretch(tacit_own *own, const double *factors);
void tacit_own_fini(tacit_own *own);

#endif
