/* SPDX-License-Identifier: MIT */
/* Overflow-checked arrays. Raw arrays carry their size in front so that the wipe on
   free cannot be forgotten or given the wrong length. */
#include "base/memory.h"

#include <sodium.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Payloads are aligned to it: vector loads and hash states ask for that. */
enum { RAW_HEADER = 64 };

/* What stands in front of a raw array. */
struct raw_header {
  unsigned char *block;
  size_t bytes;
};

static int product_overflows(size_t count, size_t size) {
  return size != 0 && count > SIZE_MAX / size;
}

void *tacit_array_new(size_t count, size_t size) {
  if (product_overflows(count, size)) return NULL;
  if (count == 0 || size == 0) return calloc(1, 1);
  return calloc(count, size);
}

void *tacit_array_grow(void *array, size_t count, size_t size) {
  if (product_overflows(count, size) || count == 0 || size == 0) return NULL;
  return realloc(array, count * size);
}

void tacit_array_free(void *array) { free(array); }

/* calloc, for large arrays do not touch their pages then: whoever writes to them first
   does, and several threads may share that work. */
void *tacit_raw_new(size_t count, size_t size) {
  if (product_overflows(count, size) || count * size > SIZE_MAX - 2 * RAW_HEADER)
    return NULL;
  size_t bytes = count * size;
  unsigned char *block = calloc(1, bytes + 2 * RAW_HEADER);
  if (block == NULL) return NULL;
  size_t skip = RAW_HEADER - (uintptr_t)block % RAW_HEADER;
  struct raw_header header = {.block = block, .bytes = bytes};
  memcpy(block + skip, &header, sizeof header);
  return block + skip + RAW_HEADER;
}

static struct raw_header header_of(const void *raw_array) {
  struct raw_header header;
  memcpy(&header, (const unsigned char *)raw_array - RAW_HEADER, sizeof header);
  return header;
}

void *tacit_raw_grow(void *raw_array, size_t count, size_t size) {
  /* realloc could leave a copy behind, so: new, copy, wipe. */
  void *raw_larger = tacit_raw_new(count, size);
  if (raw_larger == NULL) return NULL;
  if (raw_array != NULL) {
    size_t old_bytes = header_of(raw_array).bytes;
    size_t new_bytes = count * size;
    memcpy(raw_larger, raw_array, old_bytes < new_bytes ? old_bytes : new_bytes);
    tacit_raw_free(raw_array);
  }
  return raw_larger;
}

void tacit_raw_free(void *raw_array) {
  if (raw_array == NULL) return;
  struct raw_header header = header_of(raw_array);
  sodium_memzero(raw_array, header.bytes);
  free(header.block);
}

char *tacit_string_copy(const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = malloc(size);
  if (copy != NULL) memcpy(copy, text, size);
  return copy;
}
