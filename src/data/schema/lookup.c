/* SPDX-License-Identifier: MIT */
/* Sorted arrays and hash tables of declared texts. At most a quarter of the slots is
   used, so that searches are short. The whole text is hashed, so that texts with the
   same beginning get different slots. */
#include "data/schema/lookup.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

enum { MIN_BITS = 3, SHORT_TRIES = 64, SHORT_BITS_MAX = 14 };

/* Returns eight characters of a text from `at` on, with zeros after its end. */
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

static int is_short(const tacit_entry *entry) {
  return tacit_lookup_is_short(entry->text, strlen(entry->text));
}

/* Puts short texts into `shorts`. Returns 0 if two texts have the same slot. */
static int place_shorts(tacit_lookup *lookup, const tacit_entry *entries, size_t count,
                        size_t none) {
  for (size_t i = 0; i < (size_t)1 << (64 - lookup->short_shift); ++i)
    lookup->shorts[i] = (tacit_lookup_short){{0, 0}, none, 0};
  for (size_t i = 0; i < count; ++i) {
    size_t size = strlen(entries[i].text);
    if (!is_short(&entries[i])) continue;
    uint64_t first = load(entries[i].text, size, 0);
    uint64_t second = load(entries[i].text, size, 8);
    size_t slot =
        tacit_lookup_short_slot(lookup->factor, lookup->short_shift, first, second);
    if (lookup->shorts[slot].place != none) return 0;
    lookup->shorts[slot] = (tacit_lookup_short){{first, second}, entries[i].number, 0};
  }
  return 1;
}

/* Makes `shorts`: finds a factor that gives every short text its own slot. Chooses the
   table so large that few random factors fail: with `slots` slots, about count^2/(2
   slots) pairs of texts share a slot. Makes no table if it finds no factor or memory
   runs out. */
static void add_shorts(tacit_lookup *lookup, const tacit_entry *entries, size_t count,
                       size_t none) {
  uint64_t state = 1;
  unsigned bits = MIN_BITS;
  size_t n_shorts = 0;
  for (size_t i = 0; i < count; ++i)
    n_shorts += (size_t)is_short(&entries[i]);
  while (bits <= SHORT_BITS_MAX && (size_t)8 << bits < n_shorts * n_shorts)
    ++bits;
  for (; bits <= SHORT_BITS_MAX; ++bits) {
    lookup->shorts = tacit_array_new((size_t)1 << bits, sizeof *lookup->shorts);
    if (lookup->shorts == NULL) return;
    lookup->short_shift = 64 - bits;
    for (int i = 0; i < SHORT_TRIES; ++i) {
      state = tacit_lookup_mix(state, 1);
      lookup->factor = state | 1;
      if (place_shorts(lookup, entries, count, none)) return;
    }
    tacit_array_free(lookup->shorts);
    lookup->shorts = NULL;
  }
}

tacit_lookup *tacit_lookup_new(const tacit_entry *entries, size_t count, size_t none) {
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
  add_shorts(lookup, entries, count, none);
  return lookup;
}

void tacit_lookup_free(tacit_lookup *lookup) {
  if (lookup == NULL) return;
  TACIT_FREE(lookup->shorts, lookup);
}

static int compare_entries(const void *a, const void *b) {
  const tacit_entry *left = a, *right = b;
  return strcmp(left->text, right->text);
}

const char *tacit_entries_sort(tacit_entry *entries, size_t count) {
  qsort(entries, count, sizeof *entries, compare_entries);
  for (size_t i = 1; i < count; ++i)
    if (strcmp(entries[i - 1].text, entries[i].text) == 0) return entries[i].text;
  return NULL;
}

const tacit_entry *tacit_entry_find(const tacit_entry *entries, size_t count,
                                    const char *text, size_t size) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    /* strncmp orders the texts as strcmp did in the sort, because they contain no
       NUL. */
    int order = strncmp(entries[middle].text, text, size);
    if (order == 0 && entries[middle].text[size] != '\0') order = 1;
    if (order == 0) return &entries[middle];
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

/* Returns 1 for a whole number as programs write it: 0, 7 or -12, but not 007 or +7. */
static int is_whole(const char *text) {
  if (*text == '-') ++text;
  size_t digits = strspn(text, "0123456789");
  return digits > 0 && text[digits] == '\0' && (*text != '0' || digits == 1);
}

static const char point[] = ".0";

int tacit_text_is(const char *declared, const char *text, size_t size) {
  size_t length = strlen(declared);
  if (size < length || memcmp(declared, text, length) != 0) return 0;
  return size == length ||
         (size == length + strlen(point) &&
          memcmp(text + length, point, strlen(point)) == 0 && is_whole(declared));
}

/* Appends the second spellings of whole numbers ("2.0") to the entries. Writes their
   texts to `text`. Returns the number of entries. */
static size_t add_points(tacit_entry *entries, size_t count, char *text) {
  size_t all = count;
  for (size_t i = 0; i < count; ++i) {
    if (!is_whole(entries[i].text)) continue;
    size_t length = strlen(entries[i].text);
    memcpy(text, entries[i].text, length);
    memcpy(text + length, point, sizeof point);
    if (tacit_entry_find(entries, count, text, length + strlen(point)) != NULL)
      continue;
    entries[all++] = (tacit_entry){text, entries[i].number};
    text += length + sizeof point;
  }
  return all;
}

tacit_status tacit_entries_new(char *const *texts, size_t count, tacit_entry **out,
                               size_t *out_count, tacit_lookup **out_lookup,
                               const char **out_twice, tacit_error *err) {
  size_t room = count * sizeof(tacit_entry);
  for (size_t i = 0; i < count; ++i)
    if (is_whole(texts[i]))
      room += sizeof(tacit_entry) + strlen(texts[i]) + sizeof point;
  tacit_entry *entries = tacit_array_new(room, 1);
  if (entries == NULL) return tacit_fail_memory(err);
  size_t all = count;
  for (size_t i = 0; i < count; ++i) {
    entries[i] = (tacit_entry){texts[i], i};
    all += (size_t)is_whole(texts[i]);
  }
  *out = entries;
  *out_twice = tacit_entries_sort(entries, count);
  *out_count = add_points(entries, count, (char *)(entries + all));
  (void)tacit_entries_sort(entries, *out_count);
  *out_lookup = tacit_lookup_new(entries, *out_count, count);
  return *out_lookup != NULL ? TACIT_OK : tacit_fail_memory(err);
}
