/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BASE_HASH_H
#define TACIT_BASE_HASH_H

#include <sodium.h>
#include <stddef.h>
#include <stdint.h>

#include "base/numbers.h"

/*
 * BLAKE2b. `purpose`, at most 16 characters, is its personalisation: hashes made for
 * different purposes are unrelated even for equal bytes. It is NULL for no purpose.
 */
enum { TACIT_HASH_PURPOSE_MAX = crypto_generichash_blake2b_PERSONALBYTES };

/* A hash that is being computed. Its state holds the bytes that were added last. It
   must be in raw memory, or be wiped, if those depend on records. */
typedef struct tacit_hash {
  crypto_generichash_blake2b_state state;
} tacit_hash;

/* Begins a hash whose digest has `size` bytes, 16 to 64. */
void tacit_hash_begin(tacit_hash *hash, size_t size, const char *purpose);
/* Begins a hash under a key. */
void tacit_hash_begin_keyed(tacit_hash *hash, size_t size, const char *purpose,
                            const unsigned char *key, size_t key_size);
void tacit_hash_add(tacit_hash *hash, const void *bytes, size_t size);
/* Adds a number as 8 bytes, least significant first. */
void tacit_hash_add_number(tacit_hash *hash, uint64_t number);
/* Adds a text with its closing zero, which separates it from what follows. */
void tacit_hash_add_text(tacit_hash *hash, const char *text);
/* Writes the digest. `size` must be the size of the beginning. */
void tacit_hash_end(tacit_hash *hash, unsigned char *out, size_t size);

/* Hashes bytes in one call, keyed with `key` unless it is NULL. */
void tacit_hash_of(const void *bytes, size_t size, const char *purpose,
                   const unsigned char *key, size_t key_size, unsigned char *out,
                   size_t out_size);

/* Writes the digest of vault/key.h for `count` integers: not BLAKE2b, but a fast keyed
   sum with two secret words of `pads` per integer. */
void tacit_hash_padded(const uint64_t *pads, const tacit_i128 *raw_integers,
                       size_t count, unsigned char raw_out[16]);

#endif
