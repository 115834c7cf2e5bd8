/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_BYTES_RANDOM_ACCESS_H
#define TACIT_DATA_BYTES_RANDOM_ACCESS_H

#include "data/bytes/source.h"

/* The decoded bytes of a regular file. Any thread can read any of them at any time. */
typedef struct tacit_random_access tacit_random_access;

/* What the files of a reader may use together. It shrinks as they use it. */
typedef struct tacit_random_access_space {
  int64_t memory;    /* bytes of decoded files */
  int64_t mapping;   /* bytes of mapped files */
  int64_t temporary; /* bytes of decoded files that do not fit in memory, … */
  int has_file;      /* … in one file for all of them */
  int fd;
  int64_t fd_size;       /* bytes written to it */
  int64_t max_temporary; /* the initial value of `temporary`, for messages */
} tacit_random_access_space;

void tacit_random_access_space_init(tacit_random_access_space *space, int64_t memory,
                                    int64_t mapping, int64_t temporary);
void tacit_random_access_space_fini(tacit_random_access_space *space);

/* Gives access to a source that is at its first byte. A plain file is mapped while
   there is space, otherwise read in place. A compressed file is decoded into memory
   while there is space, otherwise into an unnamed temporary file (in TMPDIR, else
   /var/tmp); TACIT_EDATA if that becomes too large. Source and space are borrowed. A
   mapped file that shrinks raises SIGBUS. */
tacit_status tacit_random_access_new(tacit_source *source,
                                     tacit_random_access_space *space,
                                     tacit_random_access **out, tacit_error *err);
void tacit_random_access_free(tacit_random_access *access);

int64_t tacit_random_access_size(const tacit_random_access *access);
/* Bytes in memory of our own are followed by a line end and padding, together: */
enum { TACIT_RANDOM_ACCESS_PADDING = 128 };
/* Where a byte is in memory or in the mapping, for a prefetch; NULL if it is in
   neither. Others may change what is there: text to parse is read with
   tacit_random_access_read. */
const void *tacit_random_access_pointer(const tacit_random_access *access,
                                        int64_t offset);
/* Reads exactly `size` bytes. A short read means that the file changed: TACIT_EDATA. */
tacit_status tacit_random_access_read(const tacit_random_access *access, int64_t offset,
                                      void *out, size_t size, tacit_error *err);

#endif
