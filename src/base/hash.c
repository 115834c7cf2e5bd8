/* SPDX-License-Identifier: MIT */
/* BLAKE2b by libsodium. Its calls fail only for sizes out of range, and the sizes here
   are constants. */
#include "base/hash.h"

#include <string.h>

#include "base/numbers.h"

/* Returns `out` with the purpose, padded with zeros as libsodium wants it, or NULL if
   there is no purpose. */
static const unsigned char *pad(const char *purpose,
                                unsigned char out[TACIT_HASH_PURPOSE_MAX]) {
  if (purpose == NULL) return NULL;
  memset(out, 0, TACIT_HASH_PURPOSE_MAX);
  memcpy(out, purpose, strnlen(purpose, TACIT_HASH_PURPOSE_MAX));
  return out;
}

void tacit_hash_begin(tacit_hash *hash, size_t size, const char *purpose) {
  tacit_hash_begin_keyed(hash, size, purpose, NULL, 0);
}

void tacit_hash_begin_keyed(tacit_hash *hash, size_t size, const char *purpose,
                            const unsigned char *key, size_t key_size) {
  unsigned char padded[TACIT_HASH_PURPOSE_MAX];
  (void)crypto_generichash_blake2b_init_salt_personal(&hash->state, key, key_size, size,
                                                      NULL, pad(purpose, padded));
}

void tacit_hash_add(tacit_hash *hash, const void *bytes, size_t size) {
  if (size > 0) (void)crypto_generichash_blake2b_update(&hash->state, bytes, size);
}

void tacit_hash_add_number(tacit_hash *hash, uint64_t number) {
  unsigned char bytes[8];
  tacit_store_le64(bytes, number);
  tacit_hash_add(hash, bytes, sizeof bytes);
}

void tacit_hash_add_text(tacit_hash *hash, const char *text) {
  tacit_hash_add(hash, text, strlen(text) + 1);
}

void tacit_hash_end(tacit_hash *hash, unsigned char *out, size_t size) {
  (void)crypto_generichash_blake2b_final(&hash->state, out, size);
}

void tacit_hash_of(const void *bytes, size_t size, const char *purpose,
                   const unsigned char *key, size_t key_size, unsigned char *out,
                   size_t out_size) {
  unsigned char padded[TACIT_HASH_PURPOSE_MAX];
  (void)crypto_generichash_blake2b_salt_personal(out, out_size, bytes, size, key,
                                                 key_size, NULL, pad(purpose, padded));
}

void tacit_hash_padded(const uint64_t *pads, const tacit_i128 *raw_integers,
                       size_t count, unsigned char raw_out[16]) {
  tacit_u128 raw_sum = 0;
  for (size_t i = 0; i < count; ++i) {
    tacit_u128 raw_bits = (tacit_u128)raw_integers[i];
    uint64_t raw_low = (uint64_t)raw_bits + pads[2 * i];
    uint64_t raw_high = (uint64_t)(raw_bits >> 64) + pads[2 * i + 1];
    raw_sum += (tacit_u128)raw_low * raw_high;
  }
  tacit_store_le64(raw_out, (uint64_t)raw_sum);
  tacit_store_le64(raw_out + 8, (uint64_t)(raw_sum >> 64));
}
