/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BASE_MEMORY_H
#define TACIT_BASE_MEMORY_H

#include <stddef.h>

/* Makes a zeroed array. Returns NULL if memory runs out or the size overflows. All
   memory of the library comes from this file. */
void *tacit_array_new(size_t count, size_t size);
/* Grows an array to `count` elements and keeps its content. Returns NULL and leaves the
   old array unchanged if memory runs out. */
void *tacit_array_grow(void *array, size_t count, size_t size);
/* Frees an array of public values, or NULL. */
void tacit_array_free(void *array);

/* Make, grow and free raw arrays: for values that depend on records, so they are wiped
   when they are freed. */
void *tacit_raw_new(size_t count, size_t size);
void *tacit_raw_grow(void *raw_array, size_t count, size_t size);
void tacit_raw_free(void *raw_array);
/* Tells the system that these bytes of a raw array will be written soon, so that it can
   provide their pages together, which is faster than one by one. */
void tacit_raw_expect(void *raw_array, size_t first, size_t bytes);

/* Make room for `needed` elements, or for twice the old number if that is more, so that
   arrays may grow one by one. `array` must be the address of the array, which may be
   NULL at first, and *room its number of elements. Return 0 and change nothing if
   memory runs out. */
int tacit_array_reserve(void *array, size_t *room, size_t needed, size_t size);
int tacit_raw_reserve(void *array, size_t *room, size_t needed, size_t size);

/* Returns a copy of a public string, or NULL if memory runs out. */
char *tacit_string_copy(const char *text);

#endif
