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
 * other; the rows of a batch keep the order they have in the files. tacit_round and
 * tacit_plan_round_places give the places of a round.
 *
 * The guarantee for sets of rows rests on nobody knowing the order (docs/privacy.md).
 * Key, order, rows and places must not leave the processes that read the records.
 * Immutable; any number of threads may use one.
 */
typedef struct tacit_order tacit_order;

/**
 * The order of n_rows rows in `batches` batches, 1 <= batches <= n_rows: that of
 * every run with this key, which tacit_train_order_key gives. Uses 6 bytes per row, 10
 * from 2^32 rows on.
 */
TACIT_API TACIT_NODISCARD tacit_status tacit_order_open(
    int64_t n_rows, int64_t batches, const unsigned char raw_key[TACIT_ORDER_KEY_BYTES],
    tacit_order **out, tacit_error *err);
/** Wipes and frees it. */
TACIT_API void tacit_order_free(tacit_order *order);
/** The rows at places first … first+count-1; rows and places count from 0. */
TACIT_API TACIT_NODISCARD tacit_status tacit_order_rows(const tacit_order *order,
                                                        int64_t first, int64_t count,
                                                        int64_t *raw_rows,
                                                        tacit_error *err);
/** The place of a row; -1 if there is no such row. */
TACIT_API int64_t tacit_order_place(const tacit_order *order, int64_t row);
/**
 * Persons as units: the batches, from 0, that all rows of these persons belong to in
 * every run with this key and `units`, by a keyed hash of the ids. raw_units (`count`
 * ids) and unit_bytes as in tacit_arrays. TACIT_EDATA if an id is missing.
 */
TACIT_API TACIT_NODISCARD tacit_status
tacit_order_units(const void *raw_units, size_t unit_bytes, int64_t count,
                  int64_t batches, const unsigned char raw_key[TACIT_ORDER_KEY_BYTES],
                  int64_t *raw_batches, tacit_error *err);

#ifdef __cplusplus
}
#endif
#endif
