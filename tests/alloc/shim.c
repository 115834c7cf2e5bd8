/* SPDX-License-Identifier: MIT */
/*
 * Loaded before a program (LD_PRELOAD), makes the memory request with the number
 * TACIT_FAIL_AT fail; with TACIT_FAIL_ON all later ones too. Requests of libraries
 * count. At the end of the program the number of requests is written to the file
 * TACIT_FAIL_COUNT.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* The functions of glibc, under the names by which it exports them. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static atomic_long requests;
static long fail_at = -1, fail_on;

/* The environment is available only after libc has started; earlier requests do not
   count. */
__attribute__((constructor)) static void start(void) {
  const char *at = getenv("TACIT_FAIL_AT");
  fail_on = getenv("TACIT_FAIL_ON") != NULL;
  atomic_store(&requests, 0);
  fail_at = at != NULL ? atol(at) : 0;
}

__attribute__((destructor)) static void end(void) {
  const char *path = getenv("TACIT_FAIL_COUNT");
  long count = atomic_load(&requests);
  fail_at = 0;
  FILE *file = path != NULL ? fopen(path, "w") : NULL;
  if (file == NULL) return;
  (void)fprintf(file, "%ld\n", count);
  (void)fclose(file);
}

static int fails(void) {
  long request = atomic_fetch_add(&requests, 1) + 1;
  int now = fail_at > 0 && (request == fail_at || (fail_on && request > fail_at));
  if (now) errno = ENOMEM;
  return now;
}

void *malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }

void *calloc(size_t count, size_t size) {
  return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
  return fails() ? NULL : __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
  return fails() ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  return fails() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size) {
  void *block = fails() ? NULL : __libc_memalign(alignment, size);
  if (block != NULL) *out = block;
  return block != NULL ? 0 : ENOMEM;
}
