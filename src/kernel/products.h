/* SPDX-License-Identifier: MIT */
#ifndef TACIT_KERNEL_PRODUCTS_H
#define TACIT_KERNEL_PRODUCTS_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/status.h>

#include "vault/centre.h"

/*
 * The products of rows with the offset of centred runs, which are the same in every
 * pass. Sums that measure rows for the first time put them down here, and later sums
 * need not compute them again. Norms rest on them: they are used for rows in the memory
 * that was named for their place and in no other, and whoever names it answers for
 * this: as long as the products are in use, a place has one and the same row
 * (docs/proofs/centred_rows.md).
 *
 * Threads may use different places at a time.
 */
typedef struct tacit_products tacit_products;

/* For places 0 … rows-1. The offset must not change while the products are used. */
tacit_status tacit_products_new(const tacit_offset *offset, int64_t rows,
                                tacit_products **out, tacit_error *err);
void tacit_products_free(tacit_products *products); /* NULL-safe */

/* Kept rows and where they are: row i at place + i. No products: nothing is kept. */
typedef struct tacit_places {
  tacit_products *products;
  tacit_batch rows;
  int64_t place;
} tacit_places;
/* tacit_batch_sums with the offset of the centre. If these rows are at the places,
   known products are not computed again, and those that are not known are put down. */
void tacit_products_sums(const tacit_places *places, const tacit_centre *centre,
                         const tacit_level *kernel, const tacit_batch *batch,
                         int64_t first, size_t rows, const tacit_points *points,
                         tacit_sums *raw_out);

#endif
