/* SPDX-License-Identifier: MIT */
/* Readers that take rows by number from a store. */
#include "base/error.h"
#include "base/memory.h"
#include "data/reader/units.h"

static tacit_status stored_cursor(tacit_reader *reader, const tacit_order *order,
                                  size_t threads, int64_t block_rows,
                                  tacit_cursor **out, tacit_error *err) {
  return tacit_store_cursor_new(tacit_stored_store(reader), order, threads, block_rows,
                                out, err);
}

static tacit_status stored_check(const tacit_reader *reader, tacit_error *err) {
  const tacit_store *store = &((const tacit_stored_reader *)reader)->store;
  return store->ops->check != NULL ? store->ops->check(store->self, err) : TACIT_OK;
}

static void stored_free(tacit_reader *reader) {
  tacit_stored_reader *stored = (tacit_stored_reader *)reader;
  stored->store.ops->free(stored->store.self);
  tacit_array_free(stored);
}

static const struct tacit_reader_ops stored_ops = {
    .cursor = stored_cursor,
    .check = stored_check,
    .content = tacit_content_of_store,
    .free = stored_free,
};

const tacit_store *tacit_stored_store(tacit_reader *reader) {
  if (reader->ops != &stored_ops) return NULL;
  tacit_store *store = &((tacit_stored_reader *)reader)->store;
  store->weights = reader->weights; /* every cursor gives them out */
  return store;
}

tacit_status tacit_stored_new(const tacit_store *store, int64_t rows, int takes_order,
                              tacit_stored_reader **out, tacit_error *err) {
  tacit_stored_reader *stored = tacit_array_new(1, sizeof *stored);
  if (stored == NULL) {
    store->ops->free(store->self);
    return tacit_fail_memory(err);
  }
  stored->base.ops = &stored_ops;
  stored->base.rows = rows;
  stored->base.can_rewind = 1;
  stored->base.is_shuffled = stored->base.takes_order = takes_order;
  stored->base.is_partitioned = store->is_partitioned;
  stored->store = *store;
  *out = stored;
  return TACIT_OK;
}
