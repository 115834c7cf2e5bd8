/* SPDX-License-Identifier: MIT */
#ifndef TACIT_ADMIT_KEEP_H
#define TACIT_ADMIT_KEEP_H

#include "admit/cursor.h"
#include "base/threads.h"

/*
 * A cursor that keeps the rows of a reading in memory and gives them out again in later
 * readings: text is parsed once, and what a pass sees cannot differ from what the pass
 * before it saw. Rows that need more than max_bytes, or more memory than there is, are
 * not kept: every reading then takes them from the cursor below.
 *
 * The new cursor owns the cursor below, and frees it even if it cannot be made itself.
 * `rows` is the number of places in a reading.
 */
tacit_status tacit_keep_new(tacit_cursor *below, size_t threads, int64_t rows,
                            int64_t max_bytes, tacit_cursor **out, tacit_error *err);

/* Begins a reading of all places. No thread may be in tacit_cursor_next. Does nothing
   for cursors of other kinds, like the calls below. */
void tacit_keep_begin(tacit_cursor *cursor);
/* Ends a reading in which all places were given out without a fault. */
void tacit_keep_end(tacit_cursor *cursor);
/* Returns 1 if the rows come from memory from now on, so that all readings are
   equal. */
int tacit_keep_is_whole(const tacit_cursor *cursor);

/* Frees the memory of the kept rows on all threads, because returning gigabytes takes a
   while. Rows then come from the cursor below. */
void tacit_keep_drop(tacit_cursor *cursor, tacit_pool *pool);

#endif
