/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BASE_MEMORY_H
#define TACIT_BASE_MEMORY_H

#include <stddef.h>

/* All memory of the library. Arrays are zeroed; a size that overflows is NULL. */
void *tacit_array_new(size_t count, size_t size);
/* Grows an array to `count` elements, keeping what is there; NULL leaves it as it was.
 */
void *tacit_array_grow(void *array, size_t count, size_t size);
/* NULL-safe. Only for values that are public. */
void tacit_array_free(void *array);

/* The same for values that depend on records: wiped before the memory is given back. */
void *tacit_raw_new(size_t count, size_t size);
void *tacit_raw_grow(void *raw_array, size_t count, size_t size);
void tacit_raw_free(void *raw_array);

/* Says of a new array that it is going to be read and written all over, not in order:
   if it is large, pages of 2 MiB are asked for, so that fewer of their addresses must
   be looked up. Advice: a system that does not take it is slower, not wrong. */
void tacit_memory_scattered(void *array, size_t bytes);

/* A copy of a public string. */
char *tacit_string_copy(const char *text);

#endif
