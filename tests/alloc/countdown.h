/* SPDX-License-Identifier: MIT */
/* An allocator that fails at a chosen request. The linker's --wrap puts it in front of
   the real one (tests/alloc/meson.build), so the code under test has no hook. */
#ifndef TACIT_TESTS_ALLOC_COUNTDOWN_H
#define TACIT_TESTS_ALLOC_COUNTDOWN_H

#include <stddef.h>

static long countdown = -1; /* requests until one fails; negative: none fails */
static long requests;

static int fails_now(void) {
  ++requests;
  return countdown >= 0 && countdown-- == 0;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__real_realloc(void *memory, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_realloc(void *memory, size_t size);
char *__wrap_strdup(const char *text);

void *__wrap_malloc(size_t size) { return fails_now() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) {
  return fails_now() ? NULL : __real_calloc(count, size);
}
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return fails_now() ? NULL : __real_aligned_alloc(alignment, size);
}
void *__wrap_realloc(void *memory, size_t size) {
  return fails_now() ? NULL : __real_realloc(memory, size);
}
char *__wrap_strdup(const char *text) {
  return fails_now() ? NULL : __real_strdup(text);
}

#endif
