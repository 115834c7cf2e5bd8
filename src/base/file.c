/* SPDX-License-Identifier: MIT */
/* Reading whole files of public content (models), and syncing folders. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/memory.h"

static tacit_status fail_errno(tacit_error *err, const char *path) {
  char reason[TACIT_IO_REASON];
  return tacit_fail(err, TACIT_EIO, "%s: cannot read: %s", path,
                    tacit_io_reason(errno, reason));
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

static tacit_status fail_large(const char *path, uint64_t max, const char *limit,
                               tacit_error *err) {
  return tacit_fail(err, TACIT_EDATA,
                    "%.100s: larger than %" PRIu64 " bytes; raise the limit with %s if "
                    "it should be",
                    path, max, limit);
}

/* Makes room for at least one more byte and the closing zero, but never for more than
   one byte over the limit, which is enough to see that a file is too large. */
static int make_room(char **text, size_t *room, size_t size, size_t max) {
  if (*text != NULL && size + 1 < *room) return 1;
  if (*text != NULL) *room = *room > max / 2 ? max + 2 : 2 * *room;
  char *larger = tacit_array_grow(*text, *room, 1);
  if (larger != NULL) *text = larger;
  return larger != NULL;
}

static tacit_status read_open(int fd, const char *path, size_t max, const char *limit,
                              char **text, size_t *out_size, tacit_error *err) {
  struct stat info;
  if (fstat(fd, &info) != 0) return fail_errno(err, path);
  if (S_ISDIR(info.st_mode)) {
    errno = EISDIR;
    return fail_errno(err, path);
  }
  if (info.st_size > 0 && (uintmax_t)info.st_size > max)
    return fail_large(path, max, limit, err);
  size_t room = info.st_size > 0 ? (size_t)info.st_size + 2 : 4096, size = 0;
  for (;;) {
    if (!make_room(text, &room, size, max)) return tacit_fail_memory(err);
    size_t wanted = room - 1 - size;
    ssize_t got = tacit_io_read(fd, *text + size, wanted);
    if (got < 0) return fail_errno(err, path);
    size += (size_t)got;
    if (size > max) return fail_large(path, max, limit, err);
    if ((size_t)got < wanted) break;
  }
  (*text)[size] = '\0';
  *out_size = size;
  return TACIT_OK;
}

tacit_status tacit_file_read(const char *path, uint64_t max, const char *limit,
                             char **out, size_t *out_size, tacit_error *err) {
  if (max > SIZE_MAX / 2) max = SIZE_MAX / 2;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) return fail_errno(err, path);
  char *text = NULL;
  tacit_status status = read_open(fd, path, (size_t)max, limit, &text, out_size, err);
  (void)close(fd);
  if (status == TACIT_OK)
    *out = text;
  else
    tacit_array_free(text);
  return status;
}
