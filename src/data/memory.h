/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_MEMORY_H
#define TACIT_DATA_MEMORY_H

#include <tacit/data.h>

#include "data/order.h"

/* Rows of arrays, some at a time, for tacit_reader. */
typedef struct tacit_memory tacit_memory;

/* The arrays are borrowed, the order (may be NULL: as they stand) too. */
tacit_status tacit_memory_new(const tacit_arrays *arrays, int labels,
                              const tacit_order *order, tacit_memory **out,
                              tacit_error *err);
void tacit_memory_free(tacit_memory *memory);
/* The next rows; none at the end. */
tacit_status tacit_memory_next(tacit_memory *memory, const tacit_batch **out,
                               tacit_error *err);
void tacit_memory_rewind(tacit_memory *memory);

#endif
