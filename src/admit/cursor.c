/* SPDX-License-Identifier: MIT */
#include "admit/cursor.h"

#include "base/error.h"
#include "base/memory.h"

tacit_status tacit_cursor_init(tacit_cursor *cursor, const struct tacit_cursor_ops *ops,
                               size_t workers, tacit_error *err) {
  cursor->ops = ops;
  cursor->reached = tacit_array_new(workers, sizeof *cursor->reached);
  return cursor->reached != NULL ? TACIT_OK : tacit_fail_memory(err);
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

tacit_status tacit_cursor_next(tacit_cursor *cursor, size_t worker,
                               tacit_cursor_rows *out, tacit_error *err) {
  return cursor->ops->next(cursor, worker, &cursor->reached[worker], out, err);
}

int64_t tacit_cursor_reached(const tacit_cursor *cursor, size_t worker) {
  return cursor->reached[worker];
}
