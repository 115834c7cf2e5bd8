/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_HOLD_H
#define TACIT_DATA_HOLD_H

#include "base/threads.h"
#include "data/source.h"

/* The decoded bytes of a regular file, any of which can be read at any time by any
   thread. */
typedef struct tacit_hold tacit_hold;

/* Takes hold of a source that stands at its first byte. The bytes are kept in memory
   while *budget, which they are taken from, lasts; otherwise a plain file is read where
   it is and a compressed one is decoded into a temporary file without a name (in
   TMPDIR, else /var/tmp). The source is borrowed. Of a plain file memory is taken
   only: tacit_hold_load reads it. */
tacit_status tacit_hold_new(tacit_source *source, int64_t *budget, tacit_hold **out,
                            tacit_error *err);
/* Reads, on all workers, what is to be in memory and is not yet there. */
tacit_status tacit_hold_load(tacit_hold *hold, tacit_pool *pool, tacit_error *err);
void tacit_hold_free(tacit_hold *hold);

int64_t tacit_hold_size(const tacit_hold *hold);
/* All bytes, followed by a line end and padding (TACIT_HOLD_PADDING in all); NULL when
   they are not in memory. */
enum { TACIT_HOLD_PADDING = 128 };
const char *tacit_hold_bytes(const tacit_hold *hold);
/* Exactly these bytes; they must be there, else the file changed: TACIT_EDATA. */
tacit_status tacit_hold_read(const tacit_hold *hold, int64_t offset, void *raw_out,
                             size_t size, tacit_error *err);

#endif
