/* SPDX-License-Identifier: MIT */
/* Overflow-checked arrays. Raw arrays carry their size in front so that the wipe on
   free cannot be forgotten or given the wrong length. */
#include "base/memory.h"

#include <sodium.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Blocks and payloads are aligned to it: vector loads and hash states ask for that. */
enum { RAW_HEADER = 64 };

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

void *tacit_raw_new(size_t count, size_t size) {
  if (product_overflows(count, size) || count * size > SIZE_MAX - RAW_HEADER)
    return NULL;
  size_t bytes = count * size, whole = bytes + RAW_HEADER;
  if (whole > SIZE_MAX - RAW_HEADER) return NULL;
  /* aligned_alloc wants a multiple of the alignment. */
  whole = (whole + RAW_HEADER - 1) / RAW_HEADER * RAW_HEADER;
  unsigned char *block = aligned_alloc(RAW_HEADER, whole);
  if (block == NULL) return NULL;
  memset(block, 0, whole);
  memcpy(block, &bytes, sizeof bytes);
  return block + RAW_HEADER;
}

static size_t raw_bytes(const void *raw_array) {
  size_t bytes;
  memcpy(&bytes, (const unsigned char *)raw_array - RAW_HEADER, sizeof bytes);
  return bytes;
}

void *tacit_raw_grow(void *raw_array, size_t count, size_t size) {
  /* realloc could leave a copy behind, so: new, copy, wipe. */
  void *raw_larger = tacit_raw_new(count, size);
  if (raw_larger == NULL) return NULL;
  if (raw_array != NULL) {
    size_t old_bytes = raw_bytes(raw_array);
    size_t new_bytes = count * size;
    memcpy(raw_larger, raw_array, old_bytes < new_bytes ? old_bytes : new_bytes);
    tacit_raw_free(raw_array);
  }
  return raw_larger;
}

void tacit_raw_free(void *raw_array) {
  if (raw_array == NULL) return;
  unsigned char *block = (unsigned char *)raw_array - RAW_HEADER;
  sodium_memzero(block, raw_bytes(raw_array) + RAW_HEADER);
  free(block);
}

char *tacit_string_copy(const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = malloc(size);
  if (copy != NULL) memcpy(copy, text, size);
  return copy;
}
