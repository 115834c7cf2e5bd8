/* SPDX-License-Identifier: MIT */
#ifndef TACIT_ADMIT_ORDER_H
#define TACIT_ADMIT_ORDER_H

#include <stdint.h>
#include <tacit/order.h>

/* Most blocks that are permuted: one a row up to this many rows. The default of 32
   rounds then has 4096 blocks a round, which mix a sorted file well enough
   (docs/design.md, Readers), while rows of large files are read and parsed a run at a
   time. */
enum { TACIT_ORDER_BLOCKS = 1 << 17 };

/* The public permutation of n rows. It depends on n alone. Rows are taken in blocks of
   m, the smallest power of two with floor(n/m) <= max_blocks; blocks are permuted,
   rows within one are not, and a short last block stays last.

   n_rows >= 1, max_blocks from 1 to 2^31 (TACIT_ORDER_BLOCKS but in tests). Knows no
   places: tacit_order_place is for orders of tacit_order_open. */
tacit_status tacit_order_new(int64_t n_rows, int64_t max_blocks, tacit_order **out,
                             tacit_error *err);

/* m. */
int64_t tacit_order_block_rows(const tacit_order *order);
/* Number of blocks, the short last one included. */
int64_t tacit_order_blocks(const tacit_order *order);
/* The block at a position; block b holds rows b*m ... . */
int64_t tacit_order_block(const tacit_order *order, int64_t position);

#endif
