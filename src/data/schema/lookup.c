/* SPDX-License-Identifier: MIT */
/* Hash tables for declared texts. At most a quarter of the slots is used, so that
   searches are short. The whole text is hashed, so that texts with the same beginning
   get different slots. */
#include "data/schema/lookup.h"

#include "base/memory.h"

enum { MIN_BITS = 3, SHORT_TRIES = 64, SHORT_BITS_MAX = 14 };

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

/* Puts short texts into slots of their own; 0: two of them have the same slot. */
static int place_shorts(tacit_lookup *lookup, const tacit_entry *entries,
                        size_t count) {
  for (size_t i = 0; i < (size_t)1 << (64 - lookup->short_shift); ++i)
    lookup->shorts[i] = (tacit_lookup_short){{0, 0}, count, 0};
  for (size_t i = 0; i < count; ++i) {
    size_t size = strlen(entries[i].text);
    if (!tacit_lookup_is_short(entries[i].text, size)) continue;
    uint64_t first = load(entries[i].text, size, 0);
    uint64_t second = load(entries[i].text, size, 8);
    size_t slot =
        tacit_lookup_short_slot(lookup->factor, lookup->short_shift, first, second);
    if (lookup->shorts[slot].place != count) return 0;
    lookup->shorts[slot] = (tacit_lookup_short){{first, second}, entries[i].number, 0};
  }
  return 1;
}

/* Finds a factor that gives every short text its own slot, in a table that is large
   enough to find it soon: random slots would have count^2/2 in `slots` pairs in
   common. If there is none, or memory runs out, there is no such table. */
static void add_shorts(tacit_lookup *lookup, const tacit_entry *entries, size_t count) {
  uint64_t state = 1;
  unsigned bits = MIN_BITS;
  while (bits <= SHORT_BITS_MAX && (size_t)8 << bits < count * count)
    ++bits;
  for (; bits <= SHORT_BITS_MAX; ++bits) {
    lookup->shorts = tacit_array_new((size_t)1 << bits, sizeof *lookup->shorts);
    if (lookup->shorts == NULL) return;
    lookup->short_shift = 64 - bits;
    for (int i = 0; i < SHORT_TRIES; ++i) {
      state = tacit_lookup_mix(state, 1);
      lookup->factor = state | 1;
      if (place_shorts(lookup, entries, count)) return;
    }
    tacit_array_free(lookup->shorts);
    lookup->shorts = NULL;
  }
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
  add_shorts(lookup, entries, count);
  return lookup;
}

void tacit_lookup_free(tacit_lookup *lookup) {
  if (lookup == NULL) return;
  tacit_array_free(lookup->shorts);
  tacit_array_free(lookup);
}
