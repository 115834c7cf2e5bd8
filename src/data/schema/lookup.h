/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_SCHEMA_LOOKUP_H
#define TACIT_DATA_SCHEMA_LOOKUP_H

#include <string.h>

#include "data/bytes/digits.h"
#include "data/schema/schema.h"

/* Where a text stands among declared ones, by a table of hashes: categories are looked
   up for every row. The first sixteen characters, with zeros behind a shorter text, are
   compared at one glance and without a branch on the length. */
typedef struct tacit_lookup_slot {
  const char *text; /* NULL: free */
  uint64_t head[2]; /* its first sixteen characters */
  size_t size, number;
} tacit_lookup_slot;

struct tacit_lookup {
  unsigned shift; /* a hash without its lowest bits is a slot */
  size_t mask;
  tacit_lookup_slot slots[];
};

/* NULL: no memory. Free with tacit_array_free. Keeps the texts by reference. */
tacit_lookup *tacit_lookup_new(const tacit_entry *entries, size_t count);

/* What is left of a word when `size` characters of it count. */
static inline uint64_t tacit_lookup_cut(uint64_t raw_word, size_t size) {
  unsigned raw_half =
      size < 8 ? 4 * (unsigned)size : 32; /* bits; a shift by 64 is none */
  return raw_word & ~(UINT64_MAX << raw_half << raw_half);
}

static inline uint64_t tacit_lookup_mix(uint64_t raw_hash, uint64_t raw_word) {
  return (raw_hash ^ raw_hash >> 29 ^ raw_word) * UINT64_C(0x9e3779b97f4a7c15);
}

/* The slot of a text; NULL: not declared. Sixteen characters behind the text can be
   read. */
static inline const tacit_lookup_slot *
tacit_lookup_find(const tacit_lookup *lookup, const char *raw_text, size_t size) {
  uint64_t raw_first = tacit_lookup_cut(tacit_chars(raw_text), size);
  uint64_t raw_second =
      tacit_lookup_cut(tacit_chars(raw_text + 8), size > 8 ? size - 8 : 0);
  uint64_t raw_hash = tacit_lookup_mix(tacit_lookup_mix(0, raw_first), raw_second);
  for (size_t i = 16; i < size; i += 8)
    raw_hash = tacit_lookup_mix(raw_hash,
                                tacit_lookup_cut(tacit_chars(raw_text + i), size - i));
  for (size_t raw_slot = (size_t)(raw_hash >> lookup->shift);;
       raw_slot = (raw_slot + 1) & lookup->mask) {
    const tacit_lookup_slot *slot = &lookup->slots[raw_slot];
    uint64_t raw_other = (slot->head[0] ^ raw_first) | (slot->head[1] ^ raw_second) |
                         (slot->size ^ size);
    if (raw_other == 0 && slot->text != NULL &&
        (size <= 16 || memcmp(slot->text + 16, raw_text + 16, size - 16) == 0))
      return slot;
    if (slot->text == NULL) return NULL;
  }
}

#endif
