/* SPDX-License-Identifier: MIT */
/* Finds line ends, 64 characters at a time. Compiled for the level of the processor. */
#include "data/text/line_ends.h"
#include "data/text/simd_stops.h"

/* Adds the line ends of the block at place `at`. Most blocks have at most one, and no
   branch depends on that. Returns the bits of its NULs. */
TACIT_SIMD_INLINE uint64_t note_block(tacit_line_ends *ends, const char *bytes,
                                      size_t at) {
  tacit_block block = tacit_block_load(bytes);
  uint64_t found = tacit_block_is(&block, '\n');
  uint32_t *out = ends->after + ends->count;
  ends->count += (size_t)__builtin_popcountll(found);
  do {
    *out++ = (uint32_t)at + tacit_low_bit(found) + 1;
    found &= found - 1;
  } while (__builtin_expect(found != 0, 0));
  return tacit_block_is(&block, '\0');
}

void tacit_simd_line_ends(tacit_line_ends *ends, const char *bytes, size_t size) {
  tacit_line_ends own = *ends;
  uint64_t nuls = 0;
  size_t at = 0;
  for (; size - at >= TACIT_BLOCK && own.count <= TACIT_LINE_ENDS - TACIT_BLOCK;
       at += TACIT_BLOCK)
    nuls |= note_block(&own, bytes + at, at);
  if (size - at < TACIT_BLOCK && own.count <= TACIT_LINE_ENDS - TACIT_BLOCK) {
    char last[TACIT_BLOCK];
    memset(last, ' ', sizeof last);
    memcpy(last, bytes + at, size - at);
    nuls |= note_block(&own, last, at);
    at = size;
  }
  own.size = at;
  own.has_nul = nuls != 0;
  *ends = own;
}
