/* SPDX-License-Identifier: MIT */
#ifndef TACIT_ADMIT_KEEP_H
#define TACIT_ADMIT_KEEP_H

#include "admit/cursor.h"
#include "base/threads.h"

/*
 * A cursor that keeps the rows of a reading in memory, place by place, and gives them
 * out again in later ones: text is parsed once, and what a pass sees cannot differ from
 * what the pass before it saw. Rows that need more than max_bytes, or more memory than
 * there is, are not kept: every reading then takes them from the cursor below.
 *
 * It owns the cursor below from now on, also when it cannot be made. `rows` is the
 * number of places in a reading.
 */
tacit_status tacit_keep_new(tacit_cursor *below, size_t threads, int64_t rows,
                            int64_t max_bytes, tacit_cursor **out, tacit_error *err);

/* A reading of all places begins; no thread may be in tacit_cursor_next. Cursors of
   other kinds are left alone, here and below. */
void tacit_keep_begin(tacit_cursor *cursor);
/* It has ended: all of its places were given out without a fault. */
void tacit_keep_end(tacit_cursor *cursor);
/* 1 if the rows come from memory from now on: all readings are the same. */
int tacit_keep_is_whole(const tacit_cursor *cursor);

/* Gives the memory of the rows back, on all threads: returning gigabytes takes a while.
   Rows then come from the cursor below. */
void tacit_keep_drop(tacit_cursor *cursor, tacit_pool *pool);

#endif
