/* SPDX-License-Identifier: MIT */
#ifndef TACIT_DATA_LOOKUP_H
#define TACIT_DATA_LOOKUP_H

#include <string.h>

#include "data/digits.h"
#include "data/schema.h"

/* Where a text stands among declared ones, by a table of hashes: categories are looked
   up for every row. Texts hold no NUL, so the first eight characters, with zeros behind
   a shorter text, tell short texts apart at one glance. */
typedef struct tacit_lookup_slot {
  const char *text; /* NULL: free */
  uint64_t head;    /* its first eight characters */
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
  return size < 8 ? raw_word & ~(UINT64_MAX << 8 * size) : raw_word;
}

static inline uint64_t tacit_lookup_mix(uint64_t raw_hash, uint64_t raw_word) {
  return (raw_hash ^ raw_hash >> 29 ^ raw_word) * UINT64_C(0x9e3779b97f4a7c15);
}

/* The slot of a text; NULL: not declared. Eight characters behind the text can be read.
 */
static inline const tacit_lookup_slot *
tacit_lookup_find(const tacit_lookup *lookup, const char *raw_text, size_t size) {
  uint64_t raw_head = tacit_lookup_cut(tacit_chars(raw_text), size);
  uint64_t raw_hash = tacit_lookup_mix(0, raw_head);
  for (size_t i = 8; i < size; i += 8)
    raw_hash = tacit_lookup_mix(raw_hash,
                                tacit_lookup_cut(tacit_chars(raw_text + i), size - i));
  for (size_t raw_slot = (size_t)(raw_hash >> lookup->shift);;
       raw_slot = (raw_slot + 1) & lookup->mask) {
    const tacit_lookup_slot *slot = &lookup->slots[raw_slot];
    if (slot->head == raw_head && slot->size == size && slot->text != NULL &&
        (size <= 8 || memcmp(slot->text + 8, raw_text + 8, size - 8) == 0))
      return slot;
    if (slot->text == NULL) return NULL;
  }
}

#endif
