/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_READER_IDENTITY_H
#define TACIT_DATA_READER_IDENTITY_H

#include <tacit/data.h>

/* Which files a run reads: a digest of their names, without folders, and sizes, in
   order. It tells a resumed run that it was given other data, before any row is read;
   that the rows are the same is for the digests of the batches to tell. It is the XOR
   over the files, so ranks that see only some of them can put theirs together. Sizes
   follow from records, so it stays secret. */
enum { TACIT_IDENTITY_BYTES = 16 };

typedef struct tacit_identity {
  unsigned char raw_bytes[TACIT_IDENTITY_BYTES];
} tacit_identity;

/* Adds file number `index`. What is not a regular file counts as empty. TACIT_EIO when
   it is not there. */
tacit_status tacit_identity_add(tacit_identity *identity, size_t index,
                                const char *path, tacit_error *err);
/* What a reader was opened on; all zero for arrays in memory. Under a group each file
   is in that of one rank. */
const tacit_identity *tacit_reader_identity(const tacit_reader *reader);

#endif
