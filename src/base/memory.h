/* SPDX-License-Identifier: MIT */
#ifndef TACIT_BASE_MEMORY_H
#define TACIT_BASE_MEMORY_H

#include <stddef.h>

#include <tacit/status.h>

/* Makes a zeroed array. Returns NULL if memory runs out or the size overflows. All
   memory of the library comes from this file. */
void *tacit_array_new(size_t count, size_t size);
/* Grows an array to `count` elements and keeps its content. Returns NULL and leaves the
   old array unchanged if memory runs out. */
void *tacit_array_grow(void *array, size_t count, size_t size);
/* Makes a zeroed array of `count` elements of the type that `array` points to. Its
   value is the status. */
#define TACIT_NEW(array, count, err)                                                   \
  tacit_made((array) = tacit_array_new((count), sizeof *(array)), err)
/* Frees an array of public values, or NULL. */
void tacit_array_free(void *array);
/* Frees several arrays of public values. Each may be NULL. */
#define TACIT_FREE(...) TACIT_EACH(tacit_array_free, __VA_ARGS__)

/* Make, grow and free raw arrays: for values that depend on records, so they are wiped
   when they are freed. */
void *tacit_raw_new(size_t count, size_t size);
void *tacit_raw_grow(void *raw_array, size_t count, size_t size);
void tacit_raw_free(void *raw_array);
/* Like TACIT_NEW, for a raw array. */
#define TACIT_RAW_NEW(array, count, err)                                               \
  tacit_made((array) = tacit_raw_new((count), sizeof *(array)), err)
/* Returns TACIT_OK, or TACIT_ENOMEM and its usual message if `array` is NULL. */
tacit_status tacit_made(const void *array, tacit_error *err);
/* Wipes and frees several raw arrays. Each may be NULL. */
#define TACIT_RAW_FREE(...) TACIT_EACH(tacit_raw_free, __VA_ARGS__)
/* Calls `free_one` for each of the addresses that follow it. */
#define TACIT_EACH(free_one, ...)                                                      \
  tacit_each(free_one, (void *const[]){__VA_ARGS__},                                   \
             sizeof((void *const[]){__VA_ARGS__}) / sizeof(void *))
void tacit_each(void (*free_one)(void *), void *const *arrays, size_t count);
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
