/* SPDX-License-Identifier: MIT */
#ifndef TACIT_ORDER_H
#define TACIT_ORDER_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Size of the key that an order is drawn from. */
#define TACIT_ORDER_KEY_BYTES 32

/**
 * The secret order: which batch of a pass each row belongs to. It is drawn uniformly
 * among all assignments of n rows to batches of the sizes that a run has, and is the
 * same in every pass. Place p of a pass is the p-th row of its batches one after the
 * other; the rows of a batch keep the order they have in the files. tacit_round gives
 * the places of a round.
 *
 * The guarantee for sets of rows rests on nobody knowing the order (docs/privacy.md).
 * Key, order, rows and places must not leave the processes that read the records.
 * Immutable; any number of threads may use one.
 */
typedef struct tacit_order tacit_order;

/**
 * Makes the order of n_rows rows in `batches` batches, 1 <= batches <= n_rows, that
 * every run with this key has. tacit_train_order_key gives the key. Uses 6 bytes per
 * row, or 10 from 2^32 rows on.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_order_open(
    int64_t n_rows, int64_t batches, const unsigned char raw_key[TACIT_ORDER_KEY_BYTES],
    tacit_order **out, tacit_error *err);
/** Wipes and frees an order. */
TACIT_API void tacit_order_free(tacit_order *order);
/** Writes the rows at places first … first+count-1. Rows and places count from 0. */
TACIT_API TACIT_NODISCARD tacit_status tacit_order_rows(const tacit_order *order,
                                                        int64_t first, int64_t count,
                                                        int64_t *raw_rows,
                                                        tacit_error *err);
/** Returns the place of a row, or -1 if there is no such row. */
TACIT_API int64_t tacit_order_place(const tacit_order *order, int64_t row);
/**
 * Writes the batch, from 0, to which all rows of each of these persons belong, in every
 * run with this key whose units are persons. A keyed hash of the id decides. raw_units
 * (`count` ids) and unit_bytes are as in tacit_arrays. Returns TACIT_EDATA if an id is
 * missing.
 */
TACIT_API TACIT_NODISCARD tacit_status
tacit_order_units(const void *raw_units, size_t unit_bytes, int64_t count,
                  int64_t batches, const unsigned char raw_key[TACIT_ORDER_KEY_BYTES],
                  int64_t *raw_batches, tacit_error *err);

#ifdef __cplusplus
}
#endif
#endif
