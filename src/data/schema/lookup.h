/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_SCHEMA_LOOKUP_H
#define TACIT_DATA_SCHEMA_LOOKUP_H

#include <string.h>

#include "data/bytes/digits.h"
#include "data/schema/schema.h"

/* A hash table of declared texts, because categories are looked up for every row. The
   first sixteen characters of a text, zeros after its end, are compared as two words,
   without a branch on the length. */
typedef struct tacit_lookup_slot {
  const char *text; /* NULL: free */
  uint64_t head[2]; /* its first sixteen characters */
  size_t size, number;
} tacit_lookup_slot;

/* A text of up to sixteen characters that reads the same without quotes and without
   blanks around it, for the SIMD parser. */
typedef struct tacit_lookup_short {
  uint64_t head[2]; /* zeros after its end; all zeros: the empty text, or a free slot */
  uint64_t place;   /* its number; that of a free slot is none of them */
  uint64_t unused;
} tacit_lookup_short;

struct tacit_lookup {
  unsigned shift; /* slot = hash >> shift */
  size_t mask;
  tacit_lookup_short *shorts; /* NULL: none, look in `slots` */
  unsigned short_shift;
  uint64_t factor; /* of the hash of shorts; no two texts have the same slot */
  tacit_lookup_slot slots[];
};

/* Returns NULL if memory runs out. The texts are borrowed; `none` is the number that no
   entry has. */
tacit_lookup *tacit_lookup_new(const tacit_entry *entries, size_t count, size_t none);
void tacit_lookup_free(tacit_lookup *lookup);

/* The slot among `shorts` of a text with this head: the text is there or nowhere. */
static inline size_t tacit_lookup_short_slot(uint64_t factor, unsigned shift,
                                             uint64_t first, uint64_t second) {
  return (size_t)((first + 2 * second) * factor >> shift);
}
/* 1 if a text of at most sixteen characters is among `shorts` if it is declared: it has
   no blank, tab, CR or quote at its beginning or end, and does not end with ".0", as
   the second spellings of whole numbers do: `shorts` is small, so that it stays in the
   cache. */
static inline int tacit_lookup_is_short(const char *text, size_t size) {
  return size == 0 || (size <= 16 && (unsigned char)text[0] > '"' &&
                       (unsigned char)text[size - 1] > ' ' && text[size - 1] != '"' &&
                       !(size > 2 && text[size - 1] == '0' && text[size - 2] == '.'));
}

/* The first `size` characters of a word; zeros in place of the others. */
static inline uint64_t tacit_lookup_cut(uint64_t word, size_t size) {
  unsigned half = size < 8
                      ? 4 * (unsigned)size
                      : 32; /* half of the bits: a shift by 64 at once is undefined */
  return word & ~(UINT64_MAX << half << half);
}

static inline uint64_t tacit_lookup_mix(uint64_t hash, uint64_t word) {
  return (hash ^ hash >> 29 ^ word) * UINT64_C(0x9e3779b97f4a7c15);
}

/* The slot of a text; NULL: not declared. At least sixteen characters after the text
   must be readable. */
static inline const tacit_lookup_slot *
tacit_lookup_find(const tacit_lookup *lookup, const char *text, size_t size) {
  uint64_t first = tacit_lookup_cut(tacit_chars(text), size);
  uint64_t second = tacit_lookup_cut(tacit_chars(text + 8), size > 8 ? size - 8 : 0);
  uint64_t hash = tacit_lookup_mix(tacit_lookup_mix(0, first), second);
  for (size_t i = 16; i < size; i += 8)
    hash = tacit_lookup_mix(hash, tacit_lookup_cut(tacit_chars(text + i), size - i));
  for (size_t place = (size_t)(hash >> lookup->shift);;
       place = (place + 1) & lookup->mask) {
    const tacit_lookup_slot *slot = &lookup->slots[place];
    uint64_t other =
        (slot->head[0] ^ first) | (slot->head[1] ^ second) | (slot->size ^ size);
    if (other == 0 && slot->text != NULL &&
        (size <= 16 || memcmp(slot->text + 16, text + 16, size - 16) == 0))
      return slot;
    if (slot->text == NULL) return NULL;
  }
}

#endif
