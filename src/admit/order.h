/* SPDX-License-Identifier: MIT */
#ifndef TACIT_ADMIT_ORDER_H
#define TACIT_ADMIT_ORDER_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/order.h>

#include "base/threads.h"

/* Rows are dealt to at most this many parts at once. With more batches than that, a
   part is a group of consecutive batches, whose rows are dealt to its batches when the
   group is needed. */
enum { TACIT_ORDER_PARTS = 1024 };

/* tacit_order_open without tacit_order_place, on the threads of a pool, which may be
   NULL. Uses 2 bytes per row and, with many batches, up to 1/14 byte more. */
tacit_status tacit_order_new(int64_t n_rows, int64_t batches,
                             const unsigned char raw_key[TACIT_ORDER_KEY_BYTES],
                             tacit_pool *pool, tacit_order **out, tacit_error *err);
/* The order of a roster that was dealt: place by place. The roster is borrowed. */
struct tacit_roster;
tacit_status tacit_order_of_roster(const struct tacit_roster *roster, tacit_order **out,
                                   tacit_error *err);

/* The group of batches that was needed last, for one caller of tacit_order_list. Zero
   it before use. */
typedef struct tacit_order_group {
  int64_t *raw_rows; /* by place; NULL: no group yet */
  int64_t number;
  size_t capacity;
} tacit_order_group;

void tacit_order_group_fini(tacit_order_group *group);
/* tacit_order_rows for callers that go through the places in order: a group of batches
   is dealt once. */
tacit_status tacit_order_list(const tacit_order *order, tacit_order_group *group,
                              int64_t first, int64_t count, int64_t *raw_rows,
                              tacit_error *err);

#endif
