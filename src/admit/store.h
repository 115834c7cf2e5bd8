/* SPDX-License-Identifier: MIT */
#ifndef TACIT_ADMIT_STORE_H
#define TACIT_ADMIT_STORE_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/data.h>

#include "admit/cursor.h"
#include "admit/order.h"

/*
 * Rows that can be taken by row number, in any order: text files, arrays, a cache. A
 * store does not change once it is open, so threads share it. Each thread has a builder
 * of its own, which holds the batch under construction.
 */
struct tacit_store_ops {
  size_t builder_size; /* bytes of a builder, zeroed before builder_init */
  tacit_status (*builder_init)(void *builder, const void *self, tacit_error *err);
  void (*builder_fini)(void *builder); /* called even after a failed builder_init */

  /* Starts a new batch. */
  void (*clear)(void *builder);
  /* Adds these rows to the batch, in this order, as many as there is room for. Sets
     *out_taken to their number, which is at least one if the batch is empty. Ascending
     rows are read fastest. A fault is TACIT_EDATA with file, row or line, column and
     rule. */
  tacit_status (*take)(const void *self, void *builder, const int64_t *rows,
                       int64_t count, int64_t *out_taken, tacit_error *err);
  /* Returns the batch. Valid until the next call for the builder. */
  const tacit_batch *(*view)(void *builder);

  /* Returns how many rows from `row` on, at most `count`, belong to this process, or to
     others if *out_ours becomes 0. May be NULL unless the store is partitioned. */
  int64_t (*partition)(const void *self, int64_t row, int64_t count, int *out_ours);
  /* Return the size of the one file that holds everything in the store, and read some
     of its bytes. Both slots may be NULL. */
  int64_t (*size)(const void *self);
  tacit_status (*read_bytes)(const void *self, int64_t offset, void *raw_out,
                             size_t size, tacit_error *err);
  /* Returns TACIT_EDATA if the files or arrays have changed since they were opened. May
     be NULL. */
  tacit_status (*check)(const void *self, tacit_error *err);
  void (*free)(void *self);
};

/* A store with its table. */
typedef struct tacit_store {
  const struct tacit_store_ops *ops;
  void *self;
  int is_partitioned;    /* 1 if some rows belong to other processes */
  const double *weights; /* weights by row number, for batches without weights, or
                            NULL */
} tacit_store;

/* Returns how many of the rows, from the first one on, follow each other in the
   store. */
static inline int64_t tacit_store_run(const int64_t *rows, int64_t count) {
  int64_t run = 1;
  while (run < count && rows[run] == rows[0] + run)
    ++run;
  return run;
}

/* Makes a cursor over the rows of a store that belong to this process, in a secret
   order, or by row number if `order` is NULL. Threads take blocks of block_rows places.
   Store and order are borrowed. */
tacit_status tacit_store_cursor_new(const tacit_store *store, const tacit_order *order,
                                    size_t threads, int64_t block_rows,
                                    tacit_cursor **out, tacit_error *err);

#endif
