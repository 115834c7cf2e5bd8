/* SPDX-License-Identifier: MIT */
/* Arrays whose sizes are checked for overflow. A raw array has its size stored before
   it, so that the wipe at its end cannot be forgotten or get a wrong length. calloc
   takes large arrays from the system, which zeroes a page when it is first touched, so
   no page is written twice, and each is first touched by the worker that uses it.
   Arrays of the size of a model ask for large pages, because rows access them in random
   order. Larger arrays are read from end to end, where large pages gain nothing. */
#include "base/memory.h"

#include <sodium.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <tacit/status.h>

#include "base/error.h"

enum {
  ALIGNMENT = 64,    /* of raw arrays, for vector loads and hash states */
  LARGE = 1 << 22,   /* the smallest array that asks for large pages */
  LARGEST = 1 << 26, /* the largest array that asks for large pages */
  LARGE_PAGE = 1 << 21,
  PAGE_BYTES_MAX = 1 << 16 /* a multiple of every ordinary page size */
};

/* The bytes before a raw array: its size, and the block that it is in. */
struct header {
  size_t bytes;
  void *block;
};

static int product_overflows(size_t count, size_t size) {
  return size != 0 && count > SIZE_MAX / size;
}

/* Gives the system advice on the pages that lie wholly within the array. Sets
   *out_before and *out_behind to the bytes of the array before and after these pages.
   Returns 1 if the system takes the advice. */
static int advise(unsigned char *begin, size_t bytes, uintptr_t page, int advice,
                  size_t *out_before, size_t *out_behind) {
  uintptr_t start = (uintptr_t)begin, end = start + bytes;
  uintptr_t first = (start + page - 1) & ~(page - 1), last = end & ~(page - 1);
  *out_before = first - start;
  *out_behind = end - last;
  return first < last && madvise((void *)first, last - first, advice) == 0;
}

static void want_large_pages(void *block, size_t bytes) {
  size_t before, behind;
  if (bytes >= LARGE && bytes <= LARGEST)
    (void)advise(block, bytes, LARGE_PAGE, MADV_HUGEPAGE, &before, &behind);
}

void *tacit_array_new(size_t count, size_t size) {
  if (product_overflows(count, size)) return NULL;
  if (count == 0 || size == 0) return calloc(1, 1);
  void *array = calloc(count, size);
  if (array != NULL) want_large_pages(array, count * size);
  return array;
}

void *tacit_array_grow(void *array, size_t count, size_t size) {
  if (product_overflows(count, size) || count == 0 || size == 0) return NULL;
  return realloc(array, count * size);
}

void tacit_string_free(char *text) { tacit_array_free(text); }

void tacit_array_free(void *array) { free(array); }

void *tacit_raw_new(size_t count, size_t size) {
  const size_t extra = 2 * ALIGNMENT; /* for the header and the alignment */
  if (product_overflows(count, size) || count * size > SIZE_MAX - extra) return NULL;
  size_t bytes = count * size;
  unsigned char *block = calloc(1, bytes + extra);
  if (block == NULL) return NULL;
  want_large_pages(block, bytes + extra);
  struct header header = {bytes, block};
  unsigned char *raw_array = block + extra - (uintptr_t)block % ALIGNMENT;
  memcpy(raw_array - ALIGNMENT, &header, sizeof header);
  return raw_array;
}

static struct header header_of(const void *raw_array) {
  struct header header;
  memcpy(&header, (const unsigned char *)raw_array - ALIGNMENT, sizeof header);
  return header;
}

void *tacit_raw_grow(void *raw_array, size_t count, size_t size) {
  /* realloc could leave an unwiped copy, so this allocates, copies and wipes. */
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

/* Zeroes an array. Returns the pages of a large array to the system, which clears them
   before it hands them out again. */
static void wipe(unsigned char *raw_array, size_t bytes) {
  size_t before = 0, behind = 0;
  if (bytes >= LARGE &&
      advise(raw_array, bytes, PAGE_BYTES_MAX, MADV_DONTNEED, &before, &behind)) {
    sodium_memzero(raw_array + bytes - behind, behind);
    bytes = before;
  }
  sodium_memzero(raw_array, bytes);
}

void tacit_raw_free(void *raw_array) {
  if (raw_array == NULL) return;
  struct header header = header_of(raw_array);
  wipe(raw_array, header.bytes);
  free(header.block);
}

tacit_status tacit_made(const void *array, tacit_error *err) {
  return array != NULL ? TACIT_OK : tacit_fail_memory(err);
}

void tacit_each(void (*free_one)(void *), void *const *arrays, size_t count) {
  for (size_t i = 0; i < count; ++i)
    free_one(arrays[i]);
}

void tacit_raw_expect(void *raw_array, size_t first, size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  size_t before, behind;
  (void)advise((unsigned char *)raw_array + first, bytes, PAGE_BYTES_MAX,
               MADV_POPULATE_WRITE, &before, &behind);
#else
  (void)raw_array, (void)first, (void)bytes;
#endif
}

static int reserve(void *(*grow)(void *, size_t, size_t), void *array, size_t *room,
                   size_t needed, size_t size) {
  void *larger;
  if (needed <= *room) return 1;
  if (needed / 2 < *room) needed = 2 * *room;
  memcpy(&larger, array, sizeof larger);
  larger = grow(larger, needed, size);
  if (larger == NULL) return 0;
  memcpy(array, &larger, sizeof larger);
  *room = needed;
  return 1;
}

int tacit_array_reserve(void *array, size_t *room, size_t needed, size_t size) {
  return reserve(tacit_array_grow, array, room, needed, size);
}

int tacit_raw_reserve(void *array, size_t *room, size_t needed, size_t size) {
  return reserve(tacit_raw_grow, array, room, needed, size);
}

char *tacit_string_copy(const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = malloc(size);
  if (copy != NULL) memcpy(copy, text, size);
  return copy;
}
