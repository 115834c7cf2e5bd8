/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BASE_WORDS_H
#define TACIT_BASE_WORDS_H

#include <stddef.h>
#include <stdint.h>

enum { TACIT_KEY_BYTES = 32, TACIT_WORDS_BUFFER = 64 };

/* The ChaCha20 key stream of one key (nonce 0) as 64-bit words, least significant byte
   first, in order from counter 0. No state outside this struct. */
typedef struct tacit_words {
  unsigned char key[TACIT_KEY_BYTES];
  uint64_t block; /* next 64-byte block of the stream */
  size_t used;    /* words taken from the buffer */
  uint64_t buffer[TACIT_WORDS_BUFFER];
} tacit_words;

void tacit_words_init(tacit_words *words, const unsigned char key[TACIT_KEY_BYTES]);
void tacit_words_refill(tacit_words *words);
/* Wipes key and buffer. */
void tacit_words_wipe(tacit_words *words);

static inline uint64_t tacit_words_next(tacit_words *words) {
  if (words->used == TACIT_WORDS_BUFFER) tacit_words_refill(words);
  return words->buffer[words->used++];
}

/* Uniform on {0, …, bound-1}, exactly; bound >= 1. */
uint64_t tacit_words_below(tacit_words *words, uint64_t bound);

#endif
