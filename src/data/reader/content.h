/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_READER_CONTENT_H
#define TACIT_DATA_READER_CONTENT_H

#include <tacit/data.h>

#include "base/threads.h"
#include "vault/words.h"

/* All that a reader will read, as one keyed digest: a resumed run is told of rows that
   changed before it reads the first one. It is the XOR over blocks of a keyed function
   of place and contents, so threads and ranks add up theirs in any order. Secret like
   the rows. All zero: not known. */
enum { TACIT_CONTENT_BYTES = 16 };

typedef struct tacit_content {
  unsigned char raw_bytes[TACIT_CONTENT_BYTES];
} tacit_content;

/*
 * One more reading of everything, before the first row is read: of text the decoded
 * bytes, of arrays and .npy files the rows with their labels; of a cache the checksums
 * of its blocks, which are compared whenever a block is read. The XOR over `size` ranks
 * is the same for any number of them: of a reader that is shared out, each rank digests
 * its own parts, of another one its share of the blocks.
 * Proof: docs/proofs/content.md
 */
tacit_status tacit_reader_content(tacit_reader *reader,
                                  const unsigned char key[TACIT_KEY_BYTES], int rank,
                                  int size, tacit_pool *pool, tacit_content *out,
                                  tacit_error *err);

#endif
