/* SPDX-License-Identifier: MIT */
#ifndef TACIT_VAULT_KEY_H
#define TACIT_VAULT_KEY_H

#include <stddef.h>
#include <stdint.h>
#include <tacit/status.h>

#include "base/numbers.h"
#include "vault/words.h"

/* The secret from which all noise of a run is made. It must be wiped when the run
   ends. */
typedef struct tacit_key {
  unsigned char bytes[TACIT_KEY_BYTES];
} tacit_key;

/* Gets a fresh key from the operating system. Returns TACIT_ERANDOM if that fails. */
tacit_status tacit_key_from_os(tacit_key *out, tacit_error *err);
/* Derives a second key for another purpose, which must be a text of at most 16
   characters. */
void tacit_key_derive(const tacit_key *key, const char *purpose, tacit_key *out);
void tacit_key_wipe(tacit_key *key);

/* Coordinates that draw noise under one key, and coordinates that are hashed
   together. */
enum { TACIT_NOISE_BLOCK = 1024, TACIT_NOISE_CHUNK = 256 };

/* What the keys of noise blocks are made from: the key of the run, and the pads of the
   hash in tacit_noise_words. */
typedef struct tacit_noise_key {
  tacit_key key;
  uint64_t pads[2][2 * TACIT_NOISE_CHUNK];
} tacit_noise_key;

/* Sets the key and its pads, which are the first words of the ChaCha20 stream under the
   key for purpose "tacit-pads-2". */
void tacit_noise_key_fill(const tacit_key *key, tacit_noise_key *out);

/*
 * Opens the noise words of round t, block j, which has at most TACIT_NOISE_BLOCK
 * integers: the ChaCha20 stream under the key BLAKE2b-256(key = run key, personal =
 * "tacit-noise-3", message = t, j, count, scale (8 bytes each), then two digests (16
 * bytes each) of every chunk), all least significant byte first. If low_i and high_i
 * are the 64-bit halves of the encoded integers of a chunk in two's complement, the
 * digest under pads p is
 *
 *   sum over i of (low_i + p_2i mod 2^64) (high_i + p_2i+1 mod 2^64)  mod 2^128.
 *
 * Two different blocks have the same digests with probability at most 2^-128
 * (docs/proofs/tacit_noise_words.md). So the key depends on what is released: if a run
 * is repeated under one run key on changed data, it draws fresh noise wherever the
 * integers or the scale differ, and no words are used at two scales. Any thread or rank
 * can draw its blocks alone.
 */
void tacit_noise_words(const tacit_noise_key *key, uint64_t t, uint64_t block,
                       uint64_t scale, const tacit_i128 *raw_encoded, size_t count,
                       tacit_words *out);

#endif
