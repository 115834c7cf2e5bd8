/* SPDX-License-Identifier: MIT */
#ifndef TACIT_ORDER_H
#define TACIT_ORDER_H

#include <stdint.h>
#include <tacit/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The public permutation through which readers take rows. It depends on the number of
 * rows alone, so that any engine can deal rows to rounds as `tacit train` does: the row
 * at place p of the order is the p-th of every pass (tacit_round and
 * tacit_plan_round_places say which places a round has). Immutable; any number of
 * threads may use one.
 */
typedef struct tacit_order tacit_order;

/** The order of n rows, n at least 1. Takes at most 1 MB. */
TACIT_API TACIT_NODISCARD tacit_status tacit_order_open(int64_t n_rows,
                                                        tacit_order **out,
                                                        tacit_error *err);
TACIT_API void tacit_order_free(tacit_order *order);
/** The 0-based row at a place from 0 to n-1. */
TACIT_API int64_t tacit_order_row(const tacit_order *order, int64_t place);
/** The place of a row from 0 to n-1; -1 for a number that is none. */
TACIT_API int64_t tacit_order_place(const tacit_order *order, int64_t row);

#ifdef __cplusplus
}
#endif
#endif
