/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_BYTES_IDENTITY_H
#define TACIT_DATA_BYTES_IDENTITY_H

#include <stddef.h>
#include <tacit/status.h>

/* Which files a run reads: a digest of their names, without folders, and sizes, in
   order. It shows, before any row is read, that a resumed run was given other files;
   whether the rows are the same is what the digests of batches show. It is the XOR over
   the files, so that ranks which read only some of them can combine theirs. Sizes
   depend on records: the digest stays secret. */
enum { TACIT_IDENTITY_BYTES = 16 };

typedef struct tacit_identity {
  unsigned char raw_bytes[TACIT_IDENTITY_BYTES];
} tacit_identity;

/* Adds file number `index`. Pipes and devices count as empty. TACIT_EIO if there is no
   such file. */
tacit_status tacit_identity_add(tacit_identity *identity, size_t index,
                                const char *path, tacit_error *err);

#endif
