/* SPDX-License-Identifier: MIT */
#ifndef TACIT_ADMIT_ORDER_H
#define TACIT_ADMIT_ORDER_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/order.h>

#include "base/threads.h"

/* The most parts that rows are dealt to at once. If there are more batches, a part is a
   group of consecutive batches, whose rows are dealt to the batches when the group is
   needed. */
enum { TACIT_ORDER_PARTS = 1024 };

/* Makes an order like tacit_order_open, but without what tacit_order_place needs, on
   the threads of a pool, which may be NULL. Uses 2 bytes per row and, if there are many
   batches, up to 1/14 byte more. */
tacit_status tacit_order_new(int64_t n_rows, int64_t batches,
                             const unsigned char raw_key[TACIT_ORDER_KEY_BYTES],
                             tacit_pool *pool, tacit_order **out, tacit_error *err);
/* Makes the order of a roster whose persons were dealt. The roster is borrowed. */
struct tacit_roster;
tacit_status tacit_order_of_roster(const struct tacit_roster *roster, tacit_order **out,
                                   tacit_error *err);

/* The group of batches that one caller of tacit_order_list needed last. It must be zero
   before its first use. */
typedef struct tacit_order_group {
  int64_t *raw_rows; /* rows by place; NULL before the first group */
  int64_t number;
  size_t capacity;
} tacit_order_group;

void tacit_order_group_fini(tacit_order_group *group);
/* Lists rows like tacit_order_rows, for callers that go through the places in order, so
   that each group of batches is dealt once. */
tacit_status tacit_order_list(const tacit_order *order, tacit_order_group *group,
                              int64_t first, int64_t count, int64_t *raw_rows,
                              tacit_error *err);

#endif
