/* SPDX-License-Identifier: MIT */
#include "admit/cursor.h"

#include "base/error.h"
#include "base/memory.h"

tacit_status tacit_cursor_init(tacit_cursor *cursor, const struct tacit_cursor_ops *ops,
                               size_t threads, tacit_error *err) {
  cursor->ops = ops;
  return TACIT_NEW(cursor->reached, threads, err);
}

void tacit_cursor_free(tacit_cursor *cursor) {
  if (cursor == NULL) return;
  tacit_array_free(cursor->reached);
  cursor->ops->free(cursor);
}

tacit_status tacit_cursor_range(tacit_cursor *cursor, int64_t first, int64_t end,
                                tacit_error *err) {
  return cursor->ops->range(cursor, first, end, err);
}

tacit_status tacit_cursor_next(tacit_cursor *cursor, size_t thread,
                               tacit_cursor_rows *out, tacit_error *err) {
  return cursor->ops->next(cursor, thread, &cursor->reached[thread], out, err);
}

int64_t tacit_cursor_reached(const tacit_cursor *cursor, size_t thread) {
  return cursor->reached[thread];
}
