/* SPDX-License-Identifier: MIT */
/* Words of a ChaCha20 key stream. */
#include "vault/words.h"

#include <sodium.h>
#include <string.h>

void tacit_words_init(tacit_words *words, const unsigned char key[TACIT_KEY_BYTES]) {
  memset(words, 0, sizeof *words);
  memcpy(words->key, key, TACIT_KEY_BYTES);
  words->used = TACIT_WORDS_BUFFER;
}

void tacit_words_refill(tacit_words *words) {
  static const unsigned char nonce[crypto_stream_chacha20_NONCEBYTES] = {0};
  uint32_t *fresh = words->buffer + 1;
  const size_t size = sizeof words->buffer - sizeof words->buffer[0];
  unsigned char *bytes = (unsigned char *)fresh;
  words->buffer[0] = words->buffer[TACIT_WORDS_BUFFER - 1];
  words->used = words->used < TACIT_WORDS_BUFFER ? 0 : 1;
  memset(bytes, 0, size);
  (void)crypto_stream_chacha20_xor_ic(bytes, bytes, size, nonce, words->block,
                                      words->key);
  for (size_t i = 0; i < size / 4; ++i) {
    const unsigned char *b = bytes + 4 * i;
    fresh[i] = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
  }
  words->block += size / 64;
}

void tacit_words_wipe(tacit_words *words) { sodium_memzero(words, sizeof *words); }

uint64_t tacit_words_below(tacit_words *words, uint64_t bound) {
  /* Drops the first 2^64 mod bound words: the number of words that are left is a
     multiple of `bound`. */
  uint64_t first_kept = (0 - bound) % bound;
  uint64_t word;
  do {
    word = tacit_words_next(words);
  } while (word < first_kept);
  return word % bound;
}
