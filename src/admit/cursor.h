/* SPDX-License-Identifier: MIT */
#ifndef TACIT_ADMIT_CURSOR_H
#define TACIT_ADMIT_CURSOR_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/data.h>

/*
 * A cursor deals the rows of a pass out to threads. It is the only way the engine gets
 * rows, whether they come from a store (admit/store.h) or from a stream.
 *
 * One thread calls tacit_cursor_range. Then every thread calls tacit_cursor_next until
 * it returns no rows. Over all threads each place of the range is dealt exactly once,
 * in ascending blocks; which thread gets which block is left to chance.
 */
typedef struct tacit_cursor tacit_cursor;

/* Rows of one batch. Row i is at places[i] of the pass. Valid until the same thread
   calls tacit_cursor_next again. */
typedef struct tacit_cursor_rows {
  const tacit_batch *batch; /* n_rows is 0 at the end of the range */
  const int64_t *places;
} tacit_cursor_rows;

/* Max rows of one batch. */
enum { TACIT_CURSOR_ROWS = 4096 };

struct tacit_cursor_ops {
  tacit_status (*range)(tacit_cursor *cursor, int64_t first, int64_t end,
                        tacit_error *err);
  /* Writes to *reached the place where the rows it works on begin, also if it fails. */
  tacit_status (*next)(tacit_cursor *cursor, size_t thread, int64_t *reached,
                       tacit_cursor_rows *out, tacit_error *err);
  void (*free)(tacit_cursor *cursor);
};

/* The start of every cursor; a kind of cursor has more members after it. */
struct tacit_cursor {
  const struct tacit_cursor_ops *ops;
  int64_t *reached; /* one per thread: see tacit_cursor_reached */
};

/* For constructors: initialises the members above for so many threads. */
tacit_status tacit_cursor_init(tacit_cursor *cursor, const struct tacit_cursor_ops *ops,
                               size_t threads, tacit_error *err);
/* NULL-safe. */
void tacit_cursor_free(tacit_cursor *cursor);

/* The places first … end-1 come next. No thread may be in tacit_cursor_next. */
tacit_status tacit_cursor_range(tacit_cursor *cursor, int64_t first, int64_t end,
                                tacit_error *err);
/* The next rows of the range for this thread. After a failure the thread stops; the
   others may go on to the end of the range. */
tacit_status tacit_cursor_next(tacit_cursor *cursor, size_t thread,
                               tacit_cursor_rows *out, tacit_error *err);
/* A place at or before all rows of the thread's last tacit_cursor_next, successful or
   not. Blocks are dealt in ascending order, so the fault with the lowest such place is
   the same one for any number of threads. */
int64_t tacit_cursor_reached(const tacit_cursor *cursor, size_t thread);

#endif
