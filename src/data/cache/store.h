/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_CACHE_STORE_H
#define TACIT_DATA_CACHE_STORE_H

#include "admit/store.h"

/* Facts about the rows of a cache. */
typedef struct tacit_cache_facts {
  int64_t rows;
  int is_shuffled; /* 1 if rows are in a secret order */
  int is_weighted;
  int has_units; /* 1 if rows have ids of persons, as keyed hashes */
} tacit_cache_facts;

/* Opens a cache as a store of rows, in the order of the file. Returns TACIT_EDATA if
   the cache does not match the options. */
tacit_status tacit_cache_store_open(const char *path,
                                    const tacit_reader_options *options,
                                    tacit_store *out, tacit_cache_facts *out_facts,
                                    tacit_error *err);

#endif
