/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_ARRAY_STORE_H
#define TACIT_DATA_ARRAY_STORE_H

#include "admit/store.h"
#include "data/array/npy.h"

/* Makes a store of rows in arrays, which it borrows. If the arrays are in mapped files,
   `npy` is these files, from which labels also come; on success the store owns them.
   Otherwise `npy` must be NULL. */
tacit_status tacit_array_store_new(const tacit_arrays *arrays, tacit_npy_data *npy,
                                   int labels, tacit_store *out, tacit_error *err);

#endif
