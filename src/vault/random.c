/* SPDX-License-Identifier: MIT */
/* Keys and the layout of the noise stream. The layout fixes the bits of every seeded
   run: a change here is a change of version ("tacit-noise-2"). */
#include "vault/random.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>
#include <sys/random.h>

#include "base/error.h"

static tacit_status start_sodium(tacit_error *err) {
  if (sodium_init() < 0) {
    return tacit_fail(err, TACIT_ERANDOM, "libsodium cannot be initialised");
  }
  return TACIT_OK;
}

tacit_status tacit_key_from_os(tacit_key *out, tacit_error *err) {
  TACIT_TRY(start_sodium(err));
  size_t have = 0;
  while (have < sizeof out->bytes) {
    ssize_t got = getrandom(out->bytes + have, sizeof out->bytes - have, 0);
    if (got > 0) {
      have += (size_t)got;
    } else if (got == 0 || errno != EINTR) {
      tacit_key_wipe(out);
      return tacit_fail(err, TACIT_ERANDOM,
                        "the operating system gives no random bytes: %s",
                        strerror(errno));
    }
  }
  return TACIT_OK;
}

/* `personal` is a domain separator of at most 16 characters, padded with zeros. */
static void hash_init(crypto_generichash_blake2b_state *hash, const tacit_key *key,
                      const char *personal) {
  unsigned char padded[crypto_generichash_blake2b_PERSONALBYTES] = {0};
  size_t length = strlen(personal);
  memcpy(padded, personal, length < sizeof padded ? length : sizeof padded);
  (void)crypto_generichash_blake2b_init_salt_personal(
      hash, key != NULL ? key->bytes : NULL, key != NULL ? sizeof key->bytes : 0,
      TACIT_KEY_BYTES, NULL, padded);
}

tacit_status tacit_key_from_seed(uint64_t seed, tacit_key *out, tacit_error *err) {
  TACIT_TRY(start_sodium(err));
  crypto_generichash_blake2b_state hash;
  unsigned char bytes[8];
  tacit_store_le64(bytes, seed);
  hash_init(&hash, NULL, "tacit-seed-1");
  (void)crypto_generichash_blake2b_update(&hash, bytes, sizeof bytes);
  (void)crypto_generichash_blake2b_final(&hash, out->bytes, sizeof out->bytes);
  return TACIT_OK;
}

void tacit_key_derive(const tacit_key *key, const char *purpose, tacit_key *out) {
  crypto_generichash_blake2b_state hash;
  hash_init(&hash, key, purpose);
  (void)crypto_generichash_blake2b_final(&hash, out->bytes, sizeof out->bytes);
  sodium_memzero(&hash, sizeof hash);
}

void tacit_key_wipe(tacit_key *key) { sodium_memzero(key, sizeof *key); }

void tacit_noise_key_fill(const tacit_key *key, tacit_noise_key *out) {
  tacit_key hash_key;
  tacit_words words;
  out->key = *key;
  tacit_key_derive(key, "tacit-pads-2", &hash_key);
  tacit_words_init(&words, hash_key.bytes);
  for (int which = 0; which < 2; ++which) {
    for (size_t i = 0; i < 2 * TACIT_NOISE_CHUNK; ++i)
      out->pads[which][i] = tacit_words_next(&words);
  }
  tacit_words_wipe(&words);
  tacit_key_wipe(&hash_key);
}

void tacit_noise_key_wipe(tacit_noise_key *key) { sodium_memzero(key, sizeof *key); }

static void store_le128(unsigned char *out, tacit_u128 value) {
  tacit_store_le64(out, (uint64_t)value);
  tacit_store_le64(out + 8, (uint64_t)(value >> 64));
}

/* Both digests of a chunk. */
static void chunk_digest(const tacit_noise_key *key, const tacit_i128 *raw_encoded,
                         size_t count, unsigned char *raw_out) {
  tacit_u128 raw_first = 0, raw_second = 0;
  for (size_t i = 0; i < count; ++i) {
    uint64_t raw_low = (uint64_t)raw_encoded[i];
    uint64_t raw_high = (uint64_t)((tacit_u128)raw_encoded[i] >> 64);
    const uint64_t *first = key->pads[0] + 2 * i, *second = key->pads[1] + 2 * i;
    raw_first += (tacit_u128)(raw_low + first[0]) * (raw_high + first[1]);
    raw_second += (tacit_u128)(raw_low + second[0]) * (raw_high + second[1]);
  }
  store_le128(raw_out, raw_first);
  store_le128(raw_out + 16, raw_second);
}

/* Proof: docs/proofs/tacit_noise_words.md */
void tacit_noise_words(const tacit_noise_key *key, uint64_t t, uint64_t block,
                       const tacit_i128 *raw_encoded, size_t count, tacit_words *out) {
  crypto_generichash_blake2b_state hash;
  unsigned char raw_bytes[32];
  tacit_key subkey;

  hash_init(&hash, &key->key, "tacit-noise-2");
  tacit_store_le64(raw_bytes, t);
  tacit_store_le64(raw_bytes + 8, block);
  tacit_store_le64(raw_bytes + 16, (uint64_t)count);
  (void)crypto_generichash_blake2b_update(&hash, raw_bytes, 24);
  for (size_t i = 0; i < count; i += TACIT_NOISE_CHUNK) {
    size_t left = count - i;
    chunk_digest(key, raw_encoded + i,
                 left < TACIT_NOISE_CHUNK ? left : TACIT_NOISE_CHUNK, raw_bytes);
    (void)crypto_generichash_blake2b_update(&hash, raw_bytes, sizeof raw_bytes);
  }
  (void)crypto_generichash_blake2b_final(&hash, subkey.bytes, sizeof subkey.bytes);
  tacit_words_init(out, subkey.bytes);

  tacit_key_wipe(&subkey);
  sodium_memzero(raw_bytes, sizeof raw_bytes);
  sodium_memzero(&hash, sizeof hash);
}
