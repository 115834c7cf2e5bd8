/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_BYTES_CONTENT_HASH_H
#define TACIT_DATA_BYTES_CONTENT_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "vault/words.h"

/* A keyed digest of content: the XOR over blocks of a keyed function of a block's
   number and bytes, so that threads and ranks add their blocks in any order. It is
   secret like the bytes. All zero means that it is not known. */
enum { TACIT_CONTENT_BYTES = 16 };

typedef struct tacit_content {
  unsigned char raw_bytes[TACIT_CONTENT_BYTES];
} tacit_content;

/* The keyed function of a block. Chunks of its bytes go through a universal hash under
   secret pads (NH of 64-bit words, twice), which runs at the speed of memory. The
   hashes and the block's number go through BLAKE2b under the key. */
enum {
  TACIT_CONTENT_CHUNK = 1 << 14,
  TACIT_CONTENT_CHUNK_HASH = 32, /* bytes of the two hashes of a chunk */
  TACIT_CONTENT_PAIR = 16        /* the bytes of a chunk are a multiple of this */
};

typedef struct tacit_content_key {
  unsigned char key[TACIT_KEY_BYTES];
  uint64_t pads[TACIT_CONTENT_CHUNK / 8 + 2];
} tacit_content_key;

void tacit_content_key_fill(tacit_content_key *out,
                            const unsigned char key[TACIT_KEY_BYTES]);

/* Computes the two hashes of one chunk, for which only the pads of the key are used. */
void tacit_content_chunk(const tacit_content_key *key, const unsigned char *bytes,
                         size_t size, unsigned char out[TACIT_CONTENT_CHUNK_HASH]);

/* A block that is being hashed. */
typedef struct tacit_content_hash {
  const tacit_content_key *key;
  tacit_hash state;
  uint64_t size;
  size_t held; /* number of bytes in the unfinished `chunk` */
  unsigned char chunk[TACIT_CONTENT_CHUNK];
} tacit_content_hash;

/* Begins block `number` of file `stream`. Bytes of different meaning must have
   different `kind`s. */
void tacit_content_begin(tacit_content_hash *hash, const tacit_content_key *key,
                         uint64_t kind, uint64_t stream, uint64_t number);
void tacit_content_put(tacit_content_hash *hash, const void *bytes, size_t size);
/* Ends the block and XORs its keyed function into *sum. */
void tacit_content_end(tacit_content_hash *hash, tacit_content *sum);

#endif
