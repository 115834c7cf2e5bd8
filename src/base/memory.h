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

/* A copy of a public string. */
char *tacit_string_copy(const char *text);

#endif
