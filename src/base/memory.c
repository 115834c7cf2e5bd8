/* SPDX-License-Identifier: MIT */
/*
 * Overflow-checked arrays. Raw arrays carry their size in front so that the wipe on
 * free cannot be forgotten or given the wrong length. All come from calloc, which has
 * large ones from the system, zeroed page by page by whoever touches them first.
 */
#include "base/memory.h"

#include <sodium.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Payloads of raw arrays are aligned to it: vector loads and hash states ask for that.
 */
enum { ALIGNMENT = 64 };

/* In front of a raw array: what calloc gave, and the bytes of the payload. */
struct raw_head {
  void *block;
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

void *tacit_raw_new(size_t count, size_t size) {
  const size_t room = sizeof(struct raw_head) + ALIGNMENT;
  if (product_overflows(count, size) || count * size > SIZE_MAX - room) return NULL;
  char *block = calloc(1, count * size + room);
  if (block == NULL) return NULL;
  char *payload = block + sizeof(struct raw_head);
  payload += ALIGNMENT - (uintptr_t)payload % ALIGNMENT;
  struct raw_head head = {block, count * size};
  memcpy(payload - sizeof head, &head, sizeof head);
  return payload;
}

static struct raw_head raw_head(const void *raw_array) {
  struct raw_head head;
  memcpy(&head, (const char *)raw_array - sizeof head, sizeof head);
  return head;
}

void *tacit_raw_grow(void *raw_array, size_t count, size_t size) {
  /* realloc could leave a copy behind, so: new, copy, wipe. */
  void *raw_larger = tacit_raw_new(count, size);
  if (raw_larger == NULL) return NULL;
  if (raw_array != NULL) {
    size_t old_bytes = raw_head(raw_array).bytes;
    size_t new_bytes = count * size;
    memcpy(raw_larger, raw_array, old_bytes < new_bytes ? old_bytes : new_bytes);
    tacit_raw_free(raw_array);
  }
  return raw_larger;
}

void tacit_raw_free(void *raw_array) {
  if (raw_array == NULL) return;
  struct raw_head head = raw_head(raw_array);
  sodium_memzero(raw_array, head.bytes);
  free(head.block);
}

void tacit_memory_scattered(void *array, size_t bytes) {
#ifdef MADV_HUGEPAGE
  static const size_t large = (size_t)1 << 22; /* pages of 2 MiB lie in it */
  long page = sysconf(_SC_PAGESIZE);
  if (bytes < large || page <= 0) return;
  size_t skip = (size_t)page - (uintptr_t)array % (size_t)page;
  (void)madvise((char *)array + skip, bytes - skip, MADV_HUGEPAGE);
#else
  (void)array;
  (void)bytes;
#endif
}

char *tacit_string_copy(const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = malloc(size);
  if (copy != NULL) memcpy(copy, text, size);
  return copy;
}
