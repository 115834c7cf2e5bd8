/* SPDX-License-Identifier: MIT */
#ifndef TACIT_VAULT_WORDS_H
#define TACIT_VAULT_WORDS_H

#include <stddef.h>
#include <stdint.h>

/* Halves (32 bits) in the buffer: 32 blocks of the stream, after room for one half that
   is left over. A larger buffer is not faster, and costs more if few words are
   needed. */
enum { TACIT_KEY_BYTES = 32, TACIT_WORDS_BUFFER = 1 + 512 };

/*
 * The ChaCha20 key stream of one key (nonce 0, from counter 0). The caller takes pieces
 * of 64 bits (words) and 32 bits (halves) in the order of the stream, each least
 * significant byte first. Nothing is skipped, and a word may span two refills. All
 * state is in this struct.
 */
typedef struct tacit_words {
  unsigned char key[TACIT_KEY_BYTES];
  uint64_t block; /* number of the next 64-byte block of the stream */
  size_t used;    /* halves taken from the buffer */
  uint32_t buffer[TACIT_WORDS_BUFFER];
} tacit_words;

void tacit_words_init(tacit_words *words, const unsigned char key[TACIT_KEY_BYTES]);
/* Fills the buffer with the next words of the stream. At most one half may be left in
   it, which is kept. */
void tacit_words_refill(tacit_words *words);
/* Wipes key and buffer of a stream. */
void tacit_words_wipe(tacit_words *words);

static inline uint32_t tacit_words_half(tacit_words *words) {
  if (words->used == TACIT_WORDS_BUFFER) tacit_words_refill(words);
  return words->buffer[words->used++];
}

static inline uint64_t tacit_words_next(tacit_words *words) {
  if (words->used + 2 > TACIT_WORDS_BUFFER) tacit_words_refill(words);
  const uint32_t *half = &words->buffer[words->used];
  words->used += 2;
  return half[0] | (uint64_t)half[1] << 32;
}

/* Returns a uniform number of {0, …, bound-1}, exactly. `bound` must be at least 1. */
uint64_t tacit_words_below(tacit_words *words, uint64_t bound);

#endif
