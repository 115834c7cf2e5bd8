/* SPDX-License-Identifier: MIT */
/* Keys, and the layout of the noise stream. The layout fixes the bits of every seeded
   run: a change here is a change of version ("tacit-noise-3"). */
#include "vault/key.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>
#include <sys/random.h>

#include "base/error.h"
#include "base/hash.h"

tacit_status tacit_key_from_os(tacit_key *out, tacit_error *err) {
  if (sodium_init() < 0)
    return tacit_fail(err, TACIT_ERANDOM, "libsodium cannot be initialised");
  if (getentropy(out->bytes, sizeof out->bytes) != 0) {
    tacit_key_wipe(out);
    return tacit_fail(err, TACIT_ERANDOM,
                      "the operating system gives no random bytes: %s",
                      strerror(errno));
  }
  return TACIT_OK;
}

void tacit_key_derive(const tacit_key *key, const char *purpose, tacit_key *out) {
  tacit_hash_of(NULL, 0, purpose, key->bytes, sizeof key->bytes, out->bytes,
                sizeof out->bytes);
}

void tacit_key_wipe(tacit_key *key) { sodium_memzero(key, sizeof *key); }

void tacit_noise_key_fill(const tacit_key *key, tacit_noise_key *out) {
  tacit_key hash_key;
  tacit_words words;
  out->key = *key;
  tacit_key_derive(key, "tacit-pads-2", &hash_key);
  tacit_words_init(&words, hash_key.bytes);
  for (int which = 0; which < 2; ++which)
    for (size_t i = 0; i < 2 * TACIT_NOISE_CHUNK; ++i)
      out->pads[which][i] = tacit_words_next(&words);
  tacit_words_wipe(&words);
  tacit_key_wipe(&hash_key);
}

/* Opens the stream of noise words of one block.
   Proof: docs/proofs/tacit_noise_words.md */
void tacit_noise_words(const tacit_noise_key *key, uint64_t t, uint64_t block,
                       uint64_t scale, const tacit_i128 *raw_encoded, size_t count,
                       tacit_words *out) {
  unsigned char raw_bytes[32 + 32 * TACIT_NOISE_BLOCK / TACIT_NOISE_CHUNK];
  size_t size = 32;
  tacit_key subkey;
  tacit_store_le64(raw_bytes, t);
  tacit_store_le64(raw_bytes + 8, block);
  tacit_store_le64(raw_bytes + 16, (uint64_t)count);
  tacit_store_le64(raw_bytes + 24, scale);
  for (size_t i = 0; i < count; i += TACIT_NOISE_CHUNK) {
    size_t chunk = count - i < TACIT_NOISE_CHUNK ? count - i : TACIT_NOISE_CHUNK;
    for (int which = 0; which < 2; ++which, size += 16)
      tacit_hash_padded(key->pads[which], raw_encoded + i, chunk, raw_bytes + size);
  }
  tacit_hash_of(raw_bytes, size, "tacit-noise-3", key->key.bytes, sizeof key->key,
                subkey.bytes, sizeof subkey);
  tacit_words_init(out, subkey.bytes);
  tacit_key_wipe(&subkey);
  sodium_memzero(raw_bytes, sizeof raw_bytes);
}
