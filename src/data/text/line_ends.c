/* SPDX-License-Identifier: MIT */
/* Finds line ends of a text that is only counted. The SIMD search finds them and any
   NUL in one sweep over memory, because this work waits for memory. */
#include "data/text/line_ends.h"

#include <string.h>

#include "base/memory.h"
#include "data/text/lines.h"

int tacit_line_ends_init(tacit_line_ends *ends) {
  *ends = (tacit_line_ends){
      .after = tacit_raw_new(TACIT_LINE_ENDS + 1, sizeof *ends->after)};
  return ends->after != NULL;
}

void tacit_line_ends_fini(tacit_line_ends *ends) {
  tacit_raw_free(ends->after);
  ends->after = NULL;
}

static void find_plain(tacit_line_ends *ends, const char *bytes, size_t size,
                       int quotes) {
  const char *at = bytes, *end = bytes + size;
  int open = 0;
  while (ends->count < TACIT_LINE_ENDS &&
         (at = tacit_record_end(at, end, quotes, &open)) != NULL)
    ends->after[ends->count++] = (uint32_t)(++at - bytes);
  ends->size = at != NULL ? (size_t)(at - bytes) : size;
  ends->has_nul = memchr(bytes, '\0', ends->size) != NULL;
}

void tacit_line_ends_find(tacit_line_ends *ends, const char *bytes, size_t size,
                          int quotes, int is_simd) {
  ends->count = 0;
  if (is_simd && !quotes)
    tacit_simd_line_ends(ends, bytes, size);
  else
    find_plain(ends, bytes, size, quotes);
}
