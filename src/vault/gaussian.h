/* SPDX-License-Identifier: MIT */
#ifndef TACIT_VAULT_GAUSSIAN_H
#define TACIT_VAULT_GAUSSIAN_H

#include <stddef.h>
#include <stdint.h>

#include "base/numbers.h"
#include "vault/words.h"

/* Scales up to here leave room in 128-bit sums for any number of standard deviations.
 */
#define TACIT_NOISE_SCALE_MAX ((uint64_t)1 << 57)

/* round(scale * Z), Z standard normal, sampled exactly; 1 <= scale <= 2^57. */
tacit_i128 tacit_noise_exact(tacit_words *words, uint64_t scale);

/* Adds as many of them to raw_row: the same words in the same order, quicker. */
void tacit_noise_exact_add(tacit_words *words, uint64_t scale, tacit_i128 *raw_row,
                           size_t count);
/* The same law in double precision, leaky in its low bits: never private. */
void tacit_noise_fast_add(tacit_words *words, uint64_t scale, tacit_i128 *raw_row,
                          size_t count);

#endif
