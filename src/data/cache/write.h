/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_CACHE_WRITE_H
#define TACIT_DATA_CACHE_WRITE_H

#include "data/cache/cache.h"

/* Writes a cache file, batch after batch: new, begin, add …, end, free. */
typedef struct tacit_cache_writer tacit_cache_writer;

/* Without sources the file does not say what it was made from. `name` starts
   messages. */
tacit_status tacit_cache_writer_new(const char *name,
                                    const tacit_cache_options *options, int is_shuffled,
                                    tacit_cache_writer **out, tacit_error *err);
/* NULL-safe. */
void tacit_cache_writer_free(tacit_cache_writer *writer);

/* Starts the file at offset 0 of a descriptor, which is borrowed. */
tacit_status tacit_cache_writer_begin(tacit_cache_writer *writer, int fd,
                                      tacit_error *err);
/* Adds all rows of a batch. */
tacit_status tacit_cache_writer_add(tacit_cache_writer *writer,
                                    const tacit_batch *batch, tacit_error *err);
/* Rows added so far. */
int64_t tacit_cache_writer_rows(const tacit_cache_writer *writer);
/* Completes the file; without any row, TACIT_EDATA. */
tacit_status tacit_cache_writer_end(tacit_cache_writer *writer, tacit_error *err);

#endif
