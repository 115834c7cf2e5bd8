/* SPDX-License-Identifier: MIT */
/* Keys and the layout of the noise stream. The layout fixes the bits of every seeded
   run: a change here is a change of version ("tacit-noise-1"). */
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

void tacit_noise_words(const tacit_key *key, uint64_t t, uint64_t block,
                       tacit_width width, const tacit_i128 *raw_encoded, size_t count,
                       tacit_words *out) {
  crypto_generichash_blake2b_state hash;
  unsigned char raw_bytes[16 * 64];
  tacit_key subkey;

  hash_init(&hash, key, "tacit-noise-1");
  tacit_store_le64(raw_bytes, t);
  tacit_store_le64(raw_bytes + 8, block);
  tacit_store_le64(raw_bytes + 16, (uint64_t)width);
  (void)crypto_generichash_blake2b_update(&hash, raw_bytes, 24);
  for (size_t i = 0; i < count;) {
    size_t filled = 0;
    for (; i < count && filled + 16 <= sizeof raw_bytes; ++i) {
      tacit_u128 bits = (tacit_u128)raw_encoded[i];
      tacit_store_le64(raw_bytes + filled, (uint64_t)bits);
      if (width == TACIT_WIDTH_16) {
        tacit_store_le64(raw_bytes + filled + 8, (uint64_t)(bits >> 64));
      }
      filled += (size_t)width;
    }
    (void)crypto_generichash_blake2b_update(&hash, raw_bytes, filled);
  }
  (void)crypto_generichash_blake2b_final(&hash, subkey.bytes, sizeof subkey.bytes);
  tacit_words_init(out, subkey.bytes);

  tacit_key_wipe(&subkey);
  sodium_memzero(raw_bytes, sizeof raw_bytes);
  sodium_memzero(&hash, sizeof hash);
}
