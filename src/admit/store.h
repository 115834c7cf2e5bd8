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
  void (*builder_fini)(void *builder); /* also after a failed builder_init */

  /* Starts a new batch. */
  void (*clear)(void *builder);
  /* Adds these rows to the batch, in this order, as many as there is room for;
     *out_taken says how many: at least one when the batch is empty. Ascending rows are
     read fastest. Faults are TACIT_EDATA with file, row or line, column and rule. */
  tacit_status (*take)(const void *self, void *builder, const int64_t *rows,
                       int64_t count, int64_t *out_taken, tacit_error *err);
  /* The batch. Valid until the next call on the builder. */
  const tacit_batch *(*view)(void *builder);

  /* Optional; required when the store is partitioned. How many rows from `row` on, at
     most `count`, belong to this process, or, when *out_ours becomes 0, to others. */
  int64_t (*partition)(const void *self, int64_t row, int64_t count, int *out_ours);
  /* Optional, both or none. The bytes of the one file that holds everything in the
     store: how many, and `size` of them. */
  int64_t (*size)(const void *self);
  tacit_status (*read_bytes)(const void *self, int64_t offset, void *raw_out,
                             size_t size, tacit_error *err);
  /* Optional. TACIT_EDATA when the files or arrays have changed since they were opened.
   */
  tacit_status (*check)(const void *self, tacit_error *err);
  void (*free)(void *self);
};

/* A store with its table. */
typedef struct tacit_store {
  const struct tacit_store_ops *ops;
  void *self;
  int is_partitioned;    /* 1: some rows belong to other processes */
  const double *weights; /* by row number, for batches without any; NULL: none */
} tacit_store;

/* How many of the rows from the first one on follow each other in the store. */
static inline int64_t tacit_store_run(const int64_t *rows, int64_t count) {
  int64_t run = 1;
  while (run < count && rows[run] == rows[0] + run)
    ++run;
  return run;
}

/* A cursor over the rows of a store that belong to this process, in a secret order
   (NULL: by row number). Threads take blocks of block_rows places. Store and order are
   borrowed. */
tacit_status tacit_store_cursor_new(const tacit_store *store, const tacit_order *order,
                                    size_t threads, int64_t block_rows,
                                    tacit_cursor **out, tacit_error *err);

#endif
