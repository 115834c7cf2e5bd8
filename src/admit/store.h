/* SPDX-License-Identifier: MIT */
#ifndef TACIT_ADMIT_STORE_H
#define TACIT_ADMIT_STORE_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/data.h>

/*
 * Rows that can be taken by number, any of them at any time: files of text, arrays, a
 * cache. A store does not change once it is open, so that workers share it; what a
 * worker needs of its own, first of all the batch under construction, is its hand. A
 * reader is a store and the public order (admit/order.h), or a stream.
 */
enum { TACIT_STORE_DIGEST = 32 };

struct tacit_store_ops {
  size_t builder_size; /* bytes of a hand, zeroed before hand_init */
  tacit_status (*builder_init)(void *builder, const void *self, tacit_error *err);
  void (*builder_fini)(void *builder); /* also after a failed hand_init */

  /* Starts a new batch. */
  void (*clear)(void *builder);
  /* Adds rows first … first+count-1 to the batch, in this order, as many as there is
     room for; *out_taken says how many: at least one when the batch is empty. Faults
     are TACIT_EDATA with file, row or line, column and rule. */
  tacit_status (*take)(const void *self, void *builder, int64_t first, int64_t count,
                       int64_t *out_taken, tacit_error *err);
  /* Optional. These rows will be taken soon: for the first time with `near` 0, when
     what tells their place should come into the cache, then with 1, when they should
     themselves. */
  void (*prefetch)(const void *self, int64_t row, int64_t count, int step);
  /* The batch, until the next call on the hand. */
  const tacit_batch *(*view)(void *builder);

  /* Optional. How many rows from `row` on are all in this process's share, or, when
     *out_ours becomes 0, all in that of others; at most `count`. Asked only when the
     store is shared. */
  int64_t (*partition)(const void *self, int64_t row, int64_t count, int *out_ours);
  /* Optional. A digest that all rows are compared with whenever they are read, so that
     they need not be read to be told apart. */
  void (*digest)(const void *self, unsigned char raw_out[TACIT_STORE_DIGEST]);
  /* Optional. TACIT_EDATA when what the rows come from is no longer what it was. */
  tacit_status (*check)(const void *self, tacit_error *err);
  void (*free)(void *self);
};

/* A store with its table. */
typedef struct tacit_store {
  const struct tacit_store_ops *ops;
  void *self;
  int is_partitioned; /* 1: not all rows are ours, ask ops->share */
} tacit_store;

#endif
