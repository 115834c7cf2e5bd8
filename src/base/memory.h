/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BASE_MEMORY_H
#define TACIT_BASE_MEMORY_H

#include <stddef.h>

/* All memory of the library comes from here. Arrays are zeroed. NULL if memory runs out
   or the size overflows. */
void *tacit_array_new(size_t count, size_t size);
/* Grows an array to `count` elements and keeps its content. On NULL the old array is
   unchanged. */
void *tacit_array_grow(void *array, size_t count, size_t size);
/* For public values only. NULL is allowed. */
void tacit_array_free(void *array);

/* The same for values that depend on records: they are wiped when freed. */
void *tacit_raw_new(size_t count, size_t size);
void *tacit_raw_grow(void *raw_array, size_t count, size_t size);
void tacit_raw_free(void *raw_array);
/* Says that these bytes of a raw array will be written soon, so that the system can
   provide their pages together, which is faster than one by one. */
void tacit_raw_expect(void *raw_array, size_t first, size_t bytes);

/* Make room for `needed` elements, and for twice as many as before, so that arrays may
   grow one by one. `array` is the address of the array, which may be NULL at first, and
   *room its number of elements. Return 0 if memory runs out: nothing is changed. */
int tacit_array_reserve(void *array, size_t *room, size_t needed, size_t size);
int tacit_raw_reserve(void *array, size_t *room, size_t needed, size_t size);

/* A copy of a public string. */
char *tacit_string_copy(const char *text);

#endif
