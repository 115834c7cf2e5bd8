/* SPDX-License-Identifier: MIT */
#ifndef TACIT_ORDER_H
#define TACIT_ORDER_H

#include <stdint.h>
#include <tacit/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The public order: the permutation in which readers read rows. It depends only on the
 * number of rows, so any engine can assign rows to rounds as `tacit train` does. The
 * row at place p is the p-th row of every pass; tacit_round and tacit_plan_round_places
 * give the places of a round. Immutable; any number of threads may use one.
 */
typedef struct tacit_order tacit_order;

/** The order of n_rows >= 1 rows. Uses at most 1 MB. */
TACIT_API TACIT_NODISCARD tacit_status tacit_order_open(int64_t n_rows,
                                                        tacit_order **out,
                                                        tacit_error *err);
TACIT_API void tacit_order_free(tacit_order *order);
/** The row at a place; both count from 0 to n_rows - 1. */
TACIT_API int64_t tacit_order_row(const tacit_order *order, int64_t place);
/** The place of a row; -1 if there is no such row. */
TACIT_API int64_t tacit_order_place(const tacit_order *order, int64_t row);

#ifdef __cplusplus
}
#endif
#endif
