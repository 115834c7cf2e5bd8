/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_ARRAY_STORE_H
#define TACIT_DATA_ARRAY_STORE_H

#include "admit/store.h"
#include "data/array/npy.h"

/* The rows of arrays in memory, which are borrowed. `npy`: the mapped files that the
   arrays are in, which the store owns once this succeeds; NULL: the arrays are the
   caller's. Labels come from there too. */
tacit_status tacit_array_store_new(const tacit_arrays *arrays, tacit_npy_data *npy,
                                   int labels, tacit_store *out, tacit_error *err);

#endif
