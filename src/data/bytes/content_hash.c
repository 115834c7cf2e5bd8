/* SPDX-License-Identifier: MIT */
#include "data/bytes/content_hash.h"

#include <string.h>

#include "base/numbers.h"

void tacit_content_key_fill(tacit_content_key *out,
                            const unsigned char key[TACIT_KEY_BYTES]) {
  tacit_words words;
  memcpy(out->key, key, sizeof out->key);
  tacit_words_init(&words, key);
  for (size_t i = 0; i < sizeof out->pads / sizeof out->pads[0]; ++i)
    out->pads[i] = tacit_words_next(&words);
  tacit_words_wipe(&words);
}

/* Computes both hashes of a chunk. The second hash uses the same pads shifted by one
   pair; the collisions of the two hashes are still independent. */
void tacit_content_chunk(const tacit_content_key *key, const unsigned char *bytes,
                         size_t size, unsigned char out[TACIT_CONTENT_CHUNK_HASH]) {
  const uint64_t *pads = key->pads;
  tacit_u128 sums[2] = {0, 0};
  for (size_t i = 0; i < size; i += TACIT_CONTENT_PAIR, pads += 2) {
    uint64_t pair[2];
    memcpy(pair, bytes + i, sizeof pair);
    sums[0] += (tacit_u128)(pair[0] + pads[0]) * (pair[1] + pads[1]);
    sums[1] += (tacit_u128)(pair[0] + pads[2]) * (pair[1] + pads[3]);
  }
  for (size_t i = 0; i < 2; ++i) {
    tacit_store_le64(out + 16 * i, (uint64_t)sums[i]);
    tacit_store_le64(out + 16 * i + 8, (uint64_t)(sums[i] >> 64));
  }
}

static void take_chunk(tacit_content_hash *hash, const unsigned char *bytes,
                       size_t size) {
  unsigned char hashes[TACIT_CONTENT_CHUNK_HASH];
  tacit_content_chunk(hash->key, bytes, size, hashes);
  tacit_hash_add(&hash->state, hashes, sizeof hashes);
}

void tacit_content_begin(tacit_content_hash *hash, const tacit_content_key *key,
                         uint64_t kind, uint64_t stream, uint64_t number) {
  hash->key = key;
  hash->size = hash->held = 0;
  tacit_hash_begin_keyed(&hash->state, TACIT_CONTENT_BYTES, "tacit-content-1", key->key,
                         sizeof key->key);
  tacit_hash_add_number(&hash->state, kind);
  tacit_hash_add_number(&hash->state, stream);
  tacit_hash_add_number(&hash->state, number);
}

void tacit_content_put(tacit_content_hash *hash, const void *bytes, size_t size) {
  const unsigned char *at = bytes;
  hash->size += size;
  while (size > 0) {
    size_t step = TACIT_CONTENT_CHUNK - hash->held;
    if (step > size) step = size;
    if (step == TACIT_CONTENT_CHUNK) { /* a whole chunk needs no copy */
      take_chunk(hash, at, step);
    } else {
      memcpy(hash->chunk + hash->held, at, step);
      hash->held += step;
      if (hash->held == TACIT_CONTENT_CHUNK) {
        take_chunk(hash, hash->chunk, hash->held);
        hash->held = 0;
      }
    }
    at += step;
    size -= step;
  }
}

void tacit_content_end(tacit_content_hash *hash, tacit_content *sum) {
  unsigned char bytes[TACIT_CONTENT_BYTES];
  size_t rest = (16 - hash->held % 16) % 16;
  memset(hash->chunk + hash->held, 0, rest);
  if (hash->held > 0) take_chunk(hash, hash->chunk, hash->held + rest);
  tacit_hash_add_number(&hash->state, hash->size);
  tacit_hash_end(&hash->state, bytes, sizeof bytes);
  for (size_t i = 0; i < sizeof bytes; ++i)
    sum->raw_bytes[i] ^= bytes[i];
}
