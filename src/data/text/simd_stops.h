/* SPDX-License-Identifier: MIT */
/* The first step of the SIMD parser: the positions of stops, 64 characters at a time.
   The characters of one kind are the bits of a word, bit 0 for the first character. */
#ifndef TACIT_DATA_TEXT_SIMD_STOPS_H
#define TACIT_DATA_TEXT_SIMD_STOPS_H

#include "data/text/place_table.h"
#include "data/text/simd.h"
#include "data/text/simd_vectors.h"

#if defined(TACIT_SIMD_VECTORS)

/* Stops are written TACIT_STOPS_FEW at a time. Blocks with more than twice as many use
   the table of places. */
enum { TACIT_BLOCK = 64, TACIT_STOPS_FEW = 8 };

/* Appends the places after the bits of a word. Returns the new end. */
TACIT_SIMD_INLINE uint32_t *tacit_stops_put(uint32_t *out, uint32_t at, uint64_t word) {
  uint32_t *end = out + __builtin_popcountll(word);
  if (end - out > 2 * TACIT_STOPS_FEW) {
    /* eight characters at a time, however many of them are stops */
    tacit_eight place = tacit_eight_of(at);
    for (int i = 0; i < TACIT_BLOCK / 8; ++i, word >>= 8) {
      tacit_eight_put(out, &tacit_place_table[word & 0xff], &place);
      out += __builtin_popcountll(word & 0xff);
    }
    return end;
  }
  for (;;) {
    for (int i = 0; i < TACIT_STOPS_FEW; ++i) {
      out[i] = at + tacit_low_bit(word);
      word &= word - 1;
    }
    out += TACIT_STOPS_FEW;
    if (__builtin_expect(out >= end, 1)) return end;
  }
}

/* Appends, for each LF of a block, how many stops there are up to it. Most blocks have
   at most one LF, and no branch depends on that. Returns the new end. */
TACIT_SIMD_INLINE uint32_t *tacit_stops_put_lines(uint32_t *out, uint32_t n_before,
                                                  uint64_t stops, uint64_t ends) {
  do {
    uint64_t up_to = ends ^ (ends - 1);
    *out = n_before + (uint32_t)__builtin_popcountll(stops & up_to);
    out += (ends | (0 - ends)) >> 63; /* 1 unless `ends` is 0; compilers would branch on
                                         != */
    ends &= ends - 1;
  } while (__builtin_expect(ends != 0, 0));
  return out;
}

/* Returns a word whose bit i is the number of bits up to and including i, modulo 2. */
TACIT_SIMD_INLINE uint64_t tacit_parity(uint64_t word) {
  for (int shift = 1; shift < 64; shift *= 2)
    word ^= word << shift;
  return word;
}

/* The state of quotes before the next block. */
struct tacit_before {
  uint64_t inside;   /* all bits set between quotes, otherwise 0 */
  uint64_t may_open; /* 1 if a cell may begin there */
  uint64_t closed;   /* 1 if a quote closed a cell just before */
};

/* Removes from *stops and *ends what is between quotes. Returns 0 if a quote is neither
   at the beginning nor at the end of a cell, or if a line ends between quotes. */
TACIT_SIMD_INLINE int tacit_stops_quotes(const tacit_block *block, uint64_t quotes,
                                         struct tacit_before *before, uint64_t *stops,
                                         uint64_t *ends) {
  uint64_t parity = tacit_parity(quotes) ^ before->inside; /* set from an opening quote
                                                              on */
  uint64_t opening = quotes & parity, closing = quotes & ~parity;
  uint64_t outside = ~parity & ~closing;
  uint64_t lost = *ends & parity;
  *stops &= outside;
  uint64_t blanks = tacit_block_is(block, ' ') & outside;
  uint64_t begins = *stops << 1 | before->may_open;
  begins |= (begins & blanks) << 1;
  uint64_t follows = (closing << 1) | before->closed;
  *ends &= outside;
  uint64_t good_end = *stops | (tacit_block_is(block, '\r') & *ends >> 1);
  before->inside = 0 - (parity >> 63);
  before->may_open = (*stops >> 63) | ((begins & blanks) >> 63);
  before->closed = closing >> 63;
  return (lost | (opening & ~begins) | (follows & ~good_end)) == 0;
}

/* Finds the stops of a window of text, up to the last whole line or the first unusual
   one. */
TACIT_SIMD_INLINE void tacit_stops_find(tacit_stops *stops, const char *end,
                                        char delimiter, int is_csv) {
  size_t size = (size_t)(end - stops->base);
  if (size > stops->window) size = stops->window;
  uint32_t *out = stops->after, *lines = stops->ends;
  struct tacit_before before = {0, 1, 0};
  for (size_t at = 0; at < size; at += TACIT_BLOCK) {
    tacit_block block = tacit_block_load(stops->base + at);
    uint64_t ends = tacit_block_is(&block, '\n');
    uint64_t found = is_csv ? tacit_block_is(&block, delimiter) | ends
                            : tacit_block_is_blank_or(&block, ':');
    if (size - at < TACIT_BLOCK) {
      uint64_t rest = (UINT64_C(1) << (size - at)) - 1;
      found &= rest;
      ends &= rest;
    }
    if (is_csv) {
      uint64_t quotes = tacit_block_is(&block, '"');
      if (size - at < TACIT_BLOCK) quotes &= (UINT64_C(1) << (size - at)) - 1;
      if (__builtin_expect((quotes | before.inside | before.closed) != 0, 0)) {
        if (!tacit_stops_quotes(&block, quotes, &before, &found, &ends)) break;
      } else {
        before.may_open = found >> 63;
      }
    }
    lines = tacit_stops_put_lines(lines, (uint32_t)(out - stops->after), found, ends);
    out = tacit_stops_put(out, (uint32_t)at + 1, found);
  }
  stops->n_lines = (size_t)(lines - stops->ends);
}

#endif

#endif
