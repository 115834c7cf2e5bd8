/* SPDX-License-Identifier: MIT */
#include "base/io.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int64_t AT_POSITION = -1; /* reads or writes at the position of the
                                          descriptor */

static ssize_t read_all(int fd, char *out, size_t size, int64_t offset) {
  size_t have = 0;
  while (have < size) {
    ssize_t got = offset == AT_POSITION
                      ? read(fd, out + have, size - have)
                      : pread(fd, out + have, size - have, (off_t)offset + (off_t)have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    have += (size_t)got;
  }
  return (ssize_t)have;
}

static int write_all(int fd, const char *bytes, size_t size, int64_t offset) {
  size_t done = 0;
  while (done < size) {
    ssize_t put = offset == AT_POSITION ? write(fd, bytes + done, size - done)
                                        : pwrite(fd, bytes + done, size - done,
                                                 (off_t)offset + (off_t)done);
    if (put < 0 && errno == EINTR) continue;
    if (put == 0) errno = ENOSPC;
    if (put <= 0) return -1;
    done += (size_t)put;
  }
  return 0;
}

ssize_t tacit_io_read(int fd, void *out, size_t size) {
  return read_all(fd, out, size, AT_POSITION);
}

ssize_t tacit_io_read_at(int fd, void *out, size_t size, int64_t offset) {
  return read_all(fd, out, size, offset);
}

int tacit_io_write(int fd, const void *bytes, size_t size) {
  return write_all(fd, bytes, size, AT_POSITION);
}

int tacit_io_write_at(int fd, const void *bytes, size_t size, int64_t offset) {
  return write_all(fd, bytes, size, offset);
}

int tacit_io_text_end(FILE *stream, char **text) {
  int failed = ferror(stream);
  if (fclose(stream) == 0 && !failed && *text != NULL) return 0;
  free(*text);
  *text = NULL;
  return -1;
}

const char *tacit_io_reason(int code, char out[TACIT_IO_REASON]) {
  locale_t locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (locale == (locale_t)0) {
    (void)snprintf(out, TACIT_IO_REASON, "error %d", code);
    return out;
  }
  (void)snprintf(out, TACIT_IO_REASON, "%s", strerror_l(code, locale));
  freelocale(locale);
  return out;
}
