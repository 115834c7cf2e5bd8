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
  const char *text; /* NULL if the slot is free */
  uint64_t head[2]; /* the first sixteen characters of the text */
  size_t size, number;
} tacit_lookup_slot;

/* A text of up to sixteen characters that reads the same without quotes and without
   blanks around it, for the SIMD parser. */
typedef struct tacit_lookup_short {
  uint64_t head[2]; /* the text, then zeros; all zeros for the empty text and for a free
                       slot */
  uint64_t place;   /* number of the text; in a free slot the number that no text has */
  uint64_t unused;
} tacit_lookup_short;

struct tacit_lookup {
  unsigned shift; /* slot = hash >> shift */
  size_t mask;
  tacit_lookup_short *shorts; /* NULL if there is no such table: look in `slots` */
  unsigned short_shift;
  uint64_t factor; /* factor of the hash of `shorts`, with which no two texts have the
                      same slot */
  tacit_lookup_slot slots[];
};

/* Makes the hash table of `count` texts. Borrows the texts. `none` must be a number
   that no entry has. Returns NULL if memory runs out. */
tacit_lookup *tacit_lookup_new(const tacit_entry *entries, size_t count, size_t none);
void tacit_lookup_free(tacit_lookup *lookup);

/* Returns the only slot of `shorts` in which a text with this head can be. */
static inline size_t tacit_lookup_short_slot(uint64_t factor, unsigned shift,
                                             uint64_t first, uint64_t second) {
  return (size_t)((first + 2 * second) * factor >> shift);
}
/* Returns 1 if `shorts` contains this text, provided that it is declared. Such a text
   has at most sixteen characters, and no blank, tab, CR or quote at its beginning or
   end. It does not end with ".0", because the second spellings of whole numbers are
   left out to keep `shorts` small enough for the cache. */
static inline int tacit_lookup_is_short(const char *text, size_t size) {
  return size == 0 || (size <= 16 && (unsigned char)text[0] > '"' &&
                       (unsigned char)text[size - 1] > ' ' && text[size - 1] != '"' &&
                       !(size > 2 && text[size - 1] == '0' && text[size - 2] == '.'));
}

/* Returns the first `size` characters of a word, with zeros instead of the others. */
static inline uint64_t tacit_lookup_cut(uint64_t word, size_t size) {
  unsigned half =
      size < 8 ? 4 * (unsigned)size : 32; /* half of the bits to shift, because a shift
                                             by 64 at once is undefined */
  return word & ~(UINT64_MAX << half << half);
}

static inline uint64_t tacit_lookup_mix(uint64_t hash, uint64_t word) {
  return (hash ^ hash >> 29 ^ word) * UINT64_C(0x9e3779b97f4a7c15);
}

/* Returns the slot of a text, or NULL if the text is not declared. At least sixteen
   characters after the text must be readable. */
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
