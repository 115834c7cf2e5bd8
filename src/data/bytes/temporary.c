/* SPDX-License-Identifier: MIT */
#include "data/bytes/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

int tacit_temporary_open(void) {
  const char *folder = getenv("TMPDIR");
  if (folder == NULL || *folder == '\0') folder = "/var/tmp";
  int fd = open(folder, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
  if (fd >= 0) return fd;
  /* A file system without O_TMPFILE: create a file and unlink it at once. */
  static const char tail[] = "/tacit-XXXXXX";
  size_t length = strlen(folder);
  char *path = tacit_array_new(length + sizeof tail, 1);
  if (path == NULL) {
    errno = ENOMEM;
    return -1;
  }
  memcpy(path, folder, length);
  memcpy(path + length, tail, sizeof tail);
  fd = mkostemp(path, O_CLOEXEC);
  int code = errno;
  if (fd >= 0) (void)unlink(path);
  tacit_array_free(path);
  errno = code;
  return fd;
}
