/* SPDX-License-Identifier: MIT */
#ifndef TACIT_VAULT_RANDOM_H
#define TACIT_VAULT_RANDOM_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/status.h>

#include "base/numbers.h"
#include "base/words.h"

/* The secret all noise of a run comes from. Wiped when the run ends. */
typedef struct tacit_key {
  unsigned char bytes[TACIT_KEY_BYTES];
} tacit_key;

/* A fresh key from the operating system; TACIT_ERANDOM when it gives none. */
tacit_status tacit_key_from_os(tacit_key *out, tacit_error *err);
/* A key anyone can make again: a run that uses it is not private. */
tacit_status tacit_key_from_seed(uint64_t seed, tacit_key *out, tacit_error *err);
/* A second key for another use, `purpose` of at most 16 characters. */
void tacit_key_derive(const tacit_key *key, const char *purpose, tacit_key *out);
void tacit_key_wipe(tacit_key *key);

/* How an encoded integer stands in the message below. */
typedef enum tacit_width { TACIT_WIDTH_8 = 8, TACIT_WIDTH_16 = 16 } tacit_width;

/*
 * The noise words of round t, block j (1024 coordinates): the ChaCha20 stream under
 *   BLAKE2b-256(key = run key, personal = "tacit-noise-1", message =
 *               t, j, width (8 bytes each), then the encoded integers of the block),
 * everything least significant byte first, two's complement of `width` bytes. The key
 * depends on what is released, so a run repeated on changed data under one run key
 * draws fresh noise where it differs. Any thread or rank can draw its blocks alone.
 */
enum { TACIT_NOISE_BLOCK = 1024 };
void tacit_noise_words(const tacit_key *key, uint64_t t, uint64_t block,
                       tacit_width width, const tacit_i128 *raw_encoded, size_t count,
                       tacit_words *out);

#endif
