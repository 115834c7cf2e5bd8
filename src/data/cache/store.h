/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_CACHE_STORE_H
#define TACIT_DATA_CACHE_STORE_H

#include "admit/store.h"

/* The rows of a cache, in the order they stand in it; *out_shuffled says whether that
   is the public one. TACIT_EDATA when it is not what the options ask for. */
tacit_status tacit_cache_store_open(const char *path,
                                    const tacit_reader_options *options,
                                    tacit_store *out, int64_t *out_rows,
                                    int *out_shuffled, tacit_error *err);

#endif
