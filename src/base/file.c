/* SPDX-License-Identifier: MIT */
/* Whole files in and out, for public content (models, schemas). */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

static tacit_status fail_errno(tacit_error *err, const char *path, const char *doing) {
  return tacit_fail(err, TACIT_EIO, "%s: cannot %s: %s", path, doing, strerror(errno));
}

static int write_all(int fd, const char *text, size_t size) {
  while (size > 0) {
    ssize_t done = write(fd, text, size);
    if (done < 0) {
      if (errno == EINTR) continue;
      return -1;
    }
    text += done;
    size -= (size_t)done;
  }
  return 0;
}

static tacit_status write_directly(const char *path, const char *text, size_t size,
                                   tacit_error *err) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return fail_errno(err, path, "open for writing");
  int failed = write_all(fd, text, size);
  if (failed) {
    tacit_status status = fail_errno(err, path, "write");
    (void)close(fd);
    return status;
  }
  if (close(fd) != 0) return fail_errno(err, path, "write");
  return TACIT_OK;
}

void tacit_file_sync_folder(const char *path) {
  char folder[PATH_MAX] = ".";
  const char *slash = strrchr(path, '/');
  size_t length = slash != NULL ? (size_t)(slash - path) + 1 : 0;
  if (length >= sizeof folder) return;
  if (length > 0) {
    memcpy(folder, path, length);
    folder[length] = '\0';
  }
  int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  (void)fsync(fd);
  (void)close(fd);
}

static tacit_status write_renamed(const char *path, const char *text, size_t size,
                                  tacit_error *err) {
  char temporary[PATH_MAX];
  int length =
      snprintf(temporary, sizeof temporary, "%s.%ld.tmp", path, (long)getpid());
  if (length < 0 || (size_t)length >= sizeof temporary) {
    errno = ENAMETOOLONG;
    return fail_errno(err, path, "write");
  }
  int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) return fail_errno(err, path, "create");
  tacit_status status = TACIT_OK;
  if (write_all(fd, text, size) != 0 || fsync(fd) != 0) {
    status = fail_errno(err, path, "write");
  }
  if (close(fd) != 0 && status == TACIT_OK) status = fail_errno(err, path, "write");
  if (status == TACIT_OK && rename(temporary, path) != 0) {
    status = fail_errno(err, path, "rename the finished file to it");
  }
  if (status != TACIT_OK)
    (void)unlink(temporary);
  else
    tacit_file_sync_folder(path);
  return status;
}

tacit_status tacit_file_write(const char *path, const char *text, size_t size,
                              tacit_error *err) {
  struct stat info;
  if (stat(path, &info) != 0) return write_renamed(path, text, size, err);
  if (S_ISDIR(info.st_mode)) {
    errno = EISDIR;
    return fail_errno(err, path, "write");
  }
  if (!S_ISREG(info.st_mode)) return write_directly(path, text, size, err);
  /* Through a link the target is replaced, not the link. */
  char *target = realpath(path, NULL);
  if (target == NULL) return fail_errno(err, path, "write");
  tacit_status status = write_renamed(target, text, size, err);
  free(target);
  return status;
}

static tacit_status read_open(int fd, const char *path, size_t most, char **out,
                              size_t *out_size, tacit_error *err) {
  struct stat info;
  if (fstat(fd, &info) != 0) return fail_errno(err, path, "read");
  if (S_ISDIR(info.st_mode)) {
    errno = EISDIR;
    return fail_errno(err, path, "read");
  }
  size_t room = info.st_size > 0 ? (size_t)info.st_size + 2 : 4096, size = 0;
  char *text = NULL;
  for (;;) {
    if (text == NULL || size + 1 == room) {
      if (text != NULL) room *= 2;
      char *larger = tacit_array_grow(text, room, 1);
      if (larger == NULL) {
        tacit_array_free(text);
        return tacit_fail_memory(err);
      }
      text = larger;
    }
    ssize_t got = read(fd, text + size, room - 1 - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      tacit_array_free(text);
      return fail_errno(err, path, "read");
    }
    if (got == 0) break;
    size += (size_t)got;
    if (size > most) {
      tacit_array_free(text);
      return tacit_fail(err, TACIT_EDATA, "%s: larger than %zu bytes", path, most);
    }
  }
  text[size] = '\0';
  *out = text;
  *out_size = size;
  return TACIT_OK;
}

tacit_status tacit_file_read(const char *path, size_t most, char **out,
                             size_t *out_size, tacit_error *err) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return fail_errno(err, path, "read");
  tacit_status status = read_open(fd, path, most, out, out_size, err);
  (void)close(fd);
  return status;
}
