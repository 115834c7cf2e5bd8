/* SPDX-License-Identifier: MIT */
/* The checksum of a block. Chunks of the block go through the hash of
   data/bytes/content_hash.h, at the speed of memory, and the hashes go through BLAKE2b.
   The pads are public, so the checksum detects damage, but not forgery. */
#include <sodium.h>

#include "base/hash.h"
#include "data/cache/cache.h"

void tacit_cache_pads_fill(tacit_content_key *out) {
  unsigned char key[TACIT_KEY_BYTES];
  tacit_hash_of(NULL, 0, "tacit-cache-3", NULL, 0, key, sizeof key);
  tacit_content_key_fill(out, key);
}

void tacit_cache_checksum(const tacit_content_key *pads, const unsigned char *bytes,
                          size_t size, unsigned char out[TACIT_CACHE_BLOCK_DIGEST]) {
  tacit_hash hash;
  unsigned char hashes[TACIT_CONTENT_CHUNK_HASH];
  tacit_hash_begin(&hash, TACIT_CACHE_BLOCK_DIGEST, "tacit-cache-3");
  tacit_hash_add_number(&hash, size);
  while (size >= TACIT_CONTENT_PAIR) {
    size_t step = size < TACIT_CONTENT_CHUNK ? size - size % TACIT_CONTENT_PAIR
                                             : TACIT_CONTENT_CHUNK;
    tacit_content_chunk(pads, bytes, step, hashes);
    tacit_hash_add(&hash, hashes, sizeof hashes);
    bytes += step;
    size -= step;
  }
  tacit_hash_add(&hash, bytes, size);
  tacit_hash_end(&hash, out, TACIT_CACHE_BLOCK_DIGEST);
  sodium_memzero(&hash, sizeof hash);
}
