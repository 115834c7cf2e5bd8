/* SPDX-License-Identifier: MIT */
#ifndef TACIT_ADMIT_CURSOR_H
#define TACIT_ADMIT_CURSOR_H

#include "admit/order.h"
#include "admit/store.h"

/* One worker's way to the rows of a store, by their places in a pass. */
typedef struct tacit_cursor tacit_cursor;

/* Store and order (NULL: as they stand) are borrowed and may be shared. */
tacit_status tacit_cursor_new(const tacit_store *store, const tacit_order *order,
                              tacit_cursor **out, tacit_error *err);
void tacit_cursor_free(tacit_cursor *cursor);

/* From now on, the rows at places first … end-1 that are in our share. */
void tacit_cursor_range(tacit_cursor *cursor, int64_t first, int64_t end);
/* The next of them, as a view that lives until the next call; n_rows 0 behind the last.
   Row i stands at (*out_places)[i]; out_places may be NULL. */
tacit_status tacit_cursor_next(tacit_cursor *cursor, const tacit_batch **out,
                               const int64_t **out_places, tacit_error *err);

#endif
