/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_READER_CONTENT_H
#define TACIT_DATA_READER_CONTENT_H

#include <tacit/data.h>

#include "base/threads.h"
#include "data/bytes/content_hash.h"
#include "data/bytes/identity.h"

/* Returns a digest of the files that a reader was opened on; all zero for arrays in
   memory. In a group each file is in the identity of one rank. */
const tacit_identity *tacit_reader_identity(const tacit_reader *reader);

/*
 * Digests everything that a reader will read, under a key, so that a resumed run learns
 * about changed rows before it reads the first one. It costs one more reading: of text
 * the decoded bytes, of arrays and .npy files the rows with their labels, of a cache
 * all its bytes.
 *
 * The XOR of the digests of `size` ranks does not depend on their number. Each rank
 * digests its own parts of partitioned text, and every size-th block of anything else.
 * Proof: docs/proofs/content.md
 */
tacit_status tacit_reader_content(tacit_reader *reader,
                                  const unsigned char key[TACIT_KEY_BYTES], int rank,
                                  int size, tacit_pool *pool, tacit_content *out,
                                  tacit_error *err);

/* Do the work of tacit_reader_content for stored readers and for streams. */
struct tacit_content_work;
tacit_status tacit_content_of_store(tacit_reader *reader,
                                    struct tacit_content_work *work, tacit_error *err);
tacit_status tacit_content_of_stream(tacit_reader *reader,
                                     struct tacit_content_work *work, tacit_error *err);

#endif
