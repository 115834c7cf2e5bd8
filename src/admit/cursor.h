/* SPDX-License-Identifier: MIT */
#ifndef TACIT_ADMIT_CURSOR_H
#define TACIT_ADMIT_CURSOR_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/data.h>

/*
 * A cursor deals the rows of a pass out to threads. It is the only way that the engine
 * gets rows, whether they come from a store (admit/store.h) or from a stream.
 *
 * One thread calls tacit_cursor_range. Then every thread calls tacit_cursor_next until
 * it returns no rows. Over all threads, each place of the range is dealt exactly once,
 * in ascending blocks; which thread gets which block is left to chance.
 */
typedef struct tacit_cursor tacit_cursor;

/* Rows of one batch, and the place of each in the pass. Valid until the same thread
   calls tacit_cursor_next again. */
typedef struct tacit_cursor_rows {
  const tacit_batch *batch; /* n_rows is 0 at the end of the range */
  const int64_t *places;
} tacit_cursor_rows;

/* The most rows of one batch. */
enum { TACIT_CURSOR_ROWS = 4096 };

struct tacit_cursor_ops {
  tacit_status (*range)(tacit_cursor *cursor, int64_t first, int64_t end,
                        tacit_error *err);
  /* Gives out the next rows. Must write the place where these rows begin to *reached,
     even if it fails. */
  tacit_status (*next)(tacit_cursor *cursor, size_t thread, int64_t *reached,
                       tacit_cursor_rows *out, tacit_error *err);
  void (*free)(tacit_cursor *cursor);
};

/* The first members of every cursor; each kind of cursor has more members after
   them. */
struct tacit_cursor {
  const struct tacit_cursor_ops *ops;
  int64_t *reached; /* one per thread, for tacit_cursor_reached */
};

/* Sets the members of the struct above for so many threads. For constructors of
   cursors. */
tacit_status tacit_cursor_init(tacit_cursor *cursor, const struct tacit_cursor_ops *ops,
                               size_t threads, tacit_error *err);
/* Frees a cursor, or NULL. */
void tacit_cursor_free(tacit_cursor *cursor);

/* Begins the places first … end-1. No thread may be in tacit_cursor_next. */
tacit_status tacit_cursor_range(tacit_cursor *cursor, int64_t first, int64_t end,
                                tacit_error *err);
/* Gives out the next rows of the range for this thread. A thread must stop after a
   failure; other threads may continue to the end of the range. */
tacit_status tacit_cursor_next(tacit_cursor *cursor, size_t thread,
                               tacit_cursor_rows *out, tacit_error *err);
/* Returns a place at or before all rows of the thread's last tacit_cursor_next,
   successful or not. Blocks are dealt in ascending order, so the fault with the lowest
   such place does not depend on the number of threads. */
int64_t tacit_cursor_reached(const tacit_cursor *cursor, size_t thread);

#endif
