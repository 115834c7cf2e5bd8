/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_IDENTITY_H
#define TACIT_DATA_IDENTITY_H

#include <tacit/data.h>

/* Which files a run reads: a digest of their names, without folders, and sizes, in
   order. It tells a resumed run that it was given other data, before any row is read;
   that the rows are the same is for the digests of the batches to tell. Sizes follow
   from records, so it stays secret. */
enum { TACIT_IDENTITY_BYTES = 32 };

typedef struct tacit_identity {
  unsigned char raw_bytes[TACIT_IDENTITY_BYTES];
} tacit_identity;

/* What is not a regular file counts as empty. TACIT_EIO when a file is not there. */
tacit_status tacit_identity_of_files(const char *const *paths, size_t n_paths,
                                     tacit_identity *out, tacit_error *err);
/* The identity of what a reader was opened on; all zero for arrays in memory. */
const tacit_identity *tacit_reader_identity(const tacit_reader *reader);

#endif
