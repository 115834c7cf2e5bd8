/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_BYTES_RANDOM_ACCESS_H
#define TACIT_DATA_BYTES_RANDOM_ACCESS_H

#include "data/bytes/source.h"

/* The decoded bytes of a regular file. Any thread can read them at any time. */
typedef struct tacit_random_access tacit_random_access;

/* The memory and disk that the files of a reader may still use together. */
typedef struct tacit_random_access_space {
  int64_t memory;    /* bytes of decoded files */
  int64_t mapping;   /* bytes of mapped files */
  int64_t temporary; /* bytes of decoded files that do not fit in memory */
  int has_file;      /* 1 if the temporary file, which all files share, exists */
  int fd;
  int64_t fd_size;       /* bytes written to the temporary file */
  int64_t max_temporary; /* the initial value of `temporary`, for messages */
} tacit_random_access_space;

void tacit_random_access_space_init(tacit_random_access_space *space, int64_t memory,
                                    int64_t mapping, int64_t temporary);
void tacit_random_access_space_fini(tacit_random_access_space *space);

/* Gives access to a source that is at its first byte. A plain file is mapped while
   there is space, otherwise read in place. A compressed file is decoded into memory
   while there is space, otherwise into an unnamed temporary file (in TMPDIR, else
   /var/tmp). Returns TACIT_EDATA if that file becomes too large. Borrows source and
   space. If a mapped file shrinks, reading raises SIGBUS. */
tacit_status tacit_random_access_new(tacit_source *source,
                                     tacit_random_access_space *space,
                                     tacit_random_access **out, tacit_error *err);
void tacit_random_access_free(tacit_random_access *access);

int64_t tacit_random_access_size(const tacit_random_access *access);
/* Bytes of a line end and padding, together, that follow the bytes of a file that was
   decoded into memory. */
enum { TACIT_RANDOM_ACCESS_PADDING = 128 };
/* Returns where a byte is in memory or in the mapping, for a prefetch, or NULL if it is
   in neither. Other processes may change a mapped file, so read bytes to be parsed with
   tacit_random_access_read. */
const void *tacit_random_access_pointer(const tacit_random_access *access,
                                        int64_t offset);
/* Reads exactly `size` bytes. Returns TACIT_EDATA if there are fewer, because the file
   then has changed. */
tacit_status tacit_random_access_read(const tacit_random_access *access, int64_t offset,
                                      void *out, size_t size, tacit_error *err);

#endif
