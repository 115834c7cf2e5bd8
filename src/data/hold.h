/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_HOLD_H
#define TACIT_DATA_HOLD_H

#include "data/source.h"

/* The decoded bytes of a regular file, any of which can be read at any time by any
   thread. */
typedef struct tacit_hold tacit_hold;

/* Takes hold of a source that stands at its first byte. While *budget lasts, which its
   bytes are taken from, a plain file is mapped, if it may be, and a compressed one
   decoded into memory; otherwise the plain file is read where it is and the compressed
   one decoded into a temporary file without a name (in TMPDIR, else /var/tmp). The
   source is borrowed. A mapped file that shrinks meanwhile raises SIGBUS. */
tacit_status tacit_hold_new(tacit_source *source, int may_map, int64_t *budget,
                            tacit_hold **out, tacit_error *err);
void tacit_hold_free(tacit_hold *hold);

int64_t tacit_hold_size(const tacit_hold *hold);
/* All bytes, followed by a line end and padding (TACIT_HOLD_PADDING in all); NULL when
   they are not in memory of our own. */
enum { TACIT_HOLD_PADDING = 128 };
const char *tacit_hold_bytes(const tacit_hold *hold);
/* Where in memory or the mapping a byte lies, so that it can be asked for early; NULL
   where there is no such place. Others may change what is there: read it through
   tacit_hold_read. */
const void *tacit_hold_place(const tacit_hold *hold, int64_t offset);
/* Exactly these bytes; they must be there, else the file changed: TACIT_EDATA. */
tacit_status tacit_hold_read(const tacit_hold *hold, int64_t offset, void *raw_out,
                             size_t size, tacit_error *err);

#endif
