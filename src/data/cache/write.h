/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_CACHE_WRITE_H
#define TACIT_DATA_CACHE_WRITE_H

#include "data/cache/cache.h"

/* Writes a cache file. Call new, begin, add for every batch, end, and free. */
typedef struct tacit_cache_writer tacit_cache_writer;

/* Makes a writer. If the options have no sources, the file does not tell from which
   files it was made. `name` starts messages. */
tacit_status tacit_cache_writer_new(const char *name,
                                    const tacit_cache_options *options, int is_shuffled,
                                    tacit_cache_writer **out, tacit_error *err);
/* Frees the writer; NULL is allowed. */
void tacit_cache_writer_free(tacit_cache_writer *writer);

/* Starts the file at offset 0 of a descriptor, which is borrowed. */
tacit_status tacit_cache_writer_begin(tacit_cache_writer *writer, int fd,
                                      tacit_error *err);
/* Adds all rows of a batch. */
tacit_status tacit_cache_writer_add(tacit_cache_writer *writer,
                                    const tacit_batch *batch, tacit_error *err);
/* Returns the number of rows added so far. */
int64_t tacit_cache_writer_rows(const tacit_cache_writer *writer);
/* Completes the file. Returns TACIT_EDATA if no row was added. */
tacit_status tacit_cache_writer_end(tacit_cache_writer *writer, tacit_error *err);

#endif
