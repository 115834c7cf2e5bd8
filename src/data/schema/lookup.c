/* SPDX-License-Identifier: MIT */
/* Hash tables for declared texts. At most a quarter of the slots is used, so that
   searches are short. The whole text is hashed, so that texts with the same beginning
   get different slots. */
#include "data/schema/lookup.h"

#include "base/memory.h"

enum { MIN_BITS = 3 };

/* Eight characters of a text from `at`; zeros after its end. */
static uint64_t load(const char *text, size_t size, size_t at) {
  char chars[8] = {0};
  if (at < size) memcpy(chars, text + at, size - at < 8 ? size - at : 8);
  return tacit_chars(chars);
}

static void insert(tacit_lookup *lookup, const tacit_entry *entry) {
  size_t size = strlen(entry->text);
  tacit_lookup_slot made = {.text = entry->text, .size = size, .number = entry->number};
  made.head[0] = load(entry->text, size, 0);
  made.head[1] = load(entry->text, size, 8);
  uint64_t hash = tacit_lookup_mix(tacit_lookup_mix(0, made.head[0]), made.head[1]);
  for (size_t i = 16; i < size; i += 8)
    hash = tacit_lookup_mix(hash, load(entry->text, size, i));
  size_t slot = (size_t)(hash >> lookup->shift);
  while (lookup->slots[slot].text != NULL)
    slot = (slot + 1) & lookup->mask;
  lookup->slots[slot] = made;
}

tacit_lookup *tacit_lookup_new(const tacit_entry *entries, size_t count) {
  unsigned bits = MIN_BITS;
  while ((size_t)1 << bits < 4 * count)
    ++bits;
  size_t n_slots = (size_t)1 << bits;
  if (n_slots > (SIZE_MAX - sizeof(tacit_lookup)) / sizeof(tacit_lookup_slot))
    return NULL;
  tacit_lookup *lookup =
      tacit_array_new(1, sizeof *lookup + n_slots * sizeof lookup->slots[0]);
  if (lookup == NULL) return NULL;
  lookup->shift = 64 - bits;
  lookup->mask = n_slots - 1;
  for (size_t i = 0; i < count; ++i)
    insert(lookup, &entries[i]);
  return lookup;
}
