/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_BYTES_RANDOM_ACCESS_H
#define TACIT_DATA_BYTES_RANDOM_ACCESS_H

#include "data/bytes/source.h"

/* The decoded bytes of a regular file, any of which can be read at any time by any
   thread. */
typedef struct tacit_random_access tacit_random_access;

/* What the files of a reader may take together. What they take is subtracted. */
typedef struct tacit_random_access_space {
  int64_t memory;    /* bytes of decoded files */
  int64_t mapping;   /* bytes of mapped files */
  int64_t temporary; /* bytes of decoded files that do not fit in memory, … */
  int has_file;      /* … in one file for all of them */
  int fd;
  int64_t fd_size;       /* what it holds */
  int64_t max_temporary; /* as it was at first, for the message */
} tacit_random_access_space;

void tacit_random_access_space_init(tacit_random_access_space *room, int64_t memory,
                                    int64_t mapping, int64_t temporary);
void tacit_random_access_space_fini(tacit_random_access_space *room);

/* Takes hold of a source that stands at its first byte. A plain file is mapped while
   there is room, otherwise read where it is; a compressed one is decoded into memory
   while there is room, otherwise into a temporary file without a name (in TMPDIR, else
   /var/tmp); TACIT_EDATA when that becomes too large. Source and room are borrowed. A
   mapped file that shrinks meanwhile raises SIGBUS. */
tacit_status tacit_random_access_new(tacit_source *source,
                                     tacit_random_access_space *room,
                                     tacit_random_access **out, tacit_error *err);
void tacit_random_access_free(tacit_random_access *access);

int64_t tacit_random_access_size(const tacit_random_access *access);
/* All bytes, followed by a line end and padding (TACIT_HOLD_PADDING in all); NULL when
   they are not in memory of our own. */
enum { TACIT_RANDOM_ACCESS_PADDING = 128 };
const char *tacit_random_access_bytes(const tacit_random_access *access);
/* Where in memory or the mapping a byte lies, so that it can be asked for early; NULL
   where there is no such place. Others may change what is there: what is parsed is read
   through tacit_hold_read. */
const void *tacit_random_access_pointer(const tacit_random_access *access,
                                        int64_t offset);
/* Exactly these bytes; they must be there, else the file changed: TACIT_EDATA. */
tacit_status tacit_random_access_read(const tacit_random_access *access, int64_t offset,
                                      void *out, size_t size, tacit_error *err);

#endif
