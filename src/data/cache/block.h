/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_CACHE_BLOCK_H
#define TACIT_DATA_CACHE_BLOCK_H

#include <stdint.h>

#include "data/cache/cache.h"

/* Number types of the parts of a block. The value is the bytes per number. */
enum {
  TACIT_CACHE_ONES = 0, /* no numbers are stored: all values (or weights) are 1, or
                           there are no labels */
  TACIT_CACHE_INT8 = 1, /* labels only */
  TACIT_CACHE_FLOAT32 = 4,
  TACIT_CACHE_FLOAT64 = 8
};

/* Bits of byte 4 of a block. Other bits must be 0. */
enum { TACIT_CACHE_FILLED = 1, TACIT_CACHE_WEIGHTS = 2, TACIT_CACHE_UNITS = 4 };

/* The head of a block. After it come values, labels, weights if not all are 1, ids
   of persons, and, unless the block is filled, the number of entries of each row and
   the indices. */
typedef struct tacit_cache_block {
  uint32_t n_rows;
  unsigned char is_filled; /* 1 if every row has a value for every feature */
  unsigned char values, labels;
  unsigned char weights; /* TACIT_CACHE_FLOAT64, or TACIT_CACHE_ONES if all weights are
                            1 */
  unsigned char units;   /* sizeof(tacit_unit), or 0 if rows have no ids */
  unsigned char indices; /* bytes per index: 2 or 4; 0 if filled */
  uint64_t n_entries;    /* number of values */
} tacit_cache_block;

/* Returns the bytes of the whole block. n_entries is at most 2^42, so nothing
   overflows. */
static inline uint64_t tacit_cache_block_size(const tacit_cache_block *block) {
  return TACIT_CACHE_BLOCK_HEAD +
         block->n_entries * (uint64_t)(block->values + block->indices) +
         (uint64_t)block->n_rows *
             (uint64_t)(block->labels + block->weights + block->units) +
         (block->is_filled ? 0 : 4 * (uint64_t)block->n_rows);
}

#endif
