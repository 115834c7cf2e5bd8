/* SPDX-License-Identifier: MIT */
#ifndef TACIT_ADMIT_ORDER_H
#define TACIT_ADMIT_ORDER_H

#include <stdint.h>
#include <tacit/order.h>

/* Max number of blocks that are permuted; up to this many rows, a block is one row. The
   default of 32 rounds then has 4096 blocks per round, which mix a sorted file well
   enough (docs/design/readers.md), while neighbouring rows of large files are still
   read and parsed together. */
enum { TACIT_ORDER_BLOCKS = 1 << 17 };

/* The public permutation of n rows. It depends on n alone. Rows are grouped into blocks
   of m, the smallest power of two with floor(n/m) <= max_blocks. Blocks are permuted,
   rows within a block are not, and a short last block stays last.

   n_rows >= 1; max_blocks is from 1 to 2^31, TACIT_ORDER_BLOCKS except in tests.
   tacit_order_place does not work on this order: use tacit_order_open. */
tacit_status tacit_order_new(int64_t n_rows, int64_t max_blocks, tacit_order **out,
                             tacit_error *err);

/* The order of a roster that was dealt: place by place. The roster is borrowed. */
struct tacit_roster;
tacit_status tacit_order_of_roster(const struct tacit_roster *roster, tacit_order **out,
                                   tacit_error *err);

/* Rows per block: m. */
int64_t tacit_order_block_rows(const tacit_order *order);
/* Number of blocks, including a short last one. */
int64_t tacit_order_blocks(const tacit_order *order);
/* The block at a position of the order; block b has rows b*m, b*m + 1, …. */
int64_t tacit_order_block(const tacit_order *order, int64_t position);

#endif
