/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_CACHE_STORE_H
#define TACIT_DATA_CACHE_STORE_H

#include "admit/store.h"

/* Opens a cache as a store, rows in the order of the file; *out_shuffled says whether
   that is a secret uniform order. TACIT_EDATA if the cache does not match the options.
 */
tacit_status tacit_cache_store_open(const char *path,
                                    const tacit_reader_options *options,
                                    tacit_store *out, int64_t *out_rows,
                                    int *out_shuffled, int *out_weighted,
                                    tacit_error *err);

#endif
