/* SPDX-License-Identifier: MIT */
/* Words of a ChaCha20 key stream. */
#include "base/words.h"

#include <sodium.h>
#include <string.h>

#include "base/numbers.h"

void tacit_words_init(tacit_words *words, const unsigned char key[TACIT_KEY_BYTES]) {
  memset(words, 0, sizeof *words);
  memcpy(words->key, key, TACIT_KEY_BYTES);
  words->used = TACIT_WORDS_BUFFER;
}

void tacit_words_refill(tacit_words *words) {
  static const unsigned char nonce[crypto_stream_chacha20_NONCEBYTES] = {0};
  unsigned char bytes[TACIT_WORDS_BUFFER * 8] = {0};
  (void)crypto_stream_chacha20_xor_ic(bytes, bytes, sizeof bytes, nonce, words->block,
                                      words->key);
  for (size_t i = 0; i < TACIT_WORDS_BUFFER; ++i) {
    words->buffer[i] = tacit_load_le64(bytes + 8 * i);
  }
  sodium_memzero(bytes, sizeof bytes);
  words->block += sizeof bytes / 64;
  words->used = 0;
}

void tacit_words_wipe(tacit_words *words) { sodium_memzero(words, sizeof *words); }

uint64_t tacit_words_below(tacit_words *words, uint64_t bound) {
  /* Drop the first 2^64 mod bound words: what is left is a multiple of bound. */
  uint64_t first_kept = (0 - bound) % bound;
  uint64_t word;
  do {
    word = tacit_words_next(words);
  } while (word < first_kept);
  return word % bound;
}
