/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_BYTES_IDENTITY_H
#define TACIT_DATA_BYTES_IDENTITY_H

#include <stddef.h>
#include <tacit/status.h>

/* A digest of the files that a run reads: of their names without folders, their sizes
   and their order. It shows, before any row is read, that a resumed run was given other
   files. The digests of batches show whether the rows are the same. It is the XOR over
   the files, so that ranks that read only some of them can combine their digests. The
   digest is secret, because sizes depend on records. */
enum { TACIT_IDENTITY_BYTES = 16 };

typedef struct tacit_identity {
  unsigned char raw_bytes[TACIT_IDENTITY_BYTES];
} tacit_identity;

/* Adds file number `index`. Pipes and devices count as empty. Returns TACIT_EIO if
   there is no such file. */
tacit_status tacit_identity_add(tacit_identity *identity, size_t index,
                                const char *path, tacit_error *err);

#endif
