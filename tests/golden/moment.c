/* SPDX-License-Identifier: MIT */
/*
 * Stops a program at a chosen call, independent of the clock. When preloaded, it
 * replaces the functions that change files and counts their calls. TACIT_TEST_SIGNAL
 * the signal the process sends itself, once TACIT_TEST_CALL     right before this call,
 * counted from 1, or TACIT_TEST_FILE     right after the first call on this file that
 *   TACIT_TEST_SIZE     leaves it with at least so many bytes
 *   TACIT_TEST_CALLS    a file for the number of calls, written at the end
 * Calls that stdio makes inside the C library are not counted.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long n_calls;
static atomic_int is_over;

static long number(const char *name) {
  const char *text = getenv(name);
  return text != NULL ? strtol(text, NULL, 10) : -1;
}

static void stop(void) {
  if (!atomic_exchange(&is_over, 1))
    (void)kill(getpid(), (int)number("TACIT_TEST_SIGNAL"));
}

static void before(void) {
  if (atomic_fetch_add(&n_calls, 1) + 1 == number("TACIT_TEST_CALL")) stop();
}

/* Called after a call on the open file fd, or on the file `name` if it is not NULL. */
static void after(int fd, const char *name) {
  struct stat wanted, facts;
  const char *path = getenv("TACIT_TEST_FILE");
  if (path == NULL || stat(path, &wanted) != 0) return;
  if ((name != NULL ? stat(name, &facts) : fstat(fd, &facts)) != 0) return;
  if (facts.st_ino == wanted.st_ino && wanted.st_size >= number("TACIT_TEST_SIZE"))
    stop();
}

/* The function of this name that ours replaces. */
#define INSTEAD_OF(type, name, file, to_name, arguments, values)                       \
  type name arguments;                                                                 \
  type name arguments {                                                                \
    type(*real) arguments = (type(*) arguments)dlsym(RTLD_NEXT, #name);                \
    before();                                                                          \
    type result = real values;                                                         \
    after(file, to_name);                                                              \
    return result;                                                                     \
  }

INSTEAD_OF(ssize_t, write, fd, NULL, (int fd, const void *bytes, size_t size),
           (fd, bytes, size))
INSTEAD_OF(ssize_t, pwrite, fd, NULL,
           (int fd, const void *bytes, size_t size, off_t at), (fd, bytes, size, at))
INSTEAD_OF(ssize_t, writev, fd, NULL, (int fd, const struct iovec *parts, int n),
           (fd, parts, n))
INSTEAD_OF(int, fsync, fd, NULL, (int fd), (fd))
INSTEAD_OF(int, fdatasync, fd, NULL, (int fd), (fd))
INSTEAD_OF(int, ftruncate, fd, NULL, (int fd, off_t size), (fd, size))
INSTEAD_OF(int, rename, -1, to, (const char *from, const char *to), (from, to))
INSTEAD_OF(int, unlink, -1, to, (const char *to), (to))
INSTEAD_OF(int, linkat, -1, to,
           (int from_dir, const char *from, int to_dir, const char *to, int flags),
           (from_dir, from, to_dir, to, flags))

__attribute__((destructor)) static void tell(void) {
  const char *path = getenv("TACIT_TEST_CALLS");
  FILE *file = path != NULL ? fopen(path, "w") : NULL;
  if (file == NULL) return;
  (void)fprintf(file, "%ld\n", atomic_load(&n_calls));
  (void)fclose(file);
}
